"""Predicted beside measured, for the row of a program.

    whole seconds   predicted seconds of a style / measured ones - 1
    replay          right within 2% of the median of the untraced runs, or between the least and the
                    most of them, or if the answer has the reason why it stops
    best style      right if no style is faster than the named one by more than 3%, beyond noise;
                    "none matters" if all styles of the answer are so close to the program as it is
    in the group    the same of any style that the answer says may be the fastest
    times as fast   wrong if what is said to be faster by more than 3% is slower, beyond noise

stranger_noise.py says what is noise. The strict criteria have no noise in them: 2% of the median. A
style that ended at its time limit is no pair, and is slower than all others.

The replay is compared with the untraced runs beside its trace. Trace and styles may be of two runs
of this test: seconds of a style are then predicted as a ratio to the program as it is.
stranger_changes.py judges changes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

import stranger_changes
from stranger_changes import Change
from stranger_noise import told_apart
from stranger_table import Row

from watari.attach.styles import AS_IS

REPLAY, CLOSE = 0.02, 0.03  # parts of the run
STRICT = 0.02
LINK = ("mapped", "pinned", "system")  # styles whose data stay in CPU memory
NOTHING, UNKNOWN = "none matters", "not named"


@dataclass(frozen=True)
class Pair:
    """Predicted and measured seconds of a style."""

    program: str
    style: str
    predicted: float
    measured: float
    low: float = math.nan  # the interval of a run
    high: float = math.nan

    @property
    def off(self) -> float:
        """Predicted over measured, less 1."""
        return self.predicted / self.measured - 1

    @property
    def group(self) -> str:
        """Where the data of the style stay."""
        return "link" if self.style in LINK else "local"


@dataclass
class Judged:
    """A program. `replayed`: None where it has no replay. `faster_wrong`: styles that
    were called faster and are slower."""

    name: str
    seconds: float
    spread: float
    traced_spread: float = 0.0  # of the untraced runs beside the trace
    traced_range: tuple[float, float] = (0.0, 0.0)  # least and most of them over their median, - 1
    replayed: float | None = None
    stops: list[str] = field(default_factory=list)
    styles: dict[str, float] = field(default_factory=dict)  # measured seconds
    pairs: list[Pair] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    said: str = UNKNOWN
    is_compared: bool = True  # False: there was no time for any style of which something is said
    named: bool = False
    strictly: bool = False  # named, without noise
    group: list[str] = field(default_factory=list)  # styles that may be the fastest
    grouped: bool = False  # whether one of the group is right
    faster_wrong: list[str] = field(default_factory=list)
    predicted: int = 0  # styles with a prediction
    timeouts: list[str] = field(default_factory=list)
    is_edited: bool = False

    @property
    def replay_right(self) -> bool:
        """Whether the replay is near the measured seconds, or the answer has the reason why not."""
        if self.stops:
            return True
        if self.replayed is None:
            return False
        low, high = self.traced_range
        return abs(self.replayed) <= REPLAY or low <= self.replayed <= high


def middle(row: Row) -> dict[str, float]:
    """Median seconds of the styles that worked."""
    return stranger_changes.middle(row, "styles")


def predictions(row: Row, seconds: float) -> dict[str, float]:
    """Seconds of styles by `advise`; empty where it predicts none. `seconds`: as it is."""
    advice = row.get("advice", {})
    styles = advice.get("styles", {}).get("imposed", [])
    ratio = stranger_changes.ratio(row, seconds)
    return {one["style"]: one["seconds"] * ratio for one in styles if "seconds" in one}


def intervals(row: Row, seconds: float) -> dict[str, tuple[float, float]]:
    """The intervals of runs in each style by `advise`."""
    ratio = stranger_changes.ratio(row, seconds)
    styles = row.get("advice", {}).get("styles", {}).get("imposed", [])
    return {
        one["style"]: (one["low"] * ratio, one["high"] * ratio) for one in styles if "low" in one
    }


def baseline(row: Row, seconds: float) -> dict[str, float]:
    """Seconds of styles by the model of bytes: its difference to the program as it is."""
    priced = row.get("today", {}).get("seconds", {})
    if AS_IS not in priced:
        return {}
    return {style: seconds + one - priced[AS_IS] for style, one in priced.items()}


def as_fast(one: Sequence[float], other: Sequence[float]) -> bool:
    """Whether the first runs are not slower than the others, by more than 3% and beyond noise."""
    return median(one) <= median(other) * (1 + CLOSE) or not told_apart(one, other)


def strictly_as_fast(one: Sequence[float], other: Sequence[float]) -> bool:
    """Whether the first runs are not slower than the others by more than 2%."""
    return median(one) <= median(other) * (1 + STRICT)


def is_slower(one: Sequence[float], other: Sequence[float]) -> bool:
    """Whether the first runs are slower than the others, beyond noise."""
    return median(one) > median(other) and told_apart(one, other)


def highest(row: Row) -> float:
    """What the slowest style takes at most by `advise`, in times of the program as it is."""
    styles = row.get("advice", {}).get("styles", {}).get("imposed", [])
    known = {one["style"]: one for one in styles if "seconds" in one}
    return max(
        (one.get("high", 0.0) / known[AS_IS]["seconds"] for one in known.values()), default=0
    )


def group_of(row: Row) -> list[str] | None:
    """The styles that may be the fastest by `advise`, none where none matters; None in a row of an
    earlier version."""
    found: list[str] | None = row.get("advice", {}).get("best", {}).get("imposed")
    return found


def called(said: Mapping[str, float], most: float = 0.0, matters: bool | None = None) -> str:
    """What is called best: a style, or NOTHING. `said` has AS_IS. `most`: what the slowest style
    may take, in times of AS_IS. `matters`: whether a style does, if the answer says so."""
    run = said[AS_IS]
    alike = most <= 1 + CLOSE and all(abs(one / run - 1) <= CLOSE for one in said.values())
    if alike if matters is None else not matters:
        return NOTHING
    name = min(said, key=lambda style: said[style])
    return AS_IS if said[name] > run * (1 - CLOSE) else name


def is_best(
    name: str,
    said: Iterable[str],
    runs: Mapping[str, Sequence[float]],
    fast: Callable[[Sequence[float], Sequence[float]], bool] = as_fast,
) -> bool:
    """Whether this style is as fast as the fastest; of NOTHING, whether all that is said is as fast
    as the program as it is, and that as the fastest. `runs` has the measured seconds of each
    style, those of which nothing is said too. `said` has styles without runs: they ended at their
    time limit."""
    fastest = min(runs.values(), key=median)
    if name == NOTHING:
        alike = all(style in runs and fast(runs[style], runs[AS_IS]) for style in said)
        return alike and fast(runs[AS_IS], fastest)
    return name in runs and fast(runs[name], fastest)


def judged(row: Row, said: Mapping[str, float] | None = None) -> Judged:
    """A row. `said`: seconds of styles by another model."""
    seconds, spread = stranger_changes.as_is(row)
    found = Judged(row["name"], seconds, spread, is_edited=bool(row.get("edited")))
    add_replay(found, row)
    styles = middle(row)
    found.styles = styles
    found.timeouts = [s for s, one in row["styles"].items() if one["status"] == "timeout"]
    found.changes = stranger_changes.changes(row)
    most = 0.0 if said is not None else highest(row)
    if said is None:
        said = {} if found.stops else predictions(row, seconds)
        group = group_of(row)
    else:
        group = None
    found.predicted = len(said.keys() - {AS_IS})
    ends = intervals(row, seconds)
    found.pairs = [
        Pair(found.name, s, said[s], styles[s], *ends.get(s, ())) for s in styles if s in said
    ]
    both = {style for style in styles if style in said}
    ended = {style for style in found.timeouts if style in said}
    if not styles and not found.timeouts:  # no style acts on it, or none was measured
        found.is_compared = not said
        found.said, found.named, found.strictly = NOTHING, not said, not said
        found.grouped = found.named
    elif both or ended:
        runs = {AS_IS: row["as_is"], **{style: row["styles"][style]["seconds"] for style in styles}}
        run = said.get(AS_IS, seconds)
        there = {AS_IS: run, **{style: said[style] for style in both | ended}}
        found.said = called(there, most, None if group is None else bool(group))
        found.named = is_best(found.said, there, runs)
        found.strictly = is_best(found.said, there, runs, strictly_as_fast)
        found.group = group or [found.said]
        found.grouped = found.named or any(is_best(one, there, runs) for one in group or ())
        found.faster_wrong = [
            style
            for style in both
            if said[style] < run * (1 - CLOSE) and is_slower(runs[style], runs[AS_IS])
        ]
    return found


def add_replay(found: Judged, row: Row) -> None:
    """How far the replay is off, and what stops it."""
    trace, answer = row["trace"], row.get("advice", {})
    replay = trace.get("replay") or {}
    again = answer.get("replayed", replay.get("seconds"))
    runs = replay.get("untraced") or [trace.get("untraced_seconds", found.seconds)]
    middle_run = median(runs)
    found.traced_spread = stranger_changes.spread_of(runs)
    found.traced_range = (min(runs) / middle_run - 1, max(runs) / middle_run - 1)
    found.replayed = again / middle_run - 1 if again else None
    found.stops = [one["text"] for one in replay.get("met", []) if one["stops"]]
    found.stops = answer.get("stops", found.stops)
