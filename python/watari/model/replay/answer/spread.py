"""How far one more run of a program may be from its predicted seconds, whatever is changed.

    part = t sqrt(1 + 1/n) s / middle     n runs as the program is: their standard deviation s and
                                          median; t of Student for 95%

A prediction is a difference to these runs, and its interval is that of the difference. The seconds
of a whole run have both in their interval. Few runs may agree by chance, so that s is at least
LEAST of the median. What ran once has twice the median spread of the programs of docs/strangers.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from statistics import median, stdev

from watari.common.units import format_duration
from watari.model.replay.advice import Left, Styled, wider

STUDENT = {2: 12.7, 3: 4.30, 4: 3.18, 5: 2.78, 6: 2.57}  # by the number of runs
MANY_RUNS = 2.45  # of more
ENOUGH = 3  # runs: two have too wide an interval to be of use
LEAST, ONCE = 0.015, 0.06
NAMED = 0.1  # of the run: runs that differ by more hide most of what may be saved


def part(runs: Sequence[float]) -> float:
    """The half of the interval of one more run, as a part of the median."""
    if len(runs) < ENOUGH:
        return ONCE
    spread = max(stdev(runs) / median(runs), LEAST)
    return STUDENT.get(len(runs), MANY_RUNS) * math.sqrt(1 + 1 / len(runs)) * spread


def of_runs(rows: Sequence[Styled], noise: float) -> tuple[Styled, ...]:
    """Rows whose runs differ by a part of their seconds."""
    return tuple(
        replace(one, noise=noise * one.seconds.middle) if one.seconds else one for one in rows
    )


def of_left(left: Left | None, noise: float) -> Left | None:
    """The run with the best changes, which differs likewise."""
    return left and replace(left, seconds=wider(left.seconds, noise * left.seconds.middle))


def notes(runs: Sequence[float]) -> list[str]:
    """What a reader must know of runs that differ by much."""
    if len(runs) < ENOUGH or max(runs) - min(runs) < NAMED * median(runs):
        return []
    ends = f"{format_duration(min(runs))} to {format_duration(max(runs))}"
    return [f"{len(runs)} runs of the same program took {ends}: compare medians of many runs"]
