"""The page on the four studies: its table of two machines has the published values."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from watari.results import published

PAGE = (Path(__file__).parents[3] / "docs" / "studies.md").read_text()
LIMITS = {  # of the table: the quantity, and its unit over the table's
    "CPU memory, GB/s": ("cpu-copy", 1),
    "GPU memory, TB/s": ("gpu-copy", 1000),
    "link, GB/s each way": ("host-to-device", 1),
    "CPU, fp64, TFLOPS": ("cpu-fp64", 1),
    "GPU, fp64, TFLOPS": ("gpu-fp64", 1),
    "between nodes, Gbit/s": ("between-nodes", 1),
}


def stated(quantity: str, machine: str) -> float:
    (value,) = (
        v
        for v in published.values()
        if (v.source, v.quantity, v.kind) == ("Boku 2025", quantity, "theoretical")
        and v.machine.endswith(machine)
    )
    return value.low


@pytest.mark.parametrize("limit", LIMITS)
def test_the_table_of_two_machines_has_the_published_limits(limit: str) -> None:
    row = re.search(rf"^\| {re.escape(limit)} \|(.*)\|$", PAGE, re.MULTILINE)
    assert row
    pegasus, miyabi, ratio = map(float, row[1].split("|"))
    quantity, scale = LIMITS[limit]
    assert pegasus * scale == pytest.approx(stated(quantity, "Pegasus"))
    assert miyabi * scale == pytest.approx(stated(quantity, "Miyabi-G"))
    assert ratio == pytest.approx(miyabi / pegasus, abs=0.05)
