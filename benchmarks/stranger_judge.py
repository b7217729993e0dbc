"""Predicted beside measured, for the row of a program.

    whole seconds   predicted seconds of a style / measured ones - 1
    replay          right within 2%, or within the spread of the program's own runs
    best style      right if the named one is as fast as the best; "none matters" if all are as fast
    times as fast   wrong if what is said to be faster is slower

"As fast" is within 3%, or within the spread. A style that ended at its time limit is no pair.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import median

from stranger_table import Row

from watari.attach.styles import AS_IS

REPLAY, CLOSE, SLOWER = 0.02, 0.03, 0.02  # parts of the run
LINK = ("mapped", "pinned", "system")  # styles whose data stay in CPU memory
PART, LEAST = 0.2, 0.01  # of a saving, and of the run: how far a saving may be off
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


@dataclass(frozen=True)
class Change:
    """Seconds of the run that a change saves. `predicted`: None where nothing is said of it."""

    program: str
    change: str
    measured: float
    predicted: float | None
    run: float
    spread: float

    @property
    def loses(self) -> bool:
        """Whether the program is slower with it, beyond 2% and its spread."""
        return -self.measured > (SLOWER + self.spread) * self.run

    @property
    def right(self) -> bool:
        """Whether the saving that was said is near the measured one."""
        allowed = max(PART * abs(self.measured), (LEAST + self.spread) * self.run)
        return abs((self.predicted or 0.0) - self.measured) <= allowed


@dataclass
class Judged:
    """A program. `replayed`: None where it has no replay. `faster_wrong`: what was said to be
    faster and is slower."""

    name: str
    seconds: float
    spread: float
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

    @property
    def replay_right(self) -> bool:
        """Whether the replay is near the measured seconds, or says what stops it."""
        if self.stops:
            return True
        return self.replayed is not None and abs(self.replayed) <= max(REPLAY, self.spread)


def middle(row: Row, part: str) -> dict[str, float]:
    """Median seconds of the styles or changes that worked."""
    given = row.get(part, {}).items()
    return {name: median(one["seconds"]) for name, one in given if one["seconds"] and good(one)}


def good(one: Row) -> bool:
    """Whether runs of a style ended well."""
    return bool(one["status"] in ("ok", "unmeasured", "timeout"))


def predictions(row: Row) -> dict[str, float]:
    """Seconds of styles by `advise`; empty where it says none."""
    styles = row.get("advice", {}).get("styles", {}).get("imposed", [])
    return {one["style"]: one["seconds"] for one in styles if "seconds" in one}


def baseline(row: Row, seconds: float) -> dict[str, float]:
    """Seconds of styles by the model of bytes: its difference to the program as it is."""
    priced = row.get("today", {}).get("seconds", {})
    if AS_IS not in priced:
        return {}
    return {style: seconds + one - priced[AS_IS] for style, one in priced.items()}


def best(
    said: Mapping[str, float], measured: Mapping[str, float], spread: float, timeouts: int
) -> tuple[str, bool]:
    """What is called best, and whether it is. Both have AS_IS and the same styles."""
    allowed = 1 + max(CLOSE, spread)
    run = said[AS_IS]
    if all(abs(one / run - 1) <= CLOSE for one in said.values()):
        here = measured[AS_IS]
        alike = all(1 / allowed <= one / here <= allowed for one in measured.values())
        return NOTHING, alike and not timeouts
    name = min(said, key=lambda style: said[style])
    if said[name] > run * (1 - CLOSE):
        name = AS_IS
    return name, measured[name] <= min(measured.values()) * allowed


def judged(row: Row, said: Mapping[str, float] | None = None) -> Judged:
    """A row. `said`: seconds of styles by another model."""
    untraced = row["trace"].get("untraced_seconds")
    runs = [*row["as_is"], *([untraced] if untraced else [])]
    seconds = median(runs)
    spread = max(abs(one / seconds - 1) for one in runs)
    found = Judged(row["name"], seconds, spread)
    add_replay(found, row)
    styles = middle(row, "styles")
    found.styles = styles
    found.timeouts = [s for s, one in row["styles"].items() if one["status"] == "timeout"]
    found.changes = changes(row, seconds, spread)
    if said is None:
        said = {} if found.stops else predictions(row)
    found.predicted = len(said.keys() - {AS_IS})
    found.pairs = [Pair(found.name, s, said[s], styles[s]) for s in styles if s in said]
    both = {style for style in styles if style in said}
    if not said and not styles and not found.timeouts:  # no style acts on it
        found.said, found.named = NOTHING, True
    elif both:
        measured = {AS_IS: seconds, **{style: styles[style] for style in both}}
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
    replay = row["trace"].get("replay") or {}
    answer = row.get("advice", {})
    again = answer.get("replayed", replay.get("seconds"))
    found.replayed = again / found.seconds - 1 if again else None
    found.stops = [one["text"] for one in replay.get("met", []) if one["stops"]]
    found.stops = answer.get("stops", found.stops)


def changes(row: Row, seconds: float, spread: float) -> list[Change]:
    """What each imposed change saves, beside what was said of it; several are joined by `+`."""
    said: dict[str, float] = {}
    for one in row.get("advice", {}).get("savings", []):
        if one["imposed"]:
            said[one["imposed"]] = said.get(one["imposed"], 0.0) + one["saves"]["seconds"]
    found = []
    for name, one in middle(row, "changes").items():
        each = [said[part] for part in name.split("+") if part in said]
        predicted = sum(each) if each else None
        found.append(Change(row["name"], name, seconds - one, predicted, seconds, spread))
    return found
