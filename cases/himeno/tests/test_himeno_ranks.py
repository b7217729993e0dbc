"""Himeno on several ranks: the same bits as on one rank, for any split and any path of the halo."""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from himeno_fields import fingerprints, ranked
from launching import HANGS
from on_ranks import (
    LAUNCHER,
    Outcome,
    gpu_count,
    native,
    on_ranks,
    ranks_run,
    skip_unless_gpus,
    that_mpi_takes,
)

from watari.cases.himeno import axes as himeno_axes
from watari.cases.himeno import trial as himeno_trial
from watari.plan.request import Request, describe
from watari.run import gpu_mpi, launch

GRIDS = ("19x23x29", "20x24x32")  # the second has rows of whole 16 bytes
STYLES = ("explicit", "pinned", "managed", "managed-prefetch", "explicit-struct")
DIRECTIVES = {"acc-data": "staged", "omp-target": "staged", "acc-host-data": "device"}
DIRECTIVES |= {"acc-managed": "device", "acc-managed-all": "device"}


def splits(ranks: int) -> list[str]:
    """Every split of the axes among `ranks` ranks."""
    sides = range(1, ranks + 1)
    return [f"{a}x{b}x{c}" for a, b, c in product(sides, sides, sides) if a * b * c == ranks]


def alone(**given: Any) -> dict[str, Any]:
    """The trial of one rank."""
    return himeno_trial.run(ranked(**given).parameters)


def assert_as_alone(trials: list[Request], outcomes: list[Outcome]) -> None:
    """Every trial has the field of one rank on the CPU, to the bit, and its gosa."""
    expected = {grid: alone(grid=grid) for grid in {t.parameters["grid"] for t in trials}}
    for one, outcome in zip(trials, outcomes, strict=True):
        wanted = expected[one.parameters["grid"]]
        assert "error" not in outcome, (describe(one), outcome)
        assert {outcome["fingerprint"]} == fingerprints(wanted), describe(one)
        assert outcome["gosa"] == pytest.approx(list(wanted["series"]["gosa"]), rel=1e-12)
        assert outcome["samples"] == 6


@pytest.mark.mpi
@ranks_run
class TestOnTheCpu:
    @pytest.mark.parametrize("ranks", [2, 4, 8])
    def test_every_split_gives_the_bits_of_one_rank(self, ranks: int, tmp_path: Path) -> None:
        trials = [
            ranked(grid=grid, split=split, form=form, kernel=kernel)
            # with 8 ranks along an axis the second grid has one plane for each rank
            for grid in (GRIDS[0], "10x10x10", "12x11x130")
            for split in splits(ranks)
            for form in ("fused", "two-kernel")
            for kernel in ("shared", "tuned")
        ]
        outcomes = on_ranks(ranks, trials, tmp_path)
        assert_as_alone(trials, outcomes)
        assert all(len(outcome["halo_s"]) == 6 for outcome in outcomes)

    def test_threads_of_a_rank_change_nothing(self, tmp_path: Path) -> None:
        trials = [ranked(grid=GRIDS[0], split="1x1x2", threads=threads) for threads in (1, 2, 3)]
        assert_as_alone(trials, on_ranks(2, trials, tmp_path))

    def test_gosa_is_the_reference(self, tmp_path: Path) -> None:
        trials = [
            ranked(grid="XS", split=split, data="standard", iterations=100, form=form)
            for split in ("4x1x1", "1x2x2")
            for form in ("fused", "two-kernel")
        ]
        assert [outcome["verified"] for outcome in on_ranks(4, trials, tmp_path)] == [True] * 4

    def test_what_cannot_be_is_refused_by_all_ranks(self, tmp_path: Path) -> None:
        no_gpu = native.gpus()["reason"]
        asked: list[tuple[dict[str, Any], str, str]] = [
            ({"halo": "nccl"}, "unsupported", "halo=nccl is between GPUs"),
            ({"halo": "peer"}, "unsupported", "halo=peer is between GPUs"),
            ({"overlap": "yes"}, "unsupported", "every thread computes"),
            ({"style": "explicit"}, "unsupported", "on the CPU use style=system"),
            ({"split": "4x1x1"}, "usage", "split 4x1x1 is for 4 ranks, and 2 are here"),
        ]
        if no_gpu:
            asked.append(({"processor": "gpu"}, "unsupported", no_gpu))
        trials = [ranked(**{"grid": "XS", "split": "2x1x1", **given}) for given, _, _ in asked]
        trials.append(ranked(grid=GRIDS[0], split="2x1x1"))  # a valid trial still works afterwards
        *refused, fine = on_ranks(2, trials, tmp_path)
        for (_, name, words), outcome in zip(asked, refused, strict=True):
            assert outcome.get("error") == name, outcome
            assert words in outcome["text"]
        assert_as_alone(trials[-1:], [fine])

    def test_a_stale_halo_is_caught(self, tmp_path: Path) -> None:
        """An MPI whose messages do not reach the halo: the sample data and the field show it."""
        library = tmp_path / "stale.so"
        (tmp_path / "stale.c").write_text(
            "#include <mpi.h>\n"
            "int MPI_Irecv(void* buffer, int count, MPI_Datatype type, int source, int tag,\n"
            "              MPI_Comm comm, MPI_Request* request) {\n"
            "    static char nowhere[1 << 20];\n"
            "    (void)buffer;\n"
            "    return PMPI_Irecv(nowhere, count, type, source, tag, comm, request);\n"
            "}\n"
        )
        compiler = os.environ.get("MPICC", "mpicc")  # of the MPI that Watari was built with
        if not shutil.which(compiler):
            pytest.skip("no mpicc: install libopenmpi-dev")
        command = [compiler, "-shared", "-fPIC", "-o", str(library), str(tmp_path / "stale.c")]
        subprocess.run(command, check=True)
        trials = [
            ranked(grid="XS", split="2x1x1", data=data, form=form)
            for data in ("standard", "general")
            for form in ("fused", "two-kernel")
        ]
        right = on_ranks(2, trials, tmp_path)
        stale = on_ranks(2, trials, tmp_path, LD_PRELOAD=str(library))
        assert [outcome["verified"] for outcome in right] == [True, True, None, None]
        assert [outcome["verified"] for outcome in stale] == [False, False, None, None]
        for one, other in zip(right, stale, strict=True):
            assert one["fingerprint"] != other["fingerprint"]

    def test_a_run_has_all_of_it(self, tmp_path: Path) -> None:
        trial = launch.trial(ranked(grid="XS", ranks=2, data="standard"), LAUNCHER, HANGS, tmp_path)
        assert (trial["status"], trial["ranks"], trial["verified"]) == ("ok", 2, True)
        assert trial["flops_per_sample"] == 34 * himeno_axes.interior("XS")
        assert len(trial["series"]["halo_s"]) == 6
        assert all(h <= s for h, s in zip(trial["series"]["halo_s"], trial["host_s"], strict=True))

    def test_unsupported_is_no_failure_of_the_launcher(self, tmp_path: Path) -> None:
        trial = launch.trial(ranked(grid="XS", ranks=2, halo="peer"), LAUNCHER, HANGS, tmp_path)
        assert (trial["status"], trial["ranks"]) == ("unsupported", 2)
        assert "halo=peer is between GPUs" in trial["error"]

    @pytest.mark.parametrize("bad", [0, 1])
    def test_a_rank_that_fails_ends_those_in_mpi(
        self, bad: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "sitecustomize.py").write_text(
            "import watari.cases as c, dataclasses\n"
            "from watari.cases.himeno import trial as himeno; from watari.run import worker\n"
            "def run(parameters):\n"
            "    himeno.run(parameters)\n"
            f"    if worker.from_launcher(worker.RANK_VARIABLES, 0) == {bad}:\n"
            "        raise RuntimeError('no memory for the halo')\n"
            "    return himeno.run(parameters)\n"
            "c.CASES['himeno'] = dataclasses.replace(c.CASES['himeno'], run=run)\n"
        )
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))
        trial = launch.trial(ranked(grid="XS", ranks=2), LAUNCHER, HANGS, tmp_path)
        assert trial["status"] == "failed"
        assert "no memory for the halo" in trial["error"]

    def test_ranks_have_cores_of_their_own(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "sitecustomize.py").write_text(
            "import watari.cases as c, os, dataclasses\n"
            "from watari.run import worker\n"
            "def run(parameters):\n"
            "    cpus = sorted(os.sched_getaffinity(0))\n"
            "    rank = worker.from_launcher(worker.RANK_VARIABLES, 0)\n"
            f"    open({str(tmp_path)!r} + f'/cpus{{rank}}', 'w').write(str(cpus))\n"
            "    return {'host_s': []}\n"
            "c.CASES['himeno'] = dataclasses.replace(c.CASES['himeno'], run=run)\n"
        )
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))
        assert launch.trial(ranked(ranks=2), LAUNCHER, HANGS, tmp_path)["status"] == "ok"
        first, second = (set(json.loads((tmp_path / f"cpus{r}").read_text())) for r in (0, 1))
        allowed = os.sched_getaffinity(0)
        if len(allowed) > 1:
            assert not first & second
            assert first | second == allowed
        else:
            assert first == second == allowed


@pytest.mark.gpu
@pytest.mark.mpi
@ranks_run
class TestOnGpus:
    @pytest.mark.parametrize("ranks", [2, 4])
    @pytest.mark.parametrize("halo", ["staged", "device", "nccl", "peer"])
    def test_every_style_and_split_gives_the_bits_of_one_rank(
        self, halo: str, ranks: int, tmp_path: Path
    ) -> None:
        skip_unless_gpus(ranks)
        trials = that_mpi_takes(
            ranked(processor="gpu", grid=grid, split=split, form=form, halo=halo, style=style)
            for style in (STYLES if ranks == 2 else ("explicit", "managed"))
            for grid in GRIDS
            for split in splits(ranks)
            for form in ("fused", "two-kernel")
        )
        assert_as_alone(trials, on_ranks(ranks, trials, tmp_path))

    @pytest.mark.parametrize("ranks", [2, 4])
    @pytest.mark.parametrize("halo", ["staged", "device", "nccl", "peer"])
    def test_overlap_gives_the_bits_of_one_rank(
        self, halo: str, ranks: int, tmp_path: Path
    ) -> None:
        skip_unless_gpus(ranks)
        trials = that_mpi_takes(
            ranked(
                processor="gpu",
                grid=grid,
                ranks=ranks,
                form=form,
                halo=halo,
                style=style,
                kernel=kernel,
                overlap="yes",
            )
            for style in ("explicit", "managed")
            for grid in (GRIDS[1], f"{ranks + 2}x23x29")  # the second grid: one plane a rank
            for form in ("fused", "two-kernel")
            for kernel in ("tuned", "shared")
        )
        assert_as_alone(trials, on_ranks(ranks, trials, tmp_path))

    @pytest.mark.parametrize(("style", "halo"), DIRECTIVES.items())
    def test_directives_give_what_they_give_on_one_rank(
        self, style: str, halo: str, tmp_path: Path
    ) -> None:
        skip_unless_gpus(2)
        trials = [
            ranked(processor="gpu", grid=GRIDS[0], split=split, form=form, halo=halo, style=style)
            for split in splits(2)
            for form in ("fused", "two-kernel")
        ]
        if reason := gpu_mpi.Probe().unsupported(trials[0], LAUNCHER):
            pytest.skip(reason)
        outcomes = on_ranks(2, trials, tmp_path)
        if outcomes[0].get("error") == "unsupported":
            pytest.skip(outcomes[0]["text"])
        one = alone(processor="gpu", grid=GRIDS[0], style=style)
        for wanted, outcome in zip(trials, outcomes, strict=True):
            assert "error" not in outcome, (describe(wanted), outcome)
            # rows of another length may be other code, which the driver's compiler contracts
            along_k = not wanted.parameters["split"].endswith("x1")
            precision = 2e-6 if along_k else 1e-12
            assert outcome["gosa"] == pytest.approx(list(one["series"]["gosa"]), rel=precision)
            if not along_k:
                assert {outcome["fingerprint"]} == fingerprints(one), describe(wanted)

    def test_gosa_is_the_reference(self, tmp_path: Path) -> None:
        skip_unless_gpus(2)
        trials = [
            ranked(processor="gpu", grid="M", ranks=2, data="standard", iterations=103, overlap=o)
            for o in ("no", "yes")
        ]
        assert [outcome["verified"] for outcome in on_ranks(2, trials, tmp_path)] == [True, True]

    def test_more_ranks_than_gpus_are_refused_with_both_numbers(self, tmp_path: Path) -> None:
        ranks = gpu_count() + 1
        trial = launch.trial(
            ranked(processor="gpu", grid="XS", ranks=ranks), LAUNCHER, HANGS, tmp_path
        )
        assert trial["status"] == "unsupported"
        assert f"{ranks} ranks on one host with {gpu_count()} GPUs" in trial["error"]

    @pytest.mark.parametrize(
        ("given", "says"),
        [
            ({"style": "acc-data", "halo": "peer"}, "not written for halo=peer; it has staged"),
            ({"style": "acc-managed", "overlap": "yes"}, "takes no overlap=yes"),
        ],
    )
    def test_what_a_style_is_not_written_for(
        self, given: dict[str, Any], says: str, tmp_path: Path
    ) -> None:
        trial = launch.trial(
            ranked(processor="gpu", grid="XS", ranks=2, **given), LAUNCHER, HANGS, tmp_path
        )
        assert trial["status"] == "unsupported"
        assert says in trial["error"]


def test_splits_are_complete() -> None:
    assert [len(splits(n)) for n in (2, 4, 8)] == [3, 6, 10]
    assert all(math.prod(himeno_axes.parse_triple(s)) == 8 for s in splits(8))
