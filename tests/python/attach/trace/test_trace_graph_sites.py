"""Call sites of copies, allocations and releases, from records made by hand."""

from __future__ import annotations

import numpy as np

from watari.attach.trace.records.sites import calls_at, pairs
from watari.model.replay.graph import CALLS, NONE, Role


def test_copies_of_the_same_bytes_are_of_one_number() -> None:
    source = np.array([1, 1, 2, 1, 1], np.uint64)
    target = np.array([9, 9, 9, 9, 8], np.uint64)
    size = np.full(5, 100, np.uint64)
    known = np.array([True, True, True, True, False])
    found = pairs(source, target, size, np.arange(5.0), known)
    assert found[0] == found[1]
    assert len({int(found[i]) for i in (1, 2, 3)}) == 3  # another source wrote there between them
    assert found[4] == NONE


def test_a_time_of_the_log_belongs_to_the_allocation_around_or_after_it() -> None:
    rows = np.zeros(3, CALLS)
    rows["start"], rows["end"] = [1e6, 2e6, 3e6], [1.5e6, 2.5e6, 3.5e6]
    rows["role"] = [Role.ALLOCATION, Role.CALL, Role.ALLOCATION]
    times = np.array([1.2e6, 2.2e6, 2.95e6, 9e6])
    assert calls_at(rows, times).tolist() == [0, NONE, 2, NONE]


def test_two_releases_within_the_clock_of_the_log_are_two_calls() -> None:
    """A release of 0.4 us begins 0.1 us after another: the log's times are off by up to 1 us."""
    rows = np.zeros(3, CALLS)
    rows["start"], rows["end"] = [1e6, 1.0005e6, 1.001e6], [1.0004e6, 1.0009e6, 1.0014e6]
    rows["role"] = Role.ALLOCATION
    for off in (-900.0, 0.0, 300.0):
        times = np.array([1.0011e6, 1.0002e6, 1.0006e6]) + off
        assert calls_at(rows, times).tolist() == [2, 0, 1]
