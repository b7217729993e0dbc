"""Findings of a trace, in sentences: costs, the allocations that cause them, and advice."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from watari.attach.events import Allocation
from watari.attach.trace.observed.phases import inside
from watari.attach.trace.observed.touched import Touches
from watari.attach.trace.records.lives import NOBODY
from watari.attach.trace.records.records import Array, Counter, Kind, Recorded, columns
from watari.attach.trace.records.repeats import ordinals
from watari.attach.trace.records.transfers import Direction, How, totals
from watari.common.units import format_bytes, format_duration

LEAST_COPY = 64 * 1024  # bytes: below that a launch costs more than the copy
LEAST_PART = 0.01  # of the traced time: a smaller saving is not reported
OFTEN = 3  # crossings of an allocation that are reported


@dataclass(frozen=True)
class Seen:
    """The data of a trace that sentences are made from."""

    process: Recorded
    allocations: Sequence[Allocation]
    labels: Sequence[str]
    moved: Array
    touches: Touches
    seconds: float

    def label(self, owner: int) -> str:
        """The name of an allocation for people."""
        return self.labels[owner] if owner != NOBODY else "memory that CUDA did not allocate"


def seconds_of(rows: Array) -> float:
    """Sum of the durations of all records, in seconds."""
    return float((rows["end"] - rows["start"]).sum()) * 1e-9


def largest(seen: Seen, rows: Array) -> int:
    """The allocation that most bytes of these transfers belong to."""
    owners, index = np.unique(rows["allocation"], return_inverse=True)
    return int(owners[np.argmax(np.bincount(index, rows["bytes"].astype(float)))])


def over_link(seen: Seen) -> Iterable[str]:
    """Bytes each way, by copies, faults and prefetches."""
    for direction, words in ((Direction.TO_GPU, "To the GPU"), (Direction.TO_CPU, "To the CPU")):
        rows = seen.moved[seen.moved["direction"] == direction]
        if not len(rows):
            continue
        parts = [
            f"{format_bytes(float(of['bytes'].sum()))} by {name}"
            for how, name in (
                (How.COPY, "copies"),
                (How.FAULT, "faults"),
                (How.PREFETCH, "prefetches"),
            )
            if len(of := rows[rows["how"] == how])
        ]
        most = largest(seen, rows)
        yield f"{words}: {', '.join(parts)}; most of it is {seen.label(most)}."


def pageable(seen: Seen) -> Iterable[str]:
    """Copies from or to memory that is not pinned."""
    rows = seen.moved[seen.moved["pageable"] & (seen.moved["how"] == How.COPY)]
    size = float(rows["bytes"].sum())
    if size < LEAST_COPY:
        return
    yield (
        f"{len(rows)} copies of {format_bytes(size)} use pageable CPU memory: the driver stages "
        "them, and cannot overlap them with kernels. Pin that memory (cudaMallocHost)."
    )


def overlap(seen: Seen) -> Iterable[str]:
    """Copies that run alone, though the next or previous kernel does not use their data."""
    kernels = seen.process.of(Kind.KERNEL)
    rows = seen.moved[(seen.moved["how"] == How.COPY) & (seen.moved["bytes"] >= LEAST_COPY)]
    rows = rows[np.isin(rows["direction"], (Direction.TO_GPU, Direction.TO_CPU))]
    if not len(kernels) or not len(rows):
        return
    alone = rows[~inside(rows["start"], kernels["start"], kernels["end"])]
    order = ordinals(kernels["name"])
    saved, count = 0.0, 0
    near = np.searchsorted(kernels["start"], alone["start"])
    near = near - (alone["direction"] == Direction.TO_CPU)
    has_kernel = (near >= 0) & (near < len(kernels)) & (alone["allocation"] != NOBODY)
    alone, near = alone[has_kernel], near[has_kernel]
    beside = kernels[near]
    shorter = np.minimum(alone["end"] - alone["start"], beside["end"] - beside["start"]) * 1e-9
    each = zip(
        columns(alone, "allocation"), columns(beside, "name"), order[near], shorter, strict=True
    )
    for (owner,), (identifier,), ordinal, seconds in each:
        used = seen.touches.of(seen.process.names.get(identifier, "unnamed"), ordinal)
        if used is not None and seen.allocations[owner].name not in used:
            saved += seconds
            count += 1
    if saved > LEAST_PART * seen.seconds:
        yield (
            f"{count} copies run alone beside a kernel that does not use their data: up to "
            f"{format_duration(saved)} of the traced run could overlap "
            "(another stream, pinned memory)."
        )


def again(seen: Seen) -> Iterable[str]:
    """Allocations that cross the link many times in both directions."""
    counts = []
    _, sizes = totals(seen.moved, len(seen.allocations))
    ways = sizes.sum(axis=1)[:, : Direction.TO_CPU + 1]
    for owner, (allocation, both) in enumerate(zip(seen.allocations, ways.tolist(), strict=True)):
        times = min(both) / allocation.bytes
        if times >= OFTEN:
            counts.append((sum(both), times, owner))
    for size, times, owner in sorted(counts, reverse=True)[:3]:
        yield (
            f"{seen.label(owner)} crosses {times:.0f} times each way ({format_bytes(size)}): "
            "both processors use it in turn."
        )


def copied_unchanged(seen: Seen) -> Iterable[str]:
    """Allocations whose bytes are copied in many times and never out."""
    _, sizes = totals(seen.moved, len(seen.allocations))
    copied = sizes[:, How.COPY, : Direction.TO_CPU + 1].tolist()
    for owner, (allocation, (sent, back)) in enumerate(zip(seen.allocations, copied, strict=True)):
        if sent >= OFTEN * allocation.bytes and back < allocation.bytes / 10:
            yield (
                f"{seen.label(owner)} is copied to the GPU {sent / allocation.bytes:.0f} times and "
                "hardly ever back: check whether the CPU changes it each time."
            )


def faults(seen: Seen) -> Iterable[str]:
    """Faults, thrashing and throttling."""
    gpu, cpu = (len(seen.process.counters(c)) for c in (Counter.GPU_FAULT, Counter.CPU_FAULT))
    if gpu or cpu:
        yield f"{gpu} groups of GPU faults and {cpu} CPU faults on managed memory."
    thrashing = seen.process.counters(Counter.THRASHING)
    if len(thrashing):
        waited = seconds_of(seen.process.counters(Counter.THROTTLING))
        yield (
            f"The driver reports thrashing {len(thrashing)} times, and held faults back for "
            f"{format_duration(waited)}."
        )


def all_of(seen: Seen) -> list[str]:
    """Every finding that applies, the most general first."""
    rules = (over_link, again, copied_unchanged, pageable, overlap, faults)
    return [sentence for rule in rules for sentence in rule(seen)]
