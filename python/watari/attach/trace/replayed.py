"""The replay of a traced program: its seconds without tracing, where they go, and what it met."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from watari.attach.events import Events
from watari.attach.start import Ending
from watari.attach.trace import host, met
from watari.attach.trace.host import Cost
from watari.attach.trace.records import Recorded
from watari.attach.trace.sites import Sites
from watari.model.replay.fit import fitted, untraced
from watari.model.replay.graph import Graph
from watari.model.replay.link import Links
from watari.model.replay.shares import shares
from watari.model.replay.simulate import replay

SECOND = 1e9  # ns


@dataclass(frozen=True)
class Replayed:
    """The graph without tracing, its links, the facts for the trace file, and the graph as it was
    measured."""

    graph: Graph
    links: Links
    facts: dict[str, Any]
    measured: Graph


def of_run(
    process: Recorded,
    log: Events,
    ending: Ending,
    plain: Ending,
    cost: Cost,
    processes: int,
    others: Sequence[int] = (),
    sites: Sites | None = None,
) -> Replayed:
    """Replays a traced run. `plain`: the run as it is; `others`: other processes on each GPU."""
    begin = ending.begun * SECOND
    end = begin + ending.seconds * SECOND
    seconds = [p.initialised for p in log.processes if p.pid == process.pid and p.initialised]
    made = host.host(process, begin, end, cost, sum(seconds), sites)
    graph, links = fitted(made.graph)
    traced = replay(graph, links).total / SECOND
    graph = untraced(graph)
    done = replay(graph, links)
    seen = met.all_of(made, process, processes, others)
    total = done.total / SECOND
    facts = {
        "seconds": total,
        "untraced_seconds": plain.seconds,
        "traced_seconds": traced,
        "shares": {name: value / SECOND for name, value in shares(graph, done).items()},
        "met": [vars(one) for one in seen],
        "stops": any(one.stops for one in seen),
        "cost": {
            "call_ns": cost.call,
            "launch_ns": cost.launch,
            "copy_ns": cost.copy,
            "once_s": cost.once / SECOND,
        },
        "calls": len(graph.calls),
        "operations": len(graph.operations),
    }
    return Replayed(graph, links, facts, made.graph)
