"""The effect of the budget of fast memory and of the cycle of GMRES on a trial."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import asked
import pytest

from watari.cases.hmatrix import trial
from watari.common.errors import UsageError


def quantities(folder: Path, **given: Any) -> dict[str, float]:
    wanted = {"processor": "cpu", "engine": "posix", "mesh": "bumpy:8", "samples": 1}
    request = asked.request("hmatrix", asked.GPU, folder=str(folder), **{**wanted, **given})
    return asked.quantities(trial.run(request.parameters))


def test_nothing_is_resident_in_the_least_budget(tmp_path: Path) -> None:
    batches = {"batch": 2**14}  # pages at the ends of batches are read twice
    with pytest.raises(UsageError) as refused:
        quantities(tmp_path, **batches, **{"fast-memory": 4096})
    (least,) = re.findall(r"give .*?\((\d+) bytes\)", str(refused.value))
    least_budget = quantities(tmp_path, **batches, **{"fast-memory": int(least)})
    assert least_budget["resident_fraction"] == 0
    assert least_budget["read_bytes"] > least_budget["matrix_bytes"]
    assert quantities(tmp_path, **batches)["resident_fraction"] == 1


def test_a_shorter_cycle_needs_more_products(tmp_path: Path) -> None:
    usual, same, short = (quantities(tmp_path, restart=steps) for steps in (0, 30, 6))
    assert same["capacitance"] == usual["capacitance"]
    assert short["products"] > usual["products"]
    assert short["residual"] <= 1e-6
