"""Changes of copies: stage, pin, copy once, read less often, overlap."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from watari.common.kernels import short
from watari.common.units import format_bytes, format_count, format_size
from watari.model.replay import changes
from watari.model.replay.graph import NONE, Array, Graph, Wait, Work
from watari.model.replay.savings import staging
from watari.model.replay.savings.candidates import Candidate, groups, mask, named
from watari.model.replay.savings.staging import TO_CPU, TO_GPU, Rates, by_size

WORDS = {TO_GPU: "to the GPU", TO_CPU: "to the CPU"}
SMALL = 64 * 1024  # bytes: below it latency counts, not the rate
OFTEN = 100  # small copies of a site
EVERY = 10  # of which one is kept
TWICE = 2
AT_LEAST = 0.25  # of the time of a copy: it cannot be over when it begins
LOCKING = 0.1  # ns per byte: page-locking a buffer and releasing it
NEIGHBOURS = 1.6  # without a pageable copy the ones beside it may become faster: by a measurement


def candidates(graph: Graph, rates: Rates) -> Iterator[Candidate]:
    """Changes of the copies of each call site and direction."""
    rows = graph.operations
    copies = np.flatnonzero(
        (rows["work"] == Work.COPY) & np.isin(rows["detail"], list(WORDS)) & ~rows["inside"]
    )
    sites = graph.calls["site"][rows["call"][copies]].astype(np.int64)
    staged = staging.staged(graph, rates)
    for key, own in groups(sites * 4 + rows["detail"][copies], copies):
        direction, site = key % 4, key // 4
        yield from faster(graph, rates, own, direction, site, staged)
        yield from fewer(graph, own, direction, site)
    yield from overlapped(graph, copies)


def notes(graph: Graph, rates: Rates) -> Iterator[str]:
    """Copies for which nothing is predicted, and why."""
    rows = graph.operations
    for direction, words in WORDS.items():
        own = (rows["work"] == Work.COPY) & (rows["detail"] == direction) & rows["pageable"]
        if (own & (rows["bytes"] >= SMALL)).any() and not rates.known(direction):
            yield (
                f"pageable copies {words}: no rate of pinned memory is known; --machine names a "
                "measured machine"
            )
    large = rows["pageable"] & (rows["bytes"] >= staging.LARGE) & (rows["work"] == Work.COPY)
    if large.any() and not len(staging.staged(graph, rates)):
        size = format_bytes(float(rows["bytes"][large].sum()))
        yield (
            f"`staged` leaves {size} of pageable copies to the driver: it begins when large copies "
            "reach 96 MiB together"
        )


def many(graph: Graph, own: Array, direction: int, kind: str = "") -> str:
    """`40 pageable copies of 64 MiB to the GPU`."""
    sizes = graph.operations["bytes"][own]
    each = "up to " if sizes.min() < sizes.max() else ""
    size = format_size(int(sizes.max()))
    nouns = "copy of" if len(own) == 1 else "copies of"
    return f"{format_count(len(own))} {kind}{nouns} {each}{size} {WORDS[direction]}"


def faster(
    graph: Graph, rates: Rates, own: Array, direction: int, site: int, staged: Array
) -> Iterator[Candidate]:
    """Pageable copies that threads stage, or whose buffer is pinned. `staged`: all that would be
    staged."""
    rows = graph.operations
    own = own[rows["pageable"][own]]
    if not rates.known(direction):
        return
    parts = {"staged": np.intersect1d(own, staged), "pin": own[rows["bytes"][own] >= SMALL]}
    for change, some in parts.items():
        sizes, before = rows["bytes"][some], rows["takes"][some]
        issue = np.maximum(rows["issue"][some], 0.0)
        takes = lasting(rates, direction, sizes, before, issue, change == "staged")
        saved = [float(np.maximum(before - end, 0).sum()) for end in takes]
        if not len(some) or not saved[0]:
            continue
        verb, once = "pin the buffer of", LOCKING * float(sizes.max())
        if change == "staged":
            is_first = staged[0] in some
            verb, once = "stage", staging.once(rows["bytes"][staged]) if is_first else 0.0
        yield Candidate(
            change,
            f"{verb} {many(graph, some, direction, 'pageable ')}",
            rows["call"][some],
            saved[0],
            partial(changes.shorter, own=some, takes=np.minimum(before, takes[0])),
            *ends_of(saved, staging.DIFFERS * float(before.sum())),
            named(graph, site),
            len(some),
            int(sizes.sum()),
            "staged" if change == "staged" else "",
            once,
        )


def ends_of(saved: Sequence[float], differs: float) -> tuple[float, float]:
    """The ends of an interval, as parts of its middle. `saved`: middle, most and least by the new
    seconds; `differs`: by which the old ones may be off."""
    middle, most, least = saved
    low = middle - math.hypot(middle - least, differs)
    return max(low, 0.0) / middle, 1 + math.hypot(most - middle, differs) / middle


def lasting(
    rates: Rates, direction: int, sizes: Array, before: Array, issue: Array, staged: bool
) -> tuple[Array, Array, Array]:
    """The ns of copies that threads stage, or of a pinned buffer: middle, low, high. What they wait
    for page faults stays, and the threads share it. `issue`: ns of the call before the copy begins,
    in which the driver fills a buffer of its own; the rates are those of the whole call."""
    of = rates.staged if staged else rates.pinned
    costs = {float(size): of(direction, float(size)) for size in np.unique(sizes)}
    faults = rates.faulting(direction, sizes, before) / (rates.threads if staged else 1)
    ends = (
        by_size(sizes, {size: getattr(cost, end) * 1e9 for size, cost in costs.items()})
        for end in ("middle", "low", "high")
    )
    middle, low, high = (np.maximum(end - issue, AT_LEAST * end) + faults for end in ends)
    return middle, low, high


def left_out(
    graph: Graph, own: Array, change: str, text: str, site: int, low: float, high: float,
    most: float = np.inf,
) -> Candidate:  # fmt: skip
    """Without these copies, and without the waits for them."""
    rows = graph.operations
    calls = np.unique(rows["call"][own])
    waits = calls[np.isin(graph.calls["wait"][calls], (Wait.OWN, Wait.BEFORE))]
    took = graph.calls["end"][calls] - graph.calls["start"][calls]
    gone = mask(len(rows), own)
    return Candidate(
        change,
        text,
        calls,
        min(float(rows["takes"][own].sum() + took.sum()), most),
        partial(changes.dropped, which=gone),
        low,
        high,
        named(graph, site),
        len(own),
        int(rows["bytes"][own].sum()),
        most=most,
        waits=waits,
    )


def fewer(graph: Graph, own: Array, direction: int, site: int) -> Iterator[Candidate]:
    """Copies that may be left out."""
    rows = graph.operations
    sizes, pairs = rows["bytes"][own], rows["pair"][own]
    near = NEIGHBOURS if rows["pageable"][own].any() else 1.1
    small = own[(sizes <= SMALL) & (graph.calls["wait"][rows["call"][own]] == Wait.OWN)]
    if direction == TO_CPU and len(small) >= OFTEN:
        gone = small[np.arange(len(small)) % EVERY != 0]
        text = f"keep on the GPU, or read every {EVERY}th time: {many(graph, small, direction)}"
        yield left_out(graph, gone, "read less often", text, site, 0.7, near)
    if direction == TO_GPU:
        _, first, which, count = np.unique(
            pairs, return_index=True, return_inverse=True, return_counts=True
        )
        again = (pairs != NONE) & (count[which] >= TWICE)
        again[first] = False
        if again.any():
            text = (
                f"copy once, if the CPU does not change the data: {format_count(again.sum())} of "
                f"{many(graph, own, direction)} repeat the one before"
            )
            yield left_out(graph, own[again], "copy once", text, site, 0.0, 1.0)


def overlapped(graph: Graph, copies: Array) -> Iterator[Candidate]:
    """Large copies that kernels may hide, with the kernel that most of them lie next to."""
    rows = graph.operations
    large = copies[rows["bytes"][copies] >= SMALL]
    kernels = np.flatnonzero(rows["work"] == Work.KERNEL)
    if len(large) < TWICE or not len(kernels):
        return
    ways = np.unique(rows["detail"][large])
    words = many(graph, large, int(ways[0])) if len(ways) == 1 else f"{len(large)} copies both ways"
    needs = "another stream and two buffers"
    needs += ", pinned memory" if rows["pageable"][large].any() else ""
    text = (
        f"overlap {words} with kernels ({beside(graph, large, kernels)}) that use other data "
        f"meanwhile: {needs}"
    )
    sites = graph.calls["site"][rows["call"][large]]
    known, which = np.unique(sites, return_inverse=True)
    most = np.argmax(np.bincount(which, rows["takes"][large]))
    hidden = float(rows["takes"][kernels].sum())
    yield left_out(graph, large, "overlap", text, int(known[most]), 0.0, 1.0, hidden)


def beside(graph: Graph, own: Array, kernels: Array) -> str:
    """The kernel that most of these copies come before, or after where they bring results back."""
    rows = graph.operations
    at = np.searchsorted(kernels, own) - (rows["detail"][own] == TO_CPU)
    near = kernels[np.clip(at, 0, len(kernels) - 1)]
    names, counts = np.unique(rows["name"][near], return_counts=True)
    return short(graph.names.get(int(names[np.argmax(counts)]), "unnamed"))
