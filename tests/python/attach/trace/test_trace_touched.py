"""The memory that sampled launches touched, from records made by hand."""

from __future__ import annotations

from pathlib import Path

from tracing import MIB, READ, WRITE, allocation, counter, kernel, process, record

from watari.attach.start import Ending
from watari.attach.trace.check import PAGE
from watari.attach.trace.observed import touched
from watari.attach.trace.records.records import Counter, Kind
from watari.attach.trace.sampled import not_sampled

A, B, C, D = 0x10000000, 0x20000000, 0x30000000, 0x40000000


def test_touches_are_those_between_eviction_and_the_end_of_the_launch() -> None:
    of = process(
        record(Kind.EVICTED, 1, correlation=5),
        counter(Counter.GPU_FAULT, 2, A, 1, READ),
        counter(Counter.TO_GPU, 2, A, 3 * PAGE),
        counter(Counter.GPU_FAULT, 2.5, B, 1, WRITE),
        counter(Counter.TO_GPU, 2.5, B, 2 * PAGE),
        kernel(1.5, 3, correlation=5),
        counter(Counter.TO_GPU, 4, A, 7 * PAGE),  # of a later launch
        counter(Counter.CPU_FAULT, 6, B, 1, WRITE),
    )
    lives = [allocation(A, MIB, "aa", "managed"), allocation(B, MIB, "bb", "managed")]
    found = touched.of_run(of, lives)
    assert found.kernels == {
        "first": [
            {
                "aa#0": touched.Touch(3.0 * PAGE, True, False),
                "bb#0": touched.Touch(2.0 * PAGE, False, True),
            }
        ]
    }
    assert found.cpu_writes == {"bb#0"}


def test_pages_on_the_gpu_count_where_records_of_transfers_are_missing() -> None:
    sampled = [
        record(Kind.EVICTED, 1, correlation=5),
        counter(Counter.GPU_FAULT, 2, A, 1, READ),
        counter(Counter.TO_GPU, 2, A, PAGE),
        kernel(1.5, 3, correlation=5),
        counter(Counter.TO_GPU, 3.1, B, 5 * PAGE),  # the clock of this record is a little late
        record(Kind.TOUCHED, 3.2, correlation=5, address=A, bytes=4 * PAGE),
        record(Kind.TOUCHED, 3.2, correlation=5, address=B, bytes=2 * PAGE),
        record(Kind.TOUCHED, 3.2, correlation=5, address=C, bytes=6 * PAGE),
        record(Kind.TOUCHED, 3.2, correlation=5, address=D),
        record(Kind.TOUCHED, 3.2, correlation=6, address=D, bytes=PAGE),  # by another launch
    ]
    sampled[7]["end"] = 6 * PAGE  # all of it written
    lives = [
        allocation(start, MIB, name * 2) for start, name in zip((A, B, C, D), "abcd", strict=True)
    ]
    found = touched.of_run(process(*sampled), lives)
    assert found.kernels == {
        "first": [
            {
                "aa#0": touched.Touch(4.0 * PAGE, True, False),
                "bb#0": touched.Touch(5.0 * PAGE, True, False),
                "cc#0": touched.Touch(6.0 * PAGE, False, True),
            }
        ]
    }


def test_an_allocation_that_nobody_looked_at_for_writes_is_said() -> None:
    sampled = [
        record(Kind.EVICTED, 1, correlation=5),
        counter(Counter.GPU_FAULT, 2, A, 1, WRITE),
        kernel(1.5, 3, correlation=5),
        record(Kind.TOUCHED, 3.2, correlation=5, address=A, bytes=PAGE, flags=1),
        record(Kind.TOUCHED, 3.2, correlation=5, address=B, bytes=PAGE, flags=1),
        record(Kind.TOUCHED, 3.2, correlation=5, address=C, bytes=PAGE),
        record(Kind.TOUCHED, 3.2, correlation=5, address=D, flags=1),  # not touched
    ]
    lives = [
        allocation(start, MIB, name * 2) for start, name in zip((A, B, C, D), "abcd", strict=True)
    ]
    of = process(*sampled)
    found = touched.of_run(of, lives)
    (launch,) = found.kernels["first"]
    assert {name: one.writes for name, one in launch.items()} == {
        "aa#0": True, "bb#0": False, "cc#0": False
    }  # fmt: skip
    ending = Ending(1.0, 0, False, Path(), Path())
    assert not_sampled(of, found, ending) == [
        "records of faults alone say whether launches write 2 of the allocations"
    ]
