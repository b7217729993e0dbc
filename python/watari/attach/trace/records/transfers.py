"""Transfers over the link or on the GPU: copies with their call, and migrations of managed
memory."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

import numpy as np

from watari.attach.events import Allocation
from watari.attach.trace.records.lives import NOBODY, owners
from watari.attach.trace.records.records import PAGEABLE, Array, Copy, Counter, Kind, Recorded


class Direction(IntEnum):
    """The direction of a transfer."""

    TO_GPU = 0
    TO_CPU = 1
    ON_GPU = 2  # or from GPU to GPU
    ON_CPU = 3


class How(IntEnum):
    """The cause of a transfer: a copy by the program, a fault, a prefetch that the program
    requested."""

    COPY = 0
    FAULT = 1
    PREFETCH = 2


TRANSFER = np.dtype(
    [
        ("start", "<u8"),
        ("end", "<u8"),
        ("bytes", "<u8"),
        ("direction", "u1"),
        ("how", "u1"),
        ("pageable", "?"),
        ("whole", "?"),  # the CPU waited for it
        ("allocation", "<i8"),
        ("source", "<i8"),  # the allocation that a copy on the GPU reads
        ("site", "<u8"),
        ("address", "<u8"),
        ("stream", "<u4"),
    ]
)
DIRECTIONS: dict[int, Direction] = {Copy.TO_GPU: Direction.TO_GPU, Copy.TO_CPU: Direction.TO_CPU}
DIRECTIONS |= {Copy.TO_ARRAY: Direction.TO_GPU, Copy.FROM_ARRAY: Direction.TO_CPU}
DIRECTIONS |= {Copy.ON_CPU: Direction.ON_CPU}
USER = 1  # CUpti_ActivityUnifiedMemoryMigrationCause: the program requested it


def with_calls(copies: Array, calls: Array) -> Array:
    """The call of each copy, by correlation; zeros where none was recorded."""
    ascending = calls[np.argsort(calls["correlation"], kind="stable")]
    at = np.searchsorted(ascending["correlation"], copies["correlation"])
    found = np.zeros(len(copies), calls.dtype)
    inside = at < len(ascending)
    same = inside.copy()
    same[inside] = ascending["correlation"][at[inside]] == copies["correlation"][inside]
    found[same] = ascending[at[same]]
    return found


def copied(process: Recorded, allocations: Sequence[Allocation]) -> Array:
    """The transfers by copies of the program."""
    copies = process.of(Kind.COPY)
    calls = with_calls(copies, process.of(Kind.CALL))
    rows = np.zeros(len(copies), TRANSFER)
    for name in ("start", "end", "bytes", "stream"):
        rows[name] = copies[name]
    known = [DIRECTIONS.get(int(kind), Direction.ON_GPU) for kind in copies["detail"]]
    rows["direction"] = np.array(known, "u1")
    rows["how"] = How.COPY
    source, target = copies["flags"] & 0xFF, (copies["flags"] >> 8) & 0xFF
    rows["pageable"] = (source == PAGEABLE) | (target == PAGEABLE)
    rows["whole"] = (copies["flags"] >> 16) & 1 == 0
    from_gpu = rows["direction"] == Direction.TO_CPU
    rows["address"] = np.where(from_gpu, calls["address"], calls["end"])
    rows["site"] = calls["name"]
    rows["allocation"] = owners(allocations, rows["address"], rows["start"])
    rows["source"] = owners(allocations, calls["address"], rows["start"])
    return rows


def migrated(process: Recorded, allocations: Sequence[Allocation]) -> Array:
    """Managed memory that the driver moved."""
    parts = []
    for counter, direction in (
        (Counter.TO_GPU, Direction.TO_GPU),
        (Counter.TO_CPU, Direction.TO_CPU),
        (Counter.GPU_TO_GPU, Direction.ON_GPU),
    ):
        records = process.counters(counter)
        rows = np.zeros(len(records), TRANSFER)
        for name in ("start", "end", "bytes", "address"):
            rows[name] = records[name]
        rows["direction"] = direction
        rows["how"] = np.where(records["flags"] == USER, How.PREFETCH, How.FAULT)
        rows["allocation"] = owners(allocations, records["address"], records["start"])
        rows["source"] = NOBODY
        parts.append(rows)
    return np.concatenate(parts)


def totals(moved: Array, count: int) -> tuple[Array, Array]:
    """Transfers and their bytes, by allocation (there are `count`), how and direction."""
    rows = moved[moved["allocation"] != NOBODY]
    shape = (count, len(How), len(Direction))
    place = np.ravel_multi_index((rows["allocation"], rows["how"], rows["direction"]), shape)
    size = int(np.prod(shape))
    sizes = np.bincount(place, rows["bytes"].astype(float), size)
    return np.bincount(place, minlength=size).reshape(shape), sizes.reshape(shape)


def transfers(process: Recorded, allocations: Sequence[Allocation]) -> Array:
    """Copies and migrations, in order of time."""
    every = np.concatenate([copied(process, allocations), migrated(process, allocations)])
    return every[np.argsort(every["start"], kind="stable")]
