"""Commands that measure exactly these cases again, as few as possible.

A plan sweeps axes in groups; a result has single cases. A sweep has every combination of its
values, so cases become one sweep only where the result has all combinations.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any

from watari.case.axis import as_text
from watari.case.case import Case
from watari.cases import CASES
from watari.common.units import exact_size
from watari.results.measured import Measured


def commands(cases: Sequence[Measured]) -> list[str]:
    """Commands whose sweeps cover these cases and no others."""
    alike: dict[Any, list[Measured]] = {}
    for m in cases:  # with the number of ranks, defaults of other axes change
        typed = frozenset(axis for axis, value in m.parameters.items() if value != "")
        alike.setdefault((m.case, m.ranks, typed), []).append(m)
    lines = []
    for same in alike.values():
        trials = f"trials={max(m.planned for m in same)}"
        line = ["watari", "run", same[0].case]
        lines += [shlex.join([*line, *words, trials]) for words in sweeps(same)]
    return lines


def sweeps(same: Sequence[Measured]) -> list[list[str]]:
    """The words `axis=a,b` of each sweep that cases with the same axes make.

    Each case begins as a sweep of its own. Axis after axis, sweeps that differ in this axis alone
    become one.
    """
    case = CASES.get(same[0].case)
    known = [axis for axis in case.axes if not usual(case, axis, same)] if case else []
    newer = [axis for axis in same[0].parameters if not case or axis not in case.axes]
    axes = [*known, *newer]
    merged = dict.fromkeys(tuple(argument(axis, m[axis]) for axis in axes) for m in same)
    for index in reversed(range(len(axes))):
        values: dict[Any, list[str]] = {}
        for sweep in merged:
            values.setdefault((sweep[:index], sweep[index + 1 :]), []).append(sweep[index])
        merged = dict.fromkeys((*a, ",".join(own), *b) for (a, b), own in values.items())
    return [[f"{axis}={own}" for axis, own in zip(axes, sweep, strict=True)] for sweep in merged]


def usual(case: Case, axis: str, same: Sequence[Measured]) -> bool:
    """Whether all cases have the default of an axis, which may differ from case to case."""
    default = case.axes[axis].default
    return all(m[axis] is None or m[axis] == default(m.machine, m.parameters) for m in same)


def argument(axis: str, value: Any) -> str:
    """A value as a user types it; sizes exactly."""
    if axis not in ("size", "block") or type(value) is not int:
        return as_text(value)
    return exact_size(value)
