"""The lattice on several ranks: the numbers of one rank, for any split and any path of the halo."""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path
from typing import Any

import asked
import pytest
from on_ranks import Outcome, gpu_count, on_ranks, ranks_run, skip_unless_gpus, that_mpi_takes

from watari.cases.lattice import trial as lattice_trial
from watari.common.errors import UsageError
from watari.plan.request import describe

SMALL, KNOWN = "4x4x4x8", "8x8x8x16"  # the second has published values


request = partial(
    asked.request, "lattice", machine=asked.GPU, processor="cpu", threads=1, lattice=SMALL
)


@cache
def alone(**given: Any) -> dict[str, float]:
    """The quantities of one rank."""
    return asked.quantities(lattice_trial.run(request(**given).parameters))


def assert_near(outcome: Outcome, wanted: dict[str, float], what: str) -> None:
    assert "error" not in outcome, (what, outcome)
    assert outcome["wrong"] is None, what
    for name in ("log_det", "norm2", "plaquette", "links_re", "source_norm2"):
        assert outcome[name] == pytest.approx(wanted[name], rel=1e-11), (what, name)
    assert outcome["residual"] < 1e-11, what
    assert outcome["plain_residual"] < 1e-11, what


@pytest.mark.mpi
@ranks_run
class TestOnTheCpu:
    @pytest.mark.parametrize(
        ("ranks", "splits"),
        [
            (2, ("2x1x1x1", "1x2x1x1", "1x1x2x1", "1x1x1x2")),
            (4, ("2x2x1x1", "1x1x2x2", "1x1x1x4", "2x1x1x2")),
            (8, ("2x2x2x1", "1x2x2x2", "2x1x1x4")),
        ],
    )
    def test_splits_give_the_numbers_of_one_rank(
        self, ranks: int, splits: tuple[str, ...], tmp_path: Path
    ) -> None:
        trials = [request(split=split, kernel=k) for split in splits for k in ("shared", "tuned")]
        trials.append(request(split=splits[-1], links=12, rhs=3))
        trials.append(request(split=splits[0], precision="mixed"))
        one = alone()
        for trial, outcome in zip(trials, on_ranks(ranks, trials, tmp_path), strict=True):
            assert_near(outcome, one, describe(trial))
            if trial.parameters["precision"] == "double":
                # on so few sites rounding decides: 178 to 183, where one rank has 183
                assert abs(outcome["iterations"] - one["iterations"]) <= 6

    @pytest.mark.parametrize(
        ("ranks", "splits"),
        [
            (2, ("2x1x1x1", "1x1x2x1")),
            pytest.param(4, ("2x2x1x1", "2x1x2x1"), marks=pytest.mark.slow),
            pytest.param(8, ("2x2x2x1", "4x2x1x1"), marks=pytest.mark.slow),
        ],
    )
    def test_whole_pieces_give_the_bits_of_one_rank(
        self, ranks: int, splits: tuple[str, ...], tmp_path: Path
    ) -> None:
        trials = [request(split=split, kernel="shared", lattice=KNOWN) for split in splits]
        one = alone(kernel="shared", lattice=KNOWN)
        for trial, outcome in zip(trials, on_ranks(ranks, trials, tmp_path), strict=True):
            assert_near(outcome, one, describe(trial))
            assert outcome["iterations"] == one["iterations"] == 219
            assert outcome["residual"] == one["residual"]
            assert outcome["samples"] == 109

    @pytest.mark.slow
    def test_published_values_on_eight_ranks(self, tmp_path: Path) -> None:
        trials = [request(split=s, lattice=KNOWN) for s in ("2x2x2x1", "1x1x2x4")]
        for outcome in on_ranks(8, trials, tmp_path):
            assert outcome["wrong"] is None, outcome
            assert outcome["iterations"] == 219

    def test_what_ranks_cannot_do_is_refused_by_all_of_them(self, tmp_path: Path) -> None:
        overlapped, nccl = request(split="2x1x1x1", overlap="yes"), request(ranks=2, halo="nccl")
        for outcome in on_ranks(2, [overlapped, nccl], tmp_path):
            assert outcome["error"] == "unsupported", outcome

    def test_more_gpus_than_there_are_is_unsupported(self, tmp_path: Path) -> None:
        ranks = max(2, gpu_count() + 1)
        wanted = request(processor="gpu", ranks=ranks, lattice=f"{2 * ranks}x4x4x4")
        (outcome,) = on_ranks(ranks, [wanted], tmp_path)
        assert outcome["error"] == "unsupported", outcome


@pytest.mark.gpu
@pytest.mark.mpi
@ranks_run
@pytest.mark.parametrize("halo", ["staged", "device", "nccl", "peer"])
def test_gpus_give_the_numbers_of_one_rank(halo: str, tmp_path: Path) -> None:
    skip_unless_gpus(2)
    trials = that_mpi_takes(
        request(processor="gpu", lattice=KNOWN, split=split, halo=halo, overlap=overlap, **more)
        for split in ("2x1x1x1", "1x1x2x1", "1x1x1x2")
        for overlap in ("no", "yes")
        for more in ({}, {"style": "managed", "kernel": "shared"}, {"links": 12, "rhs": 2})
    )
    one = alone(lattice=KNOWN)
    for trial, outcome in zip(trials, on_ranks(2, trials, tmp_path), strict=True):
        assert_near(outcome, one, describe(trial))
        assert outcome["iterations"] == 219


@pytest.mark.gpu
@pytest.mark.mpi
@ranks_run
@pytest.mark.parametrize(
    ("style", "halo", "compiler"),
    [
        ("acc-data", "staged", "gcc"),
        ("acc-host-data", "peer", "gcc"),
        ("acc-host-data", "nccl", "gcc"),
        ("acc-managed", "staged", "gcc"),
        ("acc-managed", "nccl", "gcc"),
        ("acc-managed", "peer", "gcc"),
        ("acc-managed", "device", "gcc"),
        ("omp-target", "staged", "gcc"),
        ("omp-device-ptr", "peer", "gcc"),
        ("omp-target", "staged", "llvm"),
        ("omp-device-ptr", "nccl", "llvm"),
        ("omp-device-ptr", "peer", "llvm"),
        ("omp-device-ptr", "device", "llvm"),
    ],
)
def test_directives_on_gpus_give_the_numbers_of_one_rank(
    style: str, halo: str, compiler: str, tmp_path: Path
) -> None:
    skip_unless_gpus(2)
    more = {"style": style, "compiler": compiler, "kernel": "shared", "halo": halo}
    trials = that_mpi_takes(
        request(processor="gpu", lattice=KNOWN, split=split, **more)
        for split in ("2x1x1x1", "1x1x1x2")
    )
    one = alone(lattice=KNOWN, kernel="shared")
    for trial, outcome in zip(trials, on_ranks(2, trials, tmp_path), strict=True):
        if outcome.get("error") == "unsupported":
            pytest.skip(outcome["text"])
        assert "error" not in outcome, (describe(trial), outcome)
        assert outcome["wrong"] is None, describe(trial)
        assert outcome["iterations"] == 219
        assert outcome["norm2"] == pytest.approx(one["norm2"], rel=1e-11)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"split": "4x1x1x1"}, "4 sites along x of lattice 4x4x4x8 are no even number"),
        ({"split": "1x1x1x3"}, "8 sites along t"),
        ({"split": "2x1x1x1", "ranks": 4}, "is for 2 ranks, and ranks=4"),
        ({"split": "2x1x1"}, "is not four numbers"),
        ({"ranks": 2, "halo": "none"}, "2 ranks need a halo"),
        ({"ranks": 2, "processor": "gpu:1"}, "use a GPU each"),
    ],
)
def test_a_split_that_does_not_divide_is_refused(given: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        request(**given)


def test_one_rank_has_neither_split_nor_halo() -> None:
    parameters = request().parameters
    assert (parameters["split"], parameters["halo"]) == ("1x1x1x1", "none")
    with pytest.raises(UsageError, match="halo=staged is not possible"):
        request(halo="staged")
    assert request(ranks=2).parameters["split"] == "2x1x1x1"
