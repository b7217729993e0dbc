"""The case with a faulty device: the same charges, or a trial that fails."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from asked import GPU, request

from watari.case.engines import FAULTS
from watari.cases.hmatrix import trial
from watari.common.errors import UnsupportedError, WatariError


def run(folder: Path, **given: Any) -> dict[str, Any]:
    wanted = {"processor": "cpu", "engine": "queue", "mesh": "bumpy:6", "samples": 4}
    wanted |= {"folder": str(folder), "fast-memory": 2 * 2**20, "batch": 2**14, **given}
    return trial.run(request("hmatrix", GPU, **wanted).parameters)


@pytest.mark.parametrize("store", ["file", "ram"])
@pytest.mark.parametrize("fault", [f for f in FAULTS if f not in ("none", "late-data")])
def test_a_device_that_errs_gives_the_same_charges_or_none(
    fault: str, store: str, tmp_path: Path
) -> None:
    right = run(tmp_path)
    try:
        found = run(tmp_path, fault=fault, store=store)
    except WatariError:
        assert fault == "dropped"  # a lost command may be an error
        return
    assert found["verified"]
    assert found["quantities"]["capacitance"] == right["quantities"]["capacitance"]


def test_late_data_are_found_out(tmp_path: Path) -> None:
    with pytest.raises(WatariError, match="is damaged"):
        run(tmp_path, fault="late-data", samples=40)


def test_files_have_no_such_device(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match="is behind queues"):
        run(tmp_path, fault="failed", engine="posix")
