"""`near`, staged copies and bound memory on a machine with three NUMA nodes, one without CPUs."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping

import numa_machine
import pytest
from staging import folder, library
from tried import built, driver

pytestmark = pytest.mark.skipif(bool(numa_machine.missing()), reason=numa_machine.missing())

CPUS = ("0-9", "10-19")  # of the nodes that have some
PROGRAM = str(folder() / "ends")
WATARI = [sys.executable, "-m", "watari"]
NEAR = [*WATARI, "exec", "--near", "--"]
RANKS = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", "2"]
GPUS = {**driver(), "FAKE_CUDA_DEVICES": "2", "FAKE_CUDA_BUS": ",".join(numa_machine.GPUS)}
STAGED = {**GPUS, "LD_PRELOAD": str(library(2**20)), "WATARI_CHANGES": "staged"}
SHOWN = "import pathlib, sys; print(pathlib.Path('/proc/self/numa_maps').read_text().split()[1])"
COPY = "run copy processor=cpu memory=pageable size=1MiB trials=1 samples=2 numa=0,1,2,3"
TESTS = [str(built().parent / "cpp/watari_tests"), "--gtest_filter=Host.*:topology.*"]
GPU_1 = {**GPUS, "CUDA_VISIBLE_DEVICES": "1"}

COMMANDS: Mapping[str, tuple[list[str], Mapping[str, str]]] = {
    "either GPU": ([*NEAR, PROGRAM, "where"], GPUS),
    "GPU 0": ([*NEAR, PROGRAM, "where"], {**GPUS, "CUDA_VISIBLE_DEVICES": "0"}),
    "GPU 1": ([*NEAR, PROGRAM, "where"], GPU_1),
    "memory near GPU 1": ([*NEAR, sys.executable, "-c", SHOWN], GPU_1),
    "some CPUs": (["taskset", "-c", "0,12", *NEAR, PROGRAM, "where"], GPU_1),
    "other CPUs": (["taskset", "-c", "0", *NEAR, PROGRAM, "where"], GPU_1),
    "two ranks": ([*RANKS, *NEAR, PROGRAM, "where"], GPUS),
    "staged": ([PROGRAM, "copy", "96", "where"], STAGED),
    "copy": (["sh", "-c", f"{' '.join(WATARI)} {COPY} -o run.json >&2; cat run.json"], {}),
    "tests": (TESTS, {}),
}


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, str]]:
    """What each command printed."""
    return numa_machine.outputs(tmp_path_factory.mktemp("numa"), COMMANDS)


def cpus(output: str) -> list[str]:
    """The CPUs of each thread."""
    return re.findall(r"^cpus (\S+)$", output, re.MULTILINE)


@pytest.mark.parametrize(
    ("name", "of_threads"),
    [("GPU 0", CPUS[:1]), ("GPU 1", CPUS[1:]), ("some CPUs", ["12"]), ("two ranks", CPUS)],
)
def test_near_is_the_node_of_the_gpu(said, name, of_threads):
    output, errors = said[name]
    assert sorted(cpus(output)) == list(of_threads), errors
    assert errors == ""


@pytest.mark.parametrize(
    ("name", "of_threads", "why"),
    [
        ("either GPU", "0-19", "its GPUs are next to several NUMA nodes"),
        ("other CPUs", "0", "no CPU of NUMA node 1"),
    ],
)
def test_near_is_left_out_with_its_reason(said, name, of_threads, why):
    output, errors = said[name]
    assert cpus(output) == [of_threads]
    assert errors.startswith(f"watari: near is left out: {why}")


def test_memory_near_a_gpu_prefers_its_node(said):
    assert re.fullmatch(r"prefer[:=]1\n", said["memory near GPU 1"][0])


def test_threads_and_slots_of_staged_copies_are_next_to_the_gpu(said):
    output, errors = said["staged"]
    assert output.startswith("same\n"), errors
    assert sorted(cpus(output)) == ["0-19"] + [CPUS[0]] * 8
    assert re.findall(r"^memory (\S+) .*N0=4096", output, re.MULTILINE) == ["prefer:0"]


def test_memory_is_bound_to_each_node_that_exists(said):
    run = json.loads(said["copy"][0])
    assert [case["status"] for case in run["cases"]] == ["ok"] * 3 + ["unsupported"]
    output, errors = said["tests"]
    assert "[  PASSED  ]" in output, output + errors
