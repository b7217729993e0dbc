"""Styles that `watari try` imposes: the kind of a program's memory changes, its copies stay.

GPU memory that becomes managed is populated where it is touched first, and a copy counts as the
GPU's touch: so it never comes back to the CPU. In CPU memory (`mapped`, `pinned`) kernels read over
the link, and copies are made by the driver's copy engine or, to and from pinned memory, by the CPU.

Managed memory that faults in and out as the program is: kernels lose the time of their faults where
memory stays with the CPU, and so does the CPU.
"""

from __future__ import annotations

from dataclasses import replace as changed

import numpy as np

from watari.case.sentence import NOTHING, Cost
from watari.model.replay.styles import steps
from watari.model.replay.styles.bounds import NS, Bounds, column, cost_of
from watari.model.replay.styles.program import (
    DEVICE,
    MANAGED,
    ON_GPU,
    TO_CPU,
    TO_GPU,
    Program,
    over_link,
)

LOCAL = Cost(1.0, 1.0, 1.03)  # kernels on managed memory that is local
INSIDE = {  # of the link: a copy inside CPU memory, by the GPU or by the CPU
    "mapped": Cost(1.25, 1.0, 2.0),
    "pinned": Cost(3.0, 1.0, 7.0),
}
# of the bytes of kernels, beside managed memory: GPU memory is that of libraries there, mostly
MIXED = np.array([[0.2], [0.0], [1.0]])
LEFT = 0.95  # of a kernel's seconds may be faults
# seconds of a byte that the CPU touches first: the driver clears new pages on that CPU, but memory
# that was prefetched was cleared by the GPU, and is copied. One thread clears 10 GB/s; 16 threads
# of an H100 machine took 87 ms for a GiB, and 67 ms (results/, 20261125-standard.json, touch)
CLEARING = Cost(9e-11, 1.5e-11, 1.2e-10)
AGAIN = Cost(0.95, 0.85, 1.1)  # of the seconds of faults, with a hint that changes few of them


def local_memory(program: Program, bounds: Bounds) -> Bounds:
    """Kernels and copies whose memory is managed, and local."""
    return copies_of(program, bounds.slower(program.is_kernel, column(LOCAL)), "managed")


def managed(program: Program, bounds: Bounds) -> Bounds:
    """GPU memory becomes managed memory."""
    made = local_memory(program, bounds).spread(program.on_gpu, program.populating("gpu"))
    return program.allocating(made, program.making("release managed") + program.reserved())


def prefetched(program: Program, bounds: Bounds) -> Bounds:
    """Managed memory, which moves to the GPU when it is allocated."""
    if program.of_kind(DEVICE):
        seconds = program.making("release prefetched") + program.making("prefetch new")
        bounds = program.allocating(local_memory(program, bounds), seconds)
    if not program.of_kind(MANAGED):
        return bounds
    made = hinted(program, bounds).idle(CLEARING.times(touched_by_cpu(program)))
    return without_first_touches(program, made)


def without_first_touches(program: Program, bounds: Bounds) -> Bounds:
    """Managed memory that the GPU touched first, by faults, is there before its kernels."""
    gone = new = NOTHING
    for row, count in program.blocks(MANAGED):
        if row.gpu_faults and not row.moved.get("by faults to GPU"):
            gone = gone + program.rates.block("populate gpu managed", row.bytes).times(count)
            new = new + program.rates.block("prefetch new", row.bytes).times(count)
    most = LEFT * float(bounds.takes[0, program.is_kernel].sum()) / NS
    less = Cost(-min(gone.middle, most), -min(gone.high, most), -min(gone.low, most))
    made = bounds.spread(program.is_kernel, less) if most else bounds
    return program.allocating(made, new)


def touched_by_cpu(program: Program) -> float:
    """Bytes of managed memory that the CPU touches first: they come to the GPU by faults."""
    return sum(
        min(float(row.moved.get("by faults to GPU", 0)), float(row.bytes) * row.lives)
        for row in program.of_kind(MANAGED)
    )


def copies_of(program: Program, bounds: Bounds, style: str) -> Bounds:
    """Copies to and from memory of another kind."""
    for way in (TO_GPU, TO_CPU):
        for pageable in (True, False):
            which = program.which(way, pageable)
            if which.any():
                times = steps.factor(style, way == TO_GPU, pageable, program.size)
                later = steps.CALLS[style, way == TO_GPU, pageable] * 1e-6 * float(which.sum())
                ends = (later, later * 0.5, later * 1.5)
                bounds = bounds.slower(which, times)
                bounds = bounds.calls(program.calling(which), Cost(ends[0], min(ends), max(ends)))
    if style not in INSIDE:
        return bounds
    link = column(program.rates.byte("read gpu link")) * column(INSIDE[style]) * program.size * NS
    return bounds.instead(program.which(ON_GPU), link.clip(min=bounds.takes))


def mapped(program: Program, bounds: Bounds) -> Bounds:
    """All memory is managed, stays with the CPU, and the GPU reads it over the link."""
    if program.of_kind(MANAGED):
        bounds = with_cpu(program, bounds)
    made = over_link(program, bounds)
    made = made.spread(program.is_kernel, filled(program, "cpu"))
    if program.of_kind(DEVICE):
        made = copies_of(program, made, "mapped")
        made = made.spread(program.on_gpu, program.populating("cpu"))
        made = program.allocating(made, program.making("release mapped") + program.reserved())
    return made


def pinned(program: Program, bounds: Bounds) -> Bounds:
    """GPU memory becomes page-locked CPU memory; managed memory stays as it is."""
    part = None
    if program.of_kind(MANAGED):
        share = program.share(program.of_kind(DEVICE))
        part = np.where(np.isnan(share), MIXED, share)
    made = copies_of(program, over_link(program, bounds, part), "pinned")
    return program.allocating(made, program.making("allocate pinned"))


def system(program: Program, bounds: Bounds) -> Bounds:
    """Memory of malloc: the driver may leave it with the CPU, or move what the GPU uses often."""
    far = mapped(program, bounds).takes
    near = bounds.takes
    ends = far.copy()
    ends[1] = near[1]
    ends[0] = (far[0] * near[0]) ** 0.5
    return changed(bounds, takes=ends)


def local_kernels(program: Program, bounds: Bounds) -> Bounds:
    """Kernels without the time of faults: as long as they were measured with local memory, or less
    the seconds of the bytes that came."""
    near, known = program.kernels.local(), program.kernels.is_local_known()
    made = bounds.instead(known, near)
    unknown = program.is_kernel & ~known
    takes = float(program.kernels.takes[unknown].sum()) / NS
    every = float(program.kernels.takes[program.is_kernel].sum()) / NS
    if not takes:
        return made
    part = program.moved("by faults to GPU") * takes / every
    gone, most = program.kernels.fault(program.rates).times(part), LEFT * takes
    less = Cost(-min(gone.middle, most), -min(gone.high, most), -min(gone.low, most))
    return made.spread(unknown, less)


def filled(program: Program, where: str) -> Cost:
    """Seconds of the first touch of managed memory that the CPU did not touch before the GPU."""
    total = NOTHING
    for row, count in program.blocks(MANAGED):
        if not row.moved.get("by faults to GPU"):
            cost = program.rates.block(f"populate {where} managed", row.bytes).times(count)
            total = total + Cost(cost.middle, 0.0, cost.high)
    return total


def with_cpu(program: Program, bounds: Bounds) -> Bounds:
    """Managed memory that is with the CPU from its first touch on; kernels as if it were local."""
    made = without_faults(program, bounds)
    unknown = program.is_kernel & ~program.kernels.is_local_known()
    gone = filled(program, "gpu")
    most = LEFT * float(made.takes[0, unknown].sum()) / NS
    less = Cost(-min(gone.middle, most), -min(gone.high, most), 0.0)
    return made.spread(unknown, less) if most else made


def faults(program: Program) -> tuple[Cost, Cost]:
    """Seconds of faults as the program is: of the GPU, and of the CPU."""
    to_gpu, to_cpu = program.moved("by faults to GPU"), program.moved("by faults to CPU")
    cpu = program.rates.byte("fault cpu managed read").times(to_cpu)
    if not to_gpu:
        return NOTHING, cpu
    gone = program.bounds.takes - local_kernels(program, program.bounds).takes
    return cost_of(gone[[0, 2, 1]] / NS), cpu


def without_faults(program: Program, bounds: Bounds) -> Bounds:
    """Managed memory that faults no more."""
    if not program.moved("by faults to GPU", "by faults to CPU"):
        return bounds
    return local_kernels(program, bounds).idle(faults(program)[1])


def hinted(program: Program, bounds: Bounds) -> Bounds:
    """Managed memory with a hint after which it still faults in and out, as often or less."""
    gpu, cpu = faults(program)
    low, middle, high = (getattr(AGAIN, end) - 1 for end in ("low", "middle", "high"))
    total = gpu + cpu
    change = Cost(total.middle * middle, total.high * low, total.high * high)
    return bounds.spread(program.is_kernel, change)


def accessed(program: Program, bounds: Bounds) -> Bounds:
    """Managed memory that the GPU maps where it is: it stays where it was touched first, so with
    the CPU where it comes by faults as the program is. The rest comes back to the CPU by faults."""
    rows = program.of_kind(MANAGED)
    came = [row for row in rows if row.moved.get("by faults to GPU")]
    if not came:
        return bounds
    back = sum(row.moved.get("by faults to CPU", 0) for row in came)
    near = local_kernels(program, bounds)
    near = near.idle(program.rates.byte("fault cpu managed read").times(back))
    part = sum(float(row.bytes) for row in came) / sum(float(row.bytes) for row in rows)
    far = over_link(program, near, np.full(len(program.size), part))
    takes = far.takes.copy()
    takes[1] = near.takes[1]
    return changed(far, takes=takes)
