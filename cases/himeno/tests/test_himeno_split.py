"""Ranks of Himeno as axes: split, halo, threads, and refusals before a rank starts."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import asked
import pytest
from himeno_fields import ranked
from launching import HANGS
from on_ranks import MPI_PART

from watari.common.errors import UsageError
from watari.plan.request import resolve
from watari.run import gpu_mpi, launch, runner
from watari.run.launcher import Launcher

WRITTEN_FOR = {
    "acc-data": "staged",
    "omp-target": "staged",
    "acc-host-data": "device",
    "acc-managed": "device",
    "acc-managed-all": "device",
    "acc-system": "device",
    "omp-system": "device",
}


def test_several_ranks_need_the_part_that_knows_mpi(tmp_path: Path) -> None:
    package = tmp_path / "watari"
    shutil.copytree(
        MPI_PART.parents[1], package, ignore=shutil.ignore_patterns("libwatari_mpi.so", "include")
    )
    code = (
        "import json, sys; from watari.cases.himeno import trial as himeno\n"
        "from watari.common.errors import UsageError\n"
        "try: himeno.run(json.loads(sys.argv[1]))\n"
        "except UsageError: raise\n"
        "except Exception as error: print(type(error).__name__, error)"
    )
    parameters = json.dumps(ranked(grid="XS", ranks=2).parameters)
    output = subprocess.run(
        [sys.executable, "-c", code, parameters],
        env={**os.environ, "PYTHONPATH": str(tmp_path), "LD_LIBRARY_PATH": ""},
        capture_output=True,
        text=True,
    )
    assert output.stdout.startswith("UnsupportedError several ranks need MPI"), output.stderr
    assert "libopenmpi-dev" in output.stdout


def test_a_missing_mpirun_is_no_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    trial = launch.trial(ranked(ranks=2), Launcher(), HANGS, tmp_path)
    assert (trial["status"], "mpirun" in trial["error"]) == ("unsupported", True)


def test_ranks_and_split_are_one() -> None:
    assert ranked(ranks=4).parameters["split"] == "4x1x1"
    assert ranked(split="2x2x1").parameters["ranks"] == 4
    assert ranked(split="2x2x1", ranks=4).parameters["split"] == "2x2x1"
    with pytest.raises(UsageError, match="split=2x2x1 is for 4 ranks, and ranks=2"):
        ranked(split="2x2x1", ranks=2)
    with pytest.raises(UsageError, match="split"):
        ranked(split="2x0x1")


def test_one_rank_is_one_case_whatever_its_halo() -> None:
    given = {"processor": "gpu", "halo": "staged,peer", "overlap": "no,yes", "ranks": "1,2"}
    requests = resolve("himeno", given, asked.GPU)
    settled = [(p["ranks"], p["halo"], p["overlap"]) for p in (one.parameters for one in requests)]
    assert settled.count((1, "none", False)) == 1
    assert len(settled) == 5


@pytest.mark.parametrize(
    ("given", "halo"),
    [
        ({"processor": "cpu"}, "staged"),
        ({"processor": "gpu"}, "peer"),
        ({"processor": "gpu", "style": "managed"}, "peer"),
        *(({"processor": "gpu", "style": style}, halo) for style, halo in WRITTEN_FOR.items()),
    ],
)
def test_the_halo_is_what_the_style_is_written_for(given: dict[str, Any], halo: str) -> None:
    assert ranked(ranks=2, **given).parameters["halo"] == halo


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"ranks": 2, "halo": "none"}, "2 ranks need a halo"),
        ({"ranks": 2, "processor": "gpu:1"}, "write processor=gpu"),
        ({"split": "1x2x1", "overlap": "yes"}, "along i alone"),
        ({"grid": "5x9x9", "ranks": 4}, "3 inner planes along i, fewer than the 4 ranks"),
        ({"grid": "9x9x4", "split": "1x1x3"}, "2 inner planes along k, fewer than the 3 ranks"),
    ],
)
def test_what_contradicts_itself_is_a_usage_error(given: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        ranked(**given)


def test_cores_are_shared_by_the_ranks() -> None:
    requests = resolve("himeno", {"processor": "cpu", "ranks": "1,4,64"}, asked.GPU)
    assert [one.parameters["threads"] for one in requests] == [16, 4, 1]


@pytest.mark.parametrize(
    ("command", "says"),
    [("kill -SEGV $$", "SIGSEGV"), ("echo watari: other data >&2; exit 1", "other data")],
)
def test_an_mpi_that_cannot_send_gpu_memory_makes_cases_unsupported(
    command: str, says: str, tmp_path: Path
) -> None:
    launcher = Launcher(("sh", "-c", command), template="sh -c")
    options = runner.Options(tmp_path / "out.json", launcher)
    for style in ("explicit", "acc-host-data"):
        trial = runner.measure(
            ranked(processor="gpu", ranks=2, halo="device", style=style), options
        )
        assert trial
        assert trial["status"] == "unsupported"
        assert "this MPI cannot send GPU memory" in trial["error"]
        assert says in trial["error"]
    for given in ({"halo": "staged"}, {"style": "managed"}, {"processor": "cpu"}):
        wanted = {"processor": "gpu", "ranks": 2, "halo": "device", **given}
        assert options.gpu_mpi.unsupported(ranked(**wanted), launcher) is None


def test_an_mpi_is_asked_once(tmp_path: Path) -> None:
    calls = tmp_path / "asked"
    launcher = Launcher(("sh", "-c", f"echo once >> {calls}"), template="sh -c")
    probe = gpu_mpi.Probe()
    for _ in range(3):
        wanted = ranked(processor="gpu", ranks=2, halo="device", style="explicit")
        assert probe.unsupported(wanted, launcher) is None
    assert calls.read_text() == "once\n"
