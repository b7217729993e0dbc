"""The memory that each launch touches, from the run in which all memory is on the CPU before it.

All memory is managed in that run, and some of it is read-mostly, so that a write after a read
faults, too. Before each of the first launches of a kernel all of it is evicted. After the launch
the library looks up where every page is (src/attach/injected/sample.cpp). Pages on the GPU were
touched; read-mostly pages without a copy on the CPU were written. The driver fetches at least 64
KiB and prefetches around faults: bytes are an upper limit where accesses are sparse.

The recorded transfers of a launch are a second source, but records get lost. They count where they
are more: on a machine where the CPU maps GPU memory, and for a launch that did not end in its time.

Launches are matched by kernel and order. Launches after the last sampled one are assumed to repeat
the touches of the sampled ones, in the same order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from watari.attach.events import Allocation
from watari.attach.trace.lives import NOBODY, owners
from watari.attach.trace.records import WRITES, Array, Counter, Kind, Recorded
from watari.attach.trace.transfers import Direction, migrated


@dataclass(frozen=True)
class Touch:
    """Accesses of one launch to one allocation: bytes, and whether it read or wrote."""

    bytes: float
    reads: bool
    writes: bool


Launch = Mapping[str, Touch]  # by the name of the allocation


@dataclass(frozen=True)
class Touches:
    """Touches of the sampled launches of each kernel, in order; and the allocations that the CPU
    writes.

    unended   launches that had not ended in their time: their bytes are recorded transfers
    unseen    bytes whose place was unknown after a launch, summed over all launches
    unwatched allocations that launches touched, and that were not examined for writes
    found     bytes of the pages that launches brought to the GPU
    recorded  bytes of these pages whose transfer has a record
    """

    kernels: dict[str, list[Launch]] = field(default_factory=dict)
    cpu_writes: frozenset[str] = frozenset()
    unended: int = 0
    unseen: int = 0
    unwatched: int = 0
    found: int = 0
    recorded: int = 0

    def __bool__(self) -> bool:
        return bool(self.kernels)

    def index(self, kernel: str, ordinal: int) -> int:
        """The sampled launch that a launch (0, 1, ... of its kernel) repeats."""
        return ordinal % len(self.kernels.get(kernel) or (0,))

    def of(self, kernel: str, ordinal: int) -> Launch | None:
        """The touches of this launch; None where they are not known."""
        sampled = self.kernels.get(kernel)
        return sampled[self.index(kernel, ordinal)] if sampled else None


def ordinals(names: Array) -> Array:
    """The ordinal (0, 1, ...) of each launch among those of the same kernel."""
    order = np.argsort(names, kind="stable")
    _, first, counts = np.unique(names[order], return_index=True, return_counts=True)
    found = np.zeros(len(names), np.int64)
    found[order] = np.arange(len(names)) - np.repeat(first, counts)
    return found


def window(times: Array, begin: int, end: int) -> slice:
    """The slice of ascending times, or other numbers, from `begin` on and before `end`."""
    low, high = np.searchsorted(times, [begin, end])
    return slice(int(low), int(high))


def of_run(process: Recorded, allocations: Sequence[Allocation]) -> Touches:
    """The touches of the sampled launches."""
    launched = process.of(Kind.KERNEL)
    launched = launched[np.isin(launched["correlation"], process.of(Kind.EVICTED)["correlation"])]
    kernels = {int(kernel["correlation"]): kernel for kernel in launched}
    measured = process.of(Kind.TOUCHED)
    measured = measured[np.argsort(measured["correlation"], kind="stable")]
    owner_of_measured = owners(allocations, measured["address"], measured["start"])
    moved = migrated(process, allocations)
    moved = moved[moved["direction"] == Direction.TO_GPU]
    moved = moved[np.argsort(moved["start"], kind="stable")]
    faults = process.counters(Counter.GPU_FAULT)
    faulting = owners(allocations, faults["address"], faults["start"])
    sampled: dict[str, list[Launch]] = {}
    unwatched: set[int] = set()
    watched: set[int] = set()
    on_gpu = recorded = unended = 0
    for evicted in process.of(Kind.EVICTED):
        kernel = kernels.get(int(evicted["correlation"]))
        if kernel is None:
            continue
        launch_number = evicted["correlation"]
        own = window(measured["correlation"], launch_number, launch_number + 1)
        ended = max(int(kernel["end"]), int(measured["start"][own].max(initial=0)))
        here = window(moved["start"], evicted["start"], ended)
        there = window(faults["start"], evicted["start"], ended)
        left = measured["bytes"][own] > 0
        pages = dict(zip(owner_of_measured[own][left].tolist(), measured[own][left], strict=True))
        launch = touched(allocations, moved[here], faulting[there], faults["flags"][there], pages)
        sampled.setdefault(process.names.get(int(kernel["name"]), "unnamed"), []).append(launch)
        unended += bool(evicted["bytes"]) and own.start == own.stop
        for owner, row in ((o, r) for o, r in pages.items() if o != NOBODY):
            on_gpu += int(row["bytes"])
            (unwatched if row["flags"] else watched).add(owner)
            recorded += min(int(row["bytes"]), bytes_of(moved[here], owner))
    unseen = int(measured["detail"].astype(np.int64).sum()) * 1024
    written = cpu_writes(process, allocations)
    return Touches(sampled, written, unended, unseen, len(unwatched - watched), on_gpu, recorded)


def bytes_of(moved: Array, owner: int) -> int:
    """Bytes of this allocation that moved."""
    return int(moved["bytes"][moved["allocation"] == owner].sum())


def touched(
    allocations: Sequence[Allocation],
    moved: Array,
    faulting: Array,
    accesses: Array,
    pages: Mapping[int, Any],
) -> dict[str, Touch]:
    """The touches of one launch. Bytes are those of the pages on the GPU, or of the transfers if
    these are more. Pages and faults show writes, faults show reads. An allocation without a write
    counts as read: the driver prefetches around a fault, without further faults."""
    is_write = np.isin(accesses, WRITES)
    on_gpu = np.array(list(pages), np.int64)
    found = {}
    for owner in np.unique(np.concatenate([moved["allocation"], faulting, on_gpu])):
        if owner == NOBODY:
            continue
        allocation = allocations[owner]
        row = pages.get(int(owner))
        left, written = (int(row["bytes"]), int(row["end"])) if row is not None else (0, 0)
        size = max(left, bytes_of(moved, owner))
        writes = bool(written or (is_write & (faulting == owner)).any())
        reads = bool((~is_write & (faulting == owner)).any()) or not writes
        found[allocation.name] = Touch(float(min(size, allocation.bytes)), reads, writes)
    return found


def cpu_writes(process: Recorded, allocations: Sequence[Allocation]) -> frozenset[str]:
    """The allocations in which the CPU faulted with a write."""
    faults = process.counters(Counter.CPU_FAULT)
    faults = faults[np.isin(faults["flags"], WRITES)]
    found = owners(allocations, faults["address"], faults["start"])
    return frozenset(allocations[owner].name for owner in np.unique(found) if owner != NOBODY)
