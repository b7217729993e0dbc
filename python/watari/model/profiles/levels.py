"""Caches in a curve of passes: a cache keeps its rate up to its capacity.

A straight line between a size that a cache holds and one that it does not would be right for a rate
that falls from the first byte on. So the capacity becomes a point, with the seconds that the
cache's own rate gives:

    seconds(capacity) = seconds(held) + (capacity - held) x (seconds(held) - launch) / held

`held` is the largest measured size in that cache and `launch` the seconds of the smallest one.

A cache of one core holds the share HELD of the capacity that the machine reports: pages that share
cache sets take the rest. The last level is shared, with other virtual machines too, and the
reported capacity is the host's. There the next measured size shows how much the cache held of it.
When bytes are passed over again and again, a cache that replaces lines at random misses the share

    m = 1 - exp(-m x bytes / capacity)        so       capacity = bytes x m / -ln(1 - m)

and m follows from three rates: of the cache, of that size, and of memory (the largest size).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import log
from typing import NamedTuple

from watari.model.machine import Point, at

HELD = 0.5  # share of the capacity of a cache of one core


class Level(NamedTuple):
    """All caches of one level: bytes of all of them, and whether it is the last one."""

    bytes: float
    last: bool


def with_capacities(points: Sequence[Point], levels: Sequence[Level]) -> list[Point]:
    """Measured points, ascending, and one for each level whose capacity and rate they show."""
    found, inner = list(points), 0.0
    for level in sorted(levels):
        most = level.bytes if level.last else HELD * level.bytes
        pairs = [(p, q) for p, q in pairwise(points[1:]) if inner < p.bytes <= most]
        inner = most
        if level.last:
            pairs = [(p, q) for p, q in pairs if held_of(q, p, points) < q.bytes][:1]
        for held, edge in pairs[-1:]:
            capacity = min(most, held_of(edge, held, points)) if level.last else most
            found += at_capacity(capacity, points[0], held, edge)
    return sorted(found, key=lambda p: p.bytes)


def seconds_per_byte(one: Point, other: Point) -> float:
    """Seconds of a byte between two sizes."""
    return (other.seconds - one.seconds) / (other.bytes - one.bytes)


def held_of(edge: Point, here: Point, points: Sequence[Point]) -> float:
    """Bytes that a cache holds, from the share of a larger size that missed it; 0 where all
    missed."""
    if edge == points[-1]:
        return 0.0  # no larger size shows the rate of memory
    fast, slow = seconds_per_byte(points[0], here), seconds_per_byte(edge, points[-1])
    if slow <= fast:
        return 0.0
    missed = (seconds_per_byte(points[0], edge) - fast) / (slow - fast)
    if missed <= 0:
        return edge.bytes
    return edge.bytes * missed / -log(1 - missed) if missed < 1 else 0.0


def at_capacity(capacity: float, launch: Point, held: Point, edge: Point) -> list[Point]:
    """The point of a cache; none where its seconds are lost in the spread of the launch, or where
    the next measured size is as fast."""
    if not held.bytes < capacity < edge.bytes or launch.seconds >= held.low:
        return []
    seconds = held.seconds + (capacity - held.bytes) * seconds_per_byte(launch, held)
    ends = [held.bytes, edge.bytes]
    slowest, high = (
        at(capacity, ends, [getattr(p, name) for p in (held, edge)]) for name in ("seconds", "high")
    )
    if seconds >= slowest:
        return []
    low = max(held.low, min(seconds * held.low / held.seconds, edge.low))
    return [Point(bytes=capacity, seconds=seconds, low=low, high=high)]
