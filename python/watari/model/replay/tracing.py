"""Takes the time of tracing out of a fitted graph.

A call's share comes from the gap before it, then from the call itself; what is left delays its
operation. Half of what a kernel behind another one takes longer delays its start, the rest and the
return of a wait follow it. What tracing takes once comes from the start of CUDA, else from the end
of the program.
"""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import replace as changed

import numpy as np

from watari.model.replay.graph import Array, Graph, Order, Role, Tracing, Wait, Work

OF_CALLS = ("call", "launch", "copying", "wait", "record")  # kinds that take time of the CPU
OF_GPU = ("returns", "behind")
KINDS = (*OF_CALLS, *OF_GPU)
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
    }


@dataclass(frozen=True)
class Taken:
    """Nanoseconds to take out: of calls by kind, and where they come from."""

    of_calls: dict[str, Array]
    cost: Array  # of each call, with what was measured in it
    gap: Array
    own: Array
    late: Array
    issue: Array
    after: Array
    turn: Array


def taken(graph: Graph, tracing: Tracing) -> Taken:
    """What tracing takes, and not more than there is."""
    calls, operations = graph.calls, graph.operations
    each = {kind: getattr(tracing, kind) * many for kind, many in units(graph).items()}
    cost = sum(each.values(), start=calls["aside"].astype(float))
    gap = np.minimum(cost, np.maximum(calls["gap"], 0.0))
    own = np.minimum(cost - gap, np.maximum(calls["own"], 0.0))
    later = max(tracing.returns - tracing.behind / 2, 0.0)
    waited = (calls["wait"] != Wait.NOTHING) & (calls["wait"] != Wait.OWN)
    late = np.where(waited, np.minimum(later, np.maximum(calls["late"], 0.0)), 0.0)
    is_timed = operations["work"] != Work.FILL
    issue = (cost - gap - own)[operations["call"]] + np.where(is_timed, tracing.behind / 2, 0.0)
    behind = np.where(is_timed, tracing.behind, 0.0)
    least = {name: np.maximum(operations[name], 0.0) for name in ("issue", "after", "turn")}
    return Taken(
        each, cost, gap, own, late, np.minimum(issue, least["issue"]),
        np.minimum(behind, least["after"]), np.minimum(behind, least["turn"]),
    )  # fmt: skip


def of_start(graph: Graph) -> tuple[float, float, float]:
    """Where what tracing takes once may come from, in ns: the start of CUDA before the first call,
    calls of the start, the end."""
    calls = graph.calls
    own = float(calls["own"][calls["role"] == Role.START].sum())
    return graph.start_seconds * 1e9, own, graph.tail


def untraced(graph: Graph) -> Graph:
    """Without the time of tracing."""
    less = taken(graph, graph.tracing)
    calls, operations = graph.calls.copy(), graph.operations.copy()
    for name in ("gap", "own", "late"):
        calls[name] -= getattr(less, name)
    calls["cost"] = less.gap + less.own + less.late
    for name in ("issue", "after", "turn"):
        operations[name] -= getattr(less, name)
    operations["cost"] = np.maximum(less.issue, less.after)
    left, start = graph.tracing.once, graph.start_seconds * 1e9
    from_start = min(left, start)
    calls["gap"][:1] -= from_start  # the first call is the first of the program
    left -= from_start
    for call in np.flatnonzero(calls["role"] == Role.START).tolist():
        part = min(left, float(calls["own"][call]))
        calls["own"][call] -= part
        left -= part
    return changed(
        graph, calls=calls, operations=operations, tail=max(graph.tail - left, 0.0),
        start_seconds=(start - from_start) * 1e-9, tracing=Tracing(noise=graph.tracing.noise),
    )  # fmt: skip
