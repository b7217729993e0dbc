"""Made-up programs for replays: calls of threads, with what they do on the GPU."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from watari.model.replay.graph import (
    CALLS,
    NONE,
    OPERATIONS,
    Array,
    Graph,
    Order,
    Role,
    Stream,
    Wait,
    Work,
)
from watari.model.replay.link import link
from watari.model.replay.simulate import replay

DEFAULT, BLOCKING, FIRST, SECOND = 0, 1, 2, 3
STREAMS = (
    Stream(0, 7, True, True),
    Stream(0, 8, True),
    Stream(0, 9, False),
    Stream(0, 10, False),
)
LATE = 3_000.0  # ns after the end of what a call waits for


@dataclass(frozen=True)
class Call:
    """One call. `takes`: ns of the operation that it adds to `stream`, 0: none."""

    takes: float = 0.0
    stream: int = DEFAULT
    gap: float = 1_000.0
    own: float = 2_000.0
    wait: Wait = Wait.NOTHING
    order: Order = Order.NOTHING
    event: int = 0
    thread: int = 0
    work: Work = Work.KERNEL
    size: float = 0.0  # bytes
    site: int = NONE
    pair: int = NONE
    role: Role = Role.CALL
    function: int = 0
    name: int = 0  # of a kernel
    detail: int = 0  # of a copy
    pageable: bool = False


def launch(takes: float, stream: int = DEFAULT, **fields: object) -> Call:
    return replace(Call(takes, stream), **fields)  # type: ignore[arg-type]


def copy(takes: float, stream: int = DEFAULT, **fields: object) -> Call:
    """A synchronous copy back."""
    made = Call(takes, stream, wait=Wait.OWN, work=Work.COPY, size=takes)
    return replace(made, **fields)  # type: ignore[arg-type]


def wait(stream: int = NONE) -> Call:
    """For a stream, or for all work."""
    return Call(stream=stream, wait=Wait.ALL if stream == NONE else Wait.STREAM)


def recorded(stream: int, event: int = 0) -> Call:
    return Call(stream=stream, order=Order.RECORD, event=event)


def follows(stream: int, event: int = 0) -> Call:
    return Call(stream=stream, order=Order.FOLLOW, event=event)


def planned(calls: list[Call]) -> Graph:
    """The graph of calls, before anything was measured."""
    rows = np.zeros(len(calls), CALLS)
    last: dict[int, int] = {}
    adds = [index for index, call in enumerate(calls) if call.takes]
    operations = np.zeros(len(adds), OPERATIONS)
    for index, call in enumerate(calls):
        row = rows[index]
        row["thread"], row["gap"], row["own"] = call.thread, call.gap, call.own
        row["wait"], row["order"] = call.wait, call.order
        row["site"], row["role"], row["function"] = call.site, call.role, call.function
        row["bytes"] = call.size if call.role == Role.ALLOCATION else 0.0
        row["late"] = LATE if call.wait else 0.0
        row["on"] = {Wait.ALL: 0, Wait.EVENT: call.event}.get(call.wait, call.stream)
        row["stream"], row["event"] = call.stream, call.event
        row["before"] = last.get(call.thread, NONE)
        last[call.thread] = index
    for row, index in zip(operations, adds, strict=True):
        call = calls[index]
        row["call"], row["stream"], row["takes"] = index, call.stream, call.takes
        row["work"], row["bytes"], row["issue"], row["engine"] = call.work, call.size, 1_500.0, NONE
        row["pair"], row["name"], row["detail"] = call.pair, call.name, call.detail
        row["pageable"] = call.pageable
    functions = ("call",)
    return Graph(rows, operations, STREAMS, (), functions, last=len(calls) - 1, tail=5_000.0)


def measured(graph: Graph) -> Graph:
    """The graph with the times of its replay as measured ones, and nothing else known."""
    done = replay(graph, link(graph))
    rows, operations = graph.calls.copy(), graph.operations.copy()
    rows["start"], rows["end"] = done.begins, done.ends
    operations["start"], operations["end"] = done.starts, done.finishes
    for name in ("gap", "own", "late"):
        rows[name] = 0
    for name in ("takes", "issue", "after", "turn"):
        operations[name] = 0
    order = np.argsort(rows["start"], kind="stable")
    rows, operations = in_order(rows, operations, order)
    return replace(graph, calls=rows, operations=operations, last=int(np.argmax(rows["end"])))


def in_order(rows: Array, operations: Array, order: Array) -> tuple[Array, Array]:
    """Calls in another order."""
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    rows = rows[order]
    known = rows["before"] != NONE
    rows["before"][known] = place[rows["before"][known]]
    operations["call"] = place[operations["call"]]
    return rows, operations[np.lexsort((operations["start"], operations["call"]))]


def traced(*calls: Call) -> Graph:
    """The graph of a program that was measured."""
    return measured(planned(list(calls)))
