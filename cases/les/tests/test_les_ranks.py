"""Case les on several ranks: the same bits as on one rank, for any split."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
from launching import HANGS

pytest.importorskip("watari._native")

import asked
import numpy
from on_ranks import on_ranks, skip_unless_gpus, that_mpi_takes

from watari.cases.les import trial as les_trial
from watari.plan.request import describe

pytestmark = [
    pytest.mark.mpi,
    pytest.mark.skipif(shutil.which("mpirun") is None, reason="there is no mpirun"),
]


LAUNCHER = (
    os.environ.get("WATARI_TEST_LAUNCHER")
    or "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe -n {ranks}"
)


def alike(
    folder: Path,
    *words: str,
    grid: str = "256x32x16",
    names: tuple[str, ...] = ("fingerprint", "heat_to_air"),
) -> list[dict[str, Any]]:
    """Runs a small city in every split; expects quantities that are equal. Returns those of each
    split."""
    file = folder / "les.json"
    command = [sys.executable, "-m", "watari", "run", "les", "processor=cpu", f"grid={grid}"]
    common = ["steps=6", "every=3", "trials=1", "threads=1", "cpu-touch=facets"]
    done = subprocess.run(
        [*command, *common, *words, "--launcher", LAUNCHER, "-o", str(file)],
        capture_output=True,
        text=True,
        timeout=HANGS,
    )
    assert done.returncode in (0, 1), done.stderr
    cases = json.loads(file.read_text())["cases"]
    splits = next(word for word in words if word.startswith("split="))
    assert [case["status"] for case in cases] == ["ok"] * (splits.count(",") + 1), cases
    of = [case["trials"][0]["quantities"] for case in cases]
    assert len({tuple(one[name]["value"] for name in names) for one in of}) == 1
    return of


SPLITS = ("split=1x1x1,1x2x1,2x1x1,2x2x1", "halo=staged")


def test_every_split_has_the_bits_of_one_rank(tmp_path: Path) -> None:
    for quantities in alike(tmp_path, *SPLITS)[1:]:
        assert 0 < quantities["exchange_share"]["value"] < 1
        assert quantities["exchange_s"]["value"] > 0


@pytest.mark.slow
def test_every_split_has_the_bits_of_one_rank_with_mist(tmp_path: Path) -> None:
    """Fluxes that read two cells upwind need a wider halo of q, l and velocities. Nozzles lie
    on both sides of the edges of the parts."""
    rows = ["255,31,9,0.002", "257,33,9,0.001", "1,1,9,0.003", "511,63,9,0.001"]
    (nozzles := tmp_path / "nozzles.csv").write_text("\n".join(rows))
    names = ("fingerprint", "mist_fingerprint", "heat_to_air")
    for advection in ("central", "third"):
        words = (*SPLITS, f"mist={nozzles}", f"advection={advection}")
        for one in alike(tmp_path, *words, names=names):
            assert one["mist_released"]["value"] == pytest.approx(0.007 * 6 * 0.1)
            assert one["heat_residual"]["value"] < 1e-4


@pytest.mark.slow
def test_every_split_has_the_bits_of_one_rank_with_trees(tmp_path: Path) -> None:
    """Leaves at the edges of the parts slow faces on both sides."""
    density = numpy.zeros((6, 32, 256))
    density[:4, :, 126:130] = density[:4, :, 255] = 0.5
    density[1:6, 15:17, :] = density[0, 0, :] = 0.25
    heights = numpy.zeros((32, 256))
    heights[4:10, 60:70] = heights[20:26, 124:126] = 8
    numpy.save(tmp_path / "trees.npy", density * (numpy.arange(6)[:, None, None] * 2 >= heights))
    numpy.save(tmp_path / "city.npy", heights)
    words = (f"trees={tmp_path}/trees.npy", f"city=file:{tmp_path}/city.npy")
    of = alike(tmp_path, *SPLITS, *words, names=("fingerprint",))
    for one in of:
        assert one["tree_drag"]["value"] == pytest.approx(of[0]["tree_drag"]["value"], rel=1e-9)
        assert one["tree_drag"]["value"] > 0


def test_thin_parts_have_a_wider_halo_too(tmp_path: Path) -> None:
    """Coarser levels of such parts have fewer rows than the halo of the finest one."""
    words = ("split=1x1x1,1x3x1", "city=flat", "halo=staged", "mist=rows:9", "advection=third")
    alike(tmp_path, *words, grid="64x18x64", names=("fingerprint", "mist_fingerprint"))


def test_more_than_two_parts_along_an_axis(tmp_path: Path) -> None:
    """Arrays that every rank has whole are passed around a ring, in several rounds."""
    words = ("split=1x1x1,1x3x1,1x4x1", "city=flat", "halo=staged")
    alike(tmp_path, *words, grid="64x96x16")


def test_parts_whose_coarser_level_keeps_its_rows(tmp_path: Path) -> None:
    """Nine rows of a level are those of the next: a deep halo would reach rows that it lacks."""
    words = ("split=1x1x1,1x3x1", "city=flat", "halo=staged")
    alike(tmp_path, *words, grid="64x18x64")


on_gpu = partial(
    asked.request, "les", machine=asked.GPU, processor="gpu", steps=4, every=2, threads=8
)
DIVIDED = {"grid": "512x256x64"}  # two levels of it are divided
DOUBLE = {"grid": "256x128x32", "precision": "double"}
MISTY = {"grid": "256x128x64", "mist": "rows:16", "advection": "third"}
GRIDS = (DIVIDED, DOUBLE, MISTY)


@cache
def alone() -> dict[str, dict[str, Any]]:
    """The quantities of one GPU, by grid."""
    return {one["grid"]: les_trial.run(on_gpu(**one).parameters)["quantities"] for one in GRIDS}


@pytest.mark.gpu
@pytest.mark.parametrize("halo", ["peer", "nccl", "staged", "device"])
def test_gpus_have_the_bits_of_one(halo: str, tmp_path: Path) -> None:
    skip_unless_gpus(2)
    trials = [on_gpu(**g, split=s, halo=halo) for g in GRIDS for s in ("1x2x1", "2x1x1")]
    trials.append(on_gpu(**DIVIDED, split="1x2x1", halo=halo, style="managed"))
    trials = that_mpi_takes(trials)
    for one, outcome in zip(trials, on_ranks(2, trials, tmp_path), strict=True):
        assert "error" not in outcome, (describe(one), outcome)
        names = ("fingerprint", "heat_to_air")
        for name in (*names, "mist_fingerprint") if one.parameters["mist"] != "none" else names:
            wanted = alone()[one.parameters["grid"]][name]["value"]
            assert outcome[name] == wanted, (describe(one), name)
