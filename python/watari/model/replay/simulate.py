"""Replays a graph: the time of each call and operation, and what each had to wait for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from watari import _native
from watari.model.replay.graph import NONE, Array, Graph
from watari.model.replay.link import Links

CALL = NONE  # the cause of an operation that its call holds back
CALLS = {"gap": float, "own": float, "late": float, "before": np.int64}
OPERATIONS = {
    **dict.fromkeys(("issue", "after", "turn", "takes"), float),
    **dict.fromkeys(("call", "engine"), np.int64),
}


@dataclass(frozen=True)
class Replay:
    """Times in ns. `causes`: the operation that held an operation back, CALL where it was its call;
    `awaited`: of each call, the operation that it waited for, or NONE; `joined`: the call of
    another thread that it waited for, or NONE."""

    begins: Array
    ends: Array
    starts: Array
    finishes: Array
    causes: Array
    awaited: Array
    joined: Array
    total: float
    last_operation: int  # that the end of the program waits for, or NONE


def columns(
    rows: Array, kinds: Mapping[str, type], instead: Mapping[str, Array]
) -> dict[str, Array]:
    """Columns, each in one piece of memory. `instead`: those that replace the rows' own."""
    return {
        name: np.ascontiguousarray(instead.get(name, rows[name]), kind)
        for name, kind in kinds.items()
    }


def replay(
    graph: Graph,
    links: Links,
    needless: Array | None = None,
    instead: Mapping[str, Array] = MappingProxyType({}),
) -> Replay:
    """One pass over all nodes (src/python/replay.cpp). `needless`: calls that do not wait;
    `instead`: columns of calls and operations that replace those of the graph."""
    count, total = len(graph.calls), len(graph.operations)
    found = {
        **{name: np.zeros(count) for name in ("begins", "ends")},
        **{name: np.zeros(total) for name in ("starts", "finishes")},
        "causes": np.full(total, CALL, np.int64),
        **{name: np.full(count, NONE, np.int64) for name in ("awaited", "joined")},
    }
    never = np.zeros(count, bool)
    if needless is not None:
        never[needless] = True
    _native.replay(
        columns(graph.calls, CALLS, instead),
        columns(graph.operations, OPERATIONS, instead),
        (links.follows.firsts, links.follows.every),
        (links.targets.firsts, links.targets.every),
        links.nodes,
        never,
        graph.engines,
        [(join.call, join.other, join.lag) for join in graph.joins],
        found,
    )
    ends, finishes = found["ends"], found["finishes"]
    end = float(ends[graph.last]) if graph.last != NONE else 0.0
    last = NONE
    if total and finishes.max() > end:
        last = int(np.argmax(finishes))
        end = float(finishes[last])
    return Replay(**found, total=end + graph.tail, last_operation=last)


def seconds(graph: Graph, links: Links) -> float:
    """Seconds of the program."""
    return replay(graph, links).total * 1e-9
