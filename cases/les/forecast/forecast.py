"""The time of a touch in each style: a forecast from rates (rates.py), and the measured time.

A touch of F facets moves `packed` (two numbers a facet, if gather=gpu), `flux` (one) and the parts
of the fields that the CPU reads: whole arrays, planes, or rows that lie apart.

    explicit           K + copies of packed and fields down + W + flux up + W
    managed-prefetch   K + prefetch of packed and fields to the CPU, of both and flux back
                       + the CPU's faults on flux, which nothing prefetches
    managed            K + the GPU's faults on packed, where the CPU has left it
                       + the CPU's faults on packed, flux and fields
                       + the GPU's faults on flux and fields in the next step

K: the kernel that packs; W: a wait. Each style also has the CPU's own work C. A thread of the CPU
works on a block of 2 MiB as soon as the block arrives, while other threads fault: with k blocks a
thread, work C and faults S take max(C, S) + min(C, S) / k. Rows that lie alone fault one by one,
and each needs a prefetch of its own. With radiation=cpu, C also has five sweeps over the view
factors, at the rate of the CPU's reads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple

from watari.cases.les import axes
from watari.cases.les.city import city
from watari.cases.les.forecast import model
from watari.cases.les.forecast.rates import Rates
from watari.cases.les.radiation import radiation
from watari.common.errors import UnsupportedError, UsageError
from watari.results.measured import Measured, drawable

BLOCK = 2 << 20  # bytes that the driver moves at most for a fault
LOADS = 5  # numbers that packing a facet loads: four velocities and theta
LEAST_EVERY = 3  # so that some steps have no touch and follow none


@dataclass(frozen=True)
class Parts:
    """Seconds of a touch."""

    gather: float
    move: float
    cpu: float
    after: float  # extra time of the next step

    @property
    def whole(self) -> float:
        return self.gather + self.move + self.cpu + self.after


class Region(NamedTuple):
    """Rows of an array, equally far apart."""

    bytes: int  # of a row
    rows: int = 1


@dataclass(frozen=True)
class Traffic:
    """The bytes that a touch moves, with its facets and threads."""

    facets: int
    packed: int
    flux: int
    fields: tuple[Region, ...]
    threads: int

    @property
    def whole(self) -> int:
        """Bytes of the fields that lie in one piece each."""
        return sum(r.bytes for r in self.fields if r.rows == 1)

    @property
    def lone(self) -> int:
        """Rows that lie apart."""
        return sum(r.rows for r in self.fields if r.rows > 1)


def traffic(m: Measured) -> Traffic:
    """The traffic of a case. Raises UsageError, UnsupportedError for a city that cannot be read."""
    import numpy as np

    x, y, z = axes.shape(m["grid"])
    heights = city.heights(m["city"], (x, y, z), m["spacing"]).astype(np.int64)
    walls = sum(int(np.abs(heights - np.roll(heights, 1, axis)).sum()) for axis in (0, 1))
    facets, number = x * y + walls, axes.number_bytes(m.parameters)
    by_gpu = m["gather"] == "gpu"
    fields: list[Region] = []
    if m["cpu-touch"] == "all":
        fields = [Region(axes.array_bytes(m.parameters))]
    else:
        plane = axes.plane_bytes(m.parameters)
        if not by_gpu:  # to the tallest roof, and the plane above it
            fields.append(Region((min(int(heights.max()) + 1, z) + 1) * plane))
        if m["cpu-touch"] == "planes":
            fields += [Region(plane), Region(x * number, z)]
    packed = 2 * number * facets if by_gpu else 0
    return Traffic(facets, packed, number * facets, tuple(4 * fields), int(m["threads"]))


def overlapped(work: float, faults: float, moved: int, threads: int) -> float:
    """Seconds of the CPU's work while pages come by faults."""
    blocks = max(1, round(moved / (threads * BLOCK)))
    return max(work, faults) + min(work, faults) / blocks


def packing(t: Traffic, rates: Rates) -> float:
    """Seconds of the GPU's kernel."""
    return rates.lines(LOADS * t.facets) if t.packed else 0.0


def explicit(t: Traffic, rates: Rates, own: float) -> Parts:
    """Copies to the CPU, then back."""
    down = rates.down(t.packed) + sum(rates.down(r.bytes * r.rows) for r in t.fields)
    move = down + rates.up(t.flux) + 2 * rates.wait
    return Parts(packing(t, rates), move, own, 0.0)


def managed_prefetch(t: Traffic, rates: Rates, own: float) -> Parts:
    """Prefetches to the CPU, then back; each row needs a call."""

    def calls(to: str) -> float:
        prefetch = rates.prefetch(to)
        whole = prefetch(t.packed) + sum(prefetch(r.bytes) for r in t.fields if r.rows == 1)
        return whole + (t.lone * rates.lone_prefetch(to) if t.lone else 0.0)

    move = calls("cpu") + calls("gpu") + rates.prefetch("gpu")(t.flux) + 2 * rates.wait
    faults = rates.cpu_faults(t.flux)
    return Parts(packing(t, rates), move, overlapped(own, faults, t.flux, t.threads), 0.0)


def managed(t: Traffic, rates: Rates, own: float) -> Parts:
    """Faults of the CPU, then of the GPU."""
    moved = t.packed + t.flux + t.whole
    cpu = overlapped(own, rates.cpu_faults(moved), moved, t.threads)
    after = rates.gpu_faults(t.flux + t.whole)
    if t.lone:
        cpu += t.lone * rates.lone_fault("cpu")
        after += t.lone * rates.lone_fault("gpu")
    return Parts(packing(t, rates) + rates.gpu_faults(t.packed), 0.0, cpu, after)


STYLES: dict[str, Callable[[Traffic, Rates, float], Parts]] = {
    "explicit": explicit,
    "managed": managed,
    "managed-prefetch": managed_prefetch,
}


def radiated(m: Measured, rates: Rates) -> float:
    """Seconds of the radiation between facets in a touch, if the CPU computes it: the bytes of its
    sweeps over the rate of the CPU's reads. Raises UnsupportedError."""
    if not radiation.is_on(m.parameters):
        return 0.0
    if m["radiation"] != "cpu":
        raise UnsupportedError(f"no formula for radiation={m['radiation']}")
    facets = traffic(m).facets
    return radiation.update_bytes(m.quantity("view_nonzeros"), facets) / rates.reads


def predicted(m: Measured, cases: Sequence[Measured]) -> Parts:
    """The parts by the rates of the case's run. Raises UnsupportedError that names what is missing,
    UsageError for a city that is not here."""
    if m["style"] not in STYLES:
        raise UnsupportedError(f"no formula for style {m['style']}")
    rates = Rates([other for other in cases if other.run == m.run])
    own = rates.own_work(m) + radiated(m, rates)
    return STYLES[m["style"]](traffic(m), rates, own)


def measured(m: Measured) -> Parts:
    """The median of each part over all touches that a step follows; that step has the GPU's
    faults."""
    every, step = int(m["every"]), model.step_seconds(m)
    touches = [
        (*(trial["series"][f"{name}_s"][n - 1] for name in ("gather", "move", "cpu")), next_step)
        for trial in m.trials
        for n, next_step in enumerate(trial["host_s"][1:], 1)
        if n % every == 0
    ]
    gather, move, cpu, after = (median(values) for values in zip(*touches, strict=True))
    return Parts(gather, move, cpu, after - step)


def forecast(m: Measured) -> bool:
    """Whether a case has touches, and steps that neither have nor follow one, on one rank of a
    GPU."""
    steps = min(len(trial["host_s"]) for trial in m.trials)
    alone = m["cpu-touch"] != "none" and m["processor"] != "cpu" and m.ranks == 1
    return alone and LEAST_EVERY <= int(m["every"]) < steps


Pair = tuple[Measured, Parts, Parts]  # predicted, measured


def touches(cases: Sequence[Measured]) -> list[tuple[Measured, Parts | str]]:
    """Every touch with its forecast, or the reason why it has none; a run without any forecast is
    left out."""
    found: list[tuple[Measured, Parts | str]] = []
    for m in drawable(cases, "les"):
        if forecast(m):
            try:
                found.append((m, predicted(m, cases)))
            except (UnsupportedError, UsageError) as error:
                found.append((m, str(error)))
    told = {m.run for m, of in found if isinstance(of, Parts)}
    return [(m, of) for m, of in found if m.run in told]


def pairs(cases: Sequence[Measured]) -> list[Pair]:
    """Every touch with a forecast: its predicted and its measured parts."""
    return [(m, of, measured(m)) for m, of in touches(cases) if isinstance(of, Parts)]
