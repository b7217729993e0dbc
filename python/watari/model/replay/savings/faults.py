"""The change `prefetched`: managed memory moves to the GPU before the kernel that would fault.

    saves = seconds of the kernel's faults - bytes that came by them / rate of a prefetch

The seconds of faults are those of its launches, less the seconds of a launch with local memory;
where that was not measured, those of the bytes that came by faults. A prefetch lies on the longest
chain, as the faults did: the kernel waits for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from watari.case.sentence import Cost
from watari.common.errors import UnsupportedError
from watari.common.kernels import short
from watari.common.units import format_bytes, format_count
from watari.model.replay import changes
from watari.model.replay.graph import Array
from watari.model.replay.savings.candidates import Candidate
from watari.model.replay.styles.bounds import NS
from watari.model.replay.styles.imposed import local_kernels
from watari.model.replay.styles.program import MANAGED, Program
from watari.model.replay.styles.rates import MIGRATION

BY_FAULTS = "by faults to GPU"
LONGER = 1.02  # times the local seconds: such a launch had faults


def candidates(program: Program) -> Iterator[Candidate]:
    """A change for each kernel that faults delay."""
    moved = program.moved(BY_FAULTS)
    if not moved or not program.of_kind(MANAGED):
        return
    try:
        local = local_kernels(program, program.bounds).takes
        byte = program.rates.byte("prefetch gpu")
    except UnsupportedError:
        return
    takes = program.bounds.takes
    late = program.is_kernel & (takes[0] > LONGER * local[0])
    every = float((takes[0] - local[0])[late].sum())
    for index in np.unique(program.kernels.index[late]):
        own = np.flatnonzero(late & (program.kernels.index == index))
        size = moved * float((takes[0] - local[0])[own].sum()) / every
        cost = byte.times(size) + MIGRATION.times(len(own))
        if one := candidate(program, own, takes, local, size, cost):
            yield one


def candidate(
    program: Program, own: Array, takes: Array, local: Array, size: float, cost: Cost
) -> Candidate | None:
    """The change for launches of one kernel. `takes`, `local`: with faults and without, three rows;
    `cost`: seconds of the prefetches of `size` bytes."""
    ends = {}
    for row, (end, seconds) in enumerate(
        (("middle", cost.middle), ("high", cost.low), ("low", cost.high))
    ):
        ends[end] = float((takes[row] - local[row])[own].sum()) - seconds * NS
    if ends["middle"] <= 0:
        return None
    rows = program.graph.operations
    part = (takes[0] - local[0])[own]
    after = local[0][own] + cost.middle * NS * part / part.sum()
    name = short(program.graph.names.get(int(rows["name"][own[0]]), "unnamed"))
    return Candidate(
        "prefetch",
        f"prefetch the managed memory of {name}: {format_bytes(size)} come by faults in "
        f"{format_count(len(own))} launches",
        np.unique(rows["call"][own]),
        ends["middle"],
        partial(changes.shorter, own=own, takes=after),
        min(ends["low"] / ends["middle"], 1.0),
        max(ends["high"] / ends["middle"], 1.0),
        allocation(program),
        len(own),
        int(size),
        "prefetched",
    )


def allocation(program: Program) -> str:
    """The managed allocation that most bytes of faults belong to."""
    rows = program.of_kind(MANAGED)
    return max(rows, key=lambda row: row.moved.get(BY_FAULTS, 0)).label
