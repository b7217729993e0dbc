"""The plan of a slice: which bytes of which chunks go where.

A chunk lies in one piece, so a part of it is a set of equal runs of bytes at regular distances. A
run goes directly to its place in memory. Runs that are small and near one another (at most `gap`
bytes apart) are read as one span with the bytes between them, and their elements are then copied:
a read of some KiB takes as long as a call.

    Direct   rows of (offset, bytes, parts, stride, place), without a copy; chunks that are read
             alike share them
    Spans    equal spans into memory of their own, then one strided copy
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy
from numpy.typing import NDArray

from watari.arrays.selection import Range

SPANS = 2**25  # bytes of the memory for spans
ROWS = 2**16  # of Direct, at most
FEW, PARTS = 2**10, 2**6  # rows that are kept for chunks alike, and parts of chunks

Rows = NDArray[numpy.int64]


class Direct(NamedTuple):
    """Blocks of a chunk and their places, in bytes from `begin`, which counts from the first
    element of the result."""

    chunk: tuple[int, ...]
    rows: Rows  # offset in the chunk, bytes, parts, stride, place
    begin: int = 0


def table(files: Iterable[tuple[int, Direct]], offset: int, address: int) -> Rows:
    """The moves of an engine between numbered files and memory at an address: number, offset in the
    file, bytes, parts, stride, place. `offset` is that of a chunk in its file."""
    numbers, steps = zip(*files, strict=True)
    _, all_rows, begins = zip(*steps, strict=True)
    lengths = [len(rows) for rows in all_rows]
    moved = numpy.empty((sum(lengths), 6), numpy.int64)
    moved[:, 0] = numpy.repeat(numbers, lengths)
    moved[:, 1:] = numpy.concatenate(all_rows)
    moved[:, 1] += offset
    moved[:, 5] += numpy.repeat(begins, lengths) + address
    return moved


@dataclass(frozen=True)
class Spans:
    """Spans of a chunk, and where their elements go."""

    chunk: tuple[int, ...]
    offsets: NDArray[numpy.int64]  # in the chunk
    bytes: int  # of each span
    shape: tuple[int, ...]  # of the elements: spans, then those in a span
    strides: tuple[int, ...]  # bytes between them, where spans follow one another
    place: tuple[slice, ...]  # of the elements in the result


@dataclass(frozen=True)
class Axis:
    """One axis of the part of a chunk: `count` elements from `start` on in the chunk, `place` of
    the first one in the result; bytes between elements in the chunk, and in the result."""

    start: int
    step: int
    count: int
    place: int
    bytes: int
    stride: int


def plan(
    shape: tuple[int, ...],
    chunks: tuple[int, ...],
    item: int,
    ranges: Sequence[Range],
    gap: int,
) -> Iterator[Direct | Spans]:
    """The reads for a selection, its result in C order. Axes are those of the file, the slowest
    first. gap = -1: runs only, for writes."""
    counts = [each.count for each in ranges]
    if math.prod(counts) == 0:
        return
    parts = [list(in_chunks(each, chunk)) for each, chunk in zip(ranges, chunks, strict=True)]
    inside, strides = byte_strides(chunks, item), byte_strides(counts, item)
    alike: dict[tuple[tuple[int, int], ...], tuple[int, Rows]] = {}  # begin and rows, by part
    numbers = itertools.product(*([number for number, _, _ in axis] for axis in parts))
    inner = itertools.product(*([part for _, part, _ in axis] for axis in parts))
    places = itertools.product(*([place for _, _, place in axis] for axis in parts))
    for chunk, part, first in zip(numbers, inner, places, strict=True):
        begin = sum(map(operator.mul, first, strides))
        if part in alike:
            of, rows = alike[part]
            yield Direct(chunk, rows, begin - of)
            continue
        axes = [
            Axis(start, each.step, count, place, size, stride)
            for (start, count), place, each, size, stride in zip(
                part, first, ranges, inside, strides, strict=True
            )
        ]
        for step in of_chunk(chunk, axes, item, gap):
            if isinstance(step, Direct) and len(alike) < PARTS and is_all(step, part, item):
                alike[part] = begin, step.rows
            yield step


def is_all(step: Direct, part: Sequence[tuple[int, int]], item: int) -> bool:
    """Whether a step reads all of a part, (start, count) along each axis, in few rows."""
    if len(step.rows) > FEW:
        return False
    return int(step.rows[:, 1].sum()) == item * math.prod(count for _, count in part)


def byte_strides(counts: Sequence[int], item: int) -> list[int]:
    """Bytes from an element to the next along each axis, in C order."""
    sizes = [item]
    for count in reversed(counts[1:] if counts else ()):
        sizes.append(sizes[-1] * count)
    return sizes[::-1] if counts else []


def in_chunks(each: Range, chunk: int) -> Iterator[tuple[int, tuple[int, int], int]]:
    """Of each chunk along an axis: its number, the first element in it and their count, and the
    place of the first one in the result."""
    done = 0
    while done < each.count:
        at = each.start + done * each.step
        number, start = divmod(at, chunk)
        count = min(each.count - done, -(-(chunk - start) // each.step))
        yield number, (start, count), done
        done += count


def of_chunk(
    chunk: tuple[int, ...], axes: list[Axis], item: int, gap: int
) -> Iterator[Direct | Spans]:
    """The reads of one chunk."""
    base = sum(axis.start * axis.bytes for axis in axes)
    inner, run = run_of(axes, item)
    outer, span = inner, run
    for number in range(inner - 1, -1, -1):
        axis = axes[number]
        if axis.count == 1:
            continue
        if axis.step * axis.bytes - span > gap:
            break
        span += (axis.count - 1) * axis.step * axis.bytes
        outer = number
    if outer < inner:
        yield from spans_of(chunk, axes, outer, base, item)
    else:
        yield from direct_of(chunk, axes, inner, base, item)


def run_of(axes: list[Axis], item: int) -> tuple[int, int]:
    """The first axis of those whose elements are one run, and the bytes of the run."""
    run, first = item, len(axes)
    while first > 0:
        axis = axes[first - 1]
        if axis.count > 1:
            if axis.step != 1 or axis.bytes != run:
                break
            run *= axis.count
        first -= 1
    return first, run


def direct_of(
    chunk: tuple[int, ...], axes: list[Axis], inner: int, base: int, item: int
) -> Iterator[Direct]:
    """Runs, as blocks of equal parts where their places are evenly spaced."""
    first, part = len(axes), item
    while first > inner and (axes[first - 1].count == 1 or axes[first - 1].stride == part):
        part *= axes[first - 1].count
        first -= 1
    parts, stride, block, outer = 1, 0, part, first
    if first > inner:  # the run continues in the file, but not in memory
        parts, stride = axes[first - 1].count, axes[first - 1].stride
        block, outer = part * parts, first - 1
    place = sum(axis.place * axis.stride for axis in axes)
    for offsets, places in starts(axes[:outer], base, place):
        rows = numpy.empty((len(offsets), 5), numpy.int64)
        rows[:, 0], rows[:, 4] = offsets, places
        rows[:, 1:4] = block, parts, stride
        yield Direct(chunk, rows)


def starts(
    axes: list[Axis], base: int, place: int
) -> Iterator[tuple[NDArray[numpy.int64], NDArray[numpy.int64]]]:
    """Offsets in the chunk and places in the result of all elements of the outer axes, some at a
    time."""
    split = len(axes)  # axes before are a loop, those from here on are one array
    size = 1
    while split > 0 and size * axes[split - 1].count <= ROWS:
        split -= 1
        size *= axes[split].count
    offsets, places = numpy.zeros(1, numpy.int64), numpy.zeros(1, numpy.int64)
    for axis in axes[split:]:
        number = numpy.arange(axis.count, dtype=numpy.int64)
        offsets = (offsets[:, None] + number * (axis.step * axis.bytes)).ravel()
        places = (places[:, None] + number * axis.stride).ravel()
    for index in itertools.product(*(range(axis.count) for axis in axes[:split])):
        at = base + sum(i * axis.step * axis.bytes for i, axis in zip(index, axes, strict=False))
        to = place + sum(i * axis.stride for i, axis in zip(index, axes, strict=False))
        yield offsets + at, places + to


def spans_of(
    chunk: tuple[int, ...], axes: list[Axis], outer: int, base: int, item: int
) -> Iterator[Spans]:
    """Spans over the axes from `outer` on; several at once along the axis before."""
    inside = axes[outer:]
    strides = tuple(axis.step * axis.bytes for axis in inside)
    rest = sum((axis.count - 1) * size for axis, size in zip(inside[1:], strides[1:], strict=True))
    rest += item  # the span of one element of axis `outer`
    most = max(1, (SPANS - rest) // strides[0] + 1)  # its elements in one span
    for first in range(0, inside[0].count, most):
        count = min(most, inside[0].count - first)
        size = rest + (count - 1) * strides[0]
        begin = base + first * strides[0]
        inner_place = [slice(axis.place, axis.place + axis.count) for axis in inside]
        inner_place[0] = slice(inside[0].place + first, inside[0].place + first + count)
        shape = (count, *(axis.count for axis in inside[1:]))
        for offsets, place in batches(axes[:outer], begin, max(1, SPANS // size)):
            lead, along = (1,) * (len(place) - 1), (len(offsets), size)
            if not place:
                yield Spans(chunk, offsets, size, shape, strides, tuple(inner_place))
            else:
                yield Spans(
                    chunk,
                    offsets,
                    size,
                    (*lead, along[0], *shape),
                    (*(0 for _ in lead), along[1], *strides),
                    (*place, *inner_place),
                )


def batches(
    axes: list[Axis], base: int, most: int
) -> Iterator[tuple[NDArray[numpy.int64], tuple[slice, ...]]]:
    """Offsets of the elements of the outer axes, some of the last one at a time; their place."""
    if not axes:
        yield numpy.array([base], numpy.int64), ()
        return
    *lead, last = axes
    for index in itertools.product(*(range(axis.count) for axis in lead)):
        at = base + sum(i * axis.step * axis.bytes for i, axis in zip(index, lead, strict=True))
        place = tuple(
            slice(axis.place + i, axis.place + i + 1) for i, axis in zip(index, lead, strict=True)
        )
        for first in range(0, last.count, most):
            count = min(most, last.count - first)
            number = numpy.arange(first, first + count, dtype=numpy.int64)
            along = slice(last.place + first, last.place + first + count)
            yield at + number * (last.step * last.bytes), (*place, along)
