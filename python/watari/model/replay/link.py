"""What each operation and each waiting call of a graph waits for, and an order to replay them in.

Everything waits for earlier calls alone, so one pass in that order replays a program. The order of
operations on an engine is the measured one in every replay: hence removing work never delays
another operation.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain

import numpy as np

from watari.model.replay.graph import NONE, Array, Graph, Order, Wait

Operations = tuple[int, ...]


@dataclass(frozen=True)
class Rows:
    """Rows of operations, of different lengths: row i is `every[firsts[i]:firsts[i + 1]]`. An
    array takes a fraction of the memory of tuples."""

    firsts: Array
    every: Array

    @classmethod
    def of(cls, rows: Sequence[Operations]) -> Rows:
        """The rows of a list."""
        firsts = np.zeros(len(rows) + 1, np.int64)
        np.cumsum(np.fromiter(map(len, rows), np.int64, len(rows)), out=firsts[1:])
        return cls(firsts, np.fromiter(chain.from_iterable(rows), np.int64, int(firsts[-1])))

    def __getitem__(self, row: int) -> Operations:
        return tuple(self.every[self.firsts[row] : self.firsts[row + 1]].tolist())

    @property
    def rows(self) -> Array:
        """The row of each operation of `every`."""
        return np.repeat(np.arange(len(self.firsts) - 1), np.diff(self.firsts))

    def latest(self, times: Array) -> Array:
        """The largest of the times of each row's operations, -inf where it has none."""
        found = np.full(len(self.firsts) - 1, -np.inf)
        some = np.flatnonzero(np.diff(self.firsts))
        if len(some):
            found[some] = np.maximum.reduceat(times[self.every], self.firsts[some])
        return found


@dataclass(frozen=True)
class Links:
    """`follows`: the operations before each operation; `targets`: those that each call waits for.
    `nodes`: a call that begins is its index, an operation the number of calls and its index, a
    waiting call that ends is the number of both and its index."""

    follows: Rows
    targets: Rows
    nodes: Array


class Streams:
    """The last operations of each stream and event, as calls go by."""

    def __init__(self, graph: Graph) -> None:
        self.streams = graph.streams
        self.tails: list[Operations] = [()] * len(graph.streams)
        self.events: dict[int, Operations] = {}
        self.blocking: dict[int, list[int]] = {}
        self.default: dict[int, int] = {}
        self.of_device: dict[int, list[int]] = {}
        for index, stream in enumerate(graph.streams):
            self.of_device.setdefault(stream.device, []).append(index)
            if stream.default:
                self.default[stream.device] = index
            elif stream.blocking:
                self.blocking.setdefault(stream.device, []).append(index)

    def ready(self, index: int) -> Operations:
        """What the next operation of a stream follows."""
        stream = self.streams[index]
        if stream.default:
            others = self.blocking.get(stream.device, [])
        elif stream.blocking and stream.device in self.default:
            others = [self.default[stream.device]]
        else:
            return self.tails[index]
        found = self.tails[index]
        for other in others:
            if self.tails[other]:
                found = (*found, *self.tails[other])
        return found if len(found) < 2 else tuple(dict.fromkeys(found))

    def order(self, kind: int, stream: int, event: int) -> None:
        """An event is recorded, or a stream waits for it. In the legacy default stream both are
        work, which blocking streams wait for."""
        if kind == Order.RECORD:
            self.events[event] = self.ready(stream)
        if self.streams[stream].default:
            self.tails[stream] = self.ready(stream)
        if kind == Order.FOLLOW and (known := self.events.get(event, ())):
            self.tails[stream] = tuple(dict.fromkeys((*self.tails[stream], *known)))

    def awaited(self, kind: int, on: int) -> Operations:
        """What a call waits for."""
        if kind == Wait.STREAM:  # not for the legacy default stream, unless it is that one
            return self.ready(on) if self.streams[on].default else self.tails[on]
        if kind == Wait.EVENT:
            return self.events.get(on, ())
        every = (self.tails[index] for index in self.of_device.get(on, []))
        return tuple(dict.fromkeys(one for tail in every for one in tail))


def nodes_of_graph(
    graph: Graph, own: range, entry: Operations
) -> tuple[list[Operations], Operations]:
    """The order of the nodes of one launch of a CUDA graph, from their measured times: each follows
    the node that ended last before it. Also returns the nodes that nothing follows."""
    starts, ends = graph.operations["start"], graph.operations["end"]
    follows: list[Operations] = []
    open_ends: list[int] = []
    for one in own:
        before = [other for other in own if other < one and ends[other] <= starts[one]]
        last = max(before, key=lambda other: float(ends[other]), default=NONE)
        follows.append((last,) if last != NONE else entry)
        open_ends = [*(other for other in open_ends if other != last), one]
    return follows, tuple(open_ends)


def link(graph: Graph) -> Links:
    """The links of a graph."""
    with uncollected():
        follows, targets = dependencies(graph)
        nodes = in_order(graph, follows, targets)
        of_calls = [targets.get(call, ()) for call in range(len(graph.calls))]
        return Links(Rows.of(follows), Rows.of(of_calls), nodes)


@contextmanager
def uncollected() -> Iterator[None]:
    """Without the search for cycles: a million tuples have none, and make it slow."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def dependencies(graph: Graph) -> tuple[list[Operations], dict[int, Operations]]:
    """What each operation follows, and what each waiting call waits for."""
    calls, operations = graph.calls, graph.operations
    count = len(calls)
    follows: list[Operations] = [()] * len(operations)
    targets: dict[int, Operations] = {}
    state = Streams(graph)
    firsts = np.searchsorted(operations["call"], np.arange(count + 1)).tolist()
    waits, on = calls["wait"].tolist(), calls["on"].tolist()
    orders, streams, events = (calls[n].tolist() for n in ("order", "stream", "event"))
    stream_of = operations["stream"].tolist()
    inside = operations["inside"].tolist()
    ignored = graph.ignored
    busy = np.flatnonzero((calls["wait"] > 0) | (calls["order"] > 0) | (np.diff(firsts) > 0))
    for call in busy.tolist():
        own = range(firsts[call], firsts[call + 1])
        if len(own) > 1 and inside[own[0]]:
            stream = stream_of[own[0]]
            found, state.tails[stream] = nodes_of_graph(graph, own, state.ready(stream))
            follows[own[0] : own[-1] + 1] = found
        else:
            for one in own:
                before = state.ready(stream_of[one])
                if ignored:
                    before = tuple(b for b in before if (b, one) not in ignored)
                follows[one] = before
                state.tails[stream_of[one]] = (one,)
        if orders[call]:
            state.order(orders[call], streams[call], events[call])
        if waits[call] == Wait.OWN:
            targets[call] = tuple(own)
        elif waits[call] == Wait.BEFORE:
            targets[call] = tuple({before: None for one in own for before in follows[one]})
        elif waits[call] == Wait.OPERATION:
            targets[call] = (on[call],)
        elif waits[call]:
            targets[call] = state.awaited(waits[call], on[call])
    return follows, targets


def in_order(graph: Graph, follows: list[Operations], targets: dict[int, Operations]) -> Array:
    """All nodes, each after those that it waits for, and by measured times otherwise."""
    calls, operations = graph.calls, graph.operations
    count, total = len(calls), len(operations)
    begins, ends = calls["start"].tolist(), calls["end"].tolist()
    before = calls["before"].tolist()
    starts, call_of = operations["start"].tolist(), operations["call"].tolist()
    joined: dict[int, list[int]] = {}
    for join in graph.joins:
        joined.setdefault(join.call, []).append(join.other)
    done = [0.0] * count  # key of a call's end
    operation = 0
    for call in range(count):
        key = begins[call]
        for other in (before[call], *joined.get(call, ())):
            if other != NONE and done[other] > key:
                key = done[other]
        begins[call] = done[call] = key
        while operation < total and call_of[operation] == call:
            at = max(starts[operation], key)
            for other in follows[operation]:
                if starts[other] > at:
                    at = starts[other]
            starts[operation] = at
            operation += 1
        if call in targets:
            key = max(key, ends[call])
            for other in targets[call]:
                if starts[other] > key:
                    key = starts[other]
            done[call] = key
    waiting = np.fromiter(targets, np.int64, len(targets))
    nodes = np.concatenate([np.arange(count + total), count + total + waiting])
    keys = np.concatenate([begins, starts, np.array(done)[waiting]])
    # of equal times: a call, its operations, then its end
    calls_of = np.concatenate([np.arange(count), call_of, waiting])
    rank = np.repeat([0, 1, 2], [count, total, len(waiting)])
    found: Array = nodes[np.lexsort((nodes, rank, calls_of, keys))]
    return found
