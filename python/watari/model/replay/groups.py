"""Styles in groups that their intervals separate, and one sentence on what they change."""

from __future__ import annotations

from collections.abc import Sequence

from watari.case.sentence import Cost
from watari.common.units import format_duration
from watari.model.replay.answer import Styled

AS_IS = "as-is"
CLOSE = 0.03  # of the run: less is no difference


def known(styles: Sequence[Styled]) -> list[tuple[str, Cost]]:
    """The styles that are predicted, the fastest first."""
    found = [(one.style, one.seconds) for one in styles if one.seconds]
    return sorted(found, key=lambda pair: pair[1].middle)


def slower(one: Cost, other: Cost, run: float) -> bool:
    """Whether the second is slower for all seconds within the intervals, by more than a
    difference that matters."""
    return other.low > one.high and other.middle - one.middle > CLOSE * run


def run_of(styles: Sequence[Styled]) -> float:
    """Seconds of the program as it is."""
    return next((one.seconds.middle for one in styles if one.style == AS_IS and one.seconds), 0.0)


def groups(styles: Sequence[Styled]) -> tuple[tuple[str, ...], ...]:
    """Names of styles; a group is slower than the first style of the group before it."""
    run = run_of(styles)
    found: list[list[str]] = []
    first = None
    for name, cost in known(styles):
        if first is None or slower(first, cost, run):
            found.append([])
            first = cost
        found[-1].append(name)
    return tuple(map(tuple, found))


def unsure(styles: Sequence[Styled]) -> list[str]:
    """Styles that may be faster or slower than the program as it is, by more than CLOSE; and those
    that could not be predicted for lack of measurements."""
    run = run_of(styles)
    names = [
        name
        for name, cost in known(styles)
        if cost.low < run * (1 - CLOSE) and cost.high > run * (1 + CLOSE)
    ]
    return names + [one.style for one in styles if one.reason.startswith("not sure")]


def verdict(styles: Sequence[Styled]) -> str:
    """One sentence: none matters, the fastest one, or not sure."""
    run = run_of(styles)
    rows = [(name, cost) for name, cost in known(styles) if name != AS_IS]
    open_ones = unsure(styles)
    near = [c for _, c in rows if c.low >= run * (1 - CLOSE) and c.high <= run * (1 + CLOSE)]
    if rows and len(near) == len(rows) and not open_ones:
        return f"no memory style changes this run by {CLOSE:.0%}"
    faster = [(name, cost) for name, cost in rows if cost.high < run * (1 - CLOSE)]
    doubt = f"; not sure: {', '.join(open_ones)}" if open_ones else ""
    if faster:
        name, cost = faster[0]
        rivals = [other for other, c in rows[1:] if name != other and not slower(cost, c, run)]
        either = f"either of {', '.join([name, *rivals])}" if rivals else name
        return f"{either}: {within(cost)} instead of {format_duration(run)}{doubt}"
    if not rows:
        return f"no other memory style is predicted{doubt}"
    if len(open_ones) < len(rows) and not doubt:
        return f"no memory style makes this run faster by {CLOSE:.0%}"
    return f"none is faster by {CLOSE:.0%} for sure{doubt}"


def within(cost: Cost) -> str:
    """`1.2 s (1.1 s to 1.4 s)`."""
    low, high = format_duration(cost.low), format_duration(cost.high)
    return f"{format_duration(cost.middle)} ({low} to {high})"
