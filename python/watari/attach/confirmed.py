"""`watari advise --confirm`: the best changes and styles are imposed, in turn with the program as
it is. Predicted seconds stand beside measured ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from watari.attach import imposed, measure
from watari.attach.measure import Measured
from watari.attach.start import Start
from watari.attach.styles import AS_IS
from watari.case.sentence import Cost
from watari.common.errors import WatariError
from watari.common.progress import Progress
from watari.common.units import format_latency
from watari.model.replay.advice import Answer, Styled
from watari.model.replay.savings.candidates import LEAST

RUNS, BEST = 3, 2  # of each row; styles


@dataclass(frozen=True)
class Row:
    """Seconds of the whole program with a change, or in a style. `runs`: measured, none where
    `reason` says why."""

    name: str
    predicted: Cost
    runs: tuple[float, ...] = ()
    reason: str = ""


@dataclass(frozen=True)
class More:
    """Seconds that a row takes beyond the program as it is: at least, and at most."""

    low: float
    high: float

    @classmethod
    def measured(cls, one: Row, base: Row) -> More:
        """Of the runs."""
        return cls(min(one.runs) - max(base.runs), max(one.runs) - min(base.runs))

    @classmethod
    def predicted(cls, one: Row, base: Row) -> More:
        """Of the prediction, which is a difference to the same seconds."""
        return cls(
            *(end - base.predicted.middle for end in (one.predicted.low, one.predicted.high))
        )

    @property
    def is_open(self) -> bool:
        """Whether it may be more or less."""
        return self.low <= 0 <= self.high

    def meets(self, other: More) -> bool:
        """Whether both can be true."""
        return self.low <= other.high and other.low <= self.high


def chosen(answer: Answer) -> list[Styled]:
    """The changes that save something, and the best styles."""
    least = answer.measured * LEAST
    changes = [
        one
        for one in answer.changes
        if one.seconds and answer.measured - one.seconds.middle >= least
    ]
    styles = [one for one in answer.imposed if one.seconds and one.style != AS_IS]
    styles.sort(key=lambda one: one.seconds.middle if one.seconds else 0.0)
    return [*changes, *styles[:BEST]]


def confirm(start: Start, answer: Answer, progress: Progress) -> list[Row]:
    """Runs the program as it is, with each change and in each style, in turn. Raises WatariError
    where it fails as it is."""
    wanted = chosen(answer)
    learned = measure.first_run(start, [])
    if learned.status != "ok":
        raise WatariError(f"{start.command[0]} fails as it is: {learned.reason}")
    styles = [one.style for one in wanted if not imposed.parts(one.style)]
    measured = Measured(start, [AS_IS, *styles], [], learned)
    measure.learn(measured, learned.events)
    for one in wanted:
        if names := imposed.parts(one.style):
            measured.styles.append(one.style)
            if reason := next(filter(None, (imposed.lacking(n, start) for n in names)), ""):
                measured.unsupported[one.style] = reason
    measure.all_runs(measured, RUNS, [], progress)
    known = {one.style: one.seconds for one in wanted if one.seconds}
    here = Cost(answer.measured, answer.measured, answer.measured)
    return [row(measured, name, known.get(name, here)) for name in measured.styles]


def row(measured: Measured, name: str, predicted: Cost) -> Row:
    """The runs with a change or in a style."""
    runs = measured.of(name)
    good = tuple(one.ending.seconds for one in runs if one.status == "ok")
    reasons = [one.reason for one in runs if one.status != "ok"]
    reason = measured.unsupported.get(name) or "; ".join(reasons)
    return Row(name, predicted, good, "" if good else reason)


def spread(runs: Sequence[float]) -> str:
    """`1.2 s (1.1 s to 1.4 s)`."""
    ends = f"{format_latency(min(runs))} to {format_latency(max(runs))}"
    return f"{format_latency(median(runs))} ({ends})"


def said(one: Row) -> str:
    """The predicted seconds; the program as it is was measured before."""
    cost = one.predicted
    if one.name == AS_IS:
        return format_latency(cost.middle)
    ends = f"{format_latency(cost.low)} to {format_latency(cost.high)}"
    return f"{format_latency(cost.middle)} ({ends})"


def verdict(one: Row, base: Row) -> str:
    """Whether the prediction holds: as a difference to the program as it is."""
    if one is base or not base.runs:
        return ""
    said, seen = More.predicted(one, base), More.measured(one, base)
    if not seen.meets(said):
        off = median(one.runs) - median(base.runs) - (one.predicted.middle - base.predicted.middle)
        return f"{format_latency(abs(off))} {'more' if off > 0 else 'less'} than predicted"
    if seen.is_open and not said.is_open:
        return "not sure: the runs differ by more"
    return "as predicted"


def lines(rows: Sequence[Row]) -> Iterator[str]:
    """A line for each row, that of the program as it is first."""
    width = max((len(one.name) for one in rows), default=0)
    yield f"confirmed, {RUNS} runs of each in turn: seconds of the whole program"
    yield f"  {'':{width}}  {'predicted':30} measured"
    for one in rows:
        line = f"  {one.name:{width}}  {said(one):30} "
        measured = f"{spread(one.runs):30} {verdict(one, rows[0])}" if one.runs else one.reason
        yield (line + measured).rstrip()


def values(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """The rows as plain values."""
    return [
        {
            "name": one.name,
            "predicted": one.predicted.plain(),
            "measured": list(one.runs),
            "reason": one.reason,
        }
        for one in rows
    ]
