"""Predicted beside measured, for the row of a program.

    whole seconds   predicted seconds of a style / measured ones - 1
    replay          right within 2%, or within the spread of the program's own runs
    best style      right if the named one is as fast as the best; "none matters" if all are as fast
    times as fast   wrong if what is said to be faster is slower

"As fast" is within 3%, or within the spread. A style that ended at its time limit is no pair.

The replay is compared with the untraced runs beside its trace. Trace and styles may be of two runs
of this test: seconds of a style are then predicted as a ratio to the program as it is.
stranger_changes.py judges changes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import median

import stranger_changes
from stranger_changes import Change
from stranger_table import Row

from watari.attach.styles import AS_IS

REPLAY, CLOSE = 0.02, 0.03  # parts of the run
LINK = ("mapped", "pinned", "system")  # styles whose data stay in CPU memory
NOTHING, UNKNOWN = "none matters", "not named"


@dataclass(frozen=True)
class Pair:
    """Predicted and measured seconds of a style."""

    program: str
    style: str
    predicted: float
    measured: float

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
    """A program. `replayed`: None where it has no replay. `faster_wrong`: what was said to be
    faster and is slower."""

    name: str
    seconds: float
    spread: float
    traced_spread: float = 0.0  # of the untraced runs beside the trace
    replayed: float | None = None
    stops: list[str] = field(default_factory=list)
    styles: dict[str, float] = field(default_factory=dict)  # measured seconds
    pairs: list[Pair] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    said: str = UNKNOWN
    named: bool = False
    faster_wrong: list[str] = field(default_factory=list)
    predicted: int = 0  # styles with a prediction
    timeouts: list[str] = field(default_factory=list)
    is_edited: bool = False

    @property
    def replay_right(self) -> bool:
        """Whether the replay is near the measured seconds, or says what stops it."""
        if self.stops:
            return True
        return self.replayed is not None and abs(self.replayed) <= max(REPLAY, self.traced_spread)


def middle(row: Row) -> dict[str, float]:
    """Median seconds of the styles that worked."""
    return stranger_changes.middle(row, "styles")


def predictions(row: Row, seconds: float) -> dict[str, float]:
    """Seconds of styles by `advise`; empty where it says none. `seconds`: as it is."""
    advice = row.get("advice", {})
    styles = advice.get("styles", {}).get("imposed", [])
    ratio = stranger_changes.ratio(row, seconds)
    return {one["style"]: one["seconds"] * ratio for one in styles if "seconds" in one}


def baseline(row: Row, seconds: float) -> dict[str, float]:
    """Seconds of styles by the model of bytes: its difference to the program as it is."""
    priced = row.get("today", {}).get("seconds", {})
    if AS_IS not in priced:
        return {}
    return {style: seconds + one - priced[AS_IS] for style, one in priced.items()}


def best(
    said: Mapping[str, float], measured: Mapping[str, float], spread: float, timeouts: int
) -> tuple[str, bool]:
    """What is called best, and whether it is. Both have AS_IS; `measured` has every style of
    `said`, and those of which nothing is said."""
    allowed = 1 + max(CLOSE, spread)
    run, fastest = said[AS_IS], min(measured.values())
    if all(abs(one / run - 1) <= CLOSE for one in said.values()):
        alike = all(measured[one] <= measured[AS_IS] * allowed for one in said)
        return NOTHING, alike and measured[AS_IS] <= fastest * allowed and not timeouts
    name = min(said, key=lambda style: said[style])
    if said[name] > run * (1 - CLOSE):
        name = AS_IS
    return name, measured[name] <= fastest * allowed


def judged(row: Row, said: Mapping[str, float] | None = None) -> Judged:
    """A row. `said`: seconds of styles by another model."""
    seconds, spread = stranger_changes.as_is(row)
    found = Judged(row["name"], seconds, spread, is_edited=bool(row.get("edited")))
    add_replay(found, row)
    styles = middle(row)
    found.styles = styles
    found.timeouts = [s for s, one in row["styles"].items() if one["status"] == "timeout"]
    found.changes = stranger_changes.changes(row)
    if said is None:
        said = {} if found.stops else predictions(row, seconds)
    found.predicted = len(said.keys() - {AS_IS})
    found.pairs = [Pair(found.name, s, said[s], styles[s]) for s in styles if s in said]
    both = {style for style in styles if style in said}
    if not said and not styles and not found.timeouts:  # no style acts on it
        found.said, found.named = NOTHING, True
    elif both:
        measured = {AS_IS: seconds, **styles}
        run = said.get(AS_IS, seconds)
        there = {AS_IS: run, **{style: said[style] for style in both}}
        found.said, found.named = best(there, measured, spread, len(found.timeouts))
        found.faster_wrong = [
            style
            for style in both
            if said[style] < run * (1 - CLOSE) and styles[style] > seconds * (1 + spread)
        ]
    return found


def add_replay(found: Judged, row: Row) -> None:
    """How far the replay is off, and what stops it."""
    trace, answer = row["trace"], row.get("advice", {})
    replay = trace.get("replay") or {}
    again = answer.get("replayed", replay.get("seconds"))
    runs = replay.get("untraced") or [trace.get("untraced_seconds", found.seconds)]
    middle_run = median(runs)
    found.traced_spread = max(abs(one / middle_run - 1) for one in runs)
    found.replayed = again / middle_run - 1 if again else None
    found.stops = [one["text"] for one in replay.get("met", []) if one["stops"]]
    found.stops = answer.get("stops", found.stops)
