"""The run that samples kernels, on a driver and a CUPTI without a GPU."""

from __future__ import annotations

import json

import pytest
import tracing
from tracing import MIB, trace

from watari.attach.start import PACKAGE, Start
from watari.attach.trace import sampled
from watari.attach.trace.check import PROGRAM
from watari.attach.trace.observed import touched

LONG = sampled.Bounds(60, 60)
FAULTS = "records of faults alone say whether launches write 1 of the allocations"
FIELD = 4 * 2**20  # bytes of each allocation of `alternating`


@pytest.mark.parametrize(
    ("words", "slow", "seconds", "end", "count", "says"),
    [
        # the program's own time
        ("device 400000 sleep 6" + 4 * " device 400000", 0, 5, 600, 3, FAULTS),
        # a launch, then more than half of the time, then another placement
        ("device 400000 device 400000 device 400000", 2400, 4.4, 600, 1, "of: add_one (1)"),
        ("device 400000 device 400000", 600, 0.5, 600, 1, "time ended sampling before 16"),
        (
            "device 400000 sleep 1 device 400000 sleep 600",
            0,
            60,
            12,
            1,
            "the sampled run was ended after 12",
        ),
        ("pinned 4096", 0, 60, 600, 0, "no launch could be sampled"),
    ],
)
def test_time_bounds_the_sampling_and_the_file_says_so(
    tmp_path, made_up, monkeypatch, words, slow, seconds, end, count, says
) -> None:
    monkeypatch.setenv("FAKE_CUDA_KERNEL_MS", str(slow))
    start = Start((tracing.program("linked"), *words.split()))
    touches, why = sampled.sample(start, tmp_path, made_up, sampled.Bounds(seconds, end))
    assert sum(map(len, touches.kernels.values())) == count
    assert says in why
    assert bool(why) == bool(says)
    for launch in touches.kernels.get("add_one", []):
        (touch,) = launch.values()
        assert (touch.bytes, touch.reads) == (400000, True)


@pytest.mark.parametrize(
    "settings", [{"FAKE_CUPTI_LOSE": "2"}, {"FAKE_CUPTI_LOSE": "1", "FAKE_CUDA_UNMAPPED": "1"}]
)
def test_touches_are_whole_where_records_of_transfers_are_lost(
    tmp_path, made_up, monkeypatch, settings
) -> None:
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    start = Start((tracing.program("alternating"), "3"))
    touches, why = sampled.sample(start, tmp_path, made_up, LONG)
    assert not why
    launches = [list(launch.values()) for launch in touches.kernels["add_one"]]
    assert launches == [[touched.Touch(float(FIELD), True, True)]] * 4


def test_a_kernel_that_waits_for_the_program_is_known_by_records(
    tmp_path, made_up, monkeypatch
) -> None:
    monkeypatch.setenv("FAKE_CUDA_BUSY", "1")
    start = Start((tracing.program("alternating"), "2"))
    touches, why = sampled.sample(start, tmp_path, made_up, sampled.Bounds(4, 60))
    assert why == (
        "1 sampled launches were not seen to end in their time: their bytes are those of recorded "
        "transfers, a lower limit; time ended sampling before 16 launches of: add_one (1)"
    )
    launches = [list(launch.values()) for launch in touches.kernels["add_one"]]
    assert launches == [[touched.Touch(float(FIELD), True, True)]]
    reason = "a launch that was sampled did not end in its time"
    assert reason in touches.unplaced["add_one"]


def test_writes_of_large_memory_are_seen_in_a_part_of_it(tmp_path, made_up) -> None:
    size = 150_000_000  # more than twice the read-mostly memory
    words = f"device {size} device 4096 device 4096 device 4096 managed 5000000"
    touches, why = sampled.sample(
        Start((tracing.program("linked"), *words.split())), tmp_path, made_up, LONG
    )
    assert why == FAULTS  # of the launch that is timed
    large, _, small = touches.kernels["add_one"]
    assert list(large.values()) == [touched.Touch(float(size), True, True)]
    assert list(small.values()) == [touched.Touch(5e6, True, True)]


def test_of_many_allocations_no_more_is_read_mostly_than_of_few(
    tmp_path, made_up, monkeypatch
) -> None:
    """Small allocations are read-mostly, so that their writes are detected."""
    monkeypatch.setenv("FAKE_CUDA_COUNTS", str(tmp_path / "counts"))
    words = [*("hold 2000000 " * 120).split(), "device", "4096"]
    start = Start((tracing.program("linked"), *words))
    touches, _ = sampled.sample(start, tmp_path, made_up, LONG)
    ((launch,),) = touches.kernels.values()
    assert list(launch.values()) == [touched.Touch(4096.0, True, True)]
    assert touches.unwatched == 0
    most = json.loads((tmp_path / "counts").read_text())["read_mostly"]
    assert 32 * MIB < most <= 65 * MIB


def test_reads_and_writes_of_one_kernel_are_told_apart(tmp_path, made_up, monkeypatch) -> None:
    monkeypatch.setenv("FAKE_CUPTI_LOSE", "2")
    touches, why = sampled.sample(Start((f"{PACKAGE}/{PROGRAM}",)), tmp_path, made_up, LONG)
    assert not why
    dense, sparse = touches.kernels["watari_touch"]
    assert list(dense.values()) == [touched.Touch(16 * 2.0**20, True, False)]
    assert list(sparse.values()) == [touched.Touch(16 * 2.0**16, False, True)]


def test_pages_that_cannot_be_looked_at_are_said(tmp_path, made_up, monkeypatch) -> None:
    """The program has no descriptor left, so bytes come from transfers, half of them lost."""
    monkeypatch.setenv("FAKE_CUPTI_LOSE", "2")
    words = "device 8192 files 0" + 4 * " device 4000000"
    start = Start((tracing.program("linked"), *words.split()))
    touches, why = sampled.sample(start, tmp_path, made_up, LONG)
    assert why.startswith("the page table of the CPU could not be read")
    before, _, after = touches.kernels["add_one"]
    assert [touch.bytes for touch in before.values()] == [8192]
    (touch,) = after.values()
    assert 0 < touch.bytes < 4000000


@pytest.mark.parametrize(
    ("program", "lose", "marked"),
    [
        ("alternating 4", 100, True),
        ("alternating 4", 0, False),
        ("linked device 4000000", 2, False),  # the traced run moved no managed memory
    ],
)
def test_transfers_that_only_page_tables_show_make_a_trace_incomplete(
    tmp_path, program, lose, marked
) -> None:
    settings = {"FAKE_CUPTI_LOSE": lose} if lose else {}
    _, content = trace(tmp_path, *program.split(), **settings)
    reasons = [r for r in content["observed"]["incomplete"] if "in the sampled run" in r]
    assert len(reasons) == marked
    assert all("MiB that moved to the GPU have no record" in r for r in reasons)
