"""Reads a selection of an array: carries out the plan of its layout.

Local files are read by an engine of the library, many blocks at once; 256 files are open at a time.
Objects are read by ranges, many at once, and several objects at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy
from numpy.typing import NDArray

from watari import _native
from watari.arrays.layout import Layout
from watari.arrays.plan import Direct, Spans, plan, table
from watari.arrays.selection import Range
from watari.arrays.source import LocalFile, Place, Source, require_regular
from watari.arrays.zarr import require_all_whole, require_whole
from watari.common.errors import WatariError

FILES = 256  # open at once
OBJECTS = 8  # read at once
BLOCKS = 2**18  # of one call
LARGE = 2**20  # bytes of a result that is placed
LINE = 64  # bytes of a line of the cache


class Reader:
    """The bytes of one array. Several threads may read at once."""

    def __init__(self, layout: Layout, place: Place, source: Source | None, engine: str) -> None:
        self.layout = layout
        self.place = place
        self.source = source  # of an array in one piece
        self.engine = engine

    def steps(self, ranges: tuple[Range, ...]) -> Iterator[Direct | Spans]:
        """The plan of a selection, axes as in the file."""
        of = self.layout
        return plan(
            in_file(of, of.shape),
            in_file(of, of.chunks),
            of.dtype.itemsize,
            in_file(of, ranges),
            self.place.gap,
        )

    def read(self, ranges: tuple[Range, ...]) -> NDArray[Any]:
        """The elements of a selection. Raises FileError."""
        shape = in_file(self.layout, tuple(each.count for each in ranges))
        result = placed(self.layout, shape)
        self.read_to(ranges, result)
        return result.T if self.layout.by_columns else result

    def read_to(self, ranges: tuple[Range, ...], result: NDArray[Any]) -> None:
        """As `read`, into a C-ordered array whose axes are those of the file."""
        if result.size == 0:
            return
        flat = result.reshape(-1).view(numpy.uint8)
        for group in self.groups(self.without_spans(ranges, result)):
            self.blocks(group, flat)

    def without_spans(self, ranges: tuple[Range, ...], result: NDArray[Any]) -> Iterator[Direct]:
        """The plan of a selection, except for spans, which are read on the way."""
        for step in self.steps(ranges):
            if isinstance(step, Spans):
                self.spans(step, result)
            else:
                yield step

    @staticmethod
    def groups(steps: Iterable[Direct]) -> Iterator[list[Direct]]:
        """Steps that one call moves."""
        group: list[Direct] = []
        rows = 0
        for step in steps:
            group.append(step)
            rows += len(step.rows)
            if rows > BLOCKS or len(group) >= FILES:
                yield group
                group, rows = [], 0
        if group:
            yield group

    def blocks(self, direct: list[Direct], flat: NDArray[numpy.uint8]) -> None:
        """Moves blocks to their places in `flat`."""
        if self.place.is_local:
            self.engine_moves(direct, flat.ctypes.data, flat.nbytes, "cpu")
            return
        if len(direct) == 1:
            self.object_blocks(direct[0], flat)
            return
        with ThreadPoolExecutor(OBJECTS) as pool:
            for _ in pool.map(lambda step: self.object_blocks(step, flat), direct):
                pass

    def object_blocks(self, step: Direct, flat: NDArray[numpy.uint8]) -> None:
        """Moves the blocks of one object."""
        source, ranges, parts = self.of(step.chunk), [], []
        for offset, size, count, stride, at in step.rows.tolist():
            place = step.begin + at
            if count == 1:
                ranges.append((self.layout.offset + offset, flat[place : place + size]))
            else:
                block = numpy.empty(size, numpy.uint8)
                ranges.append((self.layout.offset + offset, block))
                parts.append((block, count, stride, place))
        source.read_into(ranges)
        for block, count, stride, place in parts:
            scatter(block, flat, count, stride, place)
        self.done(source)

    def engine_moves(self, direct: list[Direct], address: int, size: int, processor: str) -> None:
        """Moves blocks of local files to memory of a processor by the engine; cufile, which reaches
        GPU memory alone, leaves the CPU's to posix."""
        engine = "posix" if processor == "cpu" and self.engine == "cufile" else self.engine
        files, numbers = self.files([step.chunk for step in direct], engine == "cufile")
        moves = table(zip(numbers, direct, strict=True), self.layout.offset, address)
        files.move(moves, address, size, engine, processor)

    def spans(self, step: Spans, result: NDArray[Any]) -> None:
        """Reads spans, and copies their elements."""
        memory = numpy.empty(len(step.offsets) * step.bytes, numpy.uint8)
        places = numpy.arange(len(step.offsets), dtype=numpy.int64) * step.bytes
        rows = numpy.zeros((len(step.offsets), 5), numpy.int64)
        rows[:, 0], rows[:, 1], rows[:, 2], rows[:, 4] = step.offsets, step.bytes, 1, places
        self.blocks([Direct(step.chunk, rows)], memory)
        found: NDArray[Any] = numpy.ndarray(
            step.shape, result.dtype, buffer=memory, strides=step.strides
        )
        result[step.place] = found

    # ---- files of chunks

    def of(self, chunk: tuple[int, ...]) -> Source:
        """The source of a chunk. Raises FileError."""
        if self.source is not None:
            return self.source
        path = self.path(chunk)
        source = self.place.open(path)
        require_whole(self.layout, path, source.size)
        return source

    def path(self, chunk: tuple[int, ...]) -> str:
        """The file of a chunk."""
        return self.layout.file(in_file(self.layout, chunk))

    def done(self, source: Source) -> None:
        """Closes the source of a chunk."""
        if source is not self.source:
            source.close()

    def files(
        self, chunks: list[tuple[int, ...]], past_cache: bool
    ) -> tuple[_native.RangeFiles, list[int]]:
        """Open files, and the number of each chunk's among them. Raises FileError."""
        if isinstance(self.source, LocalFile) and not past_cache:
            return self.source.files, [0] * len(chunks)
        of_chunks = [self.path(chunk) for chunk in chunks]
        paths = {path: number for number, path in enumerate(dict.fromkeys(of_chunks))}
        try:
            opened = _native.RangeFiles(list(paths), False, past_cache)
        except (OSError, WatariError):
            for path in paths:  # in the words of `open`
                require_regular(path)
            raise
        if self.source is None:
            require_all_whole(self.layout, paths, opened.sizes())
        return opened, [paths[path] for path in of_chunks]

    def close(self) -> None:
        """Ends its use."""
        if self.source is not None:
            self.source.close()


def placed(layout: Layout, shape: tuple[int, ...]) -> NDArray[Any]:
    """Memory for a result, as far behind a line of the cache as the elements in their file. NumPy's
    large arrays begin 16 bytes behind one: files in memory whose elements begin elsewhere are
    copied to there at three quarters of the rate (AMD EPYC)."""
    size, behind = math.prod(shape) * layout.dtype.itemsize, layout.offset % LINE
    if size < LARGE or behind % layout.dtype.alignment:
        return numpy.empty(shape, layout.dtype)
    memory = numpy.empty(size + 2 * LINE, numpy.uint8)
    begin = (behind - memory.ctypes.data) % LINE
    return memory[begin : begin + size].view(layout.dtype).reshape(shape)


def scatter(
    block: NDArray[numpy.uint8], flat: NDArray[numpy.uint8], count: int, stride: int, place: int
) -> None:
    """Copies equal parts of a block to places at regular distances."""
    part = len(block) // count
    numpy.ndarray((count, part), numpy.uint8, flat, place, (stride, 1))[:] = block.reshape(
        count, part
    )


def in_file(layout: Layout, axes: tuple[Any, ...]) -> tuple[Any, ...]:
    """Values of axes in the order of the file, the slowest first; and back."""
    return axes[::-1] if layout.by_columns else axes
