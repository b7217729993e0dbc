"""The registry of cases. Each folder in FOLDERS has a `case.py`, which defines its rows, CASES.
Other packages declare theirs by entry points (watari/case/registry.py)."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from watari.case.axis import Parameters, as_text, unknown
from watari.case.case import Case
from watari.case.registry import Registry
from watari.common.errors import UsageError
from watari.results.registry import CHECKS, COMPLETIONS

if TYPE_CHECKING:
    from watari.case.presentation import Presentation

FOLDERS = (
    "memory",
    "latency",
    "gather",
    "atomic",
    "deep",
    "kernel",
    "storage",
    "himeno",
    "lattice",
    "gemm",
    "hmatrix",
    "les",
)
CASES = Registry(FOLDERS)


def find(name: str) -> Case:
    """The case of this name. Raises UsageError with the nearest one and the list."""
    CASES.check(name)
    if name not in CASES:
        other = written(name)
        if other:
            raise UsageError(f"unknown case '{name}'; here it is: {other}")
        failed = [f"; {folder} {why}" for folder, why in CASES.broken.items()]
        raise UsageError("".join([str(unknown("case", name, CASES.names())), *failed]))
    return CASES[name]


def written(word: str) -> str:
    """The command for another tool's word: `watari run copy from=pinned to=device` for `h2d`.
    Empty if no case lists the word."""
    for spelling in (word.lower(), word.lower().replace("_", "-")):
        for case in CASES.values():
            if spelling in case.also:
                return f"watari run {case.name} {case.also[spelling]}".rstrip()
    return ""


def presentation(name: str) -> Presentation:
    """The presentation of the case of this name; the plain one for a case of a newer version."""
    from watari.case.presentation import Presentation

    if name not in CASES:
        return Presentation()
    shown: Presentation = import_module(CASES[name].presentation).PRESENTATION
    return shown


def words(name: str, parameters: Parameters) -> str:
    """A case in words, without its size; axes of a newer version as `name=value`."""
    axes = CASES[name].axes if name in CASES else {}
    text = [presentation(name).words(name, parameters)] if axes else []
    newer = [f"{k}={as_text(v)}" for k, v in parameters.items() if k not in axes]
    return ", ".join([*text, *newer])


def check(name: str, parameters: Mapping[str, Any], counts: tuple[int, int] | None) -> None:
    """Checks the parameters and counts of a known case in results. Raises ValidationError."""
    from watari.cases import checks

    if name in CASES:
        checks.check(CASES[name], parameters, counts)


def complete(name: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters, and `axis.before` for each axis that a known case got after they were
    written."""
    axes = CASES[name].axes.values() if name in CASES else ()
    before = {axis.name: axis.before for axis in axes if axis.before is not None}
    given = dict(parameters)
    return {
        axis: value(given) if callable(value) else value for axis, value in before.items()
    } | given


CHECKS.append(check)
COMPLETIONS.append(complete)
