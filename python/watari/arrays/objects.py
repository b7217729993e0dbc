"""New arrays in objects, each of which is written from its first byte to its last.

An array in one piece is one object, whose slices follow one another. A Zarr array is an object for
each chunk, each written at once; its metadata are written last, so that until then no array is
there.
"""

from __future__ import annotations

import math
from typing import Any

import numpy
from numpy.typing import NDArray

from watari.arrays import npy, zarr
from watari.arrays.layout import Layout, in_one_piece
from watari.arrays.selection import Selection
from watari.arrays.source import Place
from watari.common.errors import FileError


def target(
    place: Place, path: str, shape: tuple[int, ...], dtype: numpy.dtype[Any], chunks: Any
) -> ObjectTarget | ZarrTarget:
    """The target of a path: Zarr by its suffix, else one object."""
    if path.rstrip("/").endswith(".zarr"):
        return ZarrTarget(place, path.rstrip("/"), shape, dtype, chunks)
    return ObjectTarget(place, path, shape, dtype)


class ObjectTarget:
    """A .npy file or plain elements, in one object."""

    def __init__(
        self, place: Place, path: str, shape: tuple[int, ...], dtype: numpy.dtype[Any]
    ) -> None:
        begin = npy.header(shape, dtype) if path.lower().endswith(".npy") else b""
        self.layout = in_one_piece(path, shape, dtype, len(begin), path)
        self.written = 0  # bytes of elements
        self.sink = place.create(path)
        if begin:
            self.sink.write(begin)

    def write(self, chosen: Selection, values: NDArray[Any]) -> None:
        """Adds elements. Raises IndexError unless they follow those before."""
        shape = self.layout.shape
        row = math.prod(shape[1:]) * self.layout.dtype.itemsize
        whole = all(
            each.count == side for each, side in zip(chosen.ranges[1:], shape[1:], strict=True)
        )
        start = chosen.ranges[0].start * row if chosen.ranges else 0
        if not whole or start != self.written:
            raise IndexError(
                f"{self.layout.name} is written from its beginning: the next slice must begin at "
                f"index {self.written // max(row, 1)} of the first axis, and have all of the others"
            )
        self.sink.write(values.reshape(-1).view(numpy.uint8))
        self.written += values.nbytes

    def complete(self) -> None:
        """Gives the object its name. Raises FileError for an array with missing elements."""
        if self.written != self.layout.nbytes:
            raise FileError(
                f"{self.layout.name}: not written: {self.written} of {self.layout.nbytes} bytes "
                "were assigned"
            )
        self.sink.complete()

    def abort(self) -> None:
        """Removes what was written."""
        self.sink.abort()


class ZarrTarget:
    """An object for each chunk."""

    def __init__(
        self,
        place: Place,
        path: str,
        shape: tuple[int, ...],
        dtype: numpy.dtype[Any],
        chunks: Any,
    ) -> None:
        self.place, self.path = place, path
        self.described = zarr.metadata(path, shape, dtype, chunks)
        self.layout: Layout = zarr.unchecked(path, path, self.described)
        self.written: set[tuple[int, ...]] = set()

    def write(self, chosen: Selection, values: NDArray[Any]) -> None:
        """Writes whole chunks. Raises IndexError for parts of chunks."""
        of = self.layout
        first, counts = [], []
        for each, side, chunk in zip(chosen.ranges, of.shape, of.chunks, strict=True):
            end = each.start + each.count
            if each.start % chunk or (end % chunk and end != side):
                raise IndexError(
                    f"{self.path} is written by whole chunks {of.chunks}: a slice must begin and "
                    "end at one"
                )
            first.append(each.start // chunk)
            counts.append(-(-each.count // chunk))
        for at in numpy.ndindex(*counts):
            inside = tuple(slice(i * c, (i + 1) * c) for i, c in zip(at, of.chunks, strict=True))
            part = values[inside]
            whole = numpy.zeros(of.chunks, of.dtype)
            whole[tuple(slice(0, side) for side in part.shape)] = part
            chunk_at = tuple(i + f for i, f in zip(at, first, strict=True))
            self.put(of.file(chunk_at), whole.reshape(-1).view(numpy.uint8))
            self.written.add(chunk_at)

    def put(self, path: str, content: Any) -> None:
        """Writes one object."""
        sink = self.place.create(path)
        try:
            sink.write(content)
            sink.complete()
        except BaseException:
            sink.abort()
            raise

    def complete(self) -> None:
        """Writes the metadata. Raises FileError if chunks are missing."""
        missing = math.prod(self.layout.grid) - len(self.written)
        if missing:
            raise FileError(f"{self.path}: not written: {missing} chunks were not assigned")
        self.put(f"{self.path}/{zarr.METADATA[0]}", self.described)

    def abort(self) -> None:
        """Leaves chunks without metadata, which are no array."""
