"""Trials on several ranks, as tests of cases start them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from launching import HANGS

from watari import _native as native
from watari.plan.request import Request
from watari.run import gpu_mpi
from watari.run.launcher import Launcher, environment

PROGRAM = Path(__file__).with_name("ranks_program.py")
MPI_PART = Path(native.__file__).with_name("lib") / "libwatari_mpi.so"
# another MPI, or an Open MPI with another UCX: WATARI_TEST_LAUNCHER='mpirun -n {ranks} ...'
LAUNCHER = Launcher.parse(
    os.environ.get("WATARI_TEST_LAUNCHER")
    or "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe -n {ranks}"
)
Outcome = dict[str, Any]

ranks_run = pytest.mark.skipif(
    not MPI_PART.exists(), reason="built without MPI: install libopenmpi-dev and build again"
)


def on_ranks(ranks: int, trials: list[Request], folder: Path, **variables: str) -> list[Outcome]:
    """Runs these trials in one start of the launcher, which must succeed."""
    asked, answer = folder / "trials.json", folder / "outcomes.json"
    asked.write_text(json.dumps([(one.case, one.parameters) for one in trials]))
    done = subprocess.run(
        [*LAUNCHER.prefix(ranks), sys.executable, str(PROGRAM), str(asked), str(answer)],
        env={**environment(trials[0], LAUNCHER), **variables},
        capture_output=True,
        text=True,
        timeout=HANGS,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    outcomes: list[Outcome] = json.loads(answer.read_text())
    return outcomes


def that_mpi_takes(trials: Iterable[Request]) -> list[Request]:
    """The trials without those that an MPI without CUDA would crash in, as in a run. Skips the test
    if none is left."""
    asking = gpu_mpi.Probe()
    taken = [one for one in trials if not asking.unsupported(one, LAUNCHER)]
    if not taken:
        pytest.skip("this MPI takes no GPU memory")
    return taken


def gpu_count() -> int:
    return len(native.gpus()["gpus"])


def skip_unless_gpus(ranks: int) -> None:
    if gpu_count() < ranks:
        pytest.skip(f"{ranks} ranks need {ranks} GPUs; here are {gpu_count()}")
