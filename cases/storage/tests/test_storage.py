"""Case storage: every engine moves blocks; the command; a GPU."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from asked import quantities
from command_line import ended
from storage_trials import OPENING, SMALL, STORE, run, trial

from watari import _native
from watari.case import engines as case_engines
from watari.case.engines import FAULTS
from watari.cases.storage import axes as storage_axes
from watari.cases.storage import numbers
from watari.common.errors import BeyondMemoryError, UnsupportedError
from watari.common.units import exact_size
from watari.results import schema

# Trials that succeed


def test_quantities_follow_from_samples(folder: str) -> None:
    result = run(folder=folder, engine="uring", samples=5)
    of = quantities(result)
    assert of["requests_per_s"] == pytest.approx(512 / np.median(result["host_s"]))
    assert of["cpu_s_per_GB"] == pytest.approx(of["cpu_s"] / (of["bytes"] / 1e9))
    assert 0 < of["latency_p50"] <= of["latency_p99"] <= of["latency_p99.9"]
    assert of["latency_p99.9"] <= 1.02 * max(result["host_s"])
    assert not {"gpu_s", "link_bytes"} & of.keys()  # no GPU took part


@pytest.mark.parametrize("direction", ["read", "write"])
@pytest.mark.parametrize("engine", OPENING)
@pytest.mark.parametrize("files", [1, 2])
def test_every_engine_moves_blocks_of_files(
    engine: str, direction: str, files: int, folder: str
) -> None:
    result = run(engine=engine, direction=direction, files=files, folder=folder)
    direct = engine != "mmap"
    assert result["quantities"]["direct"]["value"] == float(direct)
    assert not direct or result["quantities"]["page_cache_growth"]["value"] == 0
    # another engine reads the written data
    run(engine="posix", files=files, folder=folder, pattern="sequential", block="64KiB")


@pytest.mark.parametrize("block", ["512", "4KiB", "1MiB"])
@pytest.mark.parametrize("store", ["ram", "modelled:ten-million"])
@pytest.mark.parametrize("direction", ["read", "write"])
def test_queues_serve_memory_and_models(store: str, block: str, direction: str) -> None:
    requests = min(512, 2**22 // storage_axes.parse_block(block))
    result = run(engine="queue", store=store, block=block, direction=direction, requests=requests)
    assert "direct" not in result["quantities"]
    assert any("modelled" in note for note in result["notes"]) == (store != "ram")


@pytest.mark.parametrize("engine", OPENING)
def test_a_file_in_memory_is_read_from_the_page_cache_and_never_called_direct(engine: str) -> None:
    memory = Path("/dev/shm")
    if not os.access(memory, os.W_OK):
        pytest.skip("no file system in memory")
    folder = memory / f"watari-test-{os.getpid()}"
    try:
        result = run(engine=engine, cache="warm", folder=str(folder))
        assert result["quantities"]["direct"]["value"] == 0
        with pytest.raises(UnsupportedError, match=r"page cache|direct I/O|cache=cold"):
            run(engine=engine, cache="none", folder=str(folder))
    finally:
        (folder / STORE).unlink(missing_ok=True)
        folder.rmdir()


@pytest.mark.parametrize("engine", OPENING)
@pytest.mark.parametrize("requests", [1, 3])
def test_threads_beyond_the_requests_have_nothing_to_do(
    engine: str, requests: int, folder: str
) -> None:
    for direction in ("read", "write"):
        run(engine=engine, folder=folder, threads=4, requests=requests, direction=direction)


def test_requests_per_second_are_what_bandwidth_says_of_two_samples_too() -> None:
    result = run(engine="queue", store="ram", samples=2)
    rates = [512 * 4096 / seconds for seconds in result["host_s"]]
    assert result["quantities"]["requests_per_s"]["value"] * 4096 == pytest.approx(np.median(rates))


def test_a_store_beyond_memory_is_reported_what_helps() -> None:
    with pytest.raises(BeyondMemoryError, match=r"; choose a smaller size$"):
        run(engine="queue", store="ram", size="4096TiB")


def test_every_trial_has_an_order_of_its_own(folder: str) -> None:
    first, second = (run(folder=folder)["quantities"]["seed"]["value"] for _ in range(2))
    assert first != second


# Unsupported requests


@pytest.mark.parametrize("engine", ["posix", "uring", "mmap", "cufile"])
@pytest.mark.parametrize("behind", [{"store": "ram"}, {"fault": "delayed"}])
def test_what_is_behind_queues_alone_says_so(engine: str, behind: dict[str, str]) -> None:
    with pytest.raises(UnsupportedError, match=r"behind queues|GPU"):
        run(engine=engine, **behind)


@pytest.mark.parametrize("engine", ["gpu", "cufile"])
def test_engines_of_a_gpu_are_unsupported_without_one(engine: str) -> None:
    if _native.gpus()["gpus"]:
        pytest.skip("there is a GPU")
    result = trial(engine=engine)
    assert result["status"] == "unsupported"
    assert "GPU" in result["error"] or "CUDA" in result["error"]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"engine": "mmap", "cache": "none"}, "mmap goes through the page cache"),
        ({"engine": "queue", "store": "ram", "cache": "warm"}, "has no page cache"),
        ({"engine": "queue", "store": "ram", "files": "2"}, "is in one piece"),
        ({"engine": "gpu", "processor": "cpu"}, "engine=queue"),
    ],
)
def test_what_cannot_be_is_unsupported(given: dict[str, str], says: str) -> None:
    with pytest.raises(UnsupportedError, match=says):
        run(**given)


# The command


def test_a_result_file_is_valid_and_can_be_resumed(
    folder: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, axes = tmp_path / "r.json", {**SMALL, "folder": folder, "trials": 2}
    engines = ",".join(case_engines.FILE_ENGINES)
    words = ["storage", f"engine={engines}", *(f"{k}={v}" for k, v in axes.items())]
    assert ended("run", *words, "-o", str(file)) == 0
    output = capsys.readouterr().out
    assert all(column in output for column in numbers.COLUMNS)
    check_against_schema(file)
    whole = json.loads(file.read_text())
    assert {c["status"] for c in whole["cases"]} <= {"ok", "unsupported"}

    cut = json.loads(file.read_text())
    del cut["cases"][0]["trials"][1]
    file.write_text(json.dumps(cut))
    assert ended("run", *words, "--resume", str(file)) == 0
    again = json.loads(file.read_text())
    assert again["cases"][0]["trials"][0] == whole["cases"][0]["trials"][0]
    assert len(again["cases"][0]["trials"]) == 2
    assert again["cases"][1:] == whole["cases"][1:]


def check_against_schema(file: Path) -> None:
    """Validates a file by the program, and by the published schema."""
    read = schema.read(file)
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.validate(read.as_dict(), schema.json_schema())


# On a GPU


@pytest.mark.gpu
class TestOnAGpu:
    @pytest.mark.parametrize("engine", ["posix", "uring", "mmap", "cufile", "gpu"])
    @pytest.mark.parametrize("block", ["4KiB", "64KiB"])
    def test_reads_come_to_the_gpus_memory(self, engine: str, block: str, folder: str) -> None:
        try:
            result = run(engine=engine, processor="gpu", block=block, folder=folder, requests=64)
        except UnsupportedError as error:
            if engine not in ("cufile", "uring"):
                raise
            pytest.skip(str(error))
        self.check(result, engine)

    @pytest.mark.parametrize("engine", ["posix", "uring", "mmap", "cufile", "gpu"])
    def test_writes_leave_the_gpus_memory(self, engine: str, folder: str) -> None:
        try:
            result = run(engine=engine, processor="gpu", direction="write", folder=folder)
        except UnsupportedError as error:
            if engine != "cufile":
                raise
            pytest.skip(str(error))
        self.check(result, engine)

    @pytest.mark.parametrize("store", ["ram", "modelled:kioxia-cm6-v"])
    @pytest.mark.parametrize("block", ["512", "4KiB", "64KiB"])
    @pytest.mark.parametrize("direction", ["read", "write"])
    def test_gpu_threads_serve_themselves(self, store: str, block: str, direction: str) -> None:
        size = exact_size(2**26)
        result = run(engine="gpu", store=store, block=block, direction=direction, size=size)
        self.check(result, "gpu")

    @pytest.mark.parametrize("fault", [f for f in FAULTS if f not in ("none", "late-data")])
    def test_a_fault_is_survived(self, fault: str) -> None:
        run(engine="gpu", store="ram", fault=fault, requests=4096)

    @staticmethod
    def check(result: dict[str, Any], engine: str) -> None:
        of = quantities(result)
        entries = 80 if engine == "gpu" else 0
        requests = sum(result["histograms"]["latency"]["count"])
        assert of["link_bytes"] == of["bytes"] + entries * requests
        if engine == "cufile":
            assert "gpu_s" not in of  # cuFile reports no GPU time
        else:
            assert 0 < of["gpu_s"] <= sum(result["host_s"])
            assert of["gpu_s_per_GB"] == pytest.approx(of["gpu_s"] / (of["bytes"] / 1e9))
