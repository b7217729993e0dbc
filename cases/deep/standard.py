"""Trees in the standard plan: a thousand nodes, in each style."""

from __future__ import annotations

from typing import Any

from watari.case.axes import default_size, gpus
from watari.case.axis import Machine
from watari.cases.deep.styles import STYLES

Rows = list[dict[str, Any]]


def trees(machine: Machine) -> Rows:
    """Rows of the plan, which take some seconds, mostly for a thousand allocations and copies."""
    size = min(2**28, default_size(machine, {}))
    few: dict[str, Any] = {"size": size, "depth": 10, "trials": 2, "samples": 5}
    rows: Rows = [{**few, "processor": "cpu"}]
    if not gpus(machine):
        absent = {"processor": "gpu", "size": 2**16, "depth": 2, "trials": 1}
        return [*rows, {**absent, "style": ["managed", "system"]}]
    return [*rows, {**few, "processor": "gpu", "style": list(STYLES)}]
