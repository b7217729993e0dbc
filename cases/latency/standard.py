"""Latencies in the standard plan: every cache of each processor, every memory once.

The plan has kinds of memory that the machine lacks too, so that the report states the reason.
"""

from __future__ import annotations

from typing import Any

from watari.case.axes import KINDS, gpus
from watari.case.axis import Machine
from watari.cases.latency.sizes import SMALLEST, beyond_caches, from_caches

Rows = list[dict[str, Any]]


def latencies(machine: Machine) -> Rows:
    """Rows of the plan, which take some ten seconds, mostly to make the cycles of the largest
    arrays."""
    few: dict[str, Any] = {"trials": 2, "samples": 5}
    once = {**few, "trials": 1}
    sizes = from_caches(machine, "cpu")
    pages = ["default", "always", "never"]
    rows: Rows = [
        {**few, "processor": "cpu", "size": sizes[:-1]},
        {**once, "processor": "cpu", "size": sizes[-1], "thp": pages},
    ]
    if not gpus(machine):
        absent = {"processor": "gpu", "memory": "device", "size": SMALLEST, "trials": 1}
        return [*rows, absent]
    others = [kind for kind in KINDS if kind not in ("pageable", "device")]
    size = beyond_caches(machine, {"processor": "gpu"})
    rows += [
        {**few, "processor": "gpu", "size": from_caches(machine, "gpu")[1:]},
        {**once, "processor": "gpu", "memory": others, "size": size},
        {**once, "processor": "cpu", "memory": others, "size": sizes[-1]},
    ]
    if len(gpus(machine)) > 1:
        rows.append({**once, "processor": "gpu", "memory": "device:1", "size": size})
    return rows
