"""The cores of a machine that a process may use: a batch system or a container may allow fewer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def usable_cores(machine: Mapping[str, Any]) -> int:
    """The cores of the CPU that the affinity of the process and the quota of its control group
    allow."""
    state = machine.get("state") or {}
    cores, allowed = int(machine["processors"][0]["cores"]), state.get("allowed_cores")
    quota = state.get("cgroup_cpus")
    limits = [int(limit) for limit in (allowed, quota) if limit]
    return max(1, min(cores, *limits) if limits else cores)
