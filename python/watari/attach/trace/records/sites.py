"""Call sites of the calls in a graph: of copies and prefetches by their records, of allocations and
releases by the log of the preloaded library. A release counts to the site of its allocation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from watari.attach.events import Allocation
from watari.attach.trace.records.outer import Outer
from watari.attach.trace.records.records import Array, Kind, Recorded
from watari.model.replay.graph import NONE, Role

NS = 1e9  # in a second
NEAR = 100_000.0  # ns from the log's time to the driver's call: the walk through the stack
CLOCK = 1_000.0  # ns by which a time of the log may be off: it is a decimal of seconds


@dataclass(frozen=True)
class Sites:
    """Call sites in words: of copies by the number of their note, of allocations by their hash.
    `allocations`: those of the process."""

    copies: Mapping[int, str] = field(default_factory=dict)
    of_allocations: Mapping[str, str] = field(default_factory=dict)
    allocations: Sequence[Allocation] = ()


def with_sites(
    rows: Array, process: Recorded, outer: Outer, sites: Sites, begin: float
) -> tuple[str, ...]:
    """Sets the site of each call, and the bytes of allocations and releases. Returns the sites."""
    numbers: dict[str, int] = {}
    rows["site"] = NONE
    for kind in (Kind.CALL, Kind.PREFETCH):
        found = process.of(kind)
        calls = outer.call(found["correlation"])
        known = calls != NONE
        notes, inverse = np.unique(found["name"][known], return_inverse=True)
        words = [sites.copies.get(int(note), "unknown") for note in notes]
        of_note = [numbers.setdefault(text, len(numbers)) for text in words]
        rows["site"][calls[known]] = np.array(of_note or [NONE], np.int32)[inverse]
    own = sites.allocations
    number_of = {a.site: sites.of_allocations.get(a.site, "unknown") for a in own}
    place = {site: numbers.setdefault(text, len(numbers)) for site, text in number_of.items()}
    ended = [a for a in own if a.ended is not None]
    both = [*own, *ended]
    times = np.array([a.begun for a in own] + [a.ended for a in ended], float) * NS - begin
    calls = calls_at(rows, times)
    known = calls != NONE
    rows["site"][calls[known]] = np.array([place[a.site] for a in both], np.int32)[known]
    rows["bytes"][calls[known]] = np.array([a.bytes for a in both], float)[known]
    return tuple(numbers)


def calls_at(rows: Array, times: Array) -> Array:
    """The call that allocates or releases at each time, another for each; NONE where there is none.
    The log's time lies inside the call of the runtime, or shortly before that of the driver."""
    found = np.full(len(times), NONE)
    own = np.flatnonzero(rows["role"] != Role.CALL)
    if not len(own) or not len(times):
        return found
    own = own[np.argsort(rows["start"][own], kind="stable")]
    ends = np.maximum.accumulate(rows["end"][own])

    def near(at: Array, which: Array) -> Array:
        """Whether these calls had begun at these times, or begin soon."""
        begins = rows["start"][own[np.minimum(at, len(own) - 1)]]
        return (at < len(own)) & (begins <= times[which] + NEAR)

    order = np.argsort(times, kind="stable")
    first = np.searchsorted(ends, times[order] - CLOCK)
    known = near(first, order)
    order, first = order[known], first[known]
    # a call may begin within CLOCK of the end of the one before, which is taken then
    steps = np.arange(len(order))
    taken = steps + np.maximum.accumulate(first - steps)
    known = near(taken, order)
    found[order[known]] = own[taken[known]]
    return found


def pairs(source: Array, target: Array, size: Array, starts: Array, known: Array) -> Array:
    """Numbers copies: those of one number copy the same bytes from and to the same place, and no
    other copy writes to that place between them. NONE where the addresses are unknown."""
    found = np.full(len(starts), NONE, np.int32)
    order = np.lexsort((starts, target))
    order = order[known[order]]
    if len(order):
        differs = np.zeros(len(order), bool)
        for values in (source, target, size):
            differs[1:] |= np.diff(values[order]) != 0
        found[order] = np.cumsum(differs)
    return found
