"""The compiled part of a case refuses what it does not know, and knows all that an axis offers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import synthetic

from watari import cases
from watari.case.native import module
from watari.common.errors import UnsupportedError, UsageError, WatariError
from watari.plan.request import Request, resolve

STRANGE = "no-such-parameter"
WRONG = [
    ("deep", {"dept": 3}, "deep: the library knows no parameter 'dept'"),
    ("deep", {"depth": "three"}, "deep: depth=three: give a whole number that fits"),
    ("deep", {"depth": -1}, "deep: depth=-1: give a whole number that fits"),
    ("gather", {"oversubscribe": 3}, "gather: oversubscribe=3: give True or False"),
    ("himeno", {"grid": (5, 5)}, r"himeno: grid=\(5, 5\): give 3 numbers"),
    ("himeno", {"halo": "pigeon"}, "himeno: halo=pigeon: no such halo path: pigeon"),
    ("himeno", {"init": "tpu"}, "himeno: init=tpu: no processor is called 'tpu'"),
    ("latency", {"memory": "device:x"}, "latency: memory=device:x: 'device:x' ends in no number"),
    ("atomic", {"contention": "all"}, "atomic: contention=all: .*known: counter, histogram, none"),
    ("copy", {"from": "tape"}, "copy: from=tape: no memory kind is called 'tape'"),
]


@pytest.mark.parametrize(("case", "given", "message"), WRONG)
def test_an_error_names_the_parameter_and_its_value(
    case: str, given: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        getattr(compiled(case), case)(given)


def compiled(name: str) -> Any:
    """The compiled module with a function of this name; skips a case that was not built."""
    for folder in cases.FOLDERS:
        try:
            found = module(f"watari.cases.{folder}")
        except UnsupportedError:
            continue
        if hasattr(found, name):
            return found
    pytest.skip(f"{name} has no compiled function in this build")


def requests(name: str) -> Iterator[Request]:
    """The usual request of a case, and one for each value that an axis offers, on a machine with a
    GPU; without those that the case refuses."""
    case, machine = cases.find(name), synthetic.gpu_machine()
    yield from resolve(name, {}, machine)
    for axis in case.axes.values():
        for choice in axis.choices:
            try:
                yield from resolve(name, {axis.name: choice}, machine)
            except WatariError:
                continue


@pytest.mark.parametrize("name", cases.CASES)
def test_the_library_knows_every_value_of_an_axis(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is read, and then a strange name, so that no trial begins."""
    part = compiled(name)
    function = getattr(part, name)

    def strange(*arguments: Any) -> Any:
        return function(*({**a, STRANGE: 1} if isinstance(a, dict) else a for a in arguments))

    monkeypatch.setattr(part, name, strange)
    asked = 0
    for request in requests(name):
        with pytest.raises(UsageError, match=f"knows no parameter '{STRANGE}'"):
            cases.find(name).run(request.parameters)
        asked += 1
    assert asked > len(cases.find(name).axes) / 3
