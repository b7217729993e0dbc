"""The graph of a traced process (watari.model.replay.graph), from its records.

CUPTI records calls of the runtime and the calls of the driver inside them: only the outermost ones
count. Kernels, copies, events and waits name a call by its correlation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from watari.attach.trace.records import PAGEABLE, Array, Copy, Kind, Recorded, columns
from watari.model.replay.fit import CLOCKS
from watari.model.replay.graph import (
    CALLS,
    NONE,
    OPERATIONS,
    Graph,
    Join,
    Order,
    Role,
    Stream,
    Wait,
    Work,
)

FREES = re.compile(
    r"(cuda|cu)(Mem)?(Free|FreeHost|FreeArray|HostUnregister)(_v\d+)?$|cuArrayDestroy"
)
ALLOCATES = re.compile(
    r"(cuda|cu)(Mem)?(Malloc|Alloc|Free|HostAlloc|Host(Un)?[rR]egister)|cuArray3?D?(Create|Destroy)"
)
STARTS = re.compile(
    r"cuInit|cu(Device)?(PrimaryCtx|Ctx)(Create|Retain|Reset|Release|Destroy)|"
    r"cu(Module|Library)(Load|Unload)|cudaDeviceReset|__cudaRegister"
)
QUERIES = re.compile(r"(cuda|cu)(Event|Stream)Query")
GRAPHS = re.compile(r"(cuda|cu)GraphLaunch")
NOT_READY = 600  # CUDA_ERROR_NOT_READY, cudaErrorNotReady
EVENT_WAIT, FOLLOWS, STREAM_WAIT, ALL_WAIT = 1, 2, 3, 4  # CUpti_ActivitySynchronizationType
NON_BLOCKING = 2  # CUpti_ActivityStreamFlag
DEFAULT_STREAM = 7  # the number of the first context's, where CUPTI did not say it
DRIFT = 1_000_000.0  # ns, of the GPU's clock at most
DEEP = 128  # operations that wait in a stream, where a launch may have to wait for room
LONG = 3  # times a launch's usual time: it waited for room in the queue


@dataclass(frozen=True)
class Cost:
    """What tracing takes, in ns: each recorded call, a launch and a copy beyond that, and once. The
    call site of a copy is timed at each copy."""

    call: float = 0.0
    launch: float = 0.0
    copy: float = 0.0
    once: float = 0.0


@dataclass(frozen=True)
class Outer:
    """The outermost calls, by start. `inner`: the recorded calls of each, itself included;
    `of`: the call of each correlation, NONE where there is none."""

    rows: Array
    inner: Array
    of: Array

    def call(self, correlations: Array) -> Array:
        """The call of each correlation."""
        known = correlations < len(self.of)
        found: Array = np.where(known, self.of[np.where(known, correlations, 0)], NONE)
        return found


def outermost(calls: Array) -> Outer:
    """Leaves out calls inside calls of the same thread."""
    order = np.lexsort((-calls["end"].astype(np.int64), calls["start"], calls["thread"]))
    rows = calls[order]
    threads = np.flatnonzero(np.diff(rows["thread"], prepend=-1 if len(rows) else 0))
    latest = np.zeros(len(rows), np.uint64)
    for begin, end in zip(threads, [*threads[1:], len(rows)], strict=False):
        latest[begin + 1 : end] = np.maximum.accumulate(rows["end"][begin:end])[:-1]
    is_outer = rows["start"] >= latest
    group = np.cumsum(is_outer) - 1
    outer = rows[is_outer]
    by_start = np.argsort(outer["start"], kind="stable")
    place = np.empty(len(outer), np.int64)
    place[by_start] = np.arange(len(outer))
    of = np.full(int(rows["correlation"].max(initial=0)) + 1, NONE, np.int64)
    of[rows["correlation"]] = place[group]
    inner = np.bincount(place[group], minlength=len(outer))
    return Outer(outer[by_start], inner, of)


class Streams:
    """Numbers the streams of all devices."""

    def __init__(self, process: Recorded) -> None:
        contexts = process.of(Kind.CONTEXT)
        self.devices = dict(
            zip(contexts["flags"].tolist(), contexts["device"].tolist(), strict=True)
        )
        defaults = zip(contexts["device"].tolist(), contexts["stream"].tolist(), strict=True)
        self.default = {device: number or DEFAULT_STREAM for device, number in defaults}
        made = process.of(Kind.STREAM)
        self.non_blocking = {
            (self.device(int(row["flags"])), int(row["stream"]))
            for row in made[made["detail"] == NON_BLOCKING]
        }
        self.index: dict[tuple[int, int], int] = {}

    def device(self, context: int) -> int:
        """The device of a context."""
        return int(self.devices.get(context, 0))

    def of(self, device: int, number: int) -> int:
        """The index of a stream."""
        return self.index.setdefault((device, number), len(self.index))

    def all(self) -> tuple[Stream, ...]:
        """All streams seen so far."""
        return tuple(
            Stream(
                device,
                number,
                (device, number) not in self.non_blocking,
                self.default.get(device, DEFAULT_STREAM) == number,
            )
            for device, number in self.index
        )


def operations_of(process: Recorded, outer: Outer, streams: Streams) -> Array:
    """Kernels, copies and fills, by call; without those whose call is unknown."""
    parts = []
    for kind, work in ((Kind.KERNEL, Work.KERNEL), (Kind.COPY, Work.COPY), (Kind.FILL, Work.FILL)):
        found = process.of(kind)
        rows = np.zeros(len(found), OPERATIONS)
        rows["call"] = outer.call(found["correlation"])
        rows["work"] = work
        rows["start"], rows["end"] = found["start"], found["end"]
        keys, inverse = np.unique(found[["device", "stream"]], return_inverse=True)
        numbers = [streams.of(int(device), int(stream)) for device, stream in keys]
        rows["stream"] = np.array(numbers or [0], np.int32)[inverse] if len(found) else 0
        rows["engine"] = engines(found, work)
        if work == Work.COPY:
            rows["detail"], rows["bytes"] = found["detail"], found["bytes"]
            flags = found["flags"]
            rows["pageable"] = ((flags & 0xFF) == PAGEABLE) | ((flags >> 8 & 0xFF) == PAGEABLE)
        elif work == Work.FILL:
            rows["bytes"] = found["bytes"]
        else:
            rows["name"] = found["name"]
        parts.append(rows)
    every = np.concatenate(parts)
    every = every[every["call"] != NONE]
    by_call: Array = every[np.lexsort((every["start"], every["call"]))]
    return by_call


def engines(found: Array, work: Work) -> Array:
    """The engine of each operation: a device has one for kernels, and one for copies each way."""
    if work == Work.FILL:
        return np.full(len(found), NONE)
    base = found["device"].astype(np.int64) * 3
    if work == Work.KERNEL:
        return base
    to_gpu = np.isin(found["detail"], [Copy.TO_GPU, Copy.TO_ARRAY])
    to_cpu = np.isin(found["detail"], [Copy.TO_CPU, Copy.FROM_ARRAY])
    found_at: Array = np.where(to_gpu, base + 1, np.where(to_cpu, base + 2, NONE))
    return found_at


def roles(names: list[str], functions: Array) -> Array:
    """The role of each call, by its function."""
    known: list[int] = [
        Role.START if STARTS.match(n) else Role.ALLOCATION if ALLOCATES.match(n) else Role.CALL
        for n in names
    ]
    return np.array(known or [0], "u1")[functions]


def matching(names: list[str], functions: Array, pattern: re.Pattern[str]) -> Array:
    """Whether each call's function matches."""
    known = [bool(pattern.match(name)) for name in names]
    return np.array(known or [False])[functions]


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
    the copy lies inside the call. A small one to the GPU may begin when the call has returned."""
    copies = (operations["work"] == Work.COPY) & (operations["pageable"] | synchronous)
    own = operations[copies]
    begun, ended = rows["start"][own["call"]], rows["end"][own["call"]]
    inside = np.minimum(own["end"], ended) - np.maximum(own["start"], begun)
    is_most = inside >= (own["end"] - own["start"]) / 2
    is_late = own["end"] <= ended + CLOCKS
    calls = own["call"][is_most | is_late]
    rows["wait"][calls[rows["wait"][calls] == Wait.NOTHING]] = Wait.OWN


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


@dataclass(frozen=True)
class Host:
    """A graph, and what its making met: loops of queries, operations without a call."""

    graph: Graph
    polls: int
    lost: int


def host(
    process: Recorded, begin: float, end: float, cost: Cost, start_seconds: float = 0.0
) -> Host:
    """The graph of a process. `begin`, `end`: of the program, in ns of CLOCK_MONOTONIC."""
    outer = outermost(process.calls)
    streams = Streams(process)
    rows = np.zeros(len(outer.rows), CALLS)
    names_of = sorted({int(f) for f in np.unique(outer.rows["function"])})
    names = [process.functions.get(f, "unknown") for f in names_of]
    rows["function"] = np.searchsorted(names_of, outer.rows["function"]) if names_of else 0
    rows["thread"] = np.unique(outer.rows["thread"], return_inverse=True)[1]
    rows["start"] = outer.rows["start"].astype(np.float64) - begin
    rows["end"] = outer.rows["end"].astype(np.float64) - begin
    rows["role"] = roles(names, rows["function"])
    rows["on"] = rows["event"] = rows["before"] = NONE
    for one in process.of(Kind.CONTEXT):
        at = float(one["start"]) - begin
        rows["role"][(rows["start"] <= at) & (at <= rows["end"])] = Role.START
    operations = operations_of(process, outer, streams)
    found = sum(len(process.of(kind)) for kind in (Kind.KERNEL, Kind.COPY, Kind.FILL))
    operations["start"] -= begin
    operations["end"] -= begin
    operations["inside"] = matching(names, rows["function"], GRAPHS)[operations["call"]]
    rows["cost"] = cost.call * outer.inner
    for work, extra in ((Work.KERNEL, cost.launch), (Work.COPY, cost.copy)):
        adds = np.bincount(operations["call"][operations["work"] == work], minlength=len(rows))
        rows["cost"] += extra * np.minimum(adds, 1)
    rows["cost"] += recording(process, outer, len(rows))
    with_waits(rows, process, outer, streams)
    aligned(rows, operations)
    with_own(rows, operations, synchronous(process, outer, operations))
    frees = matching(names, rows["function"], FREES) & (rows["wait"] == Wait.NOTHING)
    rows["wait"][frees], rows["on"][frees] = Wait.ALL, 0
    with_full_queues(rows, operations)
    flushes = rows["wait"] > 0  # in calls that wait, and copies
    rows["cost"][flushes] += process.flushing / max(int(flushes.sum()), 1)
    is_query = matching(names, rows["function"], QUERIES)
    rows, kept, loops = without_polls(rows, outer.rows["result"], is_query, operations)
    rows, operations = renumbered(rows, operations, kept)
    joins = with_threads(rows)
    last = int(np.argmax(rows["end"])) if len(rows) else NONE
    graph = Graph(
        rows, operations, streams.all(), (), tuple(names), process.names, joins, last=last,
        start_seconds=start_seconds, once=cost.once,
    )  # fmt: skip
    graph = replace(graph, tail=max(end - begin - graph.span, 0.0))
    return Host(graph, loops, found - len(operations))


def renumbered(rows: Array, operations: Array, kept: Array) -> tuple[Array, Array]:
    """Leaves out calls, and sorts the others by their start."""
    left = np.flatnonzero(kept)
    left = left[np.argsort(rows["start"][left], kind="stable")]
    place = np.full(len(rows), NONE, np.int64)
    place[left] = np.arange(len(left))
    operations["call"] = place[operations["call"]]
    order = np.lexsort((operations["start"], operations["call"]))
    new = np.empty(len(order), np.int64)
    new[order] = np.arange(len(order))
    rows = rows[left]
    named = rows["wait"] == Wait.OPERATION
    rows["on"][named] = new[rows["on"][named]]
    return rows, operations[order]


def synchronous(process: Recorded, outer: Outer, operations: Array) -> Array:
    """Whether each operation is a copy of a synchronous call."""
    copies = process.of(Kind.COPY)
    calls = outer.call(copies["correlation"])
    known = calls != NONE
    is_so = np.zeros(len(outer.rows), bool)
    is_so[calls[known]] = (copies["flags"][known] >> 16) & 1 == 0
    found: Array = is_so[operations["call"]]
    return found


def recording(process: Recorded, outer: Outer, count: int) -> Array:
    """What recording the call site of copies took, by call: the library measured it."""
    rows = process.of(Kind.CALL)
    calls = outer.call(rows["correlation"])
    known = calls != NONE
    took = rows["device"][known].astype(float)
    return np.bincount(calls[known], took, minlength=count)
