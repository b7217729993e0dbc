"""Elements of an array in memory of a processor: `Array.to`.

Blocks of local files go to a GPU by the engine, through no memory that holds all of them. Where
the elements need work (a stride, a reversed axis, columns, bytes in the other order), or lie in
objects, the CPU's array is made first, and copied.
"""

from __future__ import annotations

from typing import Any

import numpy

from watari import _native
from watari.arrays.plan import Direct
from watari.arrays.reading import Reader
from watari.arrays.selection import Selection
from watari.case.axis import numbered
from watari.memory.buffer import Buffer


def sent(reader: Reader, chosen: Selection, device: str) -> Buffer:
    """A buffer with the selected elements, in C order. Raises TypeError, ValueError,
    UnsupportedError, FileError."""
    processor = numbered("cpu", "gpu")(device)
    kind, number = ("pageable", 0) if processor == "cpu" else ("device", gpu_of(processor))
    shape = numpy.broadcast_to(numpy.False_, chosen.shape)[chosen.shaped].shape
    dtype = reader.layout.dtype.newbyteorder("=")
    buffer = Buffer(kind, shape=shape, dtype=dtype, device=number)
    memory = buffer._open()
    if is_straight(reader, chosen):
        steps = list(reader.steps(chosen.ranges))
        if all(isinstance(step, Direct) for step in steps):
            move(reader, steps, memory, processor)
            return buffer
    found = numpy.ascontiguousarray(reader.read(chosen.ranges)[chosen.shaped], dtype)
    memory.copy_in(found.ctypes.data, found.nbytes)
    return buffer


def gpu_of(processor: str) -> int:
    """The number of a GPU: 1 of `gpu:1`."""
    return int(processor.partition(":")[2] or 0)


def is_straight(reader: Reader, chosen: Selection) -> bool:
    """Whether bytes of local files are those of the buffer."""
    turned = any(isinstance(each, slice) and each.step == -1 for each in chosen.shaped)
    rows = not reader.layout.by_columns or len(chosen.shape) < 2
    return reader.place.is_local and rows and not turned and reader.layout.dtype.isnative


def move(reader: Reader, steps: list[Any], memory: _native.Buffer, processor: str) -> None:
    """Moves blocks to the buffer's memory by the engine."""
    for group in reader.groups(steps):
        reader.engine_moves(group, memory.address, memory.size, processor)
