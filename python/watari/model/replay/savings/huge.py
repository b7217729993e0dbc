"""The change `huge`: memory of malloc gets huge pages, and the CPU has few page faults.

    saves = page faults x (seconds of a page - seconds of as much of a huge page)

The seconds are those of the first touch and the release. The faults are those of the run as it is,
beyond those of the start of CUDA. They count while the CPU works alone, so the saving is at most
that time. Not every page belongs to a large block of malloc: the interval goes from LOW of all
pages to all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace as changed
from functools import partial

import numpy as np

from watari.common.units import format_count
from watari.model.replay.chain import Step, chain
from watari.model.replay.graph import Array, Graph
from watari.model.replay.savings.candidates import LEAST, NO_CALLS, Candidate
from watari.model.replay.simulate import Replay
from watari.model.trace_observed import FirstTouches

LOW, MIDDLE = 0.3, 0.75  # of the pages, that belong to large blocks of malloc
FEWEST = 5_000  # pages: fewer may be those of libraries, stacks and small blocks


def candidates(graph: Graph, done: Replay, found: FirstTouches | None) -> Iterator[Candidate]:
    """The change, where it can save anything. `done`: the replay as it is."""
    if found is None or found.pages < FEWEST or found.small_ns <= found.huge_ns:
        return
    calls, times = alone(graph, done)
    whole = float(times.sum())
    most = min(found.pages * (found.small_ns - found.huge_ns), whole)
    if most <= 0:
        return
    low = LOW / MIDDLE if LOW * most >= LEAST * done.total else 0.0
    yield Candidate(
        "huge pages",
        f"huge pages for memory of malloc: {format_count(found.pages)} page faults of the CPU",
        NO_CALLS,
        MIDDLE * most,
        partial(shorter, calls=calls, less=times * (MIDDLE * most / whole)),
        low,
        1 / MIDDLE,
        times=found.pages,
        imposed="huge",
    )


def alone(graph: Graph, done: Replay) -> tuple[Array, Array]:
    """The calls before which the CPU works alone, and for how many ns; without the start of CUDA,
    which is before the first one."""
    calls, times = chain(graph, done).of(Step.GAP)
    order = np.argsort(done.begins[calls], kind="stable")
    calls, times = calls[order], np.maximum(times[order], 0.0)
    if len(times):
        times[0] = max(times[0] - graph.start_seconds * 1e9, 0.0)
    return calls, times


def shorter(graph: Graph, calls: Array, less: Array) -> Graph:
    """The gaps before these calls are shorter by so many ns."""
    rows = graph.calls.copy()
    rows["gap"][calls] = np.maximum(rows["gap"][calls] - less, 0.0)
    return changed(graph, calls=rows)
