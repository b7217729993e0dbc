"""What the noise of the measurement allows, and whether intervals hold.

best style   of programs in which all styles within NEAR take as long as the program as it is,
             how many would be judged right if that were named: each style is dealt as many runs
             as it has, from the program's own runs as it is
savings      chance that a right prediction is judged right: |error| of the measurement below
             what is allowed, for a normal error (stranger_changes.py)
inside       measured seconds within the 95% interval of a run, and within the middle of it, of
             half the width: 68% of a normal distribution
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Sequence
from statistics import median

import stranger_changes
import stranger_judge
from stranger_changes import Change
from stranger_judge import Pair
from stranger_table import Row

from watari.attach.styles import AS_IS

DEALS, SEED = 400, 1
NEAR = 1.2  # times the program as it is
FEWEST = 4  # runs, for their distribution
MIDDLE = 0.5  # of a 95% interval: 68%


def own_runs(row: Row) -> list[float]:
    """The runs as it is over their median: beside styles, and beside the trace."""
    groups = (row["as_is"], untraced(row))
    return [one / median(runs) for runs in groups if runs for one in runs]


def untraced(row: Row) -> list[float]:
    """The runs beside the trace. Where the runs beside styles have the typical start of CUDA in
    place of their own (`start`), these have theirs so, too: none if the trace does not state it."""
    replay = row["trace"].get("replay") or {}
    runs, starts = replay.get("untraced") or [], replay.get("untraced_starts") or []
    if "start" not in row:
        return list(runs)
    return [one + median(starts) - own for one, own in zip(runs, starts, strict=False)]


def dealt(row: Row, runs: Sequence[float], source: random.Random) -> bool:
    """Whether the program as it is would be judged best, of styles dealt from its own runs."""
    found = {AS_IS: source.choices(runs, k=len(row["as_is"]))}
    for name, seconds in stranger_changes.middle(row, "styles").items():
        times = seconds / median(row["as_is"])
        count = len(row["styles"][name]["seconds"])
        chosen = source.choices(runs, k=count)
        found[name] = [one * (times if times > NEAR else 1.0) for one in chosen]
    return stranger_judge.is_best(AS_IS, found, found)


def best_style(rows: Iterable[Row]) -> float:
    """The part of the programs in which noise lets a right answer be judged right."""
    source = random.Random(SEED)
    known = [(row, own_runs(row)) for row in rows if stranger_changes.middle(row, "styles")]
    parts = [
        sum(dealt(row, runs, source) for _ in range(DEALS)) / DEALS
        for row, runs in known
        if len(runs) >= FEWEST
    ]
    return sum(parts) / len(parts) if parts else math.nan


def savings(told: Sequence[Change]) -> float:
    """The number of savings that would be judged right if all predictions were. The spread of the
    run stands for an error that is not known."""
    return sum(chance(one) for one in told)


def chance(one: Change) -> float:
    """That the measured saving is near the real one."""
    error = one.error or one.spread * one.run
    allowed = stranger_changes.allowed(one.measured, one.run)
    return math.erf(allowed / error / math.sqrt(2)) if error else 1.0


def inside(found: Sequence[Pair], part: float = 1.0) -> int:
    """How many measured seconds lie in this part of their interval."""
    return sum(
        one.predicted - part * (one.predicted - one.low)
        <= one.measured
        <= one.predicted + part * (one.high - one.predicted)
        for one in found
    )
