"""Workloads of case storage: traces, the KV cache, checkpoints."""

from __future__ import annotations

import shutil
import subprocess
from itertools import pairwise
from pathlib import Path
from typing import Any

import asked
import numpy as np
import pytest
from asked import quantities
from command_line import refused
from hypothesis import given
from hypothesis import strategies as st
from storage_trials import OPENING, request, run

from watari import cases
from watari.cases.storage import checkpoint, kv_cache, traces, workload
from watari.cases.storage.requests import Requests
from watari.common.errors import FileError, UsageError

V2 = """fio version 2 iolog
a add
b add
a open
a read 0 4096
b write 8192 8192
a wait 100 0
a read 1052672 4096
a close
"""
V3 = """fio version 3 iolog
1 a add
10 a read 0 4096
1500010 b write 8192 8192
3000010 a read 1052672 4096
"""
CSV = """offset, bytes, kind, time
1052672, 4096, read, 3
0, 4096, r, 0
2105344, 8192, write, 1.5
"""


def trace(tmp_path: Path, content: str, name: str = "t.csv") -> str:
    (tmp_path / name).write_text(content)
    return f"trace:{tmp_path / name}"


# Traces


@pytest.mark.parametrize("content", [V2, V3, CSV, "\ufeff" + CSV])
def test_three_forms_of_a_trace_are_the_same_requests(content: str, tmp_path: Path) -> None:
    path = tmp_path / "trace"
    path.write_text(content)
    found = traces.load(str(path))
    # file b lies behind file a, from a whole MiB on
    assert found.offset.tolist() == [0, 2**21 + 8192, 1052672]
    assert found.bytes.tolist() == [4096, 8192, 4096]
    assert found.writes.tolist() == [False, True, False]
    if content != V2:
        assert found.seconds is not None
        assert found.seconds.tolist() == pytest.approx([0, 1.5, 3])


@pytest.mark.skipif(shutil.which("fio") is None, reason="fio is not installed")
def test_a_log_that_fio_wrote_has_its_requests(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.write_bytes(bytes(2**20))
    words = ["--name=a", f"--filename={data}", "--rw=randrw", "--bs=8k", "--ioengine=psync"]
    log = tmp_path / "log"
    subprocess.run(
        ["fio", *words, "--size=1m", f"--write_iolog={log}", f"--output={tmp_path / 'out'}"],
        check=True,
        timeout=120,
    )
    found = traces.load(str(log))
    assert sorted(found.offset.tolist()) == list(range(0, 2**20, 8192))
    assert set(found.bytes.tolist()) == {8192}
    assert 0 < found.writes.sum() < 128
    assert found.seconds is not None
    assert found.seconds.max() < 120


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "no trace"),
        ("a,b\n1,2\n", "no trace"),
        ("fio version 1 iolog\n", "no trace"),
        ("offset,bytes\n", "without reads and writes"),
        ("offset,bytes\n1,x\n", "line 2 is no request"),
        ("offset,bytes\n1,0\n", "line 2 is no request"),
        ("offset,bytes\n-1,4\n", "line 2 is no request"),
        ("offset,bytes\n1,4611686018427387904\n", "line 2 is no request"),
        ("offset,bytes,kind\n1,4,append\n", "line 2 is no request"),
        ("offset,bytes,kind,time\n1,4,read,nan\n", "line 2 is no request"),
        ("fio version 2 iolog\na read 5\n", "line 2 is no action"),
        ("fio version 3 iolog\na read 5 5\n", "line 2 is no action"),
    ],
)
def test_what_is_no_trace_is_refused_in_a_line(content: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "trace"
    path.write_text(content)
    with pytest.raises(FileError, match=rf"^.*{says}.*\Z"):
        traces.load(str(path))


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"size": "1MiB"}, "ends at byte 2113536, beyond the store of size=1MiB"),
        ({"pattern": "trace:none.csv", "size": "1MiB"}, "cannot be read"),
    ],
)
def test_a_trace_beyond_the_store_is_refused_with_2(
    parameters: dict[str, str], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = {"pattern": trace(tmp_path, CSV), "folder": str(tmp_path), "trials": "1", **parameters}
    words = [f"{name}={value}" for name, value in given.items()]
    assert says in refused(capsys, "run", "storage", *words)


def test_a_trace_without_the_direction_is_refused(tmp_path: Path) -> None:
    writes = request(pattern=trace(tmp_path, "offset,bytes\n0,512\n"), direction="write")
    with pytest.raises(UsageError, match="has no writes"):
        cases.CASES["storage"].require_files(writes.parameters)


def test_a_trace_sets_the_size_of_the_store_and_of_a_block(tmp_path: Path) -> None:
    pattern = trace(tmp_path, CSV)
    parameters = asked.request("storage", pattern=pattern).parameters
    assert (parameters["size"], parameters["block"]) == (3 * 2**20, 4096)
    gone = asked.request("storage", pattern=pattern + "x").parameters
    assert (gone["size"], gone["block"]) == (2**30, 4096)  # a result is read elsewhere


def test_the_trial_says_how_much_of_a_trace_was_asked_for(tmp_path: Path) -> None:
    pattern = trace(tmp_path, CSV)
    seen = quantities(run(pattern=pattern, block="8KiB", requests=4))
    assert seen["asked_share"] == 0.5  # two reads of 4 KiB in blocks of 8 KiB
    assert seen["reuse"] == 0
    assert seen["trace_s"] == 3


# Blocks


@given(
    st.lists(st.tuples(st.integers(0, 10**6), st.integers(1, 10**5)), min_size=1, max_size=30),
    st.sampled_from([512, 4096, 2**20]),
)
def test_a_request_is_the_blocks_that_it_covers(asked: list[tuple[int, int]], block: int) -> None:
    offset, size = (np.array(column, dtype=np.int64) for column in zip(*asked, strict=True))
    requests = Requests(offset, size, np.zeros(len(asked), np.bool_))
    expected = [
        number
        for first, count in asked
        for number in range(first // block, (first + count - 1) // block + 1)
    ]
    assert requests.blocks(block).tolist() == expected
    assert requests.covered(block) == len(expected)
    assert requests.end == max(first + count for first, count in asked)


# Generated workloads


def test_the_kv_cache_loads_only_what_was_stored_layer_by_layer() -> None:
    size = 2**28
    found = kv_cache.made(size)
    assert kv_cache.PAGE == 2**16
    assert kv_cache.CHUNK == 2**21
    assert found.end <= size
    prompts = set(range(128 // 16 // 4 * 4 * 32))  # pages of shared prompts, stored before
    there = set(prompts)
    for page, writes in zip((found.offset // kv_cache.PAGE).tolist(), found.writes, strict=True):
        if writes:
            there.add(page)
        assert page in there
    reads = found.only("read").blocks(kv_cache.PAGE)
    assert len(np.unique(reads)) < len(reads) / 2  # loaded again and again
    layers = reads.astype(np.int64) % kv_cache.LAYERS
    steps = np.diff(layers)
    assert np.isin(steps, (0, 1, -31)).all()  # a turn goes through the layers in order
    assert (kv_cache.made(size).offset == found.offset).all()


@pytest.mark.parametrize("chunks", [4, 5, 8, 17, 64])
def test_a_kv_cache_of_any_size_fits(chunks: int) -> None:
    found = kv_cache.made(chunks * kv_cache.CHUNK)
    assert found.end <= chunks * kv_cache.CHUNK
    assert found.writes.any()


def test_a_checkpoint_has_the_tensors_of_a_model_of_seven_billion_parameters() -> None:
    # the number of parameters that the model's authors publish
    assert sum(checkpoint.tensors().values()) == 2 * 6_738_415_616
    assert len(checkpoint.tensors()) == 3 + 32 * 9


@pytest.mark.parametrize("size", [2**20, 10**8 // 512 * 512, 2**30])
def test_tensors_of_a_checkpoint_fill_the_file_without_overlap(size: int) -> None:
    found = checkpoint.made(size)
    save = found.only("write")
    assert save.offset[0] == 0
    for (first, count), (following, _) in pairwise(zip(save.offset, save.bytes, strict=True)):
        assert first + count == following
    assert 0.7 * size < found.end <= size
    load = found.only("read")
    assert sorted(load.offset.tolist()) == save.offset.tolist()
    assert (np.diff(load.offset) < 0).any()  # layer 2 lies behind layer 19


@pytest.mark.parametrize(("pattern", "size"), [("kv-cache", "4MiB"), ("checkpoint", "64KiB")])
def test_a_store_that_is_too_small_is_refused(pattern: str, size: str) -> None:
    small = request(pattern=pattern, size=size, block="4KiB")
    with pytest.raises(UsageError, match=f"pattern={pattern} needs size="):
        cases.CASES["storage"].require_files(small.parameters)


# Engines


@pytest.mark.parametrize("direction", ["read", "write"])
@pytest.mark.parametrize("engine", OPENING)
@pytest.mark.parametrize("pattern", ["kv-cache", "checkpoint", "trace"])
def test_every_engine_replays_every_workload(
    pattern: str, engine: str, direction: str, tmp_path: Path
) -> None:
    given: dict[str, Any] = {"engine": engine, "direction": direction, "folder": str(tmp_path)}
    if pattern == "trace":
        pattern = trace(tmp_path, CSV)
    result = run(**given, pattern=pattern, size="16MiB", requests=64)
    assert 0 < quantities(result)["asked_share"] <= 1


def test_blocks_of_a_trial_are_those_of_the_trace_in_order() -> None:
    """A block beyond the store is refused by the compiled part, so that it has the list."""
    from watari.case.native import module

    eight = request(engine="queue", store="ram", size="1MiB", requests=8)
    given = {**eight.parameters, "seed": 1, "folder": "", "trace": np.array([0, 256], np.uint64)}
    for name in ("ranks", "file", "loop"):
        given.pop(name, None)
    with pytest.raises(UsageError, match="a block beyond the store"):
        module("watari.cases.storage").storage(given)


def test_words_of_patterns() -> None:
    assert workload.parse("trace:a.csv") == "trace:a.csv"
    for text in ("trace:", "kv", "trace", "trace:a\nb"):
        with pytest.raises(UsageError):
            workload.parse(text)
