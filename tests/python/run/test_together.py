"""Several processes that measure at once: they begin each sample together, the slowest counts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from launching import HANGS

from watari.case.profile import Allocation
from watari.cases import CASES
from watari.common.errors import UsageError
from watari.machine import cpus, probe
from watari.model.profiles import beside
from watari.model.walk import Traits
from watari.plan.request import resolve
from watari.results.measured import Measured
from watari.run import launch, together, worker
from watari.run.launcher import Launcher

MIB = 2**20


def request(processes: int, **more: Any) -> Any:
    given = {"processor": "cpu", "size": MIB, "samples": 4, "processes": processes, "trials": 1}
    return resolve("copy", given | more, probe.machine())[0]


def of(host: list[float], **more: Any) -> dict[str, Any]:
    trial = {"status": "ok", "host_s": host, "bytes_per_sample": 8, "flops_per_sample": 0}
    return {**trial, "verified": True, "quantities": {}} | more


def test_the_clock_of_a_gpu_that_serves_others_too_does_not_count() -> None:
    shared = {**of([1.0, 5.0]), "device_s": [0.5, 0.5]}
    assert "device_s" not in together.slowest([shared, shared])
    assert together.slowest([shared])["device_s"] == [0.5, 0.5]


def test_the_slowest_counts_and_the_bytes_of_all() -> None:
    joined = together.slowest([of([1.0, 5.0]), of([2.0, 3.0])])
    assert joined["host_s"] == [2.0, 5.0]
    assert joined["bytes_per_sample"] == 16
    assert joined["verified"] is True
    assert together.slowest([of([1.0]), of([1.0], verified=False)])["verified"] is False


@pytest.mark.parametrize("processes", [2, 3])
def test_processes_measure_at_once(processes: int, tmp_path: Path) -> None:
    asked = request(processes)
    trial = launch.trial(asked, Launcher(), HANGS, tmp_path)
    assert trial["status"] == "ok", trial
    assert trial["verified"]
    assert len(trial["host_s"]) == 4
    assert trial["bytes_per_sample"] == processes * 2 * MIB
    assert list(tmp_path.iterdir()) == []


def test_on_several_gpus_each_process_uses_one_in_turn_and_its_memory() -> None:
    given = {"processor": "gpu", "from": "pinned", "to": "device", "numa": "gpu"}
    asked = [together.of_process({**given, "processes": 4, "gpus": 2}, n) for n in range(4)]
    assert [p["processor"] for p in asked] == ["gpu", "gpu:1", "gpu", "gpu:1"]
    assert [p["to"] for p in asked] == ["device", "device:1", "device", "device:1"]
    assert {(p["from"], p["numa"], p["processes"]) for p in asked} == {("pinned", "gpu", 1)}


def test_each_link_of_several_gpus_has_its_part_of_the_limit() -> None:
    def transfers(**more: int) -> int:
        given = {"processor": "gpu", "from": "pinned", "to": "device", "processes": 4} | more
        profile = CASES["copy"].profile(request(4).parameters | given)
        assert profile.bytes_per_sample == 4 * MIB
        return profile.phases[0].transfers[0].bytes

    assert transfers(gpus=4) == MIB
    assert transfers(gpus=1) == 4 * MIB


def test_gpus_that_processes_cannot_share_equally_are_refused() -> None:
    with pytest.raises(UsageError, match="multiple"):
        CASES["copy"].require_sense(request(3).parameters | {"processor": "gpu", "gpus": 2})
    with pytest.raises(UsageError, match="processor=gpu"):
        CASES["copy"].require_sense(request(2).parameters | {"gpus": 2})


def test_a_time_limit_ends_all_of_them_and_leaves_nothing(tmp_path: Path) -> None:
    asked = request(2, samples=10**6, size=64 * MIB)
    trial = launch.trial(asked, Launcher(), 4, tmp_path)
    assert trial["status"] == "failed"
    assert "time limit" in trial["error"]
    assert list(tmp_path.iterdir()) == []
    left = [p for p in Path("/proc").glob("[0-9]*/cmdline") if str(tmp_path) in read(p)]
    assert left == []


def read(path: Path) -> str:
    with suppress(OSError):
        return path.read_text(errors="replace")
    return ""


SHARES = """
import json, sys
from watari.run import together, worker

def told(case, parameters, shares, folder):
    print(json.dumps([sorted(share) for share in shares]))
    return {"status": "ok"}

together.run = told
worker.run("copy", json.loads(sys.argv[1]))
"""


def test_each_has_cores_of_its_own(tmp_path: Path) -> None:
    """OpenMP binds the first thread of a process to one core, as soon as it is loaded."""
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("one CPU")
    words = [sys.executable, "-c", SHARES, json.dumps(request(2).parameters)]
    bound = {**os.environ, "OMP_PLACES": "cores", "OMP_PROC_BIND": "close"}
    one, other = json.loads(subprocess.check_output(words, env=bound))
    assert sorted(one + other) == sorted(os.sched_getaffinity(0))


def test_one_that_ends_early_ends_the_others(tmp_path: Path) -> None:
    """The others would wait at the barrier for ever."""
    parameters = request(2).parameters
    by_core = cpus.cores(os.sched_getaffinity(0))
    shares = [worker.own_cpus(by_core, n, 2) for n in range(2)]
    children = together.started("copy", {**parameters, "samples": 10**6}, tmp_path, shares)
    children[0].kill()
    (trial,) = together.waited_for(children, tmp_path)
    assert trial["status"] == "failed"
    assert "ended with -9" in trial["error"]
    assert all(child.poll() is not None for child in children)


def test_what_the_machine_lacks_is_unsupported_with_its_reason(tmp_path: Path) -> None:
    if any(p["kind"] == "gpu" for p in probe.machine()["processors"]):
        pytest.skip("there is a GPU")
    asked = request(2, processor="gpu", **{"from": "pinned", "to": "device"})
    trial = launch.trial(asked, Launcher(), HANGS, tmp_path)
    assert trial["status"] == "unsupported"
    assert "GPU" in trial["error"]


def measured(processes: int, seconds: float) -> Measured:
    parameters = request(processes).parameters
    trial = {"host_s": [seconds] * 4, "quantities": {}, "series": {}, "ranks": 1}
    machine = probe.machine()
    return Measured(
        "run", machine, "copy", parameters, "ok", "", [], [trial], 1, 2 * MIB * processes, 0, 0
    )


def test_contention_is_the_seconds_of_each_over_those_of_one_alone() -> None:
    found = beside.contention([measured(1, 1.0), measured(2, 1.8)], Traits())
    assert [(row.key, row.processes, row.factor) for row in found] == [("pass cpu", 2, 1.8)]
    assert beside.contention([measured(2, 1.8)], Traits()) == []


def test_only_a_process_alone_is_a_program_of_the_model() -> None:
    from watari.cases import CASES

    profiles = [CASES["copy"].profile(request(n).parameters) for n in (1, 2)]
    assert all(isinstance(a, Allocation) for a in profiles[0].allocations)
    assert profiles[1].allocations == ()
    assert profiles[1].bytes == 2 * profiles[0].bytes
    assert profiles[1].memory == 2 * profiles[0].memory


@pytest.mark.gpu
def test_two_on_a_gpu_are_no_faster_than_one(tmp_path: Path) -> None:
    """A GPU serves its processes in turn: the time that one waits for the other counts."""
    path = {"processor": "gpu", "memory": "device", "means": "kernel", "size": 256 * MIB}
    rates = []
    for processes in (1, 2):
        given = {**path, "processes": processes, "trials": 1, "samples": 20}
        asked = resolve("copy", given, probe.machine())[0]
        trial = launch.trial(asked, Launcher(), HANGS, tmp_path)
        assert trial["status"] == "ok", trial
        rates.append(trial["bytes_per_sample"] / sorted(trial["host_s"])[10])
    assert rates[1] < 1.1 * rates[0]
