"""The effect of each style of `watari try` on a program's memory, on a driver without a GPU."""

import json
from pathlib import Path

import pytest
from tried import MB, attempt, quantity


@pytest.mark.parametrize("name", ["linked", "opened"])
def test_every_allocation_of_gpu_memory_is_moved_and_the_program_computes_the_same(tmp_path, name):
    words = ("device", str(MB), "pitch", "1000", "async", str(MB), "pool", str(MB))
    _, styles = attempt(tmp_path, *words, options=("--same-output", "-"), name=name, code=0)
    assert {s for s, case in styles.items() if case["status"] == "ok"} == {
        "as-is",
        "managed",
        "managed-prefetch",
        "mapped",
        "pinned",
    }
    assert quantity(styles["as-is"], "moved_allocations") == 0
    assert quantity(styles["as-is"], "device_peak") == MB
    for style, kind in (("managed", "managed"), ("mapped", "managed"), ("pinned", "pinned")):
        assert quantity(styles[style], "moved_allocations") == 6  # three of them on a stream
        assert quantity(styles[style], "device_peak") == 0
        # a stream keeps freed memory for its next allocation of that size
        assert quantity(styles[style], f"{kind}_peak") == pytest.approx(MB, rel=0.01)


def test_managed_memory_gets_hints_and_keeps_its_kind(tmp_path):
    _, styles = attempt(tmp_path, "managed", str(MB), code=0)
    for style in ("managed-prefetch", "mapped", "read-mostly", "preferred-gpu", "accessed-by"):
        assert styles[style]["status"] == "ok"
        assert quantity(styles[style], "managed_peak") == MB
    assert "allocates no GPU memory" in styles["pinned"]["reason"]


def counts(path: Path) -> dict:
    """The driver's counts of the last run. Watari's own queries for GPUs allocate nothing."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return [line for line in lines if line["allocations"]][-1]


@pytest.mark.parametrize(
    ("style", "prefetches", "advices"),
    [("managed", 0, 0), ("managed-prefetch", 1, 0), ("mapped", 0, 2), ("pinned", 0, 0)],
)
def test_the_driver_sees_what_the_style_says(tmp_path, style, prefetches, advices):
    log = tmp_path / "counts"
    attempt(tmp_path, "device", str(MB), options=("--styles", style), counts=log)
    seen = counts(log)
    assert (seen["prefetches"], seen["advices"]) == (prefetches, advices)
    assert (seen["allocations"], seen["frees"], seen["launches"]) == (1, 1, 1)


def test_system_memory_needs_a_gpu_that_reads_it(tmp_path):
    _, styles = attempt(tmp_path, "device", str(MB))
    assert "pageableMemoryAccess" in styles["system"]["reason"]
    _, styles = attempt(tmp_path, "device", str(MB), pageable=1, code=0)
    assert styles["system"]["status"] == "ok"
    assert quantity(styles["system"], "system_peak") == MB


def test_what_is_shared_with_other_processes_stays_gpu_memory(tmp_path):
    ended, styles = attempt(tmp_path, "share", str(MB), "device", "5000", name="opened")
    assert "kept as GPU memory: cuIpcGetMemHandle needs it" in ended.stdout
    assert styles["managed"]["status"] == "ok"
    assert quantity(styles["managed"], "device_peak") == MB
    assert quantity(styles["managed"], "managed_peak") == 5000


def test_a_program_that_asks_is_told_what_it_has(tmp_path):
    ended, styles = attempt(tmp_path, "kind", "4096", options=("--same-output", "-"))
    assert styles["as-is"]["status"] == "ok"
    assert styles["managed"]["status"] == "wrong"
    assert "standard output" in styles["managed"]["reason"]
    assert ended.returncode == 0


def test_a_style_that_the_driver_refuses_is_a_row(tmp_path):
    _, styles = attempt(tmp_path, "device", "4096", refuse="cuMemAllocManaged", code=0)
    assert styles["managed"]["status"] == "failed"
    assert "exit code 3" in styles["managed"]["reason"]
    assert styles["pinned"]["status"] == "ok"
    _, styles = attempt(tmp_path, "device", "4096", refuse="cuMemPrefetchAsync")
    assert styles["managed-prefetch"]["reason"].startswith("a hint was refused: cuMemPrefetchAsync")
