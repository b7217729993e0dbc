"""The replay in plain Python, a line for each rule: what the compiled one must give."""

from __future__ import annotations

import heapq

import numpy as np

from watari.model.replay.graph import NONE, Graph
from watari.model.replay.link import Links
from watari.model.replay.simulate import CALL, Replay


def replay(graph: Graph, links: Links) -> Replay:
    """One pass over all nodes."""
    calls, operations = graph.calls, graph.operations
    count, total = len(calls), len(operations)
    both = count + total
    gap, own, late, before = (calls[n].tolist() for n in ("gap", "own", "late", "before"))
    issue, after, turn, takes = (
        operations[n].tolist() for n in ("issue", "after", "turn", "takes")
    )
    call_of, engine = operations["call"].tolist(), operations["engine"].tolist()
    follows, targets = links.follows, links.targets
    joins: dict[int, list[tuple[int, float]]] = {}
    for join in graph.joins:
        joins.setdefault(join.call, []).append((join.other, join.lag))
    rooms = [[(0.0, NONE)] * room for room in graph.engines]
    begins, ends = [0.0] * count, [0.0] * count
    starts, finishes = [0.0] * total, [0.0] * total
    causes = [CALL] * total
    awaited: dict[int, int] = {}
    joined: dict[int, int] = {}
    for node in links.nodes.tolist():
        if node < count:
            previous = before[node]
            begin = gap[node] + (ends[previous] if previous != NONE else 0.0)
            if node in joins:
                for other, lag in joins[node]:
                    if ends[other] + lag > begin:
                        begin = ends[other] + lag
                        joined[node] = other
            begins[node] = begin
            ends[node] = begin + own[node]
        elif node < both:
            one = node - count
            start = begins[call_of[one]] + issue[one]
            lag = after[one]
            for other in follows[one]:
                if finishes[other] + lag > start:
                    start = finishes[other] + lag
                    causes[one] = other
            if engine[one] != NONE:
                room = rooms[engine[one]]
                if room[0][0] + turn[one] > start:
                    start = room[0][0] + turn[one]
                    causes[one] = room[0][1]
                finish = start + takes[one]
                heapq.heapreplace(room, (finish, one))
            else:
                finish = start + takes[one]
            starts[one], finishes[one] = start, finish
        else:
            call = node - both
            end, cause = ends[call], NONE
            for other in targets[call]:
                if finishes[other] + late[call] > end:
                    end, cause = finishes[other] + late[call], other
            ends[call] = end
            awaited[call] = cause
    end = ends[graph.last] if graph.last != NONE else 0.0
    last = NONE
    if finishes and max(finishes) > end:
        end = max(finishes)
        last = finishes.index(end)
    columns = (begins, ends, starts, finishes, causes)
    rows = (row_of(awaited, count), row_of(joined, count))
    return Replay(*map(np.array, columns), *rows, end + graph.tail, last)


def row_of(found: dict[int, int], count: int) -> np.ndarray:
    """The value of each call, NONE where there is none."""
    return np.array([found.get(call, NONE) for call in range(count)])
