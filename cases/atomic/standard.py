"""Shared counters in the standard plan: each contention once a processor, then one counter by both
processors at once, in every memory that both address."""

from __future__ import annotations

from typing import Any

from watari.case.axes import gpus
from watari.case.axis import Machine

Rows = list[dict[str, Any]]
SPREAD = ["counter", "histogram", "none"]


def updates(machine: Machine) -> Rows:
    """Rows of the plan, which take some seconds."""
    few: dict[str, Any] = {"trials": 2, "samples": 5, "updates": 2**20}
    rows: Rows = [{**few, "processor": "cpu", "contention": SPREAD}]
    if not gpus(machine):
        absent = {"processor": "gpu", "together": True, "updates": 1024, "trials": 1}
        return [*rows, {**absent, "memory": ["managed", "system"]}]
    gpu = {**few, "processor": "gpu", "contention": SPREAD}
    shared = ["pinned", "managed", "system"]
    both = {"processor": "gpu", "together": True, "updates": 2**12, "samples": 5, "trials": 2}
    return [*rows, gpu, {**both, "memory": shared}]
