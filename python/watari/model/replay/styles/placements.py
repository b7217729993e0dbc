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
APART = 1.5  # times as long: launches of another size, which cross the link in another ratio
STILL_MOVING = 2.0  # times the program's own launch: a longer one was not local, pages still came
COLD = 2e-6  # seconds that a sampled launch may take longer: its caches and TLBs are empty
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


def settled(rows: Sequence[Placement], longest: float) -> list[Placement]:
    """The rows, whose local launches were local. `longest`: seconds of the program's own longest
    launch of the kernel. A local launch that takes far longer still moved pages: then the fastest
    one counts, at most as long as that."""
    most = STILL_MOVING * longest + COLD
    return [one_settled(row, most, longest) if row.placement == LOCAL else row for row in rows]


def one_settled(row: Placement, most: float, longest: float) -> Placement:
    """A row of local launches, without what took more than `most`."""
    if row.high <= most:
        return row
    seconds = row.low if row.low <= most else longest
    return row.model_copy(update={"seconds": seconds, "low": min(row.low, seconds), "high": most})


def of_own(far: Cost, local: float, own: float) -> Cost:
    """The ratio for a launch of `own` seconds, of a ratio to a sampled one of `local` seconds. What
    the link adds is that of the sampled launch, unless the program's own ones do less: a short
    launch is longer when it is sampled, but crosses the link as often."""
    base = max(min(local, own), local - COLD)
    if base <= 0:
        return far
    return Cost(*(1 + (getattr(far, e) - 1) * local / base for e in ("middle", "low", "high")))


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


def placed(kernel: Kernel, seconds: float, rates: Rates, longest: float = np.inf) -> Placed:
    """A kernel whose launches take `seconds` each as the program is, and `longest` at most."""
    rows = settled(kernel.placements, longest)
    size = touched(kernel)
    local = [row for row in rows if row.placement == LOCAL]
    alone = local[0] if len(local) == 1 else None
    known = Cost(alone.seconds, alone.low, alone.high) if alone else None
    fault = fault_of(pairs(rows, FAULTING))
    if mapped := pairs(rows, MAPPED):
        sampled = sum(row.launches for _, row in mapped)
        local_seconds = sum(one.seconds * one.launches for one, _ in mapped)
        launches = sum(one.launches for one, _ in mapped)
        far = of_own(ratio(mapped), local_seconds / launches, seconds)
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


def sizes(kernel: Kernel) -> list[list[Placement]]:
    """The rows of a kernel whose launches are of several sizes: each size with its own rows, by the
    seconds of its local launches. One list where there is one size."""
    local = [(row.seconds, row.threads) for row in kernel.placements if row.placement == LOCAL]
    known = {row.threads for _, row in pairs(kernel.placements, MAPPED)}
    groups: list[set[int]] = []
    last = 0.0
    for seconds, threads in sorted(local):
        if threads in known and seconds > 0:
            if not groups or seconds > APART * last:
                groups.append(set())
            groups[-1].add(threads)
            last = seconds
    if len(groups) < 2:
        return [list(kernel.placements)]
    return [[row for row in kernel.placements if row.threads in group] for group in groups]


def nearest(rows: Sequence[Sequence[Placement]], takes: Array) -> Array:
    """For each launch, as long as it takes in seconds, the number of the size it is nearest to."""
    if len(rows) < 2:
        return np.zeros(len(takes), int)
    local = [[row.seconds for row in own if row.placement == LOCAL] for own in rows]
    known = np.log([sum(own) / len(own) for own in local])
    found: Array = np.abs(np.log(np.maximum(takes, 1e-9))[:, None] - known).argmin(axis=1)
    return found


def kernels(graph: Graph, observed: Observed, rates: Rates) -> Kernels:
    """The kernels of a graph, with what the trace knows of them."""
    rows = graph.operations
    is_kernel = rows["work"] == Work.KERNEL
    known = {kernel.name: kernel for kernel in observed.kernels}
    index = np.full(len(rows), -1)
    found: list[Placed] = []
    for identifier in np.unique(rows["name"][is_kernel]):
        own = np.flatnonzero(is_kernel & (rows["name"] == identifier))
        name = graph.names.get(int(identifier), "unnamed")
        kernel = known.get(name) or Kernel(
            name=name, launches=len(own), traced_seconds=0.0, sampled=0, touched=[]
        )
        takes = rows["takes"][own] * 1e-9
        groups = sizes(kernel)
        of = nearest(groups, takes)
        for number, group in enumerate(groups):
            if not len(some := np.flatnonzero(of == number)):
                continue
            launches = len(some) if len(groups) > 1 else kernel.launches
            part = kernel.model_copy(update={"placements": group, "launches": launches})
            index[own[some]] = len(found)
            mean, longest = float(takes[some].mean()), float(takes[some].max())
            found.append(placed(part, mean, rates, longest))
    return Kernels(tuple(found), index, np.asarray(rows["takes"], float))
