"""Consistency of a result file beyond types: series of equal length, phases within them, parameters
that their axes accept.

All readers of a result rely on it. A case or an axis that is not in the table is of a newer
version: its values are not checked.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from pydantic import ValidationError
from pydantic_core import PydanticCustomError

from watari.results.registry import CHECKS, COMPLETIONS

MOST_SECONDS = 1e9  # 30 years
PASSED: list[dict[str, dict[str, Any]]] = []  # of `remembered`: completed parameters, by content


class Part(Protocol):
    """A phase."""

    name: str
    first: int
    last: int


def wrong(location: tuple[str | int, ...], text: str, value: Any) -> ValidationError:
    """The error of a field inside the record that is checked."""
    problem = PydanticCustomError("inconsistent", "{text}", {"text": text})
    details: Any = [{"type": problem, "loc": location, "input": value}]
    return ValidationError.from_exception_data("record", details)


def check_case(name: str, parameters: Mapping[str, Any], counts: tuple[int, int] | None) -> None:
    """Raises ValidationError if parameters are not those of a known case, or if `counts`, the bytes
    and flops of a sample, are 0 though the case has some. None: no samples were taken."""
    if not CHECKS:
        raise RuntimeError("watari.cases must be imported before results are checked")
    for check in CHECKS:
        check(name, parameters, counts)


def checked_case(
    name: str, parameters: Mapping[str, Any], counts: tuple[int, int] | None
) -> dict[str, Any]:
    """The parameters, completed and checked as `completed` and `check_case` do; inside
    `remembered`, without a repetition of what has passed."""
    positive = counts and tuple(bool(count) for count in counts)
    known = PASSED[-1] if PASSED else {}
    text = json.dumps([name, parameters, positive]) if PASSED else ""  # 1, 1.0 and true differ
    if text not in known:
        whole = completed(name, parameters)
        check_case(name, whole, counts)
        known[text] = whole
    return dict(known[text])


@contextmanager
def remembered() -> Iterator[None]:
    """Reads many files of one plan: a case that has passed is not checked again. The cases that
    are installed must not change in this block."""
    PASSED.append({})
    try:
        yield
    finally:
        PASSED.pop()


def completed(name: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters, with values for axes that the case got after they were written."""
    whole = dict(parameters)
    for complete in COMPLETIONS:
        whole = complete(name, whole)
    return whole


def check_length(location: tuple[str | int, ...], values: Sequence[float], samples: int) -> None:
    """Raises ValidationError unless a series has one value for each sample."""
    if len(values) != samples:
        raise wrong(location, f"has {len(values)} values, and host_s {samples}", len(values))


def check_series(
    samples: int, device: Sequence[float] | None, series: Mapping[str, Sequence[float]]
) -> None:
    """Raises ValidationError unless all series have `samples` values, and times are times."""
    if device is not None:
        check_length(("device_s",), device, samples)
    for name, values in series.items():
        check_length(("series", name), values, samples)
        for i, value in enumerate(values) if name.endswith("_s") else ():
            check_seconds(("series", name, i), value)


def check_seconds(location: tuple[str | int, ...], value: float) -> None:
    """Raises ValidationError for a time that no run can have taken."""
    if not 0 <= value <= MOST_SECONDS:
        raise wrong(location, f"must be from 0 to {MOST_SECONDS:g} s, is {value:g}", value)


def check_phases(phases: Sequence[Part], samples: int) -> None:
    """Raises ValidationError unless phases lie within the series, one after another."""
    end = 0
    for i, phase in enumerate(phases):
        if not end <= phase.first <= phase.last <= samples:
            text = f"must lie in order within {samples} samples: {phase.first} to {phase.last}"
            raise wrong(("phases", i), text, phase.name)
        if any(phase.name == other.name for other in phases[:i]):
            raise wrong(("phases", i, "name"), f"comes twice: {phase.name}", phase.name)
        end = phase.last
