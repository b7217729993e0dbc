"""What a memory style changes: a traced program with its kernels, copies and memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from watari.case.sentence import NOTHING, Cost
from watari.model.replay.graph import Array, Graph, Role, Work
from watari.model.replay.link import Links
from watari.model.replay.styles.bounds import NS, Bounds, column, copies, is_work, of_graph
from watari.model.replay.styles.placements import Kernels, kernels
from watari.model.replay.styles.rates import Rates
from watari.model.trace_observed import Moved, Observed

TO_GPU, TO_CPU, ON_GPU = "to gpu", "to cpu", "on gpu"
DEVICE, MANAGED = "device", "managed"
ENOUGH = 10  # sampled launches, to say that no launch touches a block
POOLS = ("cuMemAllocAsync", "cuMemAllocFromPoolAsync")


@dataclass(frozen=True)
class Program:
    """A traced program. `bounds`: as it is, on the machine of `rates`."""

    bounds: Bounds
    kernels: Kernels
    rates: Rates
    observed: Observed

    @property
    def graph(self) -> Graph:
        """The graph as it is."""
        return self.bounds.graph

    def of_kind(self, kind: str) -> list[Moved]:
        """The allocations of a kind."""
        return [row for row in self.observed.allocations if row.kind == kind]

    def allocated(self, kind: str) -> float:
        """Bytes of the allocations of a kind, each life of its own."""
        return sum(float(row.bytes) * row.lives for row in self.of_kind(kind))

    def blocks(self, kind: str) -> list[tuple[Moved, float]]:
        """The allocations of a kind, and how often each is made. Blocks of a pool are made once,
        and given out again for the same bytes."""
        found = {}
        for row in self.of_kind(kind):
            pool = row.api in POOLS
            key = (row.api, row.bytes) if pool else (row.name,)
            found[key] = (row, 1.0 if pool else float(row.lives))
        return list(found.values())

    def making(self, step: str, kind: str = DEVICE) -> Cost:
        """Seconds of a step of every block (steps.py). A release gives back what was touched."""
        total = NOTHING
        for row, count in self.blocks(kind):
            size = self.used(row) if step.startswith("release") else row.bytes
            total = total + self.rates.block(step, size).times(count)
        return total

    def used(self, row: Moved) -> float:
        """Bytes of a block that are touched in one of its lives, at most: what all launches touch,
        or all copies move, by the lives. All of it where a kernel was not sampled; and where
        nothing seems to touch it, if few launches were sampled or a fill may."""
        launched = self.observed.kernels
        if not all(kernel.sampled for kernel in launched):
            return float(row.bytes)
        touched = sum(
            float(one.bytes) * one.launches / kernel.sampled * kernel.launches
            for kernel in launched
            for one in kernel.touched
            if one.allocation == row.label
        )
        copied = [float(row.moved.get(f"copied to {side}", 0)) for side in ("GPU", "CPU")]
        filled = self.filled >= float(row.bytes) * row.lives
        if not touched and (any(copied) or filled or self.launches < ENOUGH):
            return float(row.bytes)
        return min(float(row.bytes), max(touched, *copied) / row.lives)

    @cached_property
    def launches(self) -> int:
        """Launches that were sampled."""
        return sum(kernel.sampled for kernel in self.observed.kernels)

    @cached_property
    def filled(self) -> float:
        """Bytes of all fills."""
        return float(self.size[is_work(self.graph, Work.FILL)].sum())

    def populating(self, where: str, but: Sequence[Moved] = ()) -> Cost:
        """Seconds of the first touch, by the GPU, of every block that a style made managed. `but`:
        of no such block."""
        total = NOTHING
        labels = {row.label for row in but}
        rows = [(row, count) for row, count in self.blocks(DEVICE) if row.label not in labels]
        for row, count in rows:
            copied = row.moved.get("copied to GPU", 0) >= row.bytes
            step = f"populate {where} managed{' by copy' if copied else ''}"
            if size := self.used(row):
                cost = self.rates.block(step, size).times(count)
                total = total + Cost(cost.middle, cost.low if copied else 0.0, cost.high)
            else:  # of n launches of which none touches a block, fewer than 3 / n do, at 95%
                cost = self.rates.block(step, row.bytes).times(count * 3 / self.launches)
                total = total + Cost(0.0, 0.0, cost.high)
        return total

    def reserved(self) -> Cost:
        """Seconds that allocations and releases lose where no touch follows: managed memory is
        addresses alone then. One program's took 0.51 s, and 0.11 s as managed memory (`as-is` and
        `managed` beyond `pooled` in results/nvidia-h100-80gb-hbm3-x86_64/20261127-confirm.txt)."""
        calls = self.graph.calls
        of_used: dict[bool, set[int]] = {True: set(), False: set()}
        for row, _ in self.blocks(DEVICE):
            of_used[self.used(row) > 0].add(row.bytes)
        own = calls["role"] == Role.ALLOCATION
        own &= np.isin(calls["bytes"], list(of_used[False] - of_used[True]))
        took = float((calls["end"][own] - calls["start"][own]).sum()) / NS
        return Cost(-0.75 * took, -0.9 * took, 0.0)

    def moved(self, *words: str) -> float:
        """Bytes of managed memory that moved, `by faults to GPU` for instance."""
        return float(
            sum(row.moved.get(word, 0) for row in self.observed.allocations for word in words)
        )

    def which(self, way: str, pageable: bool | None = None) -> Array:
        """Copies of a direction, and of pageable memory or not."""
        found = copies(self.graph, way)
        return (
            found if pageable is None else found & (self.graph.operations["pageable"] == pageable)
        )

    def calling(self, which: Array) -> Array:
        """The calls of operations."""
        found = np.zeros(len(self.graph.calls), bool)
        found[self.graph.operations["call"][which]] = True
        return found

    @property
    def on_gpu(self) -> Array:
        """Kernels and copies: what may touch memory first."""
        return is_work(self.graph, Work.KERNEL) | self.which(TO_GPU)

    @property
    def is_kernel(self) -> Array:
        """The kernels."""
        return is_work(self.graph, Work.KERNEL)

    @property
    def size(self) -> Array:
        """Bytes of each operation."""
        found: Array = self.graph.operations["bytes"]
        return found

    def allocating(self, bounds: Bounds, seconds: Cost) -> Bounds:
        """Adds seconds to allocations and releases."""
        return bounds.calls(self.graph.calls["role"] == Role.ALLOCATION, seconds)

    def share(self, rows: Iterable[Moved]) -> Array:
        """For each operation, the part of the bytes that its kernel touches in some allocations;
        nan if unknown."""
        names = {row.label for row in self.observed.allocations}
        wanted = {row.label for row in rows}
        known = {kernel.name: kernel for kernel in self.observed.kernels}
        found = np.full(len(self.graph.operations), np.nan)
        for identifier, name in self.graph.names.items():
            touched = known[name].touched if name in known else []
            sizes = {row.allocation: row.bytes * row.launches for row in touched}
            if sum(sizes.values()) and names.issuperset(sizes):
                own = sum(size for label, size in sizes.items() if label in wanted)
                is_it = self.graph.operations["name"] == identifier
                found[is_it] = own / sum(sizes.values())
        return found

    def copied(self) -> list[Moved]:
        """The allocations that are copied to or from the GPU."""
        words = ("copied to GPU", "copied to CPU")
        return [r for r in self.observed.allocations if any(r.moved.get(word) for word in words)]


Change = Callable[[Program, Bounds], Bounds]


def of_trace(graph: Graph, links: Links, observed: Observed, rates: Rates) -> Program:
    """The program of a trace, on the machine where it was traced."""
    return Program(of_graph(graph, links), kernels(graph, observed, rates), rates, observed)


def over_link(program: Program, bounds: Bounds, part: Array | None = None) -> Bounds:
    """Kernels and fills whose memory is in CPU memory. `part`: of the bytes of each kernel; three
    rows."""
    factor = program.kernels.mapped()
    if part is not None:
        factor = 1 + (factor - 1) * part
    made = bounds.slower(program.is_kernel, factor)
    fills = is_work(program.graph, Work.FILL)
    written = column(program.rates.byte("write gpu link")) * program.size * NS
    return made.instead(fills, np.maximum(written, bounds.takes))
