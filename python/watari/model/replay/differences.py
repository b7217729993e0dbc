"""The difference that a change of a program makes, as an interval.

The difference of two replays is the middle. Its interval has, where they apply:

    `LEAST`      of the difference: what changes does not change by exactly its factor. More, up to
                 `MOST`, where the runs without tracing differ: if each part of a run does so alone,
                 a part differs by more of its time than the whole
    tracing      its cost on the longest chain, as far as the two replays do not share it. The fit
                 to runs without tracing knows the sum of all costs within the noise of these runs;
                 how it divides into parts is uncertain, and so is what a change adds
    runs         those without tracing differ: as the part of the time that changes
    beside       operations that run beside one another slow each other down
    threads      launches of several threads hold each other up: those that are alone afterwards
                 take as long as a launch does on this machine, at least
    pageable     copies of equal size differ: their spread, for those on the longest chain
    neighbours   where pageable copies go away, those that stay may get faster: the CPU has written
                 or read less memory between them
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from watari.case.sentence import Cost
from watari.model.replay.chain import Step, chain
from watari.model.replay.graph import Array, Graph, Role, Work
from watari.model.replay.link import Links, link
from watari.model.replay.simulate import Replay, replay
from watari.model.replay.tracing import is_pageable

LEAST, MOST = 0.05, 0.2
UNCERTAIN = 0.5  # of each cost of tracing
BESIDE = 0.15  # of the time in which operations run beside one another
NEIGHBOURS = 0.4  # of the time of copies that stay
ENOUGH = 4  # equal copies, for their spread
RUNS = 8  # independent parts of a run at most: copies drift together
UNKNOWN = 0.1  # the spread of copies that have no equals
SECOND = 1e9  # ns


@dataclass(frozen=True)
class Base:
    """A program without tracing, and its replay."""

    graph: Graph
    done: Replay

    @classmethod
    def of(cls, graph: Graph, links: Links) -> Base:
        return cls(graph, replay(graph, links))


@dataclass(frozen=True)
class Parts:
    """Parts of a longest chain, in ns: the cost of tracing that was taken out of it; the time and
    the uncertainty of its pageable copies."""

    tracing: float
    pageable: float
    spread: float


def spreads(operations: Array) -> Array:
    """The relative uncertainty of the mean time of each pageable copy and its equals."""
    found = np.zeros(len(operations))
    which = np.flatnonzero(is_pageable(operations))
    keys = operations[which][["detail", "bytes"]]
    for key in np.unique(keys):
        own = which[keys == key]
        low, middle, high = np.percentile(operations["takes"][own], [16, 50, 84])
        relative = (high - low) / 2 / middle if len(own) >= ENOUGH else UNKNOWN
        found[own] = relative / math.sqrt(min(len(own), RUNS))
    return found


def parts(graph: Graph, done: Replay) -> Parts:
    """The parts of the longest chain that are uncertain."""
    path = chain(graph, done)
    calls = np.concatenate([path.of(step)[0] for step in (Step.GAP, Step.OWN, Step.LATE)])
    started = np.concatenate([path.of(step)[0] for step in (Step.ISSUE, Step.AFTER)])
    tracing = graph.calls["cost"][np.unique(calls)].sum() + graph.operations["cost"][started].sum()
    on_chain = np.zeros(len(graph.operations), bool)
    on_chain[path.of(Step.TAKES)[0]] = True
    on_chain &= is_pageable(graph.operations)
    takes = graph.operations["takes"][on_chain]
    spread = float((takes * spreads(graph.operations)[on_chain]).sum())
    return Parts(float(tracing), float(takes.sum()), spread)


def beside(graph: Graph, done: Replay) -> float:
    """Nanoseconds of operations that run beside others: of all, less those of any."""
    busy = graph.operations["takes"] > 0
    if not busy.any():
        return 0.0
    order = np.argsort(done.starts[busy], kind="stable")
    starts, ends = done.starts[busy][order], done.finishes[busy][order]
    until = np.maximum.accumulate(ends)
    covered = until - np.maximum(starts, np.concatenate([starts[:1], until[:-1]]))
    return float((ends - starts).sum() - np.maximum(covered, 0.0).sum())


def middle(graph: Graph, done: Replay) -> float:
    """Nanoseconds between the start of CUDA and the end of the process."""
    calls = graph.calls
    of_start = calls["own"][calls["role"] == Role.START].sum() + calls["gap"][:1].sum()
    return max(done.total - graph.tail - float(of_start), 1.0)


def held_up(graph: Graph, done: Replay) -> dict[int, float]:
    """Of each thread, the nanoseconds by which its launches take longer than a launch does, while
    other threads launch kernels too."""
    kernels = graph.operations["work"] == Work.KERNEL
    calls = np.unique(graph.operations["call"][kernels & ~graph.operations["inside"]])
    threads, times = graph.calls["thread"][calls], done.begins[calls]
    alone = graph.machine.launch or np.inf
    longer = np.maximum(graph.calls["own"][calls] - alone, 0.0)
    found = {}
    for thread in np.unique(threads).tolist():
        own = np.flatnonzero(threads == thread)
        own = own[np.argsort(times[own], kind="stable")]
        others = np.sort(times[threads != thread])
        before, after = np.roll(times[own], 1), np.roll(times[own], -1)
        before[:1], after[-1:] = times[own][:1], times[own][-1:]
        between = np.searchsorted(others, after) > np.searchsorted(others, before)
        found[thread] = float(longer[own][between].sum())
    return found


def gone(before: Graph, after: Graph) -> float:
    """The bytes of pageable copies that a change removes, by those that it leaves; at most 1."""
    had, has = (
        float(g.operations["bytes"][is_pageable(g.operations)].sum()) for g in (before, after)
    )
    return min(max(had - has, 0.0) / has, 1.0) if has else 0.0


def of_tracing(had: float, has: float, noise: float) -> float:
    """The uncertainty of the change of the cost of tracing on the longest chain, in ns."""
    gone, added = max(had - has, 0.0), max(has - had, 0.0)
    if not had:
        return UNCERTAIN * added
    whole = noise / math.hypot(UNCERTAIN * had, noise)  # that of the sum of all parts, by a part's
    of_parts = math.hypot(whole, math.sqrt(2) * (1 - gone / had))
    return UNCERTAIN * math.hypot(gone * min(of_parts, 1.0), added)


def relative(delta: float, noise: float, whole: float) -> float:
    """The relative uncertainty of a difference."""
    of_part = noise / math.sqrt(max(abs(delta), 1.0) * whole)
    return min(max(LEAST, of_part), MOST)


def difference(base: Base, *variants: Graph) -> Cost:
    """Seconds by which the changed program takes longer. Of several variants the first one is the
    middle, and all are in the interval."""
    before = parts(base.graph, base.done)
    noise, whole = base.graph.tracing.noise, middle(base.graph, base.done)
    had, held = beside(base.graph, base.done), held_up(base.graph, base.done)
    middles, lows, highs = [], [], []
    for changed in variants:
        done = replay(changed, link(changed))
        after = parts(changed, done)
        delta = done.total - base.done.total
        wide = math.hypot(
            relative(delta, noise, whole) * delta, of_tracing(before.tracing, after.tracing, noise),
            noise * min(abs(delta) / whole, 1.0), before.spread, after.spread,
        )  # fmt: skip
        alone = BESIDE * (had - beside(changed, done))  # they get faster
        neighbours = NEIGHBOURS * gone(base.graph, changed) * after.pageable
        now = held_up(changed, done)
        freed = max((most - now.get(one, 0.0) for one, most in held.items()), default=0.0)
        middles.append(delta)
        lows.append(delta - wide - neighbours - max(alone, 0.0) - max(freed, 0.0))
        highs.append(delta + wide + max(-alone, 0.0))
    return Cost(middles[0] / SECOND, min(lows) / SECOND, max(highs) / SECOND)
