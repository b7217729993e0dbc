"""Takes the time of tracing out of a fitted graph.

The record of a call is written in the gap before the next one; all else that a call takes longer is
in the call, and delays its operation as much. A call that launches a graph takes longer for each of
its nodes. Half of what a kernel behind another one takes longer
delays its start, the rest and the return of a wait follow it. `slower` is a part of the calls' own
time, of the delay of their operations and of the returns of waits, after the start of CUDA,
`migrating` one of gaps and operations in which managed memory moves: each fault is recorded.
`pageable` is one of copies of pageable memory, which a thread of the driver makes. What tracing
takes once comes from the calls of the start.
"""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import replace as changed

import numpy as np

from watari.model.replay.graph import Array, Graph, Order, Role, Tracing, Wait, Work

# kinds that take time of the CPU
OF_CALLS = ("call", "launch", "copying", "wait", "record", "allocation", "node")
SHARES = ("slower", "migrating", "pageable")  # parts of measured times
KINDS = (*OF_CALLS, "returns", "behind", "inside", *SHARES)
WAITS = (Wait.STREAM, Wait.EVENT, Wait.ALL)


def units(graph: Graph) -> dict[str, Array]:
    """How often each call takes each cost of the CPU."""
    calls, operations = graph.calls, graph.operations
    adds = {
        work: np.bincount(operations["call"][operations["work"] == work], minlength=len(calls)) > 0
        for work in (Work.KERNEL, Work.COPY)
    }
    return {
        "call": calls["records"].astype(float),
        "launch": adds[Work.KERNEL].astype(float),
        "copying": adds[Work.COPY].astype(float),
        "wait": (np.isin(calls["wait"], WAITS) & (calls["role"] == Role.CALL)).astype(float),
        "record": (calls["order"] != Order.NOTHING).astype(float),
        "allocation": (calls["role"] == Role.ALLOCATION).astype(float),
        "node": np.bincount(operations["call"][operations["inside"]], minlength=len(calls)).astype(
            float
        ),
    }


@dataclass(frozen=True)
class Taken:
    """Nanoseconds to take out: of calls by kind, and where they come from. `own`, `late` and
    `issue` are without what is slower there. `begun`: the part of `issue` that its call takes."""

    of_calls: dict[str, Array]
    cost: Array  # of each call, with what was measured in it
    gap: Array
    own: Array
    late: Array
    issue: Array
    begun: Array
    after: Array
    turn: Array
    slower_own: Array
    slower_late: Array
    slower_issue: Array
    migrating_gap: Array
    migrating_takes: Array
    pageable_takes: Array


def taken(graph: Graph, tracing: Tracing) -> Taken:
    """What tracing takes, and not more than there is."""
    calls, operations = graph.calls, graph.operations
    each = {kind: getattr(tracing, kind) * many for kind, many in units(graph).items()}
    cost = sum(each.values(), start=calls["aside"].astype(float))
    there = {name: np.maximum(calls[name], 0.0) for name in ("gap", "own", "late")}
    gap = np.minimum(each["call"], there["gap"])
    own = np.minimum(cost - gap, there["own"])
    later = max(tracing.returns - tracing.behind / 2, 0.0)
    waited = (calls["wait"] != Wait.NOTHING) & (calls["wait"] != Wait.OWN)
    late = np.where(waited, np.minimum(later, there["late"]), 0.0)
    part = np.where(calls["role"] == Role.START, 0.0, tracing.slower)
    is_timed = operations["work"] != Work.FILL
    behind = np.where(operations["inside"], tracing.inside, tracing.behind) * is_timed
    least = {name: np.maximum(operations[name], 0.0) for name in ("issue", "after", "turn")}
    call_of, is_copied = operations["call"], is_pageable(operations)
    begun = np.minimum((cost - gap)[call_of], least["issue"])
    issue = np.minimum(begun + behind / 2, least["issue"])
    return Taken(
        each, cost, gap, own, late, issue, begun,
        np.minimum(behind, least["after"]), np.minimum(behind, least["turn"]),
        part * (there["own"] - own), part * (there["late"] - late),
        part[call_of] * (least["issue"] - issue),
        np.where(calls["migrates"], tracing.migrating * (there["gap"] - gap), 0.0),
        np.where(operations["migrates"], tracing.migrating * operations["takes"], 0.0),
        np.where(is_copied & ~operations["migrates"], tracing.pageable * operations["takes"], 0.0),
    )  # fmt: skip


def is_pageable(operations: Array) -> Array:
    """Copies of pageable memory that take time."""
    found: Array = operations["pageable"] & (operations["work"] == Work.COPY)
    found &= operations["takes"] > 0
    return found


def of_start(graph: Graph) -> float:
    """Where what tracing takes once comes from, in ns."""
    return float(graph.calls["own"][graph.calls["role"] == Role.START].sum())


def less_of_start(calls: Array, less: float) -> None:
    """Takes time out of the calls of the start of CUDA, the first ones first."""
    for call in np.flatnonzero(calls["role"] == Role.START).tolist():
        part = min(less, float(calls["own"][call]))
        calls["own"][call] -= part
        less -= part


def untraced(graph: Graph) -> Graph:
    """Without the time of tracing."""
    tracing = graph.tracing
    less = taken(graph, tracing)
    calls, operations = graph.calls.copy(), graph.operations.copy()
    calls["gap"] -= less.gap + less.migrating_gap
    calls["own"] -= less.own + less.slower_own
    calls["late"] -= less.late + less.slower_late
    calls["cost"] = less.gap + less.own + less.late + less.slower_own + less.slower_late
    calls["cost"] += less.migrating_gap
    for name in ("issue", "after", "turn"):
        operations[name] -= getattr(less, name)
    operations["issue"] -= less.slower_issue
    operations["takes"] -= less.migrating_takes + less.pageable_takes
    operations["cost"] = np.maximum(less.issue + less.slower_issue, less.after)
    before = float(calls["gap"][0]) if len(calls) else 0.0
    begins = min(tracing.start, before)  # the first call is the first of the program
    calls["gap"][:1] -= begins
    less_of_start(calls, max(tracing.start - begins, 0.0) + tracing.once)
    return changed(
        graph, calls=calls, operations=operations, tail=max(graph.tail - tracing.end, 0.0),
        start_seconds=max(graph.start_seconds - begins * 1e-9, 0.0),
        tracing=Tracing(noise=tracing.noise),
    )  # fmt: skip
