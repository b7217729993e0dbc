"""Case les with trees: leaves by cell, drag, shade, what they transpire, the same bits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from les_trials import assert_bits_of_the_cpu, requests, run, value

from watari.cases.les import axes, case, trees, trial
from watari.common.errors import FileError, UnsupportedError, UsageError

LEAFY = {"trees": "rows:16", "every": 2}
SHINING = {**LEAFY, "radiation": "cpu"}


pytestmark = pytest.mark.usefixtures("own_cache")


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


def leaves_in(text: str) -> Any:
    """Leaves in a city of one column of 4 m."""
    heights = np.zeros((8, 16), np.uint16)
    heights[2, 3] = 2
    return trees.leaves(trees.parse(text), (16, 8, 8), 2.0, heights)


def test_a_file_has_a_density_for_each_cell() -> None:
    density = np.zeros((3, 8, 16), "f4")
    density[2, 2, 3], density[0, 7, 15] = 0.5, 0.25
    np.save("t.npy", density)
    assert leaves_in("t.npy").tolist() == [[15, 7, 0, 0.25], [3, 2, 2, 0.5]]


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
    density = np.zeros((3, 8, 16))
    density[place] = number
    np.save("t.npy", density)
    with pytest.raises(UsageError, match=why):
        leaves_in("t.npy")


def test_trees_that_are_none_are_refused() -> None:
    np.save("flat.npy", np.zeros((8, 16)))
    np.save("wide.npy", np.zeros((3, 9, 16)))
    Path("torn.npy").write_bytes(Path("wide.npy").read_bytes()[:200])
    for name, why in (
        ("oak", "are no trees; write none, rows:SPACING"),
        ("rows:x", "not a num"),
        ("flat.npy", "three axes"),
        ("wide.npy", "has 3x9x16 numbers; this grid takes 8 planes or fewer of 8x16"),
        ("torn.npy", "not a complete .npy"),
    ):
        with pytest.raises(UsageError, match=why):
            leaves_in(name)
    with pytest.raises((FileError, UsageError), match=r"none\.npy"):
        case.CASES[0].require_files(requests(trees="none.npy")[0].parameters)


@pytest.mark.gpu
@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("light", ["none", "cpu", "gpu"])
def test_a_gpu_has_the_bits_of_the_cpu_with_trees(precision: str, light: str) -> None:
    given = {**LEAFY, "grid": "64x64x32", "precision": precision, "radiation": light}
    more = [] if light == "none" else ["mist_fingerprint", "tree_heat"]
    assert_bits_of_the_cpu("fingerprint", "energy", "mean_theta", *more, **given)


@pytest.mark.gpu
@pytest.mark.parametrize("style", ["pinned", "managed", "managed-prefetch", "system"])
@pytest.mark.parametrize("gather", ["gpu", "cpu"])
def test_styles_have_the_same_bits_with_trees(style: str, gather: str) -> None:
    given = {**SHINING, "processor": "gpu", "grid": "64x64x32", "advection": "third"}
    try:
        made = run(**given, style=style, gather=gather)
    except UnsupportedError as reason:
        if style != "system":  # the others run on every GPU
            raise
        pytest.skip(str(reason))
    plain = run(**given, style="explicit", gather="gpu")
    assert prints(made) == prints(plain)
