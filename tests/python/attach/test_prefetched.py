"""`prefetched`: managed memory that the CPU touched moves before the kernel of a trace. On a driver
without a GPU."""

import json
import subprocess
import sys

import pytest
from changed import started
from tracing import trace
from tried import driver, program, watari

from watari.attach import advised_changes
from watari.common.errors import FileError

MB = 1_000_000
ADD_ONE = f"{advised_changes.hashed('add_one'):08x}"
LARGE = 4 * MB


def site_of(tmp_path, *words) -> str:
    """The call site of the program's only managed allocation."""
    log = tmp_path / "log"
    log.mkdir()
    started("", *words, WATARI_ATTACH_LOG=str(log))
    (file,) = log.iterdir()
    lines = [json.loads(x) for x in file.read_text().rstrip("\0").splitlines() if '"alloc"' in x]
    return lines[0]["site"]


def prefetches(tmp_path, table, *words, changes="prefetched", **variables) -> int:
    """Prefetches that the driver sees."""
    log = tmp_path / "counts"
    log.unlink(missing_ok=True)
    ended = started(
        changes, *words, WATARI_CHANGES_PREFETCHES=table, FAKE_CUDA_COUNTS=str(log), **variables
    )
    assert ended.returncode == 0, ended.stderr
    return json.loads(log.read_text())["prefetches"]


def test_memory_that_the_cpu_wrote_moves_before_the_kernel(tmp_path):
    words = ("written", LARGE)
    table = f"{ADD_ONE}:{site_of(tmp_path, *words)}"
    assert prefetches(tmp_path, table, *words) == 1  # of three launches
    assert prefetches(tmp_path, f"00000001:00000002,{table}", *words) == 1
    assert prefetches(tmp_path, table, *words, changes="pooled") == 0


@pytest.mark.parametrize(
    "table", ["", "add_one", "0:1", "0123456g:00000000", f"{ADD_ONE}:", f"{ADD_ONE}:00000001"]
)
def test_a_table_of_another_program_moves_nothing(tmp_path, table):
    assert prefetches(tmp_path, table, "written", LARGE) == 0


def test_what_is_small_or_beyond_the_gpu_is_left_to_faults(tmp_path):
    table = f"{ADD_ONE}:{site_of(tmp_path, 'written', LARGE)}"
    assert prefetches(tmp_path, table, "written", 500_000) == 0
    assert prefetches(tmp_path, table, "written", LARGE, FAKE_CUDA_MEMORY=str(4 * MB)) == 0
    assert prefetches(tmp_path, table, "written", LARGE, FAKE_CUDA_REFUSE="cuMemPrefetchAsync") == 0


def test_a_trace_names_kernels_and_memory(tmp_path):
    words = ("--", program("alternating"), "4")
    trace(tmp_path, "alternating", "4", code=0)
    log = tmp_path / "counts"
    ended = subprocess.run(
        [sys.executable, "-m", "watari", "exec", "--from", "trace.json", "--verbose", *words],
        cwd=tmp_path,
        env=driver(counts=log),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ended.returncode == 0, ended.stderr
    assert json.loads(log.read_text())["prefetches"] == 4
    assert ended.stderr.startswith("watari: prefetched: 4 prefetches, 0.0")
    options = ("--changes", "prefetched", "--trace", "trace.json", "--styles", "as-is")
    tried = watari("try", "--no-traced", "--runs", "1", *options, *words, cwd=tmp_path)
    assert "; 4 prefetches, " in tried.stdout, tried.stderr


def test_without_a_trace_it_is_left_out(tmp_path):
    words = ("exec", "--prefetched", "--", program(), "written", str(LARGE))
    ended = watari(*words, cwd=tmp_path, code=0)
    assert "watari: prefetched is left out: --from names no trace with kernels" in ended.stderr


def content(**given):
    """A trace with one kernel that faults before it runs."""
    phase = {"name": "0a0b0c0d#0", "gpu_faults": 2, "to_gpu": 8}
    allocation = {"name": "0a0b0c0d#0", "label": "a", "site": "0a0b0c0d", "kind": "managed"}
    kernel = {"name": "add_one", "symbol": "add_one", "touched": [{"allocation": "a"}]}
    return {
        "schema": "watari-trace-1",
        "observed": {
            "allocations": [allocation | given.get("allocation", {})],
            "kernels": [kernel | given.get("kernel", {})],
            "timeline": {
                "phases": [
                    {"kernels": {"add_one": 1}, "allocations": [phase | given.get("phase", {})]}
                ]
            },
        },
    }


@pytest.mark.parametrize(
    ("given", "table"),
    [
        ({}, f"{ADD_ONE}:0a0b0c0d"),
        ({"allocation": {"kind": "device"}}, ""),
        ({"kernel": {"symbol": ""}}, ""),  # of an older trace
        ({"kernel": {"touched": []}}, ""),
        ({"phase": {"gpu_faults": 0}}, ""),  # it was prefetched already
        ({"phase": {"to_gpu": 0}}, ""),
    ],
)
def test_rows_of_the_table(given, table):
    assert advised_changes.table_of("t.json", content(**given)) == table


def test_a_file_that_is_no_trace_is_refused():
    for wrong in ({"observed": None}, {"observed": {}}, {"observed": {"allocations": 3}}):
        with pytest.raises(FileError, match="trace the program again"):
            advised_changes.table_of("t.json", {"schema": "watari-trace-1", **wrong})


@pytest.mark.parametrize("site", ["a\0b", "0a0b0c0d\nx", "0a0b0c0d,zz", "1e+308", "", 5, None])
def test_a_call_site_that_is_no_hash_is_refused(site):
    with pytest.raises(FileError, match="trace the program again"):
        advised_changes.table_of("t.json", content(allocation={"site": site}))
