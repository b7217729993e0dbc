"""Gathers in the standard plan: a line and a page in each processor's own memory, and a GPU's reads
of memory on the side of the CPU."""

from __future__ import annotations

from typing import Any

from watari.case.axes import default_size, gpus
from watari.case.axis import Machine

Rows = list[dict[str, Any]]
ELEMENTS = [8, 64, 4096]  # bytes: less than a line, a line, a page
SMALL = 2**16


def gathers(machine: Machine) -> Rows:
    """Rows of the plan, which take some seconds."""
    size = min(2**28, default_size(machine, {}))
    few: dict[str, Any] = {"size": size, "trials": 2, "samples": 5}
    rows: Rows = [{**few, "processor": "cpu", "element": ELEMENTS}]
    if not gpus(machine):
        return [*rows, {"processor": "gpu", "memory": "device", "size": SMALL, "trials": 1}]
    return [
        *rows,
        {**few, "processor": "gpu", "memory": "device", "element": ELEMENTS},
        {**few, "processor": "gpu", "memory": "pinned", "element": [8, 4096]},
        {**few, "processor": "gpu", "memory": ["managed", "system"], "source": "cpu"},
    ]
