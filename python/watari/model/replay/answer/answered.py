"""The answer for a traced program, from its graph: on the machine of the trace, or on another."""

from __future__ import annotations

from dataclasses import replace as changed
from pathlib import Path

from watari.common.errors import FileError, UnsupportedError
from watari.common.units import format_duration
from watari.model.machine import MachineProfile
from watari.model.replay import files
from watari.model.replay.advice import Answer
from watari.model.replay.answer import spread
from watari.model.replay.calibrate import FAR_OFF
from watari.model.replay.fit import fitted
from watari.model.replay.graph import Array, Graph
from watari.model.replay.link import Links
from watari.model.replay.savings import faults, huge, savings, staging
from watari.model.replay.shares import shares
from watari.model.replay.simulate import replay
from watari.model.replay.styles.elsewhere import elsewhere
from watari.model.replay.styles.placed import styled
from watari.model.replay.styles.program import of_trace
from watari.model.replay.styles.rates import Rates
from watari.model.replay.tracing import untraced
from watari.model.trace_file import Trace
from watari.model.trace_observed import Observed, Replay

NS = 1e-9
CLOSE = 0.02  # of the measured time: a replay that is off by more is named
PINNED = ("cuMemHostAlloc", "cuMemAllocHost")  # memory of their own
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


def with_times(graph: Graph, takes: Array) -> Graph:
    """The graph whose operations take so many ns."""
    rows = graph.operations.copy()
    rows["takes"] = takes
    return changed(graph, operations=rows)


def doubt(seen: Replay, seconds: float) -> float:
    """What a replay of so many seconds misses beyond the noise of the runs without tracing: it
    may belong to any part of the program, so every answer is uncertain by as much."""
    off = seconds - seen.untraced_seconds
    is_named = any(one.word == TOTAL for one in seen.met)
    is_noise = abs(off) <= CLOSE * seen.untraced_seconds or (seen.untraced and not is_named)
    return 0.0 if is_noise else abs(off)


def known_of(observed: Observed, seen: Replay, seconds: float) -> tuple[list[str], list[str]]:
    """Notes on a trace whose replay takes `seconds`, and why nothing is predicted from it."""
    notes = [f"the program did not succeed: {observed.ended}"] if observed.ended else []
    others = [one for one in seen.met if one.word != TOTAL]
    notes += [one.text for one in others if not one.stops]
    stops = [one.text for one in others if one.stops]
    off = seconds / seen.untraced_seconds - 1
    text = next(
        (one.text for one in seen.met if one.word == TOTAL),
        f"the replay differs from the measured time by {off:+.1%}",
    )
    unknown = doubt(seen, seconds)
    if unknown > FAR_OFF * seen.untraced_seconds:
        stops.append(text)
    elif unknown:
        notes.append(f"{text}: every difference is uncertain by {format_duration(unknown)} more")
    elif abs(off) > CLOSE:
        notes.append(f"{text}, within the noise of the runs without tracing")
    return notes, stops


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
    done = replay(graph, links)
    notes, stops = known_of(observed, seen, done.total * NS)
    wider = doubt(seen, done.total * NS)
    program, now, run = None, graph, seen.untraced_seconds
    try:
        program = None if stops else of_trace(graph, links, observed, Rates(here or machine))
        if program and here:
            program = elsewhere(program, Rates(machine))
            now = with_times(graph, program.bounds.takes[0])
            run -= done.total * NS
            done = replay(now, links)
            run += done.total * NS
    except UnsupportedError as error:
        stops.append(str(error))
    parts = {name: value * NS for name, value in shares(now, done).items()}
    known = (trace.name, seen.untraced_seconds, done.total * NS, parts)
    if stops or not program:
        return Answer(*known, notes=tuple(notes), stops=tuple(stops))
    rates = staging.of(now, machine, here is None)
    touches = None if here else seen.first_touches  # pages are not known on another machine
    pinned = sum(float(row.bytes) * row.lives for row in observed.allocations if row.api in PINNED)
    more = (*faults.candidates(program), *huge.candidates(now, done, touches, rates, pinned))
    found = savings.of_graph(now, links, done, rates, run, more, wider)
    imposed, rewritten, unknown = styled(graph, links, trace, machine, here, wider)
    noise = spread.part(seen.untraced)
    changes, imposed, rewritten = (
        spread.of_runs(rows, noise) for rows in (found.imposed, imposed, rewritten)
    )
    left = spread.of_left(found.left, noise)
    notes += [*spread.notes(seen.untraced), *found.notes, *unknown]
    return Answer(*known, found.savings, left, changes, imposed, rewritten, tuple(notes))
