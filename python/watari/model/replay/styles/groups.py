"""Styles in groups that their intervals separate, and one sentence on what they change."""

from __future__ import annotations

from collections.abc import Sequence

from watari.case.sentence import NOTHING, Cost
from watari.common.units import format_duration
from watari.model.replay.advice import Styled

AS_IS = "as-is"
CLOSE = 0.03  # of the run: less is no difference
NOT_SURE = "not sure"


def as_is(styles: Sequence[Styled]) -> Cost:
    """Seconds of the program as it is: an interval on another machine."""
    return next((one.seconds for one in styles if one.style == AS_IS and one.seconds), NOTHING)


def known(styles: Sequence[Styled]) -> list[tuple[str, Cost]]:
    """The styles that are predicted, the fastest first, as differences to the program as it is:
    what is unknown of that is unknown of every style."""
    base = as_is(styles)
    found = [
        (one.style, difference(one.seconds, base)) for one in styles if one.seconds is not None
    ]
    return sorted(found, key=lambda pair: pair[1].middle)


def difference(cost: Cost, base: Cost) -> Cost:
    """Seconds more than `base`, end by end."""
    middle = cost.middle - base.middle
    ends = (middle, cost.low - base.low, cost.high - base.high)
    return Cost(middle, min(ends), max(ends))


def slower(one: Cost, other: Cost, run: float) -> bool:
    """Whether the second is slower for all seconds within the intervals, by more than a
    difference that matters."""
    return other.low > one.high and other.middle - one.middle > CLOSE * run


def groups(styles: Sequence[Styled]) -> tuple[tuple[str, ...], ...]:
    """Names of styles; a group is slower than the first style of the group before it."""
    run = as_is(styles).middle
    found: list[list[str]] = []
    first = None
    for name, more in known(styles):
        if first is None or slower(first, more, run):
            found.append([])
            first = more
        found[-1].append(name)
    return tuple(map(tuple, found))


def unsure(styles: Sequence[Styled]) -> list[str]:
    """Styles that may be faster or slower than the program as it is, by more than CLOSE; and those
    that could not be predicted for lack of measurements."""
    close = CLOSE * as_is(styles).middle
    names = [name for name, more in known(styles) if more.low < -close and more.high > close]
    return names + [one.style for one in styles if one.reason.startswith(NOT_SURE)]


def verdict(styles: Sequence[Styled]) -> str:
    """One sentence: none matters, the fastest one, or not sure."""
    run = as_is(styles).middle
    close = CLOSE * run
    rows = [(name, more) for name, more in known(styles) if name != AS_IS]
    open_ones = unsure(styles)
    if not rows and not open_ones:
        return "no other memory style is predicted"
    if not open_ones and all(-close <= more.low and more.high <= close for _, more in rows):
        return f"no memory style changes this run by {CLOSE:.0%}"
    best = next(((name, more) for name, more in rows if more.high < -close), None)
    if best:
        rivals = [name for name, more in rows if not slower(best[1], more, run)]
        either = f"either of {', '.join(rivals)}" if len(rivals) > 1 else best[0]
        seconds = next(one.seconds for one in styles if one.style == best[0])
        assert seconds
        text = f"{either}: {within(seconds)} instead of {format_duration(run)}"
        open_ones = [name for name in open_ones if name not in rivals]
    elif open_ones:
        text = f"none is faster by {CLOSE:.0%} for sure"
    else:
        text = f"no memory style makes this run faster by {CLOSE:.0%}"
    return text + (f"; {NOT_SURE}: {', '.join(open_ones)}" if open_ones else "")


def within(cost: Cost) -> str:
    """`1.2 s (1.1 s to 1.4 s)`."""
    low, high = format_duration(cost.low), format_duration(cost.high)
    return f"{format_duration(cost.middle)} ({low} to {high})"
