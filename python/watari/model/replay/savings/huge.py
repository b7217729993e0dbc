"""The change `huge`: memory of malloc gets huge pages, and the CPU has few page faults.

    saves = page faults x (seconds of a page - seconds of as much of a huge page)

The seconds are those of the first touch and the release. The faults are those of the run as it is,
beyond those of the start of CUDA. Most count while the CPU works alone, so the saving there is at
most that time; copies to fresh memory of the CPU wait for the others (staging.py).

Which pages become huge is seen in a run with huge pages: those whose faults are gone. Other traces
lack that run. There, not every page belongs to a large block of malloc. Those of pinned memory do
not, though they are counted. Buffers of large pageable copies do, but for the ends that fill no
huge page; of the other pages, REST may, from none to all: less where kernels are of a library,
since loading one touches some 30,000 pages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace as changed
from functools import partial

import numpy as np

from watari.common.units import format_count
from watari.model.replay.chain import Step, chain
from watari.model.replay.graph import NONE, Array, Graph, Work
from watari.model.replay.savings.candidates import LEAST, NO_CALLS, Candidate
from watari.model.replay.savings.staging import LARGE, TO_CPU, Rates
from watari.model.replay.simulate import Replay
from watari.model.trace_observed import FirstTouches

# of the pages that are in no buffer of a large copy: without libraries, and with them
REST, OF_LIBRARIES = 0.85, 0.25
LIBRARY = re.compile(r"cublas|cutlass|cudnn|cusparse|cufft|cusolver|curand|gemv|magma", re.I)
PAGE = 4096  # bytes
HUGE = 2**21  # bytes of a huge page
FEWEST = 5_000  # pages: fewer may be those of libraries, stacks and small blocks
COUNTED = 0.1  # of the pages that become huge, each way: their time and number vary from run to run


def candidates(
    graph: Graph, done: Replay, found: FirstTouches | None, rates: Rates, pinned: float = 0.0
) -> Iterator[Candidate]:
    """The change, where it can save anything. `done`: the replay as it is; `pinned`: bytes of
    pinned memory that the program allocates."""
    if found is None or found.small_ns <= found.huge_ns:
        return
    counts = counted(graph, found, pinned)
    if counts[2] < FEWEST:
        return
    part = 1 - found.huge_ns / found.small_ns
    calls, times = alone(graph, done)
    whole = float(times.sum())
    own, waits = waiting(graph, rates)
    inside = part * float(waits.sum())
    late = min(
        float(graph.operations["bytes"][own[waits > 0]].sum()) / PAGE, counts[0] / (1 - COUNTED)
    )
    low, middle, high = (
        inside + min((count - late) * (found.small_ns - found.huge_ns), whole) for count in counts
    )
    if middle <= 0:
        return
    yield Candidate(
        "huge pages",
        f"huge pages for memory of malloc: {format_count(int(counts[2]))} page faults of the CPU",
        NO_CALLS,
        middle,
        partial(
            shorter,
            calls=calls,
            less=times * ((middle - inside) / max(whole, 1.0)),
            own=own,
            before=graph.operations["takes"][own],
            waits=part * waits,
            threads=rates.threads,
        ),
        low / middle if low >= LEAST * done.total else 0.0,
        high / middle,
        times=int(counts[2]),
        imposed="huge",
    )


def counted(graph: Graph, found: FirstTouches, pinned: float) -> tuple[float, float, float]:
    """Pages that become huge: low, middle, high."""
    if found.left is not None:
        gone = float(max(found.pages - found.left, 0))
        return gone * (1 - COUNTED), gone, gone * (1 + COUNTED)
    pages = max(found.pages - pinned / PAGE, 0.0)
    sure = min(buffers(graph) / PAGE, pages)
    is_of_library = any(LIBRARY.search(name) for name in graph.names.values())
    rest = OF_LIBRARIES if is_of_library else REST
    middle = sure + rest * (pages - sure)
    return sure * (1 - COUNTED), middle, max(pages, middle * (1 + COUNTED))


def buffers(graph: Graph) -> float:
    """Bytes of huge pages in the CPU's buffers of large pageable copies, each once: a block begins
    anywhere, so that one huge page less fits into it."""
    rows = graph.operations
    own = rows[(rows["work"] == Work.COPY) & rows["pageable"] & (rows["bytes"] >= LARGE)]
    known, first = np.unique(own["pair"], return_index=True)
    each = np.maximum(own["bytes"] - HUGE, 0.0)
    return float(each[first[known != NONE]].sum() + each[own["pair"] == NONE].sum())


def waiting(graph: Graph, rates: Rates) -> tuple[Array, Array]:
    """The large pageable copies to the CPU, and the ns that each waits for page faults."""
    rows = graph.operations
    large = rows["pageable"] & (rows["bytes"] >= LARGE) & ~rows["inside"]
    own = np.flatnonzero(large & (rows["work"] == Work.COPY) & (rows["detail"] == TO_CPU))
    return own, rates.faulting(TO_CPU, rows["bytes"][own], rows["takes"][own])


def alone(graph: Graph, done: Replay) -> tuple[Array, Array]:
    """The calls before which the CPU works alone, and for how many ns; without the start of CUDA,
    which is before the first one."""
    calls, times = chain(graph, done).of(Step.GAP)
    order = np.argsort(done.begins[calls], kind="stable")
    calls, times = calls[order], np.maximum(times[order], 0.0)
    if len(times):
        times[0] = max(times[0] - graph.start_seconds * 1e9, 0.0)
    return calls, times


def shorter(
    graph: Graph,
    calls: Array,
    less: Array,
    own: Array,
    before: Array,
    waits: Array,
    threads: int,
) -> Graph:
    """The gaps before these calls are shorter by so many ns, and copies by what they wait less for
    page faults: by the part of a thread where another change made a copy shorter than `before`,
    since then threads share its faults."""
    rows, operations = graph.calls.copy(), graph.operations.copy()
    rows["gap"][calls] = np.maximum(rows["gap"][calls] - less, 0.0)
    takes = operations["takes"][own]
    shared = np.where(takes < before, waits / threads, waits)
    operations["takes"][own] = np.maximum(takes - shared, 0.0)
    return changed(graph, calls=rows, operations=operations)
