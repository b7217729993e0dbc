"""Seconds of blocks, against the measurement on an H100 that they come from."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from watari.model.replay.styles import steps

FILE = Path(__file__).parents[4] / "results/nvidia-h100-80gb-hbm3-x86_64/20261126-kinds.txt"
COLUMNS = (
    *("allocate", "first in", "in", "out", "pinned in", "pinned out", "first fill", "fill"),
    *("inside", "first write", "write", "read", "free"),
)


def measured(kind: str, column: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Microseconds by size."""
    rows = [line.split() for line in FILE.read_text().splitlines()[1:]]
    place = COLUMNS.index(column) + 2
    assert [float(row[1]) for row in rows if row[0] == kind] == list(steps.SIZES)
    return np.array([float(row[place]) for row in rows if row[0] == kind])


def more(kind: str, column: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Microseconds more than with GPU memory."""
    return measured(kind, column) - measured("device", column)


def first(kind: str, column: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Microseconds of a first touch, beyond a later one, and beyond that of GPU memory."""
    return more(kind, f"first {column}") - more(kind, column)


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        ("populate gpu managed", (first("managed", "fill") + first("managed", "write")) / 2),
        ("populate cpu managed", (first("mapped", "fill") + first("mapped", "write")) / 2),
        ("populate cpu managed by copy", first("mapped", "in")),
        ("prefetch new", more("prefetch", "allocate")),
        ("release managed", more("managed", "free")),
        ("release prefetched", more("prefetch", "free")),
        ("release mapped", more("mapped", "free")),
        ("allocate pinned", more("pinned", "allocate") + more("pinned", "free")),
    ],
)
def test_blocks_take_what_was_measured(
    step: str, expected: np.ndarray[tuple[int], np.dtype[np.float64]]
) -> None:
    assert steps.BLOCKS[step] == pytest.approx(np.maximum(expected, 0.0), rel=0.15, abs=50)


def test_managed_memory_that_a_copy_touches_first() -> None:
    expected = first("managed", "in")[:4]  # beyond 64 MiB the copy hides it
    assert steps.BLOCKS["populate gpu managed by copy"][:4] == pytest.approx(expected, rel=0.15)


@pytest.mark.parametrize("step", steps.BLOCKS)
def test_more_bytes_never_take_less_time(step: str) -> None:
    seconds = [steps.seconds(step, size) for size in np.geomspace(1, 2**34, 100)]
    assert seconds == sorted(seconds)
    low, high = steps.WITHIN[step]
    assert low <= 1 <= high


@pytest.mark.parametrize("copy", steps.COPIES)
def test_a_large_copy_is_never_faster_than_a_small_one(copy: tuple[str, bool, bool]) -> None:
    times = steps.factor(*copy, np.geomspace(1, 2**34, 100))
    assert (np.diff(times) >= 0).all()
    assert (times[1] <= times[0]).all()
    assert (times[0] <= times[2]).all()
