"""Styles that a port would give a program: its copies are gone.

What a copy brought comes by faults or by a prefetch, or is read over the link. What the CPU read by
a copy comes back by its faults or by a prefetch; if kernels follow, they may have to bring it in
again. Memory that is never copied stays in GPU memory, except where all memory is managed.
"""

from __future__ import annotations

import numpy as np

from watari.case.sentence import NOTHING, Cost
from watari.model.replay.graph import Array
from watari.model.replay.styles.bounds import NS, Bounds, column
from watari.model.replay.styles.imposed import LOCAL, faults
from watari.model.replay.styles.program import TO_CPU, TO_GPU, Program, over_link
from watari.model.replay.styles.rates import MIGRATION

AGAIN = Cost(0.5, 0.0, 1.0)  # of the bytes that the CPU read, kernels bring in again


def needed(program: Program) -> Array:
    """Whether kernels follow each operation."""
    rows = program.graph.operations
    kernels = rows["start"][program.is_kernel]
    last = kernels.max(initial=-np.inf)
    found: Array = rows["start"] < last
    return found


def migrated(program: Program, bounds: Bounds, to_gpu: Cost, to_cpu: Cost) -> Bounds:
    """Each copy becomes a migration, at so many seconds a byte."""
    size, step = program.size, column(MIGRATION)
    come = column(to_gpu) * size + step
    back = column(to_cpu) * size + step + column(AGAIN) * needed(program) * come
    made = bounds.instead(program.which(TO_GPU), come * NS)
    return made.instead(program.which(TO_CPU), back * NS)


def managed_memory(program: Program, bounds: Bounds, never: bool) -> Bounds:
    """All memory is managed, and local after it came. `never`: whether memory that is never copied
    to the GPU faults in at its first touch."""
    made = bounds.slower(program.is_kernel, column(LOCAL))
    if never:
        cost = program.populating("gpu", but=program.copied())
        made = made.spread(program.is_kernel, Cost(cost.middle, 0.0, cost.high))
    return program.allocating(made, program.making("release managed") + program.reserved())


def managed(program: Program, bounds: Bounds) -> Bounds:
    """Copies become faults of either side."""
    to_gpu = program.kernels.fault(program.rates)
    to_cpu = program.rates.byte("fault cpu managed read")
    return managed_memory(program, migrated(program, bounds, to_gpu, to_cpu), True)


def prefetched(program: Program, bounds: Bounds) -> Bounds:
    """Copies, or faults as the program is, become prefetches."""
    rates = program.rates
    to_gpu, to_cpu = rates.byte("prefetch gpu"), rates.byte("prefetch cpu")
    if program.which(TO_GPU).any() or program.which(TO_CPU).any():
        bounds = managed_memory(program, migrated(program, bounds, to_gpu, to_cpu), False)
    gpu, cpu = faults(program)
    come = to_gpu.times(program.moved("by faults to GPU"))
    back = to_cpu.times(program.moved("by faults to CPU"))
    change = Cost(come.middle - gpu.middle, come.low - gpu.high, come.high - gpu.low)
    made = bounds.spread(program.is_kernel, change)
    return made.idle(Cost(cpu.middle - back.middle, cpu.low - back.high, cpu.high - back.low))


def kept(program: Program, bounds: Bounds) -> Bounds:
    """Memory that was copied is CPU memory, which the GPU reads over the link."""
    share = np.nan_to_num(program.share(program.copied()), nan=1.0)
    made = over_link(program, bounds, share)
    gone = program.which(TO_GPU) | program.which(TO_CPU)
    return made.instead(gone, np.zeros((3, 1)))


def pinned(program: Program, bounds: Bounds) -> Bounds:
    """The same, page-locked."""
    total = NOTHING
    for row in program.copied():
        total = total + program.rates.block("allocate pinned", row.bytes).times(row.lives)
    return program.allocating(kept(program, bounds), total)
