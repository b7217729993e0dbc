"""A traced program on another machine.

Kernels whose bytes, over their seconds, are near the rate of GPU memory scale with that rate.
Others scale with arithmetic, which the profiles do not have: they lie between no change and the
ratio of GPU memory. What crosses the link scales with the link, copies with their curve. The time
of the CPU, and of calls, stays.
"""

from __future__ import annotations

from dataclasses import replace as changed

import numpy as np

from watari.case.sentence import Cost
from watari.model.replay.graph import Array
from watari.model.replay.styles.bounds import EXACT, column
from watari.model.replay.styles.placements import Placed
from watari.model.replay.styles.program import TO_CPU, TO_GPU, Program
from watari.model.replay.styles.rates import Rates

NEAR = 0.5  # of the rate of GPU memory: a kernel that memory limits
REMOTE = 1.2  # times the local seconds: from here on the link limits a kernel
COPIES = {TO_GPU: "transfer pinned device", TO_CPU: "transfer device pinned"}
PAGEABLE = {TO_GPU: "transfer pageable device", TO_CPU: "transfer device pageable"}


def seconds_of(program: Program) -> Array:
    """Mean seconds of a launch of each kernel, as the program is."""
    index, takes = program.kernels.index, program.kernels.takes
    count = len(program.kernels.placed)
    own = index >= 0
    sums = np.bincount(index[own], takes[own], count)
    found: Array = sums / np.maximum(np.bincount(index[own], minlength=count), 1) * 1e-9
    return found


def local(one: Placed, seconds: float, memory: Cost, byte: float) -> Cost:
    """Times that a kernel takes there with local memory."""
    if one.touched and byte * one.touched >= NEAR * seconds:
        return memory
    ends = (1.0, memory.low, memory.high)
    if not one.touched:
        return Cost(memory.middle**0.5, min(ends), max(ends))
    return Cost(1.0, min(ends), max(ends))


def remote(one: Placed, there: Cost, link: Cost, most: float) -> Cost:
    """Times that a kernel takes there with its memory over the link, of its local seconds there:
    each end of that of the same end of `there`. `most`: where it was not measured."""
    mapped = one.mapped
    if not one.measured:
        return Cost(min(mapped.middle, most), 1.0, most)
    if mapped.middle < REMOTE:
        return mapped
    ends = (
        max(1.0, getattr(mapped, end) * getattr(link, end) / getattr(there, end))
        for end in ("middle", "low", "high")
    )
    return Cost(*ends)


def pageable(way: str, pinned: Cost, here: Rates, other: Rates) -> Cost:
    """Times that a copy of pageable memory takes there. Without curves it lies between the CPU's
    time, which stays, and that of the link."""
    name = PAGEABLE[way]
    if all(name in rates.profile.curves for rates in (here, other)):
        return here.ratio(name, other)
    ends = (1.0, pinned.low, pinned.high)
    return Cost(pinned.middle**0.5, min(ends), max(ends))


def elsewhere(program: Program, other: Rates) -> Program:
    """The program on another machine."""
    here = program.rates
    memory = here.ratio("pass gpu", other)
    link = here.ratio("read gpu link", other)
    byte = here.byte("pass gpu").middle
    factors = [
        local(one, seconds, memory, byte)
        for one, seconds in zip(program.kernels.placed, seconds_of(program).tolist(), strict=True)
    ]
    table = np.hstack([column(cost) for cost in factors] + [column(EXACT)])
    bounds = program.bounds.slower(program.is_kernel, table[:, program.kernels.index])
    for way, name in COPIES.items():
        pinned = here.ratio(name, other)
        bounds = bounds.slower(program.which(way, False), column(pinned))
        factor = pageable(way, pinned, here, other)
        bounds = bounds.slower(program.which(way, True), column(factor))
    most = other.reread()
    placed = tuple(
        changed(one, mapped=remote(one, factor, link, most), fault=None, local=None)
        for one, factor in zip(program.kernels.placed, factors, strict=True)
    )
    known = changed(program.kernels, placed=placed)
    return changed(program, bounds=bounds, kernels=known, rates=other)
