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
    """Styles that may be faster than the program as it is, by more than CLOSE, and may not be; and
    those that could not be predicted for lack of measurements."""
    close = CLOSE * as_is(styles).middle
    names = [name for name, more in known(styles) if more.low < -close <= more.high]
    return names + [one.style for one in styles if one.reason.startswith(NOT_SURE)]


def others(styles: Sequence[Styled]) -> list[tuple[str, Cost]]:
    """The predicted styles but for the program as it is, as differences to it."""
    return [(name, more) for name, more in known(styles) if name != AS_IS]


def rivals(styles: Sequence[Styled]) -> list[str]:
    """The style that is faster than the program as it is for sure, and those that its interval
    does not separate from it; none if there is no such style."""
    run = as_is(styles).middle
    rows = others(styles)
    first = next((more for _, more in rows if more.high < -CLOSE * run), None)
    return [name for name, more in rows if not slower(first, more, run)] if first else []


def none_matters(styles: Sequence[Styled]) -> bool:
    """Whether no style changes the run by CLOSE, for all seconds within the intervals."""
    close = CLOSE * as_is(styles).middle
    alike = all(-close <= more.low and more.high <= close for _, more in others(styles))
    return alike and not unsure(styles)


def best(styles: Sequence[Styled]) -> tuple[str, ...]:
    """The styles that may be the fastest, as a group; empty where none matters."""
    if none_matters(styles):
        return ()
    return tuple(dict.fromkeys((*(rivals(styles) or [AS_IS]), *unsure(styles))))


def verdict(styles: Sequence[Styled]) -> str:
    """One sentence: none matters, the fastest one, or not sure."""
    run = as_is(styles).middle
    open_ones = unsure(styles)
    if not others(styles) and not open_ones:
        return "no other memory style is predicted"
    if none_matters(styles):
        return f"no memory style changes this run by {CLOSE:.0%}"
    if fast := rivals(styles):
        sure = next(name for name, more in others(styles) if more.high < -CLOSE * run)
        either = f"either of {', '.join(fast)}" if len(fast) > 1 else sure
        seconds = next(one.run for one in styles if one.style == sure)
        assert seconds
        text = f"{either}: {seconds.within} instead of {format_duration(run)}"
        open_ones = [name for name in open_ones if name not in fast]
    elif open_ones:
        text = f"none is faster by {CLOSE:.0%} for sure"
    else:
        text = f"no memory style makes this run faster by {CLOSE:.0%}"
    return text + (f"; {NOT_SURE}: {', '.join(open_ones)}" if open_ones else "")
