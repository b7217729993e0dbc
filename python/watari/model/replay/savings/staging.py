"""Seconds of copies from and to pinned memory, and of copies that threads stage through it.

A rate that the trace has comes first, then the profile of the machine. Without either nothing can
be said. Staged copies reach a part of the pinned rate, and a rate for each thread. Smaller copies
gain nothing, and the first ones stay with the driver (src/attach/preload/staged/plan.hpp). Measured
on an H100 with 16 cores: STAGED, START (results/nvidia-h100-80gb-hbm3-x86_64/20261126-staged.txt).

A copy to fresh memory waits for the page faults of the CPU: that is what it takes longer than the
driver does otherwise. The threads share them. Such a copy starts the threads sooner.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from watari.case.sentence import Cost
from watari.model.machine import Curve, MachineProfile
from watari.model.replay.graph import Array, Graph, Work

TO_GPU, TO_CPU = 1, 2  # directions, as CUPTI numbers them
STEP = {TO_GPU: "transfer pinned device", TO_CPU: "transfer device pinned"}
LARGE = 2**22  # bytes: at least, for a rate that the trace has; and for a staged copy
SPREAD = 1.1  # of a rate in the trace, each way
MOST_THREADS = 8
OF_THREAD = 7e9  # bytes per second that one thread stages
# bytes of a copy, and the part of the pinned rate that eight threads reach, to the GPU and back
STAGED = {
    TO_GPU: ((2**22, 0.55), (2**23, 0.64), (2**24, 0.66), (2**26, 0.76), (2**30, 0.9)),
    TO_CPU: ((2**22, 0.39), (2**23, 0.57), (2**24, 0.69), (2**26, 0.84), (2**30, 0.91)),
}
LEAST_TOTAL = 96 * 2**20  # bytes: the copy with which all together reach this is the first staged
WEIGHT = 8  # times its bytes: how a copy to fresh memory counts
FRESH = 2.0  # times the driver's usual time: a copy that takes longer is to fresh memory
LANE, FIRST, PART = 2**25, 2**22, 16  # bytes of pinned memory: at most, at first, of all copies
# seconds that staging takes once: of a pinned byte; of the threads. The first copies of processes
# show 1.3 to 2.5 ms together (first.sh)
PINNING, START = 2e-10, 1.2e-3
USUAL = {TO_GPU: "transfer pageable device", TO_CPU: "transfer device pageable"}
DRIVER = 12e9  # bytes per second of the driver's copies to the CPU, where the machine has none
UNSURE = 1.35  # of a staged rate, each way
# of the driver's seconds of pageable copies, each way: those of two runs of a program differ by
# 15.4% or less in two thirds of 36 programs; twice that
DIFFERS = 0.3


@dataclass(frozen=True)
class Rates:
    """`seen`: bytes per second of pinned copies in the trace, by direction; `curves`: of the
    machine; `usual`: of its copies of pageable memory."""

    seen: Mapping[int, float] = field(default_factory=dict)
    curves: Mapping[int, Curve] = field(default_factory=dict)
    threads: int = MOST_THREADS
    usual: Mapping[int, Curve] = field(default_factory=dict)

    def known(self, direction: int) -> bool:
        """Whether a pinned copy this way has a rate."""
        return direction in self.seen or direction in self.curves

    def pinned(self, direction: int, size: float) -> Cost:
        """Seconds of one copy of pinned memory."""
        if direction in self.seen:
            seconds = size / self.seen[direction]
            return Cost(seconds, seconds / SPREAD, seconds * SPREAD)
        return self.curves[direction].cost(size)

    def staged(self, direction: int, size: float) -> Cost:
        """Seconds of one staged copy."""
        sizes, parts = zip(*STAGED[direction], strict=True)
        part = float(np.interp(np.log2(max(size, 1.0)), np.log2(sizes), parts))
        middle = self.pinned(direction, size).middle / part
        middle = max(middle, size / (OF_THREAD * self.threads))
        return Cost(middle, middle / UNSURE, middle * UNSURE)

    def faulting(self, direction: int, sizes: Array, takes: Array) -> Array:
        """The ns that copies of so many bytes, which take `takes`, wait for page faults of the
        CPU."""
        if direction != TO_CPU:  # the program wrote what goes to the GPU
            return np.zeros(len(sizes))
        curve = self.usual.get(direction)
        usual = {
            float(size): 1e9 * (curve.cost(float(size)).high if curve else size / DRIVER)
            for size in np.unique(sizes)
        }
        found: Array = np.maximum(takes - by_size(sizes, usual), 0.0)
        return found


def staged(graph: Graph, rates: Rates) -> Array:
    """The copies that the change `staged` acts on: rows of operations."""
    rows = graph.operations
    ways = (rows["detail"] == TO_GPU) | (rows["detail"] == TO_CPU)
    able = (rows["work"] == Work.COPY) & ways & rows["pageable"] & ~rows["inside"]
    own = np.flatnonzero(able & (rows["bytes"] >= LARGE))
    weights = rows["bytes"][own].astype(float)
    fresh = rates.faulting(TO_CPU, weights, rows["takes"][own]) * FRESH > rows["takes"][own]
    weights[fresh & (rows["detail"][own] == TO_CPU)] *= WEIGHT
    begins = np.cumsum(weights) >= LEAST_TOTAL
    found: Array = own[np.argmax(begins) :] if begins.any() else own[:0]
    return found


def once(sizes: Array) -> float:
    """The ns that staging takes once, for copies of these sizes."""
    needed = min(float(sizes.max()), max(FIRST, float(sizes.sum()) / PART), LANE)
    lane = float(2.0 ** np.ceil(np.log2(needed)))
    return 1e9 * (START + PINNING * lane)


def of(graph: Graph, machine: MachineProfile, is_here: bool = True) -> Rates:
    """The rates of a traced program on a machine. `is_here`: that of the trace."""
    rows = graph.operations
    large = (rows["work"] == Work.COPY) & ~rows["pageable"] & (rows["bytes"] >= LARGE)
    seen = {}
    for direction in STEP:
        own = rows[large & (rows["detail"] == direction) & (rows["takes"] > 0)]
        if len(own):
            seen[direction] = float(np.median(own["bytes"] / own["takes"])) * 1e9
    curves = {d: machine.curves[step] for d, step in STEP.items() if step in machine.curves}
    usual = {d: machine.curves[step] for d, step in USUAL.items() if step in machine.curves}
    cores = sum(p.cores for p in machine.machine.processors if p.kind == "cpu")
    return Rates(seen if is_here else {}, curves, min(MOST_THREADS, cores) or MOST_THREADS, usual)


def by_size(sizes: Array, seconds: Mapping[float, float]) -> Array:
    """The seconds of each size."""
    distinct, inverse = np.unique(sizes, return_inverse=True)
    return np.array([seconds[float(size)] for size in distinct], float)[inverse]
