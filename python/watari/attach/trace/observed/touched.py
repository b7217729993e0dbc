"""The memory that each launch touches, from the run in which all memory is on the CPU before it.

All memory is managed in that run, and some of it is read-mostly, so that a write after a read
faults, too. Before each of the first launches of a kernel all of it is evicted. After the launch
the library looks up where every page is (src/attach/injected/sampled/sample.cpp). Pages on the GPU
were touched; read-mostly pages without a copy on the CPU were written. The driver fetches at least
64 KiB and prefetches around faults: bytes are an upper limit where accesses are sparse.

The recorded transfers of a launch are a second source, but records get lost. They count where they
are more: on a machine where the CPU maps GPU memory, and for a launch that did not end in its time.

A launch without read-mostly memory, which is timed, shows pages but no writes: an allocation counts
as written if another launch of the kernel writes it.

Launches are matched by kernel and order. Other launches are assumed to repeat the touches of the
sampled ones (repeats.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from watari.attach.events import Allocation
from watari.attach.trace.observed.placed import Placed
from watari.attach.trace.records.lives import NOBODY, owners
from watari.attach.trace.records.records import WRITES, Array, Counter, Kind, Recorded
from watari.attach.trace.records.repeats import Repeats, ordinals
from watari.attach.trace.records.transfers import Direction, migrated


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
    unwatched allocations that launches touched, and that were never examined for writes
    found     bytes of the pages that launches brought to the GPU
    recorded  bytes of these pages whose transfer has a record
    repeats   the sampled launch that each launch of a kernel repeats; absent: in turn
    placed    sampled launches that were timed, by kernel
    unplaced  why others were not, by kernel
    """

    kernels: dict[str, list[Launch]] = field(default_factory=dict)
    cpu_writes: frozenset[str] = frozenset()
    unended: int = 0
    unseen: int = 0
    unwatched: int = 0
    found: int = 0
    recorded: int = 0
    repeats: dict[str, Repeats] = field(default_factory=dict)
    placed: dict[str, list[Placed]] = field(default_factory=dict)
    unplaced: dict[str, list[str]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.kernels)

    def index(self, kernel: str, ordinal: int) -> int:
        """The sampled launch that a launch (0, 1, ... of its kernel) repeats."""
        repeats = self.repeats.get(kernel)
        return (
            repeats.index(ordinal) if repeats else ordinal % len(self.kernels.get(kernel) or (0,))
        )

    def sampled(self, kernel: str, index: int) -> Launch:
        """The touches of this sampled launch; nothing where the kernel has none."""
        return self.kernels[kernel][index] if kernel in self.kernels else {}

    def of(self, kernel: str, ordinal: int) -> Launch | None:
        """The touches of this launch; None where they are not known."""
        sampled = self.kernels.get(kernel)
        return sampled[self.index(kernel, ordinal)] if sampled else None


def window(times: Array, begin: int, end: int) -> slice:
    """The slice of ascending times, or other numbers, from `begin` on and before `end`."""
    low, high = np.searchsorted(times, [begin, end])
    return slice(int(low), int(high))


def of_run(process: Recorded, allocations: Sequence[Allocation]) -> Touches:
    """The touches of the sampled launches."""
    launched = process.of(Kind.KERNEL)
    is_sampled = np.isin(launched["correlation"], process.of(Kind.EVICTED)["correlation"])
    order = dict(
        zip(
            launched["correlation"][is_sampled].tolist(),
            ordinals(launched["name"])[is_sampled].tolist(),
            strict=True,
        )
    )
    kernels = {int(kernel["correlation"]): kernel for kernel in launched[is_sampled]}
    measured = process.of(Kind.TOUCHED)
    measured = measured[np.argsort(measured["correlation"], kind="stable")]
    owner_of_measured = owners(allocations, measured["address"], measured["start"])
    moved = migrated(process, allocations)
    moved = moved[moved["direction"] == Direction.TO_GPU]
    moved = moved[np.argsort(moved["start"], kind="stable")]
    faults = process.counters(Counter.GPU_FAULT)
    faulting = owners(allocations, faults["address"], faults["start"])
    sampled: dict[str, list[Launch]] = {}
    orders: dict[str, list[int]] = {}
    unwatched: set[int] = set()
    watched: set[int] = set()
    on_gpu = recorded = unended = 0
    timed: list[tuple[str, int]] = []
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
        name = process.names.get(int(kernel["name"]), "unnamed")
        sampled.setdefault(name, []).append(launch)
        orders.setdefault(name, []).append(order[int(launch_number)])
        if evicted["detail"]:
            timed.append((name, len(sampled[name]) - 1))
        unended += bool(evicted["bytes"]) and own.start == own.stop
        for owner, row in ((o, r) for o, r in pages.items() if o != NOBODY):
            (unwatched if row["flags"] else watched).add(owner)
            if not evicted["detail"]:
                on_gpu += int(row["bytes"])
                recorded += min(int(row["bytes"]), bytes_of(moved[here], owner))
    add_kinds(sampled, timed)
    unseen = int(measured["detail"].astype(np.int64).sum()) * 1024
    return Touches(
        sampled,
        cpu_writes(process, allocations),
        unended,
        unseen,
        len(unwatched - watched),
        on_gpu,
        recorded,
        {name: Repeats(orders[name], [set(one) for one in sampled[name]]) for name in sampled},
    )


def add_kinds(sampled: Mapping[str, list[Launch]], timed: Sequence[tuple[str, int]]) -> None:
    """Lets launches whose faults were not recorded (`timed`: kernel, number) read and write what
    other launches of their kernel read and write."""
    unseen = set(timed)
    for name, number in timed:
        others = [one for at, one in enumerate(sampled[name]) if (name, at) not in unseen]
        made = {}
        for allocation, touch in sampled[name][number].items():
            seen = [launch[allocation] for launch in others if allocation in launch]
            reads = any(one.reads for one in seen) or not seen
            made[allocation] = replace(touch, reads=reads, writes=any(one.writes for one in seen))
        sampled[name][number] = made


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
