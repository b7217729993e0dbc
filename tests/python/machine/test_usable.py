"""The CPUs and cores that a process may use."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from watari.machine import cpus
from watari.machine.usable import usable_cores

BOUND = {**os.environ, "OMP_PLACES": "cores", "OMP_PROC_BIND": "close"}
SEVERAL = pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="one CPU")


@pytest.mark.parametrize(
    ("state", "cores"),
    [
        (None, 16),
        ({}, 16),
        ({"allowed_cores": 16}, 16),
        ({"allowed_cores": 5}, 5),
        ({"allowed_cores": 16, "cgroup_cpus": 2.5}, 2),
        ({"allowed_cores": 1, "cgroup_cpus": 0.5}, 1),
    ],
)
def test_affinity_and_quota_allow_fewer(state: dict[str, Any] | None, cores: int) -> None:
    assert usable_cores({"processors": [{"cores": 16}], "state": state}) == cores


def test_hardware_threads_of_a_core_are_one_core() -> None:
    def text(path: str) -> str | None:
        cpu = int(path.split("cpu")[-1].split("/")[0])
        return None if cpu == 40 else f"{cpu % 16},{cpu % 16 + 16}"

    assert cpus.cores([0, 1, 16, 40], text) == [[0, 16], [1], [40]]
    assert cpus.listed([3, 0, 1, 2, 8, 10, 11]) == "0-3,8,10-11"
    assert cpus.listed([]) == ""
    assert cpus.numbers("0-3, 8,10-11\n") == cpus.numbers([3, 0, 1, 2, 8, 10, 11])
    assert cpus.numbers("") == set()


@pytest.mark.parametrize(
    "given", ["3-1", "0-1-2", "-1", "1-", "a", "1_0", "65536", "9" * 5000, [-1]]
)
def test_other_lists_of_cpus_are_refused(given: str | list[int]) -> None:
    with pytest.raises(ValueError, match="CPUs are numbers below 65536, as in 0-3,8"):
        cpus.numbers(given)


def test_a_run_has_a_thread_for_each_of_its_cores() -> None:
    program = (
        "from watari.machine import probe; from watari.plan.request import resolve;"
        "asked = resolve('copy', {'processor': 'cpu', 'size': 2**20}, probe.machine())[0];"
        "print(asked.parameters['threads'])"
    )
    cpu = min(os.sched_getaffinity(0))
    words = [sys.executable, "-c", program]
    assert subprocess.check_output(["taskset", "-c", str(cpu), *words], text=True).strip() == "1"
    every = str(len(cpus.cores(os.sched_getaffinity(0))))
    assert subprocess.check_output(words, text=True, env=BOUND).strip() == every


@SEVERAL
def test_the_binding_of_openmp_is_undone() -> None:
    program = (
        "import json, os, watari; from watari import _native; from watari.machine import cpus;"
        "own = lambda: sorted(os.sched_getaffinity(0)); bound = own(); cpus.unbind();"
        "print(json.dumps([bound, sorted(cpus.allowed()), own()]))"
    )
    said = subprocess.check_output([sys.executable, "-c", program], env=BOUND)
    bound, allowed, after = json.loads(said)
    assert len(bound) < len(os.sched_getaffinity(0))  # else there is nothing to undo
    assert allowed == after == sorted(os.sched_getaffinity(0))


@SEVERAL
def test_a_program_that_is_tried_keeps_its_cpus(tmp_path: Path) -> None:
    told = tmp_path / "told"
    words = ["try", "--", "/bin/sh", "-c", f"grep Cpus_allowed_list /proc/self/status > {told}"]
    subprocess.run([sys.executable, "-m", "watari", *words], env=BOUND, capture_output=True)
    assert told.read_text().split()[1] == cpus.listed(os.sched_getaffinity(0))
