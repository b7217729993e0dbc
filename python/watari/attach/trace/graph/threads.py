"""The order of calls in threads, and threads that wait for others to end."""

from __future__ import annotations

import numpy as np

from watari.attach.trace.records.records import Array
from watari.model.replay.graph import NONE, Join


def with_threads(rows: Array) -> tuple[Join, ...]:
    """Sets the call before each call; a thread begins after the latest call before it. Returns the
    threads that end inside a gap of a thread that began before them."""
    last: dict[int, int] = {}
    lives: dict[int, tuple[int, int]] = {}
    threads, ends = rows["thread"].tolist(), rows["end"].tolist()
    before = []
    starts = rows["start"].tolist()
    for call, thread in enumerate(threads):
        if thread in last:
            before.append(last[thread])
        else:
            done = [c for c in last.values() if ends[c] <= starts[call]]
            before.append(max(done, key=lambda c: ends[c], default=NONE))
        last[thread] = call
        lives[thread] = (lives.get(thread, (call, call))[0], call)
    rows["before"] = before
    if len(lives) < 2:
        return ()
    calls_of = {thread: np.flatnonzero(rows["thread"] == thread) for thread in lives}
    joins = []
    for thread, (first, end) in lives.items():
        for other in lives.keys() - {thread}:
            own = calls_of[other]
            place = int(np.searchsorted(rows["start"][own], ends[end]))
            if place == len(own) or before[own[place]] == NONE:
                continue
            call = int(own[place])
            previous = before[call]
            if threads[previous] == other and ends[previous] <= starts[first]:
                joins.append(Join(call, end, starts[call] - ends[end]))
    return longest_joins(joins, ends)


def longest_joins(joins: list[Join], ends: list[float]) -> tuple[Join, ...]:
    """Of several threads that end in one gap, the one that ends last."""
    last: dict[int, Join] = {}
    for join in joins:
        if join.call not in last or ends[join.other] > ends[last[join.call].other]:
            last[join.call] = join
    return tuple(last.values())
