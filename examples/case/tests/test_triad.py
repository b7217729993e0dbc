"""Case triad, from its parameters to its answer."""

from __future__ import annotations

from typing import Any

import pytest

from watari import cases
from watari.case.registry import Registry
from watari.common.errors import UsageError
from watari.plan.request import resolve

SMALL = {"processor": "cpu", "size": "1MiB", "samples": 2, "trials": 1}


def trial(**given: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    from watari.machine import probe

    (request,) = resolve("triad", {**SMALL, **given}, probe.machine())
    return request.parameters, cases.find("triad").run(request.parameters)


@pytest.mark.parametrize("work", [1, 7])
@pytest.mark.parametrize("memory", ["pageable"])
def test_a_trial_is_right_and_has_the_bytes_of_its_profile(work: int, memory: str) -> None:
    parameters, result = trial(work=work, memory=memory)
    assert result["verified"] is True
    profile = cases.find("triad").profile(parameters)
    assert result["bytes_per_sample"] == profile.bytes_per_sample == 3 * 2**20
    assert result["flops_per_sample"] == profile.flops_per_sample == 2 * work * 2**17


def test_the_library_refuses_a_name_that_it_does_not_know() -> None:
    parameters, _ = trial()
    with pytest.raises(UsageError, match="depth"):
        cases.find("triad").run({**parameters, "depth": 2})


def test_the_case_is_found_by_its_metadata() -> None:
    assert [str(o).split()[0] for o in Registry(()).outside["triad"]] == ["watari-triad"]
