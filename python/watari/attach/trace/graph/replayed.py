"""The replay of a traced program: its seconds without tracing, where they go, and what it met."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from watari.attach.events import Events
from watari.attach.start import Ending
from watari.attach.trace import clock
from watari.attach.trace.cost import Measured
from watari.attach.trace.graph import host, met
from watari.attach.trace.records.records import Recorded
from watari.attach.trace.records.sites import Sites
from watari.model.replay.calibrate import Calibrated, Run, calibrated
from watari.model.replay.fit import fitted
from watari.model.replay.graph import Graph
from watari.model.replay.link import Links
from watari.model.replay.shares import shares
from watari.model.replay.tracing import SHARES

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
    untraced: Sequence[Run],
    paid: Measured,
    processes: int,
    others: Sequence[int] = (),
    sites: Sites | None = None,
) -> Replayed:
    """Replays a traced run. `untraced`: the runs as it is; `others`: other processes on
    each GPU."""
    begin = ending.begun * SECOND
    end = begin + ending.seconds * SECOND
    seconds = [p.initialised for p in log.processes if p.pid == process.pid and p.initialised]
    made = host.host(process, begin, end, paid.tracing, sum(seconds), sites)
    graph, links = fitted(replace(made.graph, machine=paid.machine))
    divided = clock.divided(ending, log, process.pid, process.collecting)
    fit = calibrated(graph, links, untraced, divided)
    seen = [*met.of_total(fit), *met.all_of(made, process, processes, others)]
    facts = {
        "seconds": fit.done.total / SECOND,
        "untraced_seconds": fit.measured / SECOND,
        "untraced": [one.seconds for one in untraced],
        "untraced_starts": [one.start for one in untraced],
        "traced_seconds": graph.span / SECOND,
        "shares": {n: value / SECOND for n, value in shares(fit.plain, fit.done).items()},
        "met": [vars(one) for one in seen],
        "stops": any(one.stops for one in seen),
        "cost": cost_of(fit),
        "calls": len(graph.calls),
        "operations": len(graph.operations),
    }
    measured = replace(made.graph, tracing=fit.graph.tracing, machine=paid.machine)
    return Replayed(fit.plain, links, facts, measured)


def cost_of(fit: Calibrated) -> dict[str, Any]:
    """The fitted costs, and the factors of those that the burst gave."""
    costs = asdict(fit.graph.tracing)
    copying = costs.pop("copying")
    parts = {name: costs.pop(name) for name in SHARES}
    seconds = {f"{name}_s": costs.pop(name) / SECOND for name in ("once", "start", "end")}
    return {
        **{f"{name}_ns": value for name, value in costs.items()},
        "copy_ns": copying,
        **parts,
        **seconds,
        "factors": fit.factors,
    }
