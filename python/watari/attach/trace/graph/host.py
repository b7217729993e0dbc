"""The graph of a traced process (watari.model.replay.graph), from its records.

CUPTI records calls of the runtime and the calls of the driver inside them: only the outermost ones
count. Kernels, copies, events and waits name a call by its correlation.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from watari.attach.trace.graph.functions import FREES, GRAPHS, QUERIES, matching, roles
from watari.attach.trace.graph.operations import Streams, operations_of
from watari.attach.trace.graph.threads import with_threads
from watari.attach.trace.graph.waits import (
    aligned,
    with_full_queues,
    with_own,
    with_waits,
    without_polls,
)
from watari.attach.trace.records.outer import Outer, outermost
from watari.attach.trace.records.records import Array, Counter, Kind, Recorded
from watari.attach.trace.records.sites import Sites, with_sites
from watari.model.replay.graph import CALLS, NONE, Graph, Role, Tracing, Wait

NOTHING = Tracing()


@dataclass(frozen=True)
class Host:
    """A graph, and what its making met: loops of queries, operations without a call."""

    graph: Graph
    polls: int
    lost: int


def host(
    process: Recorded,
    begin: float,
    end: float,
    paid: Tracing = NOTHING,
    start_seconds: float = 0.0,
    sites: Sites | None = None,
) -> Host:
    """The graph of a process. `begin`, `end`: of the program, in ns of CLOCK_MONOTONIC; `paid`:
    the cost of tracing."""
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
    words = with_sites(rows, process, outer, sites or Sites(), begin)
    operations = operations_of(process, outer, streams)
    found = sum(len(process.of(kind)) for kind in (Kind.KERNEL, Kind.COPY, Kind.FILL))
    operations["start"] -= begin
    operations["end"] -= begin
    operations["inside"] = matching(names, rows["function"], GRAPHS)[operations["call"]]
    rows["records"] = np.minimum(outer.inner, np.iinfo(np.uint16).max)
    rows["aside"] = recording(process, outer, len(rows))
    with_waits(rows, process, outer, streams)
    aligned(rows, operations)
    with_own(rows, operations, synchronous(process, outer, operations))
    frees = matching(names, rows["function"], FREES) & (rows["wait"] == Wait.NOTHING)
    rows["wait"][frees], rows["on"][frees] = Wait.ALL, 0
    with_full_queues(rows, operations)
    flushes = rows["wait"] > 0  # in calls that wait, and copies
    rows["aside"][flushes] += process.flushing / max(int(flushes.sum()), 1)
    is_query = matching(names, rows["function"], QUERIES)
    rows, kept, loops = without_polls(rows, outer.rows["result"], is_query, operations)
    rows, operations = renumbered(rows, operations, kept)
    joins = with_threads(rows)
    with_migrations(rows, operations, process, begin)
    last = int(np.argmax(rows["end"])) if len(rows) else NONE
    graph = Graph(
        rows, operations, streams.all(), (), tuple(names), process.names, joins, words, last=last,
        start_seconds=start_seconds, tracing=paid,
    )  # fmt: skip
    graph = replace(graph, tail=max(end - begin - graph.span, 0.0))
    return Host(graph, loops, found - len(operations))


def with_migrations(rows: Array, operations: Array, process: Recorded, begin: float) -> None:
    """Which gaps of the CPU, and which operations, have faults or transfers of managed memory."""
    before = rows["before"]
    gaps = np.where(before == NONE, 0.0, rows["end"][before]), rows["start"]
    timed = operations["start"], operations["end"]
    sides = (
        (rows, gaps, (Counter.CPU_FAULT, Counter.TO_CPU)),
        (operations, timed, (Counter.GPU_FAULT, Counter.TO_GPU)),
    )
    for table, (starts, ends), counters in sides:
        times = np.sort(np.concatenate([process.counters(one)["start"] for one in counters]))
        first, end = (np.searchsorted(times.astype(float) - begin, at) for at in (starts, ends))
        table["migrates"] = end > first


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
