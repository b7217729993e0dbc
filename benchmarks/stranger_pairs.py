"""Changes from outside, measured in pairs: a run as it is beside one with the change.

    saving   median of the differences within pairs, without the start of CUDA: most of the noise of
             a short program, on which no change acts. `huge` may, so its runs count whole
    error    standard error of that median; runs of a busy machine lie far out, so the spread is
             that of the middle half

A change runs in pairs until the error is half of what a prediction may be off
(stranger_changes.py), at most MOST times. A row has for each pair the seconds as it is, of these
the start of CUDA, and both with the change; then those of large pageable copies, of both runs. Rows
of before lack the last two.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from statistics import median, quantiles
from typing import TypeAlias

from watari.attach.measure import Run

MOST, FEWEST = 24, 6  # pairs
KNOWN = 4  # pairs that have an error
WHOLE = ("huge", "near")  # changes that may act on the start of CUDA, too
OF_NORMAL = 1.349  # the middle half of a normal distribution, in standard deviations
OF_MEDIAN = 1.2533  # its standard error over that of the mean
Pair: TypeAlias = Sequence[float]  # seconds


def is_whole(name: str) -> bool:
    """Whether the runs of a change count whole. `name`: several are joined by `+`."""
    return any(one in WHOLE for one in name.split("+"))


def differences(pairs: Sequence[Pair], name: str) -> list[float]:
    """What each pair saves."""
    part = 0.0 if is_whole(name) else 1.0
    return [one[0] - one[2] - part * (one[1] - one[3]) for one in pairs]


def of_copies(pairs: Sequence[Pair]) -> list[float]:
    """What each pair saves in large pageable copies; empty where that is not known."""
    return [one[4] - one[5] for one in pairs if len(one) > 4]


def error(saved: Sequence[float]) -> float:
    """The standard error of the median; infinite for fewer than KNOWN pairs."""
    if len(saved) < KNOWN:
        return math.inf
    low, _, high = quantiles(saved, n=4)
    return OF_MEDIAN * (high - low) / OF_NORMAL / math.sqrt(len(saved))


def is_settled(pairs: Sequence[Pair], name: str, allowed: Callable[[float, float], float]) -> bool:
    """Whether a change needs no more pairs. `allowed`: how far a saving may be off, in a run of so
    many seconds."""
    if len(pairs) >= MOST:
        return True
    if len(pairs) < FEWEST:
        return False
    saved = differences(pairs, name)
    run = median(pair[0] for pair in pairs)
    return error(saved) <= allowed(median(saved), run) / 2


def start(one: Run) -> float:
    """Seconds of the start of CUDA, of the process in which it took longest."""
    every = [(p.initialised or 0.0) + p.context_seconds for p in one.events.processes]
    return max(every, default=0.0)


def seconds(one: Run) -> float:
    """Seconds of the whole run."""
    return one.ending.seconds


def copies(one: Run) -> float:
    """Seconds of large pageable copies, of the process in which they took longest."""
    every = [sum(c.large_seconds for c in p.copies.values()) for p in one.events.processes]
    return max(every, default=0.0)


def measured(
    names: Sequence[str],
    run: Callable[[str], Run | None],
    as_is: str,
    allowed: Callable[[float, float], float],
) -> Mapping[str, list[Pair]]:
    """The pairs of these changes. `run`: makes a run, None where it fails or there is no time.
    Every other round is in reverse order, so that a slow drift acts on both sides."""
    found: dict[str, list[Pair]] = {name: [] for name in names}
    turn, is_over = 0, False
    while not is_over:
        left = [name for name in names if not is_settled(found[name], name, allowed)]
        order = [as_is, *left][:: -1 if turn % 2 else 1]
        runs = {name: run(name) for name in order} if left else {}
        before = runs.get(as_is)
        for name in left:
            if before and (after := runs[name]):
                whole = [f(one) for one in (before, after) for f in (seconds, start)]
                inside = [copies(one) for one in (before, after)]
                found[name].append([round(value, 6) for value in (*whole, *inside)])
        is_over = before is None or not any(runs[name] for name in left)
        turn += 1
    return found
