"""`watari wind --trees --radiation`: maps of comfort with the radiation of the run, its files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import printed, refused
from les_flow import dataset, drawn_panels

from watari.cases.les import budgets, command, output, trial
from watari.cases.les.comfort import maps
from watari.cases.les.formats import drawing, map_drawing, netcdf, vtk

pytestmark = pytest.mark.usefixtures("own_cache")


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
    of = blown(CUBES, light="cpu", leaves="rows:16")
    with dataset("w.nc", of) as file:
        assert file["light"].units == "W m-2"
        assert file["leaf_area_density"].units == "m-1"
        assert file["q"].standard_name == "specific_humidity"
    again = netcdf.read(Path("w.nc"))
    assert of.leaves is not None
    assert again.leaves is not None
    assert (again.leaves == of.leaves).all()
    for name in ("wbgt", "tmrt"):
        mine, theirs = (maps.comfort(name, each) for each in (of, again))
        assert mine.notes == theirs.notes
        assert np.ma.allclose(mine.values, theirs.values, atol=1e-3)
    vtk.vti(Path("w.vti"), of)
    assert 'Name="leaf_area_density"' in Path("w.vti").read_text()


def test_trees_are_drawn_beside_the_run_without_them(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("matplotlib")
    pytest.importorskip("watari._native")
    edged: list[int] = []
    leaves = map_drawing.draw_leaves

    def counted(axes: Any, leafy: Any, spacing: float) -> None:
        edged.append(int(leafy.sum()))
        leaves(axes, leafy, spacing)

    monkeypatch.setattr(map_drawing, "draw_leaves", counted)
    drawn = drawn_panels(monkeypatch)
    words = ["wind", "flat", "--grid", "XS", "--steps", "10", "--trees", "rows:16"]
    out = printed(
        capsys, *words, "--radiation", "cpu", "--map", "tmrt", "-o", "m.png", "-o", "m.vti"
    )
    for told in ("leaves take", "kg of vapour", "missing", "without trees, after"):
        assert told in out
    titles = [title.partition(",")[0] for *_, title in drawn]
    assert titles == ["without trees", "this run", "difference"]
    assert drawn[2][0].mean() < -1  # K
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


@pytest.mark.parametrize("option", ["--mist", "--trees"])
def test_a_result_takes_no_options_of_a_run(
    option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["wind", "a.nc", option, "rows:16", "--map", "tair", "-o", "o.vti"]
    assert f"{option} is of a run, and a.nc is the result of one" in refused(capsys, *words)


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
