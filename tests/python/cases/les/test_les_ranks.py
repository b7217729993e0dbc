"""Case les on several ranks: the same bits as one rank, whatever the split."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("watari._native")

pytestmark = [
    pytest.mark.mpi,
    pytest.mark.skipif(shutil.which("mpirun") is None, reason="there is no mpirun"),
]


LAUNCHER = (
    os.environ.get("WATARI_TEST_LAUNCHER")
    or "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe -n {ranks}"
)


def results(folder: Path, *words: str) -> list[dict[str, Any]]:
    """The cases of a run of a small city, as its file has them."""
    file = folder / "les.json"
    command = [sys.executable, "-m", "watari", "run", "les", "processor=cpu", "grid=256x32x16"]
    common = ["steps=6", "every=3", "trials=1", "threads=1", "cpu-touch=facets"]
    done = subprocess.run(
        [*command, *common, *words, "--launcher", LAUNCHER, "-o", str(file)],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode in (0, 1), done.stderr
    return list(json.loads(file.read_text())["cases"])


def fingerprint(of: dict[str, Any]) -> tuple[float, float]:
    quantities = of["trials"][0]["quantities"]
    return quantities["fingerprint"]["value"], quantities["heat_to_air"]["value"]


def test_every_split_has_the_bits_of_one_rank(tmp_path: Path) -> None:
    cases = results(tmp_path, "split=1x1x1,1x2x1,2x1x1,2x2x1", "halo=staged")
    assert [case["status"] for case in cases] == ["ok"] * 4, cases
    assert len({fingerprint(case) for case in cases}) == 1
