"""Splits measured times into what a call or operation takes itself, and what it waits for.

The replay of a fitted graph gives the measured times. Of the reasons why an operation cannot start
earlier (its call, the operations before it, room on its engine) the one with the least slack over
its typical delay is the one that held it back: it gets the measured delay. The others get the
typical one, so that they hold it back only in another replay.
"""

from __future__ import annotations

import heapq
from dataclasses import replace as changed

import numpy as np

from watari.model.replay.graph import NONE, Array, Graph, Wait
from watari.model.replay.link import Links, link

CLOCKS = 5_000.0  # ns by which times of CPU and GPU may disagree
WRONG = 50_000.0  # ns after a wait: what ends then was not waited for
OVERLAP = 0.2  # of the shorter operation: more is no inaccuracy
TYPICAL = 10  # percentile
USUAL = {"issue": 3_000.0, "after": 1_000.0, "turn": 1_000.0}  # ns, where none was seen
QUIET = 2_000.0  # ns that a call takes which found nothing to wait for, where few were seen
FEW = 4  # calls


def percentile(values: Array, otherwise: float) -> float:
    """A typical low value."""
    return float(np.percentile(values, TYPICAL)) if len(values) else otherwise


def contradictions(graph: Graph, links: Links) -> frozenset[tuple[int, int]]:
    """Orders that measured times contradict: a stream that was not seen to be created may be a
    non-blocking one."""
    before, one = links.follows.every, links.follows.rows
    starts, ends = graph.operations["start"], graph.operations["end"]
    overlap = ends[before] - starts[one]
    shorter = np.minimum(ends[one] - starts[one], ends[before] - starts[before])
    wrong = np.flatnonzero(overlap > np.maximum(CLOCKS, OVERLAP * shorter))
    return frozenset(zip(before[wrong].tolist(), one[wrong].tolist(), strict=True))


def most_at_once(starts: Array, ends: Array) -> int:
    """How many intervals lie over one another at most."""
    times = np.concatenate([starts, ends])
    steps = np.repeat([1, -1], [len(starts), len(ends)])
    # an end before a start at the same time
    return int(np.cumsum(steps[np.lexsort((steps, times))]).max(initial=0))


def with_engines(graph: Graph) -> Graph:
    """Sets how many operations of each engine may run at once: as many as were seen to. Where it
    has no more streams than that, their order is all that holds its operations back. Their order
    among streams may then be another one than was measured."""
    rows = graph.operations.copy()
    rooms = []
    for engine in range(int(rows["engine"].max(initial=NONE)) + 1):
        own = np.flatnonzero(rows["engine"] == engine)
        rooms.append(max(1, most_at_once(rows["start"][own], rows["end"][own])))
        if len(np.unique(rows["stream"][own])) <= rooms[-1] and not rows["inside"][own].any():
            rows["engine"][own] = NONE
    return changed(graph, operations=rows, engines=tuple(rooms))


def room_of(graph: Graph) -> Array:
    """The measured time at which each operation's engine had room for it."""
    rows = graph.operations
    found = np.zeros(len(rows))
    rooms = [[-np.inf] * room for room in graph.engines]  # nothing ran yet
    order = np.argsort(rows["start"], kind="stable").tolist()
    engines, ends = rows["engine"].tolist(), rows["end"].tolist()
    for one in order:
        if engines[one] != NONE:
            found[one] = rooms[engines[one]][0]
            heapq.heapreplace(rooms[engines[one]], ends[one])
    return found


def fitted_operations(graph: Graph, links: Links) -> Array:
    """Operations with their delays."""
    rows = graph.operations.copy()
    if not len(rows):
        return rows
    starts = rows["start"]
    rows["takes"] = rows["end"] - starts
    begun = graph.calls["start"][rows["call"]]
    lags = {"issue": starts - begun, "after": starts - links.follows.latest(rows["end"])}
    lags["turn"] = np.where(rows["engine"] == NONE, np.inf, starts - room_of(graph))
    slacks = {}
    for name, lag in lags.items():
        rows[name] = 0.0
        for work in np.unique(rows["work"]):
            own = (rows["work"] == work) & np.isfinite(lag)
            # delays of operations that nothing else can have held back
            others = np.min([lags[o] for o in lags if o != name], axis=0)
            usual = percentile(lag[own & (lag <= others)], USUAL[name])
            if name != "issue" and graph.machine.behind:
                usual = min(usual, graph.machine.behind - graph.machine.empty)
            rows[name][own] = np.minimum(lag[own], max(usual, 0.0))
        slacks[name] = np.where(np.isfinite(lag), lag - rows[name], np.inf)
    least = np.argmin([slacks[name] for name in lags], axis=0)
    for index, name in enumerate(lags):
        rows[name] = np.where(least == index, lags[name], rows[name])
    return rows


def fitted_calls(graph: Graph, links: Links) -> Array:
    """Calls with their gaps, own times and delays."""
    rows = graph.calls.copy()
    if not len(rows):
        return rows
    before = rows["before"]
    rows["gap"] = rows["start"] - np.where(before == NONE, 0.0, rows["end"][before])
    for join in graph.joins:  # both gaps of the CPU that the other thread does not cover
        first = first_of(rows, join.other)
        rows["gap"][join.call] -= rows["end"][join.other] - rows["start"][first]
    rows["own"] = rows["end"] - rows["start"]
    rows["late"] = 0.0
    until = links.targets.latest(graph.operations["end"])
    waits = np.isfinite(until)
    wrong = waits & (until > rows["end"] + WRONG) & (rows["wait"] != Wait.OWN)
    rows["wait"][wrong] = Wait.NOTHING
    waits &= ~wrong
    waited = waits & (until > rows["start"])
    for function in np.unique(rows["function"][waits]):
        here = waits & (rows["function"] == function)
        took = rows["own"][here & ~waited]
        quiet = percentile(took, QUIET) if len(took) >= FEW else QUIET
        usual = percentile((rows["end"] - until)[here & waited], CLOCKS)
        rows["own"][here & waited] = np.minimum(rows["own"], quiet)[here & waited]
        rows["late"][here] = np.minimum(rows["end"] - until, max(usual, 0.0))[here]
    rows["own"][waited & (rows["wait"] == Wait.OWN)] = 0.0
    rows["late"][waited] = (rows["end"] - until)[waited]
    return rows


def first_of(calls: Array, last: int) -> int:
    """The first call of the thread of a call."""
    return int(np.flatnonzero(calls["thread"] == calls["thread"][last])[0])


def fitted(graph: Graph) -> tuple[Graph, Links]:
    """The graph with its times split, and its links."""
    graph = with_engines(graph)
    links = link(graph)
    if len(graph.streams) > 1 and (wrong := contradictions(graph, links)):
        graph = changed(graph, ignored=wrong)
        links = link(graph)
    calls = fitted_calls(graph, links)
    operations = fitted_operations(graph, links)
    graph = changed(graph, calls=calls, operations=operations)
    waiting = len(links.nodes) - len(calls) - len(operations)
    if (graph.calls["wait"] != Wait.NOTHING).sum() != waiting:
        links = link(graph)
    return graph, links
