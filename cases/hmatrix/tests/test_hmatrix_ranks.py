"""The H-matrix divided among ranks: the bits of one rank, a file and a budget for each rank."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import asked
import pytest
from launching import HANGS
from on_ranks import LAUNCHER, Outcome, gpu_count, on_ranks, ranks_run, skip_unless_gpus

from watari.cases.hmatrix import trial
from watari.common.errors import UsageError
from watari.plan.request import Request

BITS = ("capacitance", "residual", "products")


def request(folder: Path, **given: Any) -> Request:
    wanted = {"processor": "cpu", "engine": "posix", "mesh": "bumpy:8", "samples": 2, "rhs": 2}
    return asked.request("hmatrix", asked.GPU, folder=str(folder), **{**wanted, **given})


def alone(folder: Path, **given: Any) -> dict[str, float]:
    """The quantities of one rank."""
    return asked.quantities(trial.run(request(folder, **given).parameters))


def assert_same(outcome: Outcome, one: dict[str, float]) -> None:
    assert "error" not in outcome, outcome
    assert outcome["verified"], outcome
    assert [outcome[name] for name in BITS] == [one[name] for name in BITS]
    assert one["matrix_bytes"] <= outcome["matrix_bytes"] < 1.2 * one["matrix_bytes"]


@pytest.mark.mpi
@ranks_run
class TestOnTheCpu:
    @pytest.mark.parametrize("ranks", [2, 4])
    def test_ranks_have_the_bits_of_one(self, ranks: int, tmp_path: Path) -> None:
        given: list[dict[str, Any]] = [
            {},
            {"solver": "bicgstab", "preconditioner": "none"},
            {"store": "ram", "engine": "queue", "precision": "single"},
        ]
        trials = [request(tmp_path, ranks=ranks, **one) for one in given]
        for one, outcome in zip(given, on_ranks(ranks, trials, tmp_path), strict=True):
            assert_same(outcome, alone(tmp_path, **one))
            assert outcome["checked_rows"] == 64 * ranks
        assert len(list(tmp_path.glob("watari-hmatrix-*.data"))) == ranks + 1

    def test_a_budget_is_that_of_each_rank(self, tmp_path: Path) -> None:
        budget = {"fast-memory": 3 * 2**20, "batch": 2**14, "rhs": 1}
        (outcome,) = on_ranks(2, [request(tmp_path, ranks=2, **budget)], tmp_path)
        assert_same(outcome, alone(tmp_path, rhs=1))
        assert 0 < outcome["read_bytes"] < outcome["matrix_bytes"]

    def test_all_ranks_refuse_what_cannot_be(self, tmp_path: Path) -> None:
        trials = [
            request(tmp_path, ranks=4),
            request(tmp_path, ranks=2, mesh="cube:1"),
            request(tmp_path, ranks=2, **{"fast-memory": 4096}),
        ]
        others, small, budget = on_ranks(2, trials, tmp_path)
        assert "start them by mpirun -n 4" in others["text"]
        assert "too small to be divided among 2 ranks" in small["text"]
        assert "fast memory of 4 KiB (4096 bytes) is too small" in budget["text"]


WATARI = ("-m", "watari")
FULL_DISK = (  # `watari`, where charges cannot be stored; rank 0 takes its time to report it
    "-c",
    """
import time
from watari.cases.hmatrix import vtu
from watari.cli import commands
from watari.common.errors import FileError

def write(*given):
    time.sleep(3)
    raise FileError("c.vtu: cannot be written: No space left on device")

vtu.write = write
commands.main()
""",
)


def bem(
    ranks: int, folder: Path, *more: str, program: tuple[str, ...] = WATARI
) -> subprocess.CompletedProcess[str]:
    words = [*program, "bem", "bumpy:8", "-o", "c.vtu", "--charges", "c.npy", "--threads", "1"]
    return subprocess.run(
        [*LAUNCHER.prefix(ranks), sys.executable, *words, *more],
        env={**os.environ, **LAUNCHER.environment, "OMP_NUM_THREADS": "1"},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=HANGS,
    )


@pytest.mark.mpi
@ranks_run
class TestTheCommand:
    def test_has_the_charges_of_one_process(self, tmp_path: Path) -> None:
        charges = []
        for ranks in (1, 2, 3):
            folder = tmp_path / str(ranks)
            folder.mkdir()
            ended = bem(ranks, folder, *(["--ranks", str(ranks)] if ranks > 1 else []))
            assert ended.returncode == 0, ended.stderr
            assert ended.stdout.count("C/(4 pi eps0)") == 1
            assert sorted(path.name for path in folder.iterdir()) == ["c.npy", "c.vtu"]
            charges.append((folder / "c.npy").read_bytes())
        assert charges[0] == charges[1] == charges[2]

    def test_each_rank_keeps_a_file_and_takes_it_again(self, tmp_path: Path) -> None:
        for _ in range(2):
            ended = bem(2, tmp_path, "--ranks", "2", "--keep")
            assert ended.returncode == 0, ended.stderr
            kept = {path.name: path.stat().st_mtime_ns for path in tmp_path.glob("*.hmatrix*")}
            assert sorted(kept) == ["c.vtu.hmatrix.0", "c.vtu.hmatrix.1"]
        first = kept
        bem(2, tmp_path, "--ranks", "2", "--keep")
        assert {p.name: p.stat().st_mtime_ns for p in tmp_path.glob("*.hmatrix*")} == first

    def test_no_rank_removes_its_file_before_the_charges_are_stored(self, tmp_path: Path) -> None:
        ended = bem(2, tmp_path, "--ranks", "2", program=FULL_DISK)
        assert ended.returncode != 0
        assert "watari: c.vtu: cannot be written: No space left on device" in ended.stderr
        kept = sorted(path.name for path in tmp_path.iterdir())
        assert kept == ["c.vtu.hmatrix.0", "c.vtu.hmatrix.1"]

    def test_without_a_launcher_is_refused(self, tmp_path: Path) -> None:
        ended = bem(1, tmp_path, "--ranks", "2")
        assert ended.returncode == 2
        assert "start them by mpirun -n 2" in ended.stderr
        assert list(tmp_path.iterdir()) == []


def test_a_gpu_of_its_own(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="2 ranks use a GPU each"):
        request(tmp_path, ranks=2, processor="gpu:1")


@pytest.mark.gpu
@pytest.mark.mpi
@ranks_run
@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_gpus_have_the_bits_of_a_cpu(ranks: int, tmp_path: Path) -> None:
    if gpu_count() == 0:
        pytest.skip("needs a GPU")
    skip_unless_gpus(ranks)
    alone(tmp_path, processor="gpu")  # a matrix has the bits of the processor that built it
    (outcome,) = on_ranks(ranks, [request(tmp_path, ranks=ranks, processor="gpu")], tmp_path)
    assert_same(outcome, alone(tmp_path))
