"""Changes of calls that move nothing: allocations, launches, waits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace as changed
from functools import partial

import numpy as np

from watari.common.kernels import short
from watari.common.units import format_count, format_size
from watari.model.replay import changes
from watari.model.replay.graph import NONE, Array, Graph, Role, Wait, Work
from watari.model.replay.savings.candidates import Candidate, following, groups, mask, named

PLAIN = re.compile(r"(cuda|cu)(Mem)?(Malloc|Alloc|Free)(_ptsz|_ptds)?(_v\d+)*$")
KEPT = 5_000.0  # ns of an allocation or a release of a kept block
SHORT = 20_000.0  # ns: a kernel whose launch may take as long
ROW = 8  # launches without a wait between them, at least
REPEATED = 8  # launches of each kernel, at least
NODE = 300.0  # ns of a launch that a graph replaces
AT_ONCE = 10_000.0  # ns between a wait and the next call: the CPU did nothing else
MANY = 10


def candidates(graph: Graph) -> Iterator[Candidate]:
    """Changes of allocations, launches and waits."""
    yield from kept(graph)
    yield from graphs(graph)
    yield from needless(graph)


def kept(graph: Graph) -> Iterator[Candidate]:
    """Blocks of a size that is allocated again: kept at their release, or allocated once."""
    calls = graph.calls
    plain = np.array([bool(PLAIN.match(name)) for name in graph.functions] or [False])
    own = np.flatnonzero(
        (calls["role"] == Role.ALLOCATION) & plain[calls["function"]] & (calls["bytes"] > 0)
    )
    for site, some in groups(calls["site"][own].astype(np.int64), own):
        again = repeated(graph, some)
        if not len(again):
            continue
        sizes = calls["bytes"][again]
        took = calls["end"][again] - calls["start"][again]
        times = max(len(again) // 2, 1)
        size = format_size(int(sizes.max()))
        each = "up to " if sizes.min() < sizes.max() else ""
        nouns = ("allocation", "its release") if times == 1 else ("allocations", "their releases")
        words = f"{format_count(times)} {nouns[0]} of {each}{size} and {nouns[1]}"
        facts = (named(graph, site), times, int(sizes.sum() / 2))
        saved = float(np.maximum(took - KEPT, 0).sum())
        yield Candidate(
            "pooled", f"keep released blocks: {words}", again, saved,
            partial(quick, own=again), 0.6, 1.1, *facts, "pooled",
        )  # fmt: skip
        gone = mask(len(calls), again)
        yield Candidate(
            "allocate once", f"allocate once: {words}", again, float(took.sum()),
            partial(changes.without_calls, which=gone), 0.5, 1.1, *facts,
            waits=again[calls["wait"][again] != Wait.NOTHING],
        )  # fmt: skip


def repeated(graph: Graph, own: Array) -> Array:
    """The calls of a site, without the first two of each size: an allocation and a release."""
    order = np.lexsort((own, graph.calls["bytes"][own]))
    sizes = graph.calls["bytes"][own][order]
    begins = np.flatnonzero(np.diff(sizes, prepend=-1.0))
    place = np.arange(len(own)) - np.repeat(begins, np.diff([*begins, len(own)]))
    again: Array = np.sort(own[order][place >= 2])
    return again


def quick(graph: Graph, own: Array) -> Graph:
    """These calls take as long as those of a kept block, and still wait."""
    calls = graph.calls.copy()
    for name in ("own", "late"):
        calls[name][own] = np.minimum(calls[name][own], KEPT)
    return changed(graph, calls=calls)


def graphs(graph: Graph) -> Iterator[Candidate]:
    """Rows of short launches, each after the one before it."""
    calls, rows = graph.calls, graph.operations
    kernels = np.flatnonzero((rows["work"] == Work.KERNEL) & ~rows["inside"])
    if not len(kernels):
        return
    count = np.bincount(rows["call"], minlength=len(calls))
    is_short = np.zeros(len(calls), bool)
    is_short[rows["call"][kernels[rows["takes"][kernels] < SHORT]]] = True
    is_short &= (count == 1) & (calls["wait"] == Wait.NOTHING) & (calls["order"] == 0)
    launches = np.flatnonzero(is_short)
    before = calls["before"][launches]
    follows = (before != NONE) & is_short[before]
    follows &= calls["thread"][launches] == calls["thread"][before]
    # threads apart: rows are those of one thread
    order = np.lexsort((launches, calls["thread"][launches]))
    starts = np.flatnonzero(~follows[order])
    lengths = np.diff([*starts, len(order)])
    in_row = np.repeat(lengths >= ROW, lengths) & follows[order]
    own = np.sort(launches[order][in_row])
    if not len(own):
        return
    adds = mask(len(calls), own)[rows["call"]]
    names = np.unique(rows["name"][adds])
    if len(own) < REPEATED * len(names):
        return
    what = (
        short(graph.names.get(int(names[0]), "unnamed"))
        if len(names) == 1
        else f"{len(names)} kernels"
    )
    bound = np.maximum(calls["own"][own] - NODE, 0) + np.maximum(calls["gap"][own], 0)
    yield Candidate(
        "graph",
        f"launch as CUDA graphs: {format_count(len(own))} launches of {what}",
        own,
        float(bound.sum()),
        partial(launched, own=own, adds=np.flatnonzero(adds)),
        0.4,
        1.1,
        times=len(own),
    )


def launched(graph: Graph, own: Array, adds: Array) -> Graph:
    """These launches are nodes of a graph."""
    calls, rows = graph.calls.copy(), graph.operations.copy()
    calls["own"][own] = np.minimum(calls["own"][own], NODE)
    calls["gap"][own] = np.minimum(calls["gap"][own], 0.0)
    rows["issue"][adds] = np.minimum(rows["issue"][adds], NODE)
    return changed(graph, calls=calls, operations=rows)


def needless(graph: Graph) -> Iterator[Candidate]:
    """Waits after which the CPU at once adds more work."""
    calls = graph.calls
    nexts = following(graph)
    adds = np.bincount(graph.operations["call"], minlength=len(calls)) > 0
    known = nexts != NONE
    at_once = known & adds[nexts] & (calls["gap"][nexts] < AT_ONCE)
    waits = np.isin(calls["wait"], (Wait.STREAM, Wait.EVENT, Wait.ALL))
    own = np.flatnonzero(waits & at_once & (calls["role"] == Role.CALL))
    for function, some in groups(calls["function"][own].astype(np.int64), own):
        if len(some) < MANY:
            continue
        gone = mask(len(calls), some)
        yield Candidate(
            "no wait",
            f"leave out {format_count(len(some))} waits ({graph.functions[function]}) that end "
            "with more work for the GPU, if the CPU needs no result there",
            some,
            float((calls["end"][some] - calls["start"][some]).sum()),
            partial(changes.without_calls, which=gone),
            0.0,
            1.0,
            times=len(some),
            waits=some,
        )
