"""How much longer a kernel takes with its memory elsewhere: of measured launches, or within bounds.

Ratios are to the same kernel with managed memory that is local, of as many threads. They are
applied to the seconds of the program as it is. Without a measurement, a kernel takes as long as
locally at least, and at most what the link needs for all that the GPU's caches could give; the
middle is the geometric one, since kernels lie anywhere between.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from watari.case.sentence import NOTHING, Cost
from watari.model.replay.graph import Array, Graph, Work
from watari.model.replay.styles.bounds import EXACT, clipped, column
from watari.model.replay.styles.rates import Rates
from watari.model.trace_observed import Kernel, Observed, Placement

LOCAL, MAPPED, FAULTING = "local", "mapped", "faulting"
LAUNCH = 0.1  # a launch differs from another of its kernel, on either side
ALONE = (0.5, 1.5)  # of a ratio to the mean launch as the program is, where none was local
FEW = 0.1  # of the launches: those that were not sampled may touch less, or more
FAULT = 1.3  # times that a launch which faults may take longer or shorter
LATER = (1 / 3, 1.5)  # of the seconds that the link adds to them


@dataclass(frozen=True)
class Placed:
    """A kernel. `mapped`: seconds with memory over the link, in those with local memory. `fault`:
    seconds of a touched byte that faults in; None if unknown. `local`: seconds of a launch; None
    if unknown. `touched`: bytes of a launch, 0 if unknown. `measured`: whether `mapped` is."""

    mapped: Cost
    fault: Cost | None
    local: Cost | None
    touched: float
    measured: bool


def touched(kernel: Kernel) -> float:
    """Bytes that a launch touches, 0 where they are not known."""
    rows = sum(row.bytes * row.launches for row in kernel.touched)
    return rows / kernel.sampled if kernel.sampled else 0.0


def pairs(rows: Sequence[Placement], where: str) -> list[tuple[Placement, Placement]]:
    """Rows with local memory and with it elsewhere, of as many threads. A kernel whose launches all
    differ has none: then local seconds are those between the nearest numbers of threads."""
    local = {row.threads: row for row in rows if row.placement == LOCAL and row.seconds > 0}
    other = [row for row in rows if row.placement == where]
    same = [(local[row.threads], row) for row in other if row.threads in local]
    if same or not local:
        return same
    return [(between(local, row), row) for row in other if min(local) < row.threads < max(local)]


def between(local: dict[int, Placement], row: Placement) -> Placement:
    """Local seconds of as many threads as a row has."""
    known = sorted(local)
    ends = {
        end: float(np.interp(row.threads, known, [getattr(local[n], end) for n in known]))
        for end in ("seconds", "low", "high")
    }
    return row.model_copy(update={**ends, "placement": LOCAL})


def ratio(found: Sequence[tuple[Placement, Placement]]) -> Cost:
    """Seconds elsewhere over seconds locally; long and frequent launches count most."""
    sums = {
        end: [sum(getattr(pair[i], end) * pair[0].launches for pair in found) for i in (0, 1)]
        for end in ("seconds", "low", "high")
    }
    local, other = (Cost(*(sums[end][i] for end in sums)) for i in (0, 1))
    middle = other.middle / local.middle
    low = min(other.low / max(local.high, 1e-12), middle)
    high = max(other.high / max(local.low, 1e-12), middle)
    return clipped(Cost(middle, low * (1 - LAUNCH), high * (1 + LAUNCH)), 1.0)


def of_few(far: Cost) -> Cost:
    """A ratio of the first launches of many. In a factorization, for instance, later ones take
    fewer bytes."""
    low, high = LATER
    return Cost(far.middle, 1 + (far.low - 1) * low, 1 + (far.high - 1) * high)


def fault_of(found: Sequence[tuple[Placement, Placement]]) -> Cost | None:
    """Seconds of a byte that faults in."""
    rows = [(max(f.seconds - one.seconds, 0.0), f.bytes) for one, f in found if f.bytes]
    size = sum(count for _, count in rows)
    if not size:
        return None
    each = sum(seconds for seconds, _ in rows) / size
    return Cost(each, each / FAULT, each * FAULT)


def placed(kernel: Kernel, seconds: float, rates: Rates) -> Placed:
    """A kernel whose launches take `seconds` each as the program is."""
    rows = kernel.placements
    size = touched(kernel)
    local = [row for row in rows if row.placement == LOCAL]
    alone = local[0] if len(local) == 1 else None
    known = Cost(alone.seconds, alone.low, alone.high) if alone else None
    fault = fault_of(pairs(rows, FAULTING))
    if mapped := pairs(rows, MAPPED):
        sampled = sum(row.launches for _, row in mapped)
        far = ratio(mapped)
        if sampled < FEW * kernel.launches:
            far = of_few(far)
        return Placed(far, fault, known, size, True)
    if remote := [row.seconds for row in rows if row.placement == MAPPED and row.seconds > 0]:
        times = max(median(remote) / max(seconds, 1e-9), 1.0)
        low, high = ALONE
        return Placed(
            clipped(Cost(times, times * low, times * high), 1.0), fault, known, size, True
        )
    most = rates.reread()
    least = rates.byte("read gpu link").middle * size / max(seconds, 1e-9)
    middle = (min(max(1.0, least), most) * most) ** 0.5
    return Placed(Cost(middle, 1.0, most), fault, known, size, False)


@dataclass(frozen=True)
class Kernels:
    """The kernels of a graph. `index`: of each operation, in `placed`; -1 for other operations."""

    placed: tuple[Placed, ...]
    index: Array
    takes: Array  # ns of each operation, as the program is

    def mapped(self) -> Array:
        """Three rows: times that each operation takes with its memory over the link."""
        table = np.hstack([column(one.mapped) for one in self.placed] + [column(EXACT)])
        found: Array = table[:, self.index]
        return found

    def unmeasured(self) -> float:
        """Seconds of kernels whose memory was not measured elsewhere."""
        known = np.array([one.measured for one in self.placed] + [True])
        return float(self.takes[~known[self.index]].sum()) * 1e-9

    def fault(self, rates: Rates) -> Cost:
        """Seconds of a byte that faults in: of the measured kernels, else the machine's."""
        found = [one.fault for one in self.placed if one.fault]
        if not found:
            return rates.byte("fault gpu managed read")
        total = NOTHING
        for cost in found:
            total = total + cost
        low, high = min(c.low for c in found), max(c.high for c in found)
        return Cost(total.middle / len(found), low, high)

    def is_local_known(self) -> Array:
        """Operations whose seconds with local memory were measured."""
        known = np.array([one.local is not None for one in self.placed] + [False])
        found: Array = known[self.index]
        return found

    def local(self) -> Array:
        """Three rows: ns of each operation with its memory local, at most as the program is."""
        ends = [one.local or Cost(np.inf, np.inf, np.inf) for one in self.placed]
        table = np.hstack([column(end) for end in ends] + [np.full((3, 1), np.inf)]) * 1e9
        found: Array = np.minimum(table[:, self.index], self.takes)
        return found


def kernels(graph: Graph, observed: Observed, rates: Rates) -> Kernels:
    """The kernels of a graph, with what the trace knows of them."""
    rows = graph.operations
    is_kernel = rows["work"] == Work.KERNEL
    known = {kernel.name: kernel for kernel in observed.kernels}
    index = np.full(len(rows), -1)
    found: list[Placed] = []
    for identifier in np.unique(rows["name"][is_kernel]):
        own = is_kernel & (rows["name"] == identifier)
        name = graph.names.get(int(identifier), "unnamed")
        kernel = known.get(name) or Kernel(
            name=name, launches=int(own.sum()), traced_seconds=0.0, sampled=0, touched=[]
        )
        index[own] = len(found)
        found.append(placed(kernel, float(rows["takes"][own].mean()) * 1e-9, rates))
    return Kernels(tuple(found), index, np.asarray(rows["takes"], float))
