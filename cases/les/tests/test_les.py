"""Case les: its refusals, and one flow for all touches and precisions."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from les_trials import assert_bits_of_the_cpu, requests, run, value

from watari.cases.les import axes, case, output, picture, trial
from watari.common.errors import UsageError
from watari.results.trial import Picture


def test_a_trial_has_a_sample_a_step_and_a_sound_flow() -> None:
    made = run(**{"cpu-touch": "all"})
    assert made["verified"] is True, made
    assert len(made["host_s"]) == 6
    for name in ("courant", "divergence", "cpu_s", "move_s", "gather_s"):
        assert len(made["series"][name]) == 6, name
    assert [seconds > 0 for seconds in made["series"]["cpu_s"]] == [False, False, True] * 2
    assert 0 < made["series"]["courant"][-1] < 1.2
    assert made["series"]["divergence"][-1] < 1e-6
    assert value(made, "plan_density") == 0.25
    assert value(made, "simulated") == pytest.approx(0.6)
    per_period = sum(made["host_s"]) / 6
    assert value(made, "cells_per_s") == pytest.approx(32**3 / per_period)


def test_what_the_cpu_reads_changes_no_bit_but_what_it_writes_does() -> None:
    prints = {
        (touch, gather): value(run(**{"cpu-touch": touch, "gather": gather}), "fingerprint")
        for touch, gather in (
            ("facets", "gpu"),
            ("facets", "cpu"),
            ("planes", "gpu"),
            ("all", "gpu"),
            ("none", "gpu"),
        )
    }
    untouched = prints.pop(("none", "gpu"))
    assert len(set(prints.values())) == 1
    assert untouched not in prints.values()


def test_threads_change_no_bit() -> None:
    assert value(run(threads=1), "fingerprint") == value(run(threads=2), "fingerprint")


def test_double_precision_has_the_same_flow() -> None:
    single, double = run(), run(precision="double")
    assert value(single, "fingerprint") != value(double, "fingerprint")
    assert value(single, "energy") == pytest.approx(value(double, "energy"), rel=1e-5)


def test_a_time_step_that_is_too_long_is_refused_with_the_limit() -> None:
    with pytest.raises(UsageError, match=r"Courant number of .*; dt may be 0\.\d+ s at most"):
        run(dt=1)


@pytest.mark.parametrize("precision", ["single", "double"])
def test_a_trial_has_a_small_picture_of_its_last_wind(precision: str) -> None:
    pytest.importorskip("watari._native")
    parameters = requests(precision=precision)[0].parameters
    whole = output.wind(made := trial.run(parameters, keep=True), parameters["spacing"])
    last = len(picture.DIGITS) - 1
    heights, row = made["heights"], picture.full_row(made["heights"])
    for name, plane, at in (("plan", np.s_[1], 3.0), ("cut", np.s_[:, row], 2 * row + 1.0)):
        seen = made["pictures"][f"speed.{name}"]
        Picture.model_validate(seen)
        assert (seen["width"], seen["height"], seen["at"]) == (64.0, 64.0, at)
        levels = [[picture.DIGITS.find(sign) for sign in line] for line in seen["rows"]]
        assert (np.array(levels) < 0).tolist() == whole.solid[plane].tolist()
        speed = np.ma.masked_array(levels, whole.solid[plane]) * seen["most"] / last
        assert abs(speed - whole.speed[plane]).max() <= 0.51 * seen["most"] / last
        assert seen["most"] == pytest.approx(whole.speed[plane].max(), rel=1e-3)
    assert heights[row].sum() == heights.sum(axis=1).max()


def test_a_picture_is_coarse_and_leaves_buildings_out_of_its_means() -> None:
    values, air = np.ones((10, 200)), np.ones((10, 200), bool)
    values[:, 100:], air[:9, :3], values[:9, :3] = 3.0, False, 50.0
    seen = picture.coarse(values, air, 2.0, 4)
    assert (seen["most"], seen["width"], seen["height"], seen["at"]) == (3.0, 400.0, 20.0, 9.0)
    third = picture.DIGITS[21]
    rows = ["." + 32 * third + "x" + 33 * "/"] * 3 + [33 * third + "x" + 33 * "/"]
    assert seen["rows"] == rows  # cells 99 to 101 have 1, 3 and 3 m/s


def test_the_cut_goes_through_the_middle_of_a_building() -> None:
    heights = np.zeros((12, 4), int)
    heights[3:8, 1], heights[10, 2] = 5, 5
    assert picture.full_row(heights) == 5


def test_a_flow_that_becomes_too_fast_ends_the_trial_with_step_and_place() -> None:
    """The sun warms the ground until the air rises too fast for the time step."""
    sunny = {"grid": "16x16x16", "city": "flat", "spacing": 200, "dt": 36, "cycles": 3}
    made = run(**sunny, steps=200, every=10)
    assert (made["status"], made["verified"]) == ("wrong", False)
    found = re.fullmatch(
        r"after step (\d+): Courant number (.*) at x \d+, y \d+, z \d+; the scheme follows 1.73",
        made["error"],
    )
    assert found, made["error"]
    assert len(made["host_s"]) == int(found[1]) < 200
    assert float(found[2]) > 1.73
    assert "pictures" not in made


def test_a_city_that_two_cycles_do_not_solve_is_wrong_and_right_with_three(tmp_path: Path) -> None:
    """Two deep canyons between roofs at 3/4 of the lid, and a long time step."""
    heights = np.full((32, 32), 48.0)
    heights[14:17, :] = heights[:, 14:17] = 0
    np.save(tmp_path / "canyons.npy", heights)
    given = {"city": f"file:{tmp_path}/canyons.npy", "dt": 0.3, "steps": 4, "every": 2}
    leaks = run(**given)
    assert (leaks["status"], leaks["verified"]) == ("wrong", False)
    found = re.match(r"after step 1: rms divergence (\S+) U/dx, above 1e-05; ", leaks["error"])
    assert found, leaks["error"]
    assert 1e-5 < float(found[1]) < 1e-3
    assert run(**given, cycles=3)["verified"] is True


@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize(("cycles", "bound"), [(1, 5e-4), (2, 1e-5)])
def test_the_bound_of_the_divergence_is_about_ten_times_what_is_measured(
    cycles: int, bound: float, precision: str
) -> None:
    made = run(cycles=cycles, precision=precision, steps=20, every=2)
    assert bound / 20 < max(made["series"]["divergence"]) < bound / 8


def test_the_fields_come_back_without_their_halo() -> None:
    pytest.importorskip("watari._native")
    made = trial.run(requests()[0].parameters, keep=True)
    assert made["u"].shape == made["theta"].shape == (32, 32, 32)
    assert made["w"][0].max() == 0  # the ground lets nothing through
    solid = np.arange(32)[:, None, None] < made["heights"]
    assert np.abs(made["u"][solid]).max() == 0
    energy = 0.5 * sum(float((made[n].astype(float) ** 2).mean()) for n in "uvw")
    assert energy == pytest.approx(value(made, "energy"))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"grid": "4x8x8"}, "the nearest valid grid is 8x8x8"),
        ({"grid": "32x33x32"}, "the nearest valid grid is 32x34x32"),
        ({"spacing": "0.2"}, "the law of the wall turns over at 4 z0"),
        ({"every": 0}, "whole number from 1"),
        ({"cycles": 9}, "from 1 to 8"),
        ({"split": "1x1x2"}, "z is not divided; write 1x2x1"),
        ({"split": "1x2x1", "ranks": 4}, "split=1x2x1 is for 2 ranks"),
        ({"grid": "256x32x16", "split": "4x1x1"}, "the nearest valid grid is 512x32x16"),
        ({"grid": "36x32x32", "split": "2x1x1"}, "the nearest valid grid is 256x32x32"),
        ({"grid": "36x36x32", "split": "1x2x1"}, "the nearest valid grid is 36x40x32"),
        ({"city": "cubes:60:0.25:aligned"}, "no building and its street fit 32x32 cells"),
        ({"city": "cubes:50:0.64:aligned"}, "50 m at y 3, x 3 is above 3/4 of the lid, 64 m"),
        ({"city": "cubes:16:1.5:aligned"}, "a density is above 0 and below 1"),
        ({"city": "random:7:0.25:0:5"}, "the mean height is above 0 m"),
        ({"city": "village"}, "is not a city; write flat, cubes:"),
        ({"dt": "-1"}, "is not a number above 0"),
    ],
    ids=lambda given: str(given)[:40],
)
def test_nonsense_is_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        requests(**given)


@pytest.mark.parametrize("split", ["4x1x1", "2x1x1", "1x2x1", "3x1x1", "1x3x1", "2x3x1"])
@pytest.mark.parametrize("grid", ["36x36x32", "250x30x16", "258x62x32"])
def test_the_nearest_grid_goes(grid: str, split: str) -> None:
    """The nearest grid differs along one axis, so it may need a second correction."""
    for _ in range(3):
        try:
            requests(grid=grid, split=split)
        except UsageError as error:
            before, grid = grid, str(error).rpartition(" is ")[2]
            assert sum(a != b for a, b in zip(*map(axes.shape, (before, grid)), strict=True)) == 1
        else:
            return
    pytest.fail(f"{grid} is refused, too")


def test_the_bytes_are_those_of_the_table() -> None:
    for cycles, of_cell in ((1, 571), (2, 823)):
        parameters = requests(cycles=cycles)[0].parameters
        assert case.profile(parameters).bytes_per_sample == of_cell * 32**3
    large = requests(grid="L")[0].parameters
    assert axes.memory_bytes(large) < 85 * 512 * 512 * 128


@pytest.mark.gpu
@pytest.mark.parametrize("touch", ["none", "facets", "all"])
@pytest.mark.parametrize("precision", ["single", "double"])
def test_a_gpu_has_the_bits_of_the_cpu(touch: str, precision: str) -> None:
    given = {"grid": "64x64x32", "cpu-touch": touch, "precision": precision}
    assert_bits_of_the_cpu("fingerprint", "energy", "mean_theta", **given)


@pytest.mark.gpu
@pytest.mark.parametrize("grid", ["128x64x64", "136x16x32"])
def test_a_gpu_has_the_bits_of_the_cpu_on_three_large_levels(grid: str) -> None:
    """Levels of more than 4096 cells have their own kernels, and the second coarse level has others
    than the first. Rows of 136 cells end with idle lanes."""
    assert_bits_of_the_cpu("fingerprint", grid=grid, precision="single")


@pytest.mark.gpu
@pytest.mark.parametrize("style", ["pinned", "managed", "managed-prefetch"])
@pytest.mark.parametrize("gather", ["gpu", "cpu"])
def test_styles_have_the_same_bits(style: str, gather: str) -> None:
    given = {"processor": "gpu", "grid": "64x64x32", "gather": gather}
    made, plain = (run(**given, style=each) for each in (style, "explicit"))
    assert value(made, "fingerprint") == value(plain, "fingerprint")
