"""What a memory style changes: a traced program with its kernels, copies and memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from watari.case.sentence import Cost
from watari.model.replay.bounds import NS, Bounds, column, copies, is_work, of_graph
from watari.model.replay.graph import Array, Graph, Role, Work
from watari.model.replay.link import Links
from watari.model.replay.placements import Kernels, kernels
from watari.model.replay.rates import Rates
from watari.model.trace_file import Moved, Observed

TO_GPU, TO_CPU, ON_GPU = "to gpu", "to cpu", "on gpu"
DEVICE, MANAGED = "device", "managed"


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

    def allocated(self, kind: str) -> tuple[float, float]:
        """Bytes and number of the allocations of a kind, each life of its own."""
        rows = self.of_kind(kind)
        return sum(float(r.bytes) * r.lives for r in rows), sum(float(r.lives) for r in rows)

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

    def share(self) -> Array:
        """For each operation, the part of the bytes that its kernel touches in memory that is
        copied to or from the GPU; 1 if unknown."""
        copied = {
            row.label
            for row in self.observed.allocations
            if row.moved.get("copied to GPU") or row.moved.get("copied to CPU")
        }
        known = {kernel.name: kernel for kernel in self.observed.kernels}
        found = np.ones(len(self.graph.operations))
        for identifier, name in self.graph.names.items():
            rows = known[name].touched if name in known else []
            total = sum(row.bytes * row.launches for row in rows)
            if total:
                own = sum(row.bytes * row.launches for row in rows if row.allocation in copied)
                found[self.graph.operations["name"] == identifier] = own / total
        return found


Change = Callable[[Program, Bounds], Bounds]


def of_trace(graph: Graph, links: Links, observed: Observed, rates: Rates) -> Program:
    """The program of a trace, on the machine where it was traced."""
    return Program(of_graph(graph, links), kernels(graph, observed, rates), rates, observed)


def over_link(program: Program, bounds: Bounds) -> Bounds:
    """Kernels and fills whose memory is in CPU memory."""
    made = bounds.slower(program.is_kernel, program.kernels.mapped())
    fills = is_work(program.graph, Work.FILL)
    written = column(program.rates.byte("write gpu link")) * program.size * NS
    return made.instead(fills, np.maximum(written, bounds.takes))
