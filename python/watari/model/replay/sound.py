"""Whether the numbers in a graph that was read lead to calls, operations and streams of it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from watari.model.replay.graph import NONE, Array, Graph, Order, Role, Wait, Work

ENGINES = 10_000  # at most
LARGEST = 1e21  # of times in ns: 30,000 years; and of bytes
NUMBERS = 2**32  # of streams


def outside(values: Array, low: int, end: int) -> bool:
    """Whether one of the values is not in `low` to `end` - 1."""
    return bool(len(values)) and not (low <= int(values.min()) and int(values.max()) < end)


def problems(graph: Graph) -> Iterator[str]:
    """What is wrong, in words."""
    calls, rows = graph.calls, graph.operations
    count, total, streams = len(calls), len(rows), len(graph.streams)
    ranges = {
        "calls.function": (calls["function"], 0, len(graph.functions)),
        "calls.site": (calls["site"], NONE, len(graph.sites)),
        "calls.role": (calls["role"], 0, len(Role)),
        "calls.wait": (calls["wait"], 0, len(Wait)),
        "calls.order": (calls["order"], 0, len(Order)),
        "calls.before": (calls["before"] - np.arange(count), -count - 1, 0),
        "calls.before, the first": (calls["before"], NONE, max(count, 1)),
        "calls.stream": (calls["stream"][calls["order"] > 0], 0, streams),
        "calls.on, a stream": (calls["on"][calls["wait"] == Wait.STREAM], 0, streams),
        "calls.on, an operation": (calls["on"][calls["wait"] == Wait.OPERATION], 0, total),
        "operations.call": (rows["call"], 0, count),
        "operations.call, in order": (np.diff(rows["call"]), 0, count + 1),
        "operations.work": (rows["work"], 0, len(Work)),
        "operations.stream": (rows["stream"], 0, streams),
        "operations.engine": (rows["engine"], NONE, ENGINES),
        "last": (np.array([graph.last]), NONE, max(count, 1)),
        "joins": (np.array([(j.call, j.other) for j in graph.joins], np.int64), 0, count),
    }
    for name, (values, low, end) in ranges.items():
        if outside(values, low, end):
            yield f"{name} is out of range"
    if not all(0 <= s.device < NUMBERS and 0 <= s.number < NUMBERS for s in graph.streams):
        yield "streams has a number that is out of range"
    times = {name: calls[name] for name in ("start", "end", "bytes", "aside")}
    times |= {f"operations.{name}": rows[name] for name in ("start", "end", "bytes")}
    values = (
        *(graph.tail, graph.start_seconds, *(join.lag for join in graph.joins)),
        *(*vars(graph.tracing).values(), *vars(graph.machine).values()),
    )
    times["tail, start_seconds, joins, tracing or machine"] = np.array(values, float)
    for name, column in times.items():
        if not (np.abs(column) <= LARGEST).all():
            yield f"{name} has a value that is out of range, or no number"
