"""The replay of a traced program: its seconds without tracing, where they go, and what it met."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from watari.attach.events import Events
from watari.attach.start import Ending
from watari.attach.trace import host, met
from watari.attach.trace.host import Cost
from watari.attach.trace.records import Recorded
from watari.common.units import format_duration
from watari.model.replay.fit import fitted, untraced
from watari.model.replay.graph import Graph
from watari.model.replay.link import Links
from watari.model.replay.shares import shares
from watari.model.replay.simulate import replay

SECOND = 1e9  # ns
CLOSE = 0.02  # of the untraced time


@dataclass(frozen=True)
class Replayed:
    """The graph without tracing, its links, and the facts for the trace file."""

    graph: Graph
    links: Links
    facts: dict[str, Any]


def of_run(
    process: Recorded,
    log: Events,
    ending: Ending,
    plain: Ending,
    cost: Cost,
    processes: int,
    others: Sequence[int] = (),
) -> Replayed:
    """Replays a traced run. `plain`: the run as it is; `others`: other processes on each GPU."""
    begin = ending.begun * SECOND
    end = begin + ending.seconds * SECOND
    seconds = [p.initialised for p in log.processes if p.pid == process.pid and p.initialised]
    made = host.host(process, begin, end, cost, sum(seconds))
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
        "cost": {"call_ns": cost.call, "launch_ns": cost.launch, "once_s": cost.once / SECOND},
        "calls": len(graph.calls),
        "operations": len(graph.operations),
    }
    return Replayed(graph, links, facts)


def lines(facts: dict[str, Any]) -> Iterator[str]:
    """Where the time goes, for people: the shares add up to the total."""
    total, measured = facts["seconds"], facts["untraced_seconds"]
    off = total / measured - 1
    yield (
        f"where the time goes, of {format_duration(total)} by the replay "
        f"({format_duration(measured)} measured)"
    )
    for name, seconds in facts["shares"].items():
        yield f"  {name:26} {format_duration(seconds):>9}  {seconds / (total or 1):6.1%}"
    if abs(off) > CLOSE:
        yield f"  the replay differs from the measured time by {off:+.1%}"
    for one in facts["met"]:
        yield f"  met: {one['text']}" + ("; no change is predicted" if one["stops"] else "")
