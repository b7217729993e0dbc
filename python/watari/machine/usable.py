"""The cores of a machine that a process may use: a batch system or a container may allow fewer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from watari.machine.record import cpu_numbers


def usable_cores(machine: Mapping[str, Any]) -> int:
    """The cores of the CPU, at most one for each CPU that the affinity of the process and the quota
    of its control group allow."""
    state = machine.get("state") or {}
    found = int(machine["processors"][0]["cores"])
    if allowed := state.get("allowed_cpus"):
        found = min(found, len(cpu_numbers(allowed)))
    if quota := state.get("cgroup_cpus"):
        found = min(found, int(quota))
    return max(found, 1)
