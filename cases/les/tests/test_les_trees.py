"""Case les with trees: leaves by cell, drag, shade, what they transpire, and maps of comfort with
the radiation of the run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import refused, run_cli

from watari.cases.les import axes, budgets, case, command, output, trees, trial
from watari.cases.les.comfort import maps
from watari.cases.les.formats import drawing, map_drawing, netcdf, vtk
from watari.common.errors import FileError, UsageError
from watari.machine import probe
from watari.plan.request import Request, resolve

SMALL = {"processor": "cpu", "grid": "XS", "steps": 6, "every": 2}
LEAFY = {"trees": "rows:16"}
SHINING = {**LEAFY, "radiation": "cpu"}


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """View factors of a test are kept in its own folder."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)


def requests(**given: Any) -> list[Request]:
    return resolve("les", {**SMALL, **given}, probe.machine())


def run(**given: Any) -> dict[str, Any]:
    pytest.importorskip("watari._native")
    return trial.run(requests(**given)[0].parameters)


def value(of: dict[str, Any], name: str) -> float:
    return float(of["quantities"][name]["value"])


def prints(of: dict[str, Any]) -> list[float]:
    return [value(of, name) for name in ("fingerprint", "mist_fingerprint")]


def test_leaves_slow_the_wind_and_a_city_without_them_stays_as_it_was() -> None:
    plain, leafy = run(steps=30), run(**LEAFY, steps=30)
    assert leafy["verified"] is True, leafy
    assert value(leafy, "energy") < value(plain, "energy")
    assert value(leafy, "tree_drag") > 0
    assert not any("tree" in name or "residual" in name for name in plain["quantities"])
    assert not any("mist" in name for name in leafy["quantities"])  # dry: no light is known


@pytest.mark.parametrize(("precision", "bound"), [("single", 1e-4), ("double", 1e-10)])
@pytest.mark.parametrize("nozzles", ["none", "rows:16"])
def test_water_and_heat_are_kept_with_leaves(precision: str, bound: float, nozzles: str) -> None:
    made = run(**SHINING, mist=nozzles, precision=precision, steps=9)
    assert made["verified"] is True, made
    assert value(made, "tree_vapour") > 0
    both = value(made, "mist_released") + value(made, "tree_vapour")
    found = value(made, "mist_evaporated") + value(made, "tree_vapour")
    assert found + value(made, "mist_droplets") == pytest.approx(both, rel=bound)
    for name in ("water_residual", "heat_residual"):
        assert value(made, name) <= bound, name
    # light becomes vapour and heat; a touch before the last gave the vapour of most steps
    assert value(made, "tree_heat") == pytest.approx(
        0.4 * value(made, "tree_light") + value(made, "tree_long_waves")
    )
    assert value(made, "tree_vapour") == pytest.approx(
        0.6 * value(made, "tree_light") * 0.1 * 7 / 2.5e6, rel=1e-3
    )
    assert value(made, "radiation_imbalance") < 1e-6


def test_threads_gathers_and_processors_change_no_bit() -> None:
    first = prints(run(**SHINING))
    for given in ({"threads": 2}, {"gather": "cpu"}, {"radiation": "gpu"}):
        assert prints(run(**{**SHINING, **given})) == first, given
    assert prints(run(**SHINING, city="flat")) != first


def test_shade_cools_the_city() -> None:
    pytest.importorskip("watari._native")
    bare, leafy = (
        trial.run(requests(**given)[0].parameters | {"settled": True})
        for given in ({"radiation": "cpu"}, SHINING)
    )
    assert value(leafy, "heat_to_air") < value(bare, "heat_to_air")
    night = run(**SHINING, sun="35.68:139.77:2026-06-21:15")
    assert value(night, "tree_light") == 0
    assert "tree_vapour" not in night["quantities"]
    assert night["verified"] is True, night


def test_the_third_order_flux_goes_with_leaves() -> None:
    assert run(**SHINING, advection="third")["verified"] is True


def test_leaves_that_stop_the_air_in_a_step_are_refused() -> None:
    density = np.zeros((4, 32, 32))
    density[2, 0, 0] = 20.0
    np.save("hedge.npy", density)
    with pytest.raises(UsageError, match=r"leaves slow the first flow by .* dt may be"):
        run(city="flat", trees="hedge.npy", dt=0.28)


def test_bytes_and_memory_are_those_of_moist_air_where_leaves_transpire() -> None:
    plain, leafy, shining = (
        case.profile(requests(**given)[0].parameters) for given in ({}, LEAFY, SHINING)
    )
    assert plain.bytes_per_sample == leafy.bytes_per_sample == 823 * 32**3
    assert shining.bytes_per_sample == (823 + 131) * 32**3
    array = axes.array_bytes(requests()[0].parameters)
    assert shining.memory - plain.memory == pytest.approx(4 * array + array / 4, abs=2)


def test_rows_stand_in_streets_and_no_leaf_is_in_a_building() -> None:
    heights = np.zeros((16, 32), np.uint16)
    heights[:, 20:] = 3
    found = trees.leaves("rows:8", (32, 16, 16), 2.0, heights)
    assert sorted(set(found[:, 2])) == [1, 2, 3]  # centres between 3 and 9 m
    assert set(found[:, 3]) == {trees.DENSITY}
    assert (found[:, 2] >= heights[found[:, 1].astype(int), found[:, 0].astype(int)]).all()
    one = trees.leaves("rows:32", (16, 16, 16), 2.0, np.zeros((16, 16), np.uint16))
    assert len(one) == 3 * 3 * 3
    with pytest.raises(UsageError, match="no trunk stands in a street"):
        trees.leaves("rows:500", (32, 16, 16), 2.0, heights)
    with pytest.raises(UsageError, match="cells of 8 m are too large"):
        trees.leaves("rows:16", (32, 16, 16), 8.0, heights)


def test_a_file_has_a_density_for_each_cell() -> None:
    heights = np.zeros((8, 16), np.uint16)
    heights[2, 3] = 2
    density = np.zeros((3, 8, 16), "f4")
    density[2, 2, 3], density[0, 7, 15] = 0.5, 0.25
    np.save("t.npy", density)
    found = trees.leaves(trees.parse("t.npy"), (16, 8, 8), 2.0, heights)
    assert found.tolist() == [[15, 7, 0, 0.25], [3, 2, 2, 0.5]]


@pytest.mark.parametrize(
    ("place", "number", "why"),
    [
        ((1, 2, 3), 0.5, "0.5 1/m at z 1, y 2, x 3 is inside a building"),
        ((2, 2, 3), -1, "-1 1/m at z 2, y 2, x 3 is below 0"),
        ((2, 2, 3), np.nan, "nan 1/m at z 2, y 2, x 3 is no number"),
        ((2, 2, 3), 21, "21 1/m at z 2, y 2, x 3 is above 20"),
        ((2, 2, 3), 0, "no cell of the city has leaves"),
    ],
)
def test_a_bad_density_is_named_by_its_place(
    place: tuple[int, ...], number: float, why: str
) -> None:
    heights = np.zeros((8, 16), np.uint16)
    heights[2, 3] = 2
    density = np.zeros((3, 8, 16))
    density[place] = number
    np.save("t.npy", density)
    with pytest.raises(UsageError, match=why):
        trees.leaves("t.npy", (16, 8, 8), 2.0, heights)


def test_trees_that_are_none_are_refused() -> None:
    for text, why in (("oak", "are no trees; write none, rows:SPACING"), ("rows:x", "not a num")):
        with pytest.raises(UsageError, match=why):
            trees.parse(text)
    np.save("flat.npy", np.zeros((8, 16)))
    np.save("wide.npy", np.zeros((3, 9, 16)))
    Path("torn.npy").write_bytes(Path("wide.npy").read_bytes()[:200])
    heights = np.zeros((8, 16), np.uint16)
    for name, why in (
        ("flat.npy", "three axes"),
        ("wide.npy", "has 3x9x16 numbers; this grid takes 8 planes or fewer of 8x16"),
        ("torn.npy", "not a complete .npy"),
    ):
        with pytest.raises(UsageError, match=why):
            trees.leaves(name, (16, 8, 8), 2.0, heights)
    with pytest.raises((FileError, UsageError), match=r"none\.npy"):
        case.CASES[0].require_files(requests(trees="none.npy")[0].parameters)


def blown(*words: str, steps: str = "10", **given: Any) -> output.Wind:
    """A run of `watari wind`."""
    pytest.importorskip("watari._native")
    parameters = command.parameters_of(words[0], "XS", "2", steps, "cpu", None, **given)
    parameters["threads"] = 1
    found = trial.run(parameters, keep=True)
    assert found["verified"], found
    return output.wind(found, parameters["spacing"])


CUBES = "cubes:16:0.25:staggered"


def test_a_map_takes_the_radiation_of_its_run() -> None:
    plain, bare, leafy = (
        blown(CUBES, **given)
        for given in ({}, {"light": "cpu"}, {"light": "cpu", "leaves": "rows:16"})
    )
    one_sky, mine, shaded = (maps.comfort("tmrt", of) for of in (plain, bare, leafy))
    assert any("one reflection" in note for note in one_sky.notes)
    assert any("the run's facets and leaves" in note for note in shaded.notes)
    assert bare.radiation is not None
    assert leafy.radiation is not None
    assert leafy.leaves is not None
    # both have the steady ground of an open street in the sun; in detail they differ
    assert float(mine.values.mean()) == pytest.approx(float(one_sky.values.mean()), abs=6)
    under = leafy.leaves.any(0) & (bare.radiation.beam > 0) & ~shaded.values.mask
    assert under.sum() > 5
    cooler = (mine.values - shaded.values)[under]
    assert float(cooler.mean()) > 5  # K: in the shade of leaves
    lit = bare.radiation.ground_temperature[bare.radiation.beam > 0]
    dark = bare.radiation.ground_temperature[bare.radiation.beam == 0]
    assert np.nanmean(lit) > np.nanmean(dark) + 5  # a shadow is cool, and facets begin steady
    dry = maps.comfort("tmrt", replace(leafy, radiation=None))
    assert any("no shade" in note for note in dry.notes)


def test_radiation_and_leaves_are_in_the_file_and_read_from_it() -> None:
    library = pytest.importorskip("netCDF4")
    of = blown(CUBES, light="cpu", leaves="rows:16")
    netcdf.netcdf(Path("w.nc"), of)
    again = netcdf.read(Path("w.nc"))
    assert of.leaves is not None
    assert again.leaves is not None
    assert (again.leaves == of.leaves).all()
    for name in ("wbgt", "tmrt"):
        mine, theirs = (maps.comfort(name, each) for each in (of, again))
        assert mine.notes == theirs.notes
        assert np.ma.allclose(mine.values, theirs.values, atol=1e-3)
    with library.Dataset("w.nc") as file:
        assert file["light"].units == "W m-2"
        assert file["leaf_area_density"].units == "m-1"
        assert file["q"].standard_name == "specific_humidity"
    vtk.vti(Path("w.vti"), of)
    assert 'Name="leaf_area_density"' in Path("w.vti").read_text()


def test_trees_are_drawn_beside_the_run_without_them(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("matplotlib")
    pytest.importorskip("watari._native")
    titles: list[str] = []
    edged: list[int] = []
    panel, leaves = map_drawing.panel, map_drawing.draw_leaves

    def watched(axes: Any, of: Any, values: Any, scale: Any, title: str) -> Any:
        titles.append(f"{title} {values.mean():.4f}")
        return panel(axes, of, values, scale, title)

    def counted(axes: Any, leafy: Any, spacing: float) -> None:
        edged.append(int(leafy.sum()))
        leaves(axes, leafy, spacing)

    monkeypatch.setattr(map_drawing, "panel", watched)
    monkeypatch.setattr(map_drawing, "draw_leaves", counted)
    words = ["wind", "flat", "--grid", "XS", "--steps", "10", "--trees", "rows:16"]
    code, out, err = run_cli(
        capsys, *words, "--radiation", "cpu", "--map", "tmrt", "-o", "m.png", "-o", "m.vti"
    )
    assert (code, err) == (0, "")
    assert "leaves take" in out
    assert "kg of vapour" in out
    assert "missing" in out
    assert "without trees, after" in out
    assert [title.partition(",")[0] for title in titles] == [
        "without trees",
        "this run",
        "difference",
    ]
    assert float(titles[2].split()[-1]) < -1  # K
    assert len(edged) == 2
    assert edged[0] > 0
    drawing.picture(Path("w.png"), blown("flat", leaves="rows:16"))
    assert Path("w.png").stat().st_size > 1000


def test_the_budget_lines_say_what_leaves_do() -> None:
    of = {"tree_drag": 1500.0, "tree_light": 2e5, "tree_heat": 1e4, "tree_vapour": 0.5}
    of |= {"mist_released": 0.0, "water_residual": 1e-9, "heat_residual": 2e-9}
    trial_ = {"quantities": {name: {"value": v, "unit": ""} for name, v in of.items()}}
    assert budgets.lines(trial_) == [
        "leaves take 1.5 kW from the wind and 200 kW of light; they give 0.5 kg of vapour and "
        "10 kW of heat; missing 1e-09 of the water, 2e-09 of the heat"
    ]
    assert budgets.lines({"quantities": {}}) == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--trees", "oak"], "--trees: 'oak' are no trees"),
        (["--trees", "none.npy"], "none.npy"),
        (["--radiation", "moon"], "--radiation"),
        (["--sun", "0:0:2026-03-20:9"], "needs radiation=cpu"),
        (["--radiation", "cpu", "--sun", "noon"], "--sun: 'noon' is not a sun"),
    ],
)
def test_words_that_cannot_be_are_refused(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert message in refused(capsys, "wind", "flat", *words, "-o", "o.vti")


@pytest.mark.gpu
@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("light", ["none", "cpu", "gpu"])
def test_a_gpu_has_the_bits_of_the_cpu_with_trees(precision: str, light: str) -> None:
    given = {**LEAFY, "grid": "64x64x32", "precision": precision, "radiation": light}
    cpu, gpu = (run(**{**given, "processor": processor}) for processor in ("cpu", "gpu"))
    assert gpu["verified"] is True, gpu
    names = ["fingerprint", "energy", "mean_theta"]
    for name in names if light == "none" else [*names, "mist_fingerprint", "tree_heat"]:
        assert value(gpu, name) == value(cpu, name), name


@pytest.mark.gpu
@pytest.mark.parametrize("style", ["pinned", "managed", "managed-prefetch", "system"])
@pytest.mark.parametrize("gather", ["gpu", "cpu"])
def test_styles_have_the_same_bits_with_trees(style: str, gather: str) -> None:
    given = {**SHINING, "processor": "gpu", "grid": "64x64x32", "advection": "third"}
    made, plain = (
        run(**given, style=each, gather=by) for each, by in ((style, gather), ("explicit", "gpu"))
    )
    assert prints(made) == prints(plain)
