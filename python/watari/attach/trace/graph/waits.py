"""What calls wait for, and how they order operations: from records, and from times."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from watari.attach.trace.graph.functions import NOT_READY
from watari.attach.trace.graph.operations import Streams
from watari.attach.trace.records.outer import Outer
from watari.attach.trace.records.records import Array, Kind, Recorded, columns
from watari.model.replay.fit import CLOCKS
from watari.model.replay.graph import NONE, Order, Wait, Work

EVENT_WAIT, FOLLOWS, STREAM_WAIT, ALL_WAIT = 1, 2, 3, 4  # CUpti_ActivitySynchronizationType
DRIFT = 1_000_000.0  # ns, of the GPU's clock at most
DEEP = 128  # operations that wait in a stream, where a launch may have to wait for room
LONG = 3  # times a launch's usual time: it waited for room in the queue


def with_waits(rows: Array, process: Recorded, outer: Outer, streams: Streams) -> None:
    """Sets what calls wait for, and how they order operations, from records of both."""
    found = process.of(Kind.WAIT)
    fields = columns(found, "detail", "stream", "flags", "address")
    calls = outer.call(found["correlation"]).tolist()
    kinds, on = np.zeros(len(rows), "u1"), np.full(len(rows), NONE, np.int64)
    orders, stream_of, events = kinds.copy(), np.full(len(rows), NONE, np.int32), on.copy()
    for call, (detail, stream, context, event) in zip(calls, fields, strict=True):
        device = streams.device(context)
        if call == NONE:
            continue
        if detail == FOLLOWS:
            orders[call], events[call] = Order.FOLLOW, context << 32 | event
            stream_of[call] = streams.of(device, stream)
        elif detail == STREAM_WAIT:
            kinds[call], on[call] = Wait.STREAM, streams.of(device, stream)
        elif detail == EVENT_WAIT:
            kinds[call], on[call] = Wait.EVENT, context << 32 | event
        elif detail == ALL_WAIT:
            kinds[call], on[call] = Wait.ALL, device
    found = process.of(Kind.EVENT)
    calls = outer.call(found["correlation"]).tolist()
    fields = columns(found, "stream", "flags", "address")
    for call, (stream, context, event) in zip(calls, fields, strict=True):
        if call != NONE:
            orders[call], events[call] = Order.RECORD, context << 32 | event
            stream_of[call] = streams.of(streams.device(context), stream)
    rows["wait"], rows["on"] = kinds, on
    rows["order"], rows["stream"], rows["event"] = orders, stream_of, events


def aligned(rows: Array, operations: Array) -> float:
    """Shifts the GPU's times, in ns, where CUPTI's conversion to the CPU's clock is off: nothing
    begins before its call, and waits for all work end after it. Returns the shift."""
    if not len(operations):
        return 0.0
    begun = rows["start"][operations["call"]]
    least = float(np.percentile(begun - operations["start"], 99))
    waits = np.flatnonzero(rows["wait"] == Wait.ALL)
    latest = np.maximum.accumulate(operations["end"])
    before = np.searchsorted(operations["call"], waits) - 1
    late = (latest[before] - rows["end"][waits])[before >= 0]
    most = -float(np.percentile(late, 99)) if len(late) else np.inf
    shift = max(least, 0.0) if most >= 0 else most
    if least > most:  # the clocks drift: in the middle
        shift = (least + most) / 2
    if abs(shift) > DRIFT:
        return 0.0  # no clock is off by as much: the order of calls is another
    operations["start"] += shift
    operations["end"] += shift
    return shift


def with_own(rows: Array, operations: Array, synchronous: Array) -> None:
    """Copies that their call waits for: synchronous ones, and those of pageable memory, if most of
    the copy lies inside the call. A small synchronous one to the GPU may begin when the call has
    returned, which waited for earlier work."""
    copies = (operations["work"] == Work.COPY) & (operations["pageable"] | synchronous)
    own = operations[copies]
    begun, ended = rows["start"][own["call"]], rows["end"][own["call"]]
    inside = np.minimum(own["end"], ended) - np.maximum(own["start"], begun)
    is_most = inside >= (own["end"] - own["start"]) / 2
    is_late = own["end"] <= ended + CLOCKS
    waits = np.where(is_most | is_late, Wait.OWN, Wait.BEFORE)
    waits[~(is_most | is_late) & ~(operations["pageable"] & synchronous)[copies]] = Wait.NOTHING
    free = rows["wait"][own["call"]] == Wait.NOTHING
    rows["wait"][own["call"][free]] = waits[free]


def with_full_queues(rows: Array, operations: Array) -> None:
    """Launches that took long while many operations waited in their stream: they waited for one of
    these to end."""
    for stream in np.unique(operations["stream"]):
        own = operations[operations["stream"] == stream]
        if len(own) <= DEEP:
            continue
        ends = np.maximum.accumulate(own["end"])
        begun, ended = rows["start"][own["call"]], rows["end"][own["call"]]
        took = ended - begun
        done = np.searchsorted(ends, ended, side="right")
        waiting = np.arange(len(own)) - np.searchsorted(ends, begun, side="right")
        usual = np.median(took[waiting < DEEP])  # the first launches at least
        full = (waiting >= DEEP) & (took > np.maximum(LONG * usual, CLOCKS))
        full &= (done > 0) & (ends[done - 1] > begun) & (rows["wait"][own["call"]] == Wait.NOTHING)
        place = np.flatnonzero(operations["stream"] == stream)
        rows["wait"][own["call"][full]] = Wait.OPERATION
        rows["on"][own["call"][full]] = place[done[full] - 1]


def polls(rows: Array, results: Array, is_query: Array) -> Iterator[tuple[int, int]]:
    """Loops that ask until the GPU is ready: the first and the last call of each, in `rows` of one
    thread."""
    begin = previous = NONE
    for call in np.flatnonzero(is_query).tolist():
        continues = begin != NONE and previous == call - 1
        previous = call
        if results[call] == NOT_READY:
            begin = begin if continues else call
        else:
            if continues:
                yield begin, call
            begin = NONE


def without_polls(
    rows: Array, results: Array, is_query: Array, operations: Array
) -> tuple[Array, Array, int]:
    """Replaces each loop of queries by a wait for the operation that ended during the last ones.
    Also returns which calls are left, and the number of loops."""
    gone = np.zeros(len(rows), bool)
    ends = operations["end"]
    order = np.argsort(ends, kind="stable")
    ascending = ends[order]
    count = 0
    for thread in np.unique(rows["thread"][is_query]):
        mine = np.flatnonzero(rows["thread"] == thread)
        for begin, end in polls(rows[mine], results[mine], is_query[mine]):
            first, last, previous = mine[begin], mine[end], mine[end - 1]
            at = int(np.searchsorted(ascending, rows["end"][last], side="right")) - 1
            if at < 0 or ascending[at] < rows["start"][previous] - CLOCKS:
                continue
            gone[mine[begin:end]] = True
            rows["start"][last] = rows["start"][first]
            rows["wait"][last], rows["on"][last] = Wait.OPERATION, order[at]
            count += 1
    return rows, ~gone, count
