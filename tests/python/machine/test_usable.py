"""The cores that a process may use."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest

from watari.machine.usable import usable_cores


@pytest.mark.parametrize(
    ("state", "cores"),
    [
        (None, 16),
        ({}, 16),
        ({"allowed_cpus": "0-31"}, 16),  # two threads of each core
        ({"allowed_cpus": "4-7,20"}, 5),
        ({"allowed_cpus": "0-31", "cgroup_cpus": 2.5}, 2),
        ({"allowed_cpus": "3", "cgroup_cpus": 0.5}, 1),
    ],
)
def test_affinity_and_quota_allow_fewer(state: dict[str, Any] | None, cores: int) -> None:
    assert usable_cores({"processors": [{"cores": 16}], "state": state}) == cores


def test_a_run_has_a_thread_for_each_of_its_cpus() -> None:
    program = (
        "from watari.machine import probe; from watari.plan.request import resolve;"
        "asked = resolve('copy', {'processor': 'cpu', 'size': 2**20}, probe.machine())[0];"
        "print(asked.parameters['threads'])"
    )
    cpu = min(os.sched_getaffinity(0))
    words = ["taskset", "-c", str(cpu), sys.executable, "-c", program]
    assert subprocess.check_output(words, text=True).strip() == "1"
