"""The answer for a program as text: where its time goes, what would help, memory styles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from watari.case.sentence import Cost
from watari.common.units import format_duration, format_latency
from watari.model.replay.advice import Answer, Left, Saving, Styled
from watari.model.replay.styles.groups import groups, verdict

CLOSE = 0.02  # of the untraced time
STYLES = {
    "imposed": "imposed from outside (watari try)",
    "rewritten": "if the source were rewritten",
}
NOTHING_HELPS = "no change that was considered saves 1% of this run"
PREFETCHED = "prefetched"  # needs the trace
UP_TO = 1e-9  # seconds: a smaller lower end is none


def time(shares: Mapping[str, float], total: float, measured: float) -> Iterator[str]:
    """Where the time goes: the shares add up to the total."""
    yield (
        f"where the time goes, of {format_duration(total)} by the replay "
        f"({format_duration(measured)} measured)"
    )
    for name, seconds in shares.items():
        yield f"  {name:26} {format_duration(seconds):>9}  {seconds / (total or 1):6.1%}"


def lines(facts: Mapping[str, Any]) -> Iterator[str]:
    """Where the time of a trace goes, and what its replay met."""
    total, measured = facts["seconds"], facts["untraced_seconds"]
    yield from time(facts["shares"], total, measured)
    off = total / measured - 1
    if abs(off) > CLOSE and all(one["word"] != "total" for one in facts["met"]):
        yield f"  the replay differs from the measured time by {off:+.1%}"
    for one in facts["met"]:
        yield f"  met: {one['text']}" + ("; no change is predicted" if one["stops"] else "")


def ends(cost: Cost) -> str:
    """`1.1 s to 1.4 s`."""
    return f"{format_latency(cost.low)} to {format_latency(cost.high)}"


def saved(one: Saving) -> str:
    """The seconds of a saving with its interval, in words."""
    cost = one.saves
    if cost.low <= UP_TO:
        return f"not sure: up to {format_latency(cost.high)}"
    doubt = "" if one.is_sure else ", not sure"
    return f"{format_latency(cost.middle)} ({ends(cost)}{doubt})"


def part(one: Saving, total: float) -> float:
    """The part of the run that a change saves; at most, where that is not sure."""
    cost = one.saves
    return max(cost.high if cost.low <= UP_TO else cost.middle, 0.0) / (total or 1)


def how(one: Saving) -> str:
    """Whether the change can be imposed, and how."""
    if one.imposed == PREFETCHED:
        return "watari try --changes prefetched --trace TRACE"
    return f"watari try --changes {one.imposed}" if one.imposed else "needs the source"


def helps(answer: Answer) -> Iterator[str]:
    """What would help, most first, and what the best changes leave."""
    yield "what would help"
    if not answer.savings:
        yield f"  {NOTHING_HELPS}"
    for one in answer.savings:
        yield f"  {saved(one):32} {part(one, answer.seconds):5.1%}  {one.text}"
        yield f"  {'':32} {'':5}  " + "; ".join(filter(None, (one.site, how(one))))
    if answer.left:
        yield f"  {left(answer.left, answer.seconds)}"


def left(found: Left, total: float) -> str:
    """The run with the best changes together."""
    count = len(found.changes)
    which = "with this change" if count == 1 else f"with the best {count} of these together"
    cost = found.seconds
    words = f"{format_latency(cost.middle)} ({ends(cost)}) instead of {format_latency(total)}"
    return f"{which}: {words}"


def styles(answer: Answer) -> Iterator[str]:
    """The memory styles: imposed, and rewritten."""
    for title, words in STYLES.items():
        if found := getattr(answer, title):
            yield f"memory styles, {words}: {verdict(found)}"
            for names, seconds in grouped(found):
                yield f"  {names:40} {seconds}"


def grouped(rows: Sequence[Styled]) -> Iterator[tuple[str, str]]:
    """The styles in groups that the intervals separate, the fastest first, and those without
    seconds: names, and seconds or the reason."""
    seconds = {one.style: one.run for one in rows if one.run}
    for group in groups(rows):
        costs = [seconds[name] for name in group]
        low, high = min(c.low for c in costs), max(c.high for c in costs)
        yield ", ".join(group), ends(Cost(0.0, low, high))
    reasons: dict[str, list[str]] = {}
    for one in rows:
        if one.reason:
            reasons.setdefault(one.reason, []).append(one.style)
    for reason, names in reasons.items():
        yield ", ".join(names), reason


def whole(answer: Answer) -> Iterator[str]:
    """The whole answer."""
    yield answer.title
    yield from time(answer.shares, answer.seconds, answer.measured)
    if not answer.stops:
        yield from ("", *helps(answer), "", *styles(answer))
    yield from ends_of(answer)


def styles_alone(answer: Answer) -> Iterator[str]:
    """The memory styles alone."""
    yield answer.title
    if not answer.stops:
        yield from styles(answer)
    yield from ends_of(answer)


def ends_of(answer: Answer) -> Iterator[str]:
    """Why nothing is predicted, and what the answer cannot know."""
    for stop in answer.stops:
        yield f"nothing more is predicted: {stop}"
    for note in answer.notes:
        yield f"note: {note}"
