"""The answer for a traced program, from its graph."""

from __future__ import annotations

from pathlib import Path

from watari.common.errors import FileError
from watari.model.machine import MachineProfile
from watari.model.replay import files, savings, staging
from watari.model.replay.answer import Answer
from watari.model.replay.fit import fitted, untraced
from watari.model.replay.graph import Graph
from watari.model.replay.link import Links
from watari.model.replay.shares import shares
from watari.model.replay.simulate import replay
from watari.model.trace_file import Trace

NS = 1e-9
CLOSE = 0.02  # of the measured time: a replay that is off by more is named


def graph_of(path: Path, trace: Trace) -> tuple[Graph, Links]:
    """The graph of a trace file, without the time of tracing, and its links. Raises FileError where
    its file is missing."""
    seen = trace.observed.replay if trace.observed else None
    file = path.parent / seen.graph if seen and seen.graph else None
    if file is None or not file.is_file():
        name = file or "the graph of the trace"
        raise FileError(f"{path}: {name} is missing: `watari trace` writes it beside the trace")
    graph, links = fitted(files.read(file))
    return untraced(graph), links


def answer(trace: Trace, graph: Graph, links: Links, machine: MachineProfile | None) -> Answer:
    """The answer for a program that has a replay. `machine`: that of the trace, None where it has
    no profile."""
    seen = trace.observed.replay if trace.observed else None
    if seen is None:
        raise ValueError("a trace without a replay")
    done = replay(graph, links)
    total = done.total * NS
    parts = {name: value * NS for name, value in shares(graph, done).items()}
    off = total / seen.untraced_seconds - 1
    notes = [f"the replay differs from the measured time by {off:+.1%}"] if abs(off) > CLOSE else []
    notes += [one.text for one in seen.met if not one.stops]
    stops = tuple(one.text for one in seen.met if one.stops)
    known = (trace.name, seen.untraced_seconds, total, parts)
    if stops:
        return Answer(*known, notes=tuple(notes), stops=stops)
    found = savings.of_graph(graph, links, done, staging.of(graph, machine))
    notes += found.notes
    return Answer(*known, found.savings, found.left, notes=tuple(notes))
