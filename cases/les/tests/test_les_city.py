"""Cities of case les: patterns, seeds, maps of heights, and what is refused in them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from les_trials import requests

from watari.cases.les import case
from watari.cases.les.city import city
from watari.common.errors import UnsupportedError, UsageError

SHAPE = (32, 24, 16)


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
