"""The content of a trace, from records made by hand."""

from __future__ import annotations

import time

import numpy as np
import pytest
import tracing
from tracing import MIB, READ, WRITE, allocation, copy, counter, kernel, process, record

from watari.attach.trace import check, session
from watari.attach.trace.check import PAGE, judged
from watari.attach.trace.observed import findings, phases, touched
from watari.attach.trace.observed.touched import Touches
from watari.attach.trace.records import records
from watari.attach.trace.records.lives import MANY, NOBODY, grouped, owners
from watari.attach.trace.records.records import Copy, Counter, Kind
from watari.attach.trace.records.transfers import Direction, How, transfers
from watari.common.errors import WatariError

A, B, C, D = 0x10000000, 0x20000000, 0x30000000, 0x40000000


def test_an_address_belongs_to_the_allocation_that_lived_then() -> None:
    lives = [
        allocation(A, MIB, "aa", begun=0.0, ended=0.1),
        allocation(A, 2 * MIB, "bb", begun=0.2),
        allocation(B, MIB, "cc"),
    ]
    addresses = np.array([A, A + MIB // 2, A + MIB, B + MIB - 1, B + MIB, A - 1], np.uint64)
    times = np.array([50, 300, 300, 10, 10, 10], np.uint64) * 1_000_000
    assert owners(lives, addresses, times).tolist() == [0, 1, 1, 2, NOBODY, NOBODY]
    between = np.array([150_000_000], np.uint64)
    assert owners(lives, np.array([A], np.uint64), between).tolist() == [NOBODY]
    soon = [lives[0], allocation(A, MIB, "dd", begun=0.1001)]
    times = np.array([99_900_000, 100_050_000, 100_200_000], np.uint64)
    assert owners(soon, np.full(3, A, np.uint64), times).tolist() == [0, 1, 1]


def test_many_allocations_of_one_call_site_count_as_one() -> None:
    """Those in turn; two that live at once stay two. Each address belongs to the life of its
    time."""
    count = MANY // 2 + 1
    lives = [allocation(A, MIB, "aa", begun=k, ended=k + 0.5) for k in range(count)]
    lives += [allocation(B, 4096 + k, "aa", begun=k + 0.1, ended=k + 0.6) for k in range(count)]
    lives.sort(key=lambda one: one.begun)
    assert grouped(lives[:MANY]) == lives[:MANY]
    first, second = grouped(lives)
    assert (first.bytes, len(first.parts)) == (MIB, count)
    assert (second.bytes, len(second.parts)) == (4096 + count - 1, count)
    addresses = np.array([A + 4096, B + 4096, B + 4096, A], np.uint64)
    times = np.array([7.2, 0.2, 7.2, 7.7]) * 1e9
    found = owners([first, second], addresses, times.astype(np.uint64))
    assert found.tolist() == [0, NOBODY, 1, NOBODY]


def test_owners_of_one_address_are_found_in_time() -> None:
    """200,000 allocations at one address, each with a copy: as a program that allocates in each
    step."""
    count = 200_000
    lives = [allocation(A, MIB, "aa", begun=k, ended=k + 0.5) for k in range(count)]
    times = ((np.arange(count) + 0.25) * 1e9).astype(np.uint64)
    begun = time.process_time()
    found = owners(lives, np.full(count, A, np.uint64), times)
    assert time.process_time() - begun < 10
    assert (found == np.arange(count)).all()


def test_a_copy_has_the_addresses_of_its_call() -> None:
    of = process(
        copy(1, 2, 100, 5, B, 8),
        copy(3, 4, 200, 5, A, 9, Copy.TO_CPU, tracing.PINNED),
    )
    rows = transfers(of, [allocation(A, MIB, "aa"), allocation(B, MIB, "bb")])
    assert rows["direction"].tolist() == [Direction.TO_GPU, Direction.TO_CPU]
    assert rows["allocation"].tolist() == [1, 0]
    assert rows["pageable"].tolist() == [True, False]
    assert rows["site"].tolist() == [77, 77]


def test_a_copy_whose_call_was_lost_belongs_to_nobody() -> None:
    of = process(copy(1, 2, 100, 5, A, 8)[1:])
    assert transfers(of, [allocation(A, MIB)])["allocation"].tolist() == [NOBODY]


def test_migrations_that_the_program_asked_for_are_prefetches() -> None:
    of = process(
        counter(Counter.TO_GPU, 1, A, PAGE, flags=1), counter(Counter.TO_GPU, 2, A, PAGE, flags=2)
    )
    rows = transfers(of, [allocation(A, MIB, kind="managed")])
    assert rows["how"].tolist() == [How.PREFETCH, How.FAULT]


def test_phases_alternate_and_kernels_close_together_are_one() -> None:
    of = process(
        copy(1, 2, MIB, 5, A, 8),
        kernel(3, 4),
        kernel(4.01, 5),
        copy(6, 7, MIB, 5, A, 9, Copy.TO_CPU),
        kernel(8, 9),
        copy(8.2, 8.8, MIB, 5, B, 10),  # beside the kernel
    )
    lives = [allocation(A, MIB, "aa"), allocation(B, MIB, "bb")]
    found = phases.find(of, transfers(of, lives), lives)
    assert [(s.processor, s.start // 1_000_000) for s in found] == [
        ("cpu", 1), ("gpu", 3), ("cpu", 6), ("gpu", 8),
    ]  # fmt: skip


def launches(*each: dict[str, touched.Touch]) -> Touches:
    return Touches({"first": list(each)})


def test_a_phase_has_what_its_launches_touch_in_order() -> None:
    of = process(
        copy(1, 2, MIB, 5, A, 8), kernel(3, 4), kernel(4.01, 5), kernel(5.01, 6), kernel(6.01, 7)
    )
    lives = [allocation(A, MIB, "aa"), allocation(B, MIB, "bb")]
    touches = launches(
        {"aa#0": touched.Touch(MIB, True, False)}, {"bb#0": touched.Touch(MIB, False, True)}
    )
    _, gpu = tracing.file_of(of, lives, touches)["phases"]
    assert gpu["accesses"] == [
        {"allocation": "aa#0", "processor": "gpu", "read": MIB, "written": 0, "passes": 2.0},
        {"allocation": "bb#0", "processor": "gpu", "read": 0, "written": MIB, "passes": 2.0},
    ]


def test_without_a_sampled_run_kernels_use_what_was_copied() -> None:
    of = process(copy(1, 2, MIB, 5, A, 8), kernel(3, 4), copy(5, 6, MIB // 2, 5, B, 9, Copy.TO_CPU))
    lives = [allocation(A, MIB, "aa"), allocation(B, MIB, "bb")]
    gpu = tracing.file_of(of, lives)["phases"][1]
    assert [(a["allocation"], a["read"], a["written"]) for a in gpu["accesses"]] == [
        ("aa#0", MIB, 0), ("bb#0", 0, MIB // 2),
    ]  # fmt: skip


def test_managed_memory_that_the_cpu_writes_is_written_in_its_phase() -> None:
    of = process(
        counter(Counter.CPU_FAULT, 1, A, 1, WRITE),
        kernel(2, 3),
        counter(Counter.TO_GPU, 2.1, A, 4 * PAGE),
        counter(Counter.CPU_FAULT, 4, A, 1, READ),
        counter(Counter.TO_CPU, 4.1, A, 2 * PAGE),
    )
    content = tracing.file_of(of, [allocation(A, MIB, kind="managed")])
    first, _, last = content["phases"]
    seen_there = [phase["allocations"] for phase in content["observed"]["timeline"]["phases"]]
    assert seen_there == [
        [{"name": "aa#0", "cpu_faults": 1}],
        [{"name": "aa#0", "to_gpu": 4 * PAGE}],
        [{"name": "aa#0", "cpu_faults": 1, "to_cpu": 2 * PAGE}],
    ]
    assert [(a["read"], a["written"]) for a in first["accesses"]] == [(0, 4 * PAGE)]
    assert [(a["read"], a["written"]) for a in last["accesses"]] == [(2 * PAGE, 0)]


def test_a_copy_beside_a_kernel_that_does_not_use_it_could_overlap() -> None:
    of = process(copy(1, 101, MIB, 5, B, 8), kernel(102, 202))
    lives = [allocation(A, MIB, "aa"), allocation(B, MIB, "bb")]
    other, same = ({name: touched.Touch(MIB, True, False)} for name in ("aa#0", "bb#0"))
    sentence = "1 copies run alone beside a kernel that does not use their data"
    for touch, expected in ((other, 1), (same, 0)):
        found, _ = tracing.seen(of, lives, launches(touch))
        assert sum(sentence in text for text in findings.all_of(found)) == expected


def test_data_that_cross_again_and_again_are_named() -> None:
    there = [copy(i, i + 0.5, MIB, 5, A, i) for i in range(1, 5)]
    found, _ = tracing.seen(process(*there), [allocation(A, MIB)])
    assert any("is copied to the GPU 4 times" in text for text in findings.all_of(found))
    both = [counter(c, i, A, MIB) for i in range(1, 9) for c in (Counter.TO_GPU, Counter.TO_CPU)]
    found, _ = tracing.seen(process(*both), [allocation(A, MIB, kind="managed")])
    assert any("crosses 8 times each way" in text for text in findings.all_of(found))


TRUTH = {
    "address": A, "bytes": 64 * MIB, "dense": 16 * MIB, "sparse_from": 32 * MIB,
    "sparse_step": 2 * MIB, "sum": 4096,
}  # fmt: skip


def checked(to_gpu: int, to_cpu: int = 256, *more: np.ndarray):
    pages = [counter(Counter.TO_GPU, 2, A + i * PAGE, PAGE) for i in range(to_gpu)]
    pages += [counter(Counter.TO_CPU, 3, A + i * PAGE, PAGE) for i in range(to_cpu)]
    faults = [counter(c, 1, A, 1) for c in (Counter.GPU_FAULT, Counter.CPU_FAULT)]
    return judged(process(*pages, *faults, kernel(1, 2), kernel(4, 5), *more), TRUTH)


def test_the_check_notices_a_page_that_is_missing() -> None:
    assert checked(256).reasons == ()
    assert checked(255).reasons == (
        "of 256 pages that move to the GPU for certain, 255 were recorded",
    )
    assert "to the CPU" in checked(256, 100).reasons[0]
    dropped = record(Kind.DROPPED, 5, bytes=3)
    assert checked(256, 256, dropped).reasons == ("CUPTI dropped 3 records",)


def test_a_large_transfer_covers_its_pages() -> None:
    of = process(counter(Counter.TO_GPU, 2, A - PAGE, 4 * PAGE))
    from watari.attach.trace.check import pages_of

    assert pages_of(of, Counter.TO_GPU, A, 16 * MIB) == {0, 1, 2}


def test_a_process_without_its_end_is_incomplete(tmp_path) -> None:
    ending = session.Ending(1.0, -6, False, tmp_path / "o", tmp_path / "e")
    whole = process(kernel(1, 2))
    cut = records.Recorded(1, whole.records[:-1])
    fine = checked(256)
    assert session.incomplete(whole, ending, fine) == []
    assert "the records end before the program does" in session.incomplete(cut, ending, fine)[0]


@pytest.mark.parametrize("left", [lambda rows: rows[[0, 2, 3]], lambda rows: zeroed(rows, 1)])
def test_records_that_another_process_destroyed_are_counted(left, tmp_path) -> None:
    ending = session.Ending(1.0, 0, False, tmp_path / "o", tmp_path / "e")
    of = records.Recorded(1, left(process(kernel(1, 2), kernel(3, 4)).records))
    assert session.incomplete(of, ending, checked(256)) == ["another process destroyed 1 records"]


def zeroed(rows: np.ndarray, number: int) -> np.ndarray:
    rows[number] = np.zeros(1, rows.dtype)
    return rows


def test_records_of_another_clock_are_noticed(tmp_path) -> None:
    ending = session.Ending(1.0, 0, False, tmp_path / "o", tmp_path / "e")
    of = process(kernel(1, 2), kernel(1e6, 1e6 + 1))
    reasons = session.incomplete(of, ending, checked(256))
    assert reasons == ["1 records have times outside the run: another clock"]


def test_an_allocation_of_no_bytes_is_not_divided_by() -> None:
    of, lives = tracing.example()
    content = tracing.file_of(of, [*lives, allocation(0, 0, "bb")])
    assert [a["bytes"] for a in content["allocations"]] == [MIB]


@pytest.mark.parametrize("text", ["", '{"total": 1', "[3]"])
def test_output_of_the_check_that_was_cut_off_is_one_line(tmp_path, text):
    output = tmp_path / "stdout"
    output.write_text(text)  # as on a full disk
    with pytest.raises(WatariError, match="output of watari_touches was cut off: make room"):
        check.said(session.Ending(1.0, 0, False, output, output))
