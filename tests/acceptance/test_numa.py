"""`near`, staged copies and bound memory on a machine with three NUMA nodes, one without CPUs."""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Mapping

import numa_machine
import pytest
from shared import for_all_workers
from staging import folder, library
from tried import built, driver

pytestmark = pytest.mark.skipif(bool(numa_machine.missing()), reason=numa_machine.missing())

CPUS = ("0-9", "10-19")  # of the nodes that have some
BYTES = 2**20
WATARI = [sys.executable, "-m", "watari"]
NEAR = [*WATARI, "exec", "--near", "--"]
RANKS = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", "2"]
SHOWN = "import pathlib; print(pathlib.Path('/proc/self/numa_maps').read_text().split()[1])"
COPY = f"run copy processor=cpu memory=pageable size={BYTES} trials=1 samples=2 numa=0,1,2,3"


def commands() -> Mapping[str, tuple[list[str], Mapping[str, str]]]:
    """What the machine runs: words and variables."""
    gpus = {
        "LD_LIBRARY_PATH": driver()["LD_LIBRARY_PATH"],
        "FAKE_CUDA_DEVICES": "2",
        "FAKE_CUDA_BUS": ",".join(numa_machine.GPUS),
    }
    gpu_1 = {**gpus, "CUDA_VISIBLE_DEVICES": "1"}
    staged = {**gpus, "LD_PRELOAD": str(library(2**20)), "WATARI_CHANGES": "staged"}
    where = [str(folder() / "ends"), "where"]
    policy = [sys.executable, "-c", SHOWN]
    return {
        "either GPU": ([*NEAR, *where], gpus),
        "GPU 0": ([*NEAR, *where], {**gpus, "CUDA_VISIBLE_DEVICES": "0"}),
        "GPU 1": ([*NEAR, *where], gpu_1),
        "some CPUs": (["taskset", "-c", "0,12", *NEAR, *where], gpu_1),
        "other CPUs": (["taskset", "-c", "0", *NEAR, *where], gpu_1),
        "two ranks": ([*RANKS, *NEAR, *where], gpus),
        "policy": ([*NEAR, *policy], gpu_1),
        "bound to it": (["numactl", "--membind=1,2", *NEAR, *policy], gpu_1),
        "bound elsewhere": (["numactl", "--membind=0", *NEAR, *policy], gpu_1),
        "staged": ([where[0], "copy", "96", "where"], staged),
        "copy": (["sh", "-c", f"{' '.join(WATARI)} {COPY} -o run.json >&2; cat run.json"], {}),
        "topology": ([str(built().parent / "cpp/watari_tests"), "--gtest_filter=topology.*"], {}),
    }


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, str]]:
    """What each command printed, on standard output and standard error."""
    with for_all_workers(tmp_path_factory, "numa") as place:
        found = place / "outputs.json"
        if not found.exists():
            found.write_text(json.dumps(numa_machine.outputs(place, commands())))
        return {name: (out, err) for name, (out, err) in json.loads(found.read_text()).items()}


def cpus(output: str) -> list[str]:
    """The CPUs of each thread."""
    return re.findall(r"^cpus (\S+)$", output, re.MULTILINE)


@pytest.mark.parametrize(
    ("name", "of_threads"),
    [("GPU 0", CPUS[:1]), ("GPU 1", CPUS[1:]), ("some CPUs", ["12"]), ("two ranks", CPUS)],
)
def test_near_is_the_node_of_the_gpu(said, name, of_threads):
    if name == "two ranks" and not shutil.which("mpirun"):
        pytest.skip("no mpirun")
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


@pytest.mark.parametrize(
    ("name", "policy", "why"),
    [
        ("policy", r"prefer[:=]1", ""),
        ("bound to it", r"bind[:=]1-2", ""),
        ("bound elsewhere", r"bind[:=]0", "near is left out: the memory policy of this process"),
    ],
)
def test_memory_comes_from_the_node_or_as_a_launcher_chose(said, name, policy, why):
    if name != "policy" and not shutil.which("numactl"):
        pytest.skip("no numactl")
    output, errors = said[name]
    assert re.fullmatch(policy + "\n", output), errors
    assert why in errors
    assert bool(why) == bool(errors)


def test_threads_and_slots_of_staged_copies_are_next_to_the_gpu(said):
    output, errors = said["staged"]
    assert output.startswith("same\n"), errors
    assert sorted(cpus(output)) == ["0-19"] + [CPUS[0]] * 8
    assert re.findall(r"^memory (\S+) .*N0=4096", output, re.MULTILINE) == ["prefer:0"]


def test_memory_is_on_the_node_that_was_asked_for(said):
    output, errors = said["copy"]
    *there, missing = json.loads(output)["cases"] if output else pytest.fail(errors)
    assert missing["status"] == "unsupported"
    for node, case in enumerate(there):
        assert case["status"] == "ok"
        for pages in case["trials"][0]["residency_after"].values():
            assert pages["nodes"] == {str(node): BYTES}
    assert len(there) == 3


def test_all_nodes_are_found(said):
    output, errors = said["topology"]
    if not output and "No such file" in errors:
        pytest.skip("no libgtest-dev")
    assert "[  FAILED  ]" not in output
    assert re.search(r"\[  PASSED  \] [1-9]", output)
