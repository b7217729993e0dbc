"""Case les: its cities, refusals, and one flow for all touches and precisions."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from watari.cases.les import axes, case, city, output, picture, trial
from watari.common.errors import UnsupportedError, UsageError
from watari.machine import probe
from watari.plan.request import Request, resolve
from watari.results import schema

SMALL = {"processor": "cpu", "grid": "XS", "steps": 6, "every": 3}
SHAPE = (32, 24, 16)


def requests(**given: Any) -> list[Request]:
    return resolve("les", {**SMALL, **given}, probe.machine())


def run(**given: Any) -> dict[str, Any]:
    pytest.importorskip("watari._native")
    return trial.run(requests(**given)[0].parameters)


def value(of: dict[str, Any], name: str) -> float:
    return float(of["quantities"][name]["value"])


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
        schema.Picture.model_validate(seen)
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


@pytest.mark.parametrize("arrangement", ["aligned", "staggered"])
def test_cubes_have_their_density(arrangement: str) -> None:
    cells = city.heights(f"cubes:8:0.25:{arrangement}", (64, 64, 32), 1.0)
    found = city.densities(cells)
    assert found == {"plan_density": 0.25, "frontal_density_x": 0.25, "frontal_density_y": 0.25}
    assert (cells[:16] == cells[16:32]).all() == (arrangement == "aligned")


def test_a_seed_has_one_city() -> None:
    text = "random:7:0.25:12:5"
    cells = city.heights(text, (128, 128, 64), 2.0)
    assert (cells == city.heights(text, (128, 128, 64), 2.0)).all()
    assert (cells != city.heights("random:8:0.25:12:5", (128, 128, 64), 2.0)).any()
    blocks = cells[cells > 0]
    assert 0.15 < city.densities(cells)["plan_density"] <= 0.3
    assert blocks.mean() * 2 == pytest.approx(12, rel=0.2)
    assert blocks.std() * 2 == pytest.approx(5, rel=0.4)


def saved(folder: Path, heights: Any) -> str:
    np.save(folder / "city.npy", heights)
    return f"file:{folder / 'city.npy'}"


def test_a_map_has_a_number_for_each_cell(tmp_path: Path) -> None:
    heights = np.arange(24 * 32).reshape(24, 32) % 5
    text = saved(tmp_path, heights.astype("f4"))
    assert (city.heights(text, SHAPE, 1.0) == heights).all()
    assert "32 m x 24 m" in city.notes(text, SHAPE, 1.0)[0]


def test_a_map_of_another_size_is_refused_with_its_grid(tmp_path: Path) -> None:
    text = saved(tmp_path, np.eye(320))
    says = (
        r"the map has 640 m x 640 m \(320 x 320 numbers of 2 m\), the grid 256 m x 256 m; "
        r"a grid of 320x320x64 takes a map of 640 m x 640 m"
    )
    with pytest.raises(UsageError, match=says):
        city.heights(text, (128, 128, 64), 2.0)
    assert city.heights(text, (320, 320, 64), 2.0).shape == (320, 320)
    with pytest.raises(UsageError, match=r"a grid of 20x12x16 takes a map of 40 m x 24 m"):
        city.heights(saved(tmp_path, np.eye(13, 21)), (16, 16, 16), 2.0)
    with pytest.raises(UsageError, match=r"the map has 24 m x 32 m"):  # x and y exchanged
        city.heights(saved(tmp_path, np.eye(32, 24)), SHAPE, 1.0)


def test_heights_are_rounded_to_whole_cells_a_half_upwards(tmp_path: Path) -> None:
    heights = np.zeros((24, 32))
    heights[3, :8] = [0.99, 1.0, 2.99, 3.0, 4.99, 5.0, 6.99, 7.0]
    text = saved(tmp_path, heights)
    cells = city.heights(text, SHAPE, 2.0)
    assert cells[3, :8].tolist() == [0, 1, 1, 2, 2, 3, 3, 4]
    says = city.notes(text, SHAPE, 2.0)[1]
    assert "whole cells of 2 m" in says
    assert "highest 7 m becomes 8 m" in says
    assert "columns below 1 m, which become street: 1" in says


def test_a_map_that_no_run_takes_has_no_notes(tmp_path: Path) -> None:
    """Its command prints one line: the reason."""
    np.save(tmp_path / "low.npy", np.full((SHAPE[1], SHAPE[0]), 0.1))
    with pytest.raises(UsageError, match="no height reaches half a cell"):
        city.notes(f"file:{tmp_path}/low.npy", SHAPE, 1.0)


def test_a_run_says_once_what_becomes_of_a_map(tmp_path: Path) -> None:
    asked = requests(city=saved(tmp_path, 7 * np.eye(32)), every="1,2")
    assert len(asked) == 2
    lines = case.CASES[0].forecast([one.parameters for one in asked], {})
    assert [line.partition(":")[0] for line in lines] == ["file", "heights in whole cells of 2 m"]


def test_tails_below_half_a_cell_are_street(tmp_path: Path) -> None:
    heights = np.full((24, 32), 0.3)
    heights[3, 4] = 6
    cells = city.heights(saved(tmp_path, heights), SHAPE, 2.0)
    assert (cells > 0).sum() == 1
    with pytest.raises(UsageError, match="no height reaches half a cell, 1 m"):
        city.heights(saved(tmp_path, np.full((24, 32), 0.3)), SHAPE, 2.0)
    with pytest.raises(UsageError, match="every column is built up, no street is left"):
        city.heights(saved(tmp_path, np.full((24, 32), 1.0)), SHAPE, 2.0)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (np.nan, r"nan m at y 1, x 2 of its 24 rows is no number"),
        (np.inf, r"inf m at y 1, x 2 of its 24 rows is no number"),
        (-1.0, r"-1 m at y 1, x 2 of its 24 rows is below the ground"),
        (15.0, r"15 m at y 1, x 2 is above 3/4 of the lid, 16 m"),
    ],
)
def test_a_bad_height_is_named_with_its_place(tmp_path: Path, bad: float, message: str) -> None:
    heights = np.zeros((24, 32))
    heights[1, 2] = bad
    with pytest.raises(UsageError, match=message):
        city.heights(saved(tmp_path, heights), SHAPE, 1.0)


@pytest.mark.parametrize("bad", [np.nan, -1.0])
def test_a_bad_height_that_no_cell_takes_is_refused(tmp_path: Path, bad: float) -> None:
    heights = np.zeros((240, 320))  # ten for each cell
    heights[7, 1] = bad
    with pytest.raises(UsageError, match="at y 7, x 1 of its 240 rows"):
        city.heights(saved(tmp_path, heights), SHAPE, 1.0)


def test_what_is_no_map_is_refused(tmp_path: Path) -> None:
    for wrong, message in (
        (np.zeros(5), "two axes"),
        (np.zeros((4, 4), dtype=complex), "real numbers"),
        (np.ones((24, 32)), "no street is left"),
    ):
        with pytest.raises(UsageError, match=message):
            city.heights(saved(tmp_path, wrong), SHAPE, 1.0)
    path = tmp_path / "city.npy"
    np.save(path, np.zeros((64, 64)))
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(UsageError, match=r"not a complete \.npy file of numbers"):
        city.heights(f"file:{path}", SHAPE, 1.0)
    with pytest.raises(UsageError, match="city file:"):
        city.heights(f"file:{tmp_path / 'none.npy'}", SHAPE, 1.0)


def test_a_bad_file_is_a_usage_error_of_the_request(tmp_path: Path) -> None:
    heights = np.zeros((32, 32))
    heights[3, 4] = np.nan
    for text, message in (
        (saved(tmp_path, heights), "nan m at y 3, x 4 of its 32 rows is no number"),
        (f"file:{tmp_path / 'none.npy'}", "No such file"),
    ):
        with pytest.raises(UsageError, match=message):
            requests(city=text)


def test_a_geotiff_is_read_south_first(tmp_path: Path) -> None:
    rasterio = pytest.importorskip("rasterio")
    heights = np.arange(12, dtype="f4").reshape(3, 4) % 5

    def written(name: str, crs: str, band: Any = heights, nodata: float | None = None) -> str:
        path = tmp_path / name
        where = rasterio.transform.from_origin(0, 48, 8, 8)
        form = {"driver": "GTiff", "height": 3, "width": 4, "count": 1, "dtype": band.dtype}
        with rasterio.open(path, "w", **form, crs=crs, transform=where, nodata=nodata) as file:
            file.write(band, 1)
        return f"file:{path}"

    text = written("city.tif", "EPSG:32633")
    cells = city.heights(text, SHAPE, 1.0)
    assert (cells == np.repeat(np.repeat(heights[::-1], 8, 0), 8, 1)).all()
    assert (
        "32 m x 24 m, resampled: 4 x 3 numbers, 32 x 24 cells of 1 m"
        in city.notes(text, SHAPE, 1.0)[0]
    )
    with pytest.raises(UsageError, match=r"the map has 32 m x 24 m .*, the grid 64 m x 48 m"):
        city.heights(text, SHAPE, 2.0)
    with pytest.raises(UsageError, match="in degrees"):
        city.heights(written("degrees.tif", "EPSG:4326"), SHAPE, 1.0)
    with pytest.raises(UsageError, match=r"has holes \(no data\), the first at y 0, x 0 of its 3"):
        city.heights(written("holes.tif", "EPSG:32633", nodata=3.0), SHAPE, 1.0)
    with pytest.raises(UsageError, match="heights are real numbers, not complex64"):
        city.heights(written("complex.tif", "EPSG:32633", heights.astype("c8")), SHAPE, 1.0)
    whole = Path(written("torn.tif", "EPSG:32633").removeprefix("file:"))
    whole.write_bytes(whole.read_bytes()[:-20])
    with pytest.raises(UsageError, match=r"not a complete GeoTIFF: .*torn\.tif"):
        city.heights(f"file:{whole}", SHAPE, 1.0)


def test_a_geotiff_needs_rasterio_or_is_read(tmp_path: Path) -> None:
    try:
        import rasterio  # noqa: F401
    except ImportError:
        with pytest.raises(UnsupportedError, match="rasterio"):
            city.heights(f"file:{tmp_path / 'city.tif'}", SHAPE, 1.0)
    else:
        with pytest.raises(UsageError, match=r"city file:"):
            city.heights(f"file:{tmp_path / 'city.tif'}", SHAPE, 1.0)


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
    cpu, gpu = (run(**{**given, "processor": processor}) for processor in ("cpu", "gpu"))
    assert gpu["verified"] is True, gpu
    for name in ("fingerprint", "energy", "mean_theta"):
        assert value(gpu, name) == value(cpu, name), name


@pytest.mark.gpu
@pytest.mark.parametrize("grid", ["128x64x64", "136x16x32"])
def test_a_gpu_has_the_bits_of_the_cpu_on_three_large_levels(grid: str) -> None:
    """Levels of more than 4096 cells have their own kernels, and the second coarse level has others
    than the first. Rows of 136 cells end with idle lanes."""
    given = {"grid": grid, "precision": "single"}
    cpu, gpu = (run(**{**given, "processor": processor}) for processor in ("cpu", "gpu"))
    assert value(gpu, "fingerprint") == value(cpu, "fingerprint")


@pytest.mark.gpu
@pytest.mark.parametrize("style", ["pinned", "managed", "managed-prefetch"])
@pytest.mark.parametrize("gather", ["gpu", "cpu"])
def test_styles_have_the_same_bits(style: str, gather: str) -> None:
    given = {"processor": "gpu", "grid": "64x64x32", "gather": gather}
    made, plain = (run(**given, style=each) for each in (style, "explicit"))
    assert value(made, "fingerprint") == value(plain, "fingerprint")
