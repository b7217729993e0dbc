"""Where the elements of an array lie: a grid of equal chunks, each in one piece of a file.

A format reads its metadata and returns a Layout; everything else is the same for all formats. An
array in one piece is a grid of one chunk. Chunks at the edge of a grid are stored whole.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy

from watari.common.errors import FileError

MOST = 2**62  # bytes of an array, and of the file that it needs


@dataclass(frozen=True)
class Layout:
    """Shape, elements, and the place of each chunk."""

    name: str  # of the array, for people
    shape: tuple[int, ...]
    dtype: numpy.dtype[Any]
    chunks: tuple[int, ...]  # elements along each axis
    by_columns: bool  # in a chunk the first axis varies fastest (Fortran order)
    offset: int  # bytes before a chunk in its file
    file: Callable[[tuple[int, ...]], str]  # of a chunk, by its place in the grid

    @property
    def chunk_bytes(self) -> int:
        """Bytes of one chunk."""
        return math.prod(self.chunks) * self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return math.prod(self.shape) * self.dtype.itemsize

    @property
    def grid(self) -> tuple[int, ...]:
        """Number of chunks along each axis."""
        return tuple(-(-side // chunk) for side, chunk in zip(self.shape, self.chunks, strict=True))


def in_one_piece(
    name: str,
    shape: tuple[int, ...],
    dtype: numpy.dtype[Any],
    offset: int,
    file: str,
    by_columns: bool = False,
) -> Layout:
    """The layout of an array that is one run of bytes. Raises FileError."""
    sides = checked_shape(name, shape, dtype)
    whole = tuple(max(side, 1) for side in sides)  # an array without elements has a grid of none
    return Layout(name, sides, dtype, whole, by_columns, offset, lambda place: file)


def checked_shape(name: str, shape: Any, dtype: numpy.dtype[Any]) -> tuple[int, ...]:
    """A shape as Python's numbers. Raises FileError for negative or too large sides, and for
    elements that are Python objects; TypeError for sides that are no whole numbers."""
    if dtype.hasobject:
        raise FileError(f"{name}: elements are Python objects, which have no fixed bytes")
    if dtype.itemsize == 0:
        raise FileError(f"{name}: elements of {dtype} have no bytes")
    sides = tuple(operator.index(side) for side in shape)
    if any(side < 0 for side in sides):
        raise FileError(f"{name}: shape {sides} has a negative side")
    # a side of 0 must not hide another that is too large
    if math.prod(max(side, 1) for side in sides) * dtype.itemsize > MOST:
        raise FileError(f"{name}: shape {sides} of {dtype} is larger than any file")
    return sides


def require_bytes(layout: Layout, size: int, exactly: bool = False) -> None:
    """Raises FileError if a file of `size` bytes does not hold the only chunk of the layout."""
    needed = layout.offset + layout.nbytes
    if size < needed:
        raise FileError(f"{layout.name}: cut short: {size} bytes, while it needs {needed}")
    if exactly and size != needed:
        raise FileError(
            f"{layout.name}: {size} bytes, while shape {layout.shape} of {layout.dtype} "
            f"has {needed}"
        )
