"""The answer for a traced program, from its graph: on the machine of the trace, or on another."""

from __future__ import annotations

from dataclasses import replace as changed
from pathlib import Path

from watari.common.errors import FileError, UnsupportedError
from watari.model.machine import MachineProfile
from watari.model.replay import files, savings, staging
from watari.model.replay.answer import Answer
from watari.model.replay.elsewhere import elsewhere
from watari.model.replay.fit import fitted
from watari.model.replay.graph import Graph
from watari.model.replay.link import Links
from watari.model.replay.placed import styled
from watari.model.replay.program import of_trace
from watari.model.replay.rates import Rates
from watari.model.replay.shares import shares
from watari.model.replay.simulate import replay
from watari.model.replay.tracing import untraced
from watari.model.trace_file import Observed, Replay, Trace

NS = 1e-9
CLOSE = 0.02  # of the measured time: a replay that is off by more is named
TOTAL = "total"  # the word of a trace whose replay is off


def graph_of(path: Path, trace: Trace) -> tuple[Graph, Links]:
    """The graph of a trace file, without the time of tracing, and its links. Raises FileError where
    its file is missing, or belongs to another trace."""
    seen = trace.observed.replay if trace.observed else None
    file = path.parent / seen.graph if seen and seen.graph else None
    if file is None or not file.is_file():
        name = file or "the graph of the trace"
        raise FileError(f"{path}: {name} is missing: `watari trace` writes it beside the trace")
    read = files.read(file, seen.graph_digest if seen else "")
    if seen and (len(read.calls), len(read.operations)) != (seen.calls, seen.operations):
        raise FileError(f"{file}: it is the graph of another trace than {path}")
    graph, links = fitted(read)
    return untraced(graph), links


def recorded(trace: Trace) -> tuple[Observed, Replay]:
    """The records of a trace that has a replay. Raises FileError for any other."""
    observed = trace.observed
    if observed is None or observed.replay is None:
        raise FileError(f"the trace of {trace.name} has no replay")
    return observed, observed.replay


def moved(
    graph: Graph, links: Links, observed: Observed, machine: MachineProfile, here: MachineProfile
) -> Graph:
    """The program on another machine, in the middle of its bounds."""
    there = elsewhere(of_trace(graph, links, observed, Rates(here)), Rates(machine))
    rows = graph.operations.copy()
    rows["takes"] = there.bounds.takes[0]
    return changed(graph, operations=rows)


def difference(seen: Replay, seconds: float) -> str:
    """How far the replay is from the measured time, if that matters and the trace does not say
    it."""
    off = seconds / seen.untraced_seconds - 1
    if abs(off) <= CLOSE or any(one.word == TOTAL for one in seen.met):
        return ""
    return f"the replay differs from the measured time by {off:+.1%}"


def answer(
    trace: Trace,
    graph: Graph,
    links: Links,
    machine: MachineProfile,
    here: MachineProfile | None = None,
) -> Answer:
    """The answer for a program that has a replay. `machine`: the machine to answer for; `here`:
    that of the trace, where it is another one."""
    observed, seen = recorded(trace)
    here_it_is = replay(graph, links)
    notes = [f"the program did not succeed: {observed.ended}"] if observed.ended else []
    notes += [one.text for one in seen.met if not one.stops]
    stops = tuple(one.text for one in seen.met if one.stops)
    if off := difference(seen, here_it_is.total * NS):
        if seen.untraced:
            notes.insert(0, f"{off}: no more than the runs without tracing differ")
        else:
            stops = (*stops, off)
    now = graph
    if here and not stops:
        try:
            now = moved(graph, links, observed, machine, here)
        except UnsupportedError as error:
            stops = (str(error),)
    done = here_it_is if now is graph else replay(now, links)
    parts = {name: value * NS for name, value in shares(now, done).items()}
    known = (trace.name, seen.untraced_seconds, done.total * NS, parts)
    if stops:
        return Answer(*known, notes=tuple(notes), stops=stops)
    run = seen.untraced_seconds + (done.total - here_it_is.total) * NS
    rates = staging.of(now, machine, here is None)
    found = savings.of_graph(now, links, done, rates, run)
    imposed, rewritten, more = styled(graph, links, trace, machine, here)
    return Answer(
        *known,
        found.savings,
        found.left,
        found.imposed,
        imposed,
        rewritten,
        (*notes, *found.notes, *more),
    )
