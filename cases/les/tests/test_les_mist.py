"""Case les with mist and with the third-order flux: nozzles, budgets, the same bits, files."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from les_flow import dataset
from les_trials import assert_bits_of_the_cpu, requests, run, value

from watari.cases.les import axes, case, command, mist, output, trial
from watari.cases.les.city import city
from watari.cases.les.formats import vtk
from watari.common.errors import FileError, UsageError

MISTY = {"mist": "rows:16"}
HALF_BUILT = np.repeat(np.array([[0, 3]], np.uint16), 8, 1).repeat(8, 0)  # 8 columns of 6 m


def prints(of: dict[str, Any]) -> tuple[float, float]:
    return value(of, "fingerprint"), value(of, "mist_fingerprint")


def written(folder: Path, *rows: tuple[Any, ...]) -> str:
    file = folder / "nozzles.csv"
    with file.open("w", newline="") as out:
        csv.writer(out).writerows(rows)
    return str(file)


@pytest.mark.parametrize(("precision", "bound"), [("single", 1e-4), ("double", 1e-10)])
@pytest.mark.parametrize("touch", ["none", "facets"])
def test_water_and_heat_are_kept_in_every_run(precision: str, bound: float, touch: str) -> None:
    made = run(**MISTY, precision=precision, **{"cpu-touch": touch}, steps=9)
    assert made["verified"] is True, made
    of = {name: value(made, f"mist_{name}") for name in ("released", "droplets", "evaporated")}
    heights = city.heights(requests()[0].parameters["city"], (32, 32, 32), 2.0)
    nozzles = mist.nozzles("rows:16", (32, 32, 32), 2.0, heights)
    assert of["released"] == pytest.approx(nozzles[:, 3].sum() * 0.1 * 9)
    assert of["droplets"] + of["evaporated"] == pytest.approx(of["released"], rel=bound)
    for name in ("water_residual", "heat_residual"):
        assert value(made, name) <= bound, name
        assert len(made["series"][name]) == 9
        assert made["series"][name][-1] == value(made, name)


def test_mist_cools_the_air_and_dry_air_stays_as_it_was() -> None:
    wet, dry = run(**MISTY), run()
    assert value(wet, "mean_theta") < value(dry, "mean_theta")
    assert not any("mist" in name or "residual" in name for name in dry["quantities"])


def test_threads_and_touches_change_no_bit_of_mist() -> None:
    assert prints(run(**MISTY, threads=1)) == prints(run(**MISTY, threads=2))
    gathers = [run(**MISTY, gather=which) for which in ("gpu", "cpu")]
    assert prints(gathers[0]) == prints(gathers[1])


def test_the_third_order_flux_damps_the_shortest_waves() -> None:
    given = {"steps": 60, "cpu-touch": "none"}
    central, third = (run(**given, advection=by) for by in axes.ADVECTIONS)
    assert third["verified"] is True, third
    shares = [value(of, "grid_scale_share") for of in (central, third)]
    assert 0 < shares[1] < shares[0] / 2, shares
    assert value(third, "energy") < value(central, "energy")


def test_both_additions_go_together() -> None:
    made = run(**MISTY, advection="third", precision="double")
    assert made["verified"] is True, made
    assert value(made, "heat_residual") < 1e-10


def test_bytes_of_a_step_and_of_memory_by_hand() -> None:
    """The tables in moisture.hpp and upwind.hpp."""
    cells = 32**3
    plain, wet, third, both = (
        case.profile(requests(**given)[0].parameters)
        for given in ({}, MISTY, {"advection": "third"}, {**MISTY, "advection": "third"})
    )
    assert plain.bytes_per_sample == 823 * cells
    assert wet.bytes_per_sample == (823 + 131) * cells
    assert third.bytes_per_sample == (823 + 159) * cells
    assert both.bytes_per_sample == (823 + 131 + 159) * cells
    double = case.profile(requests(**MISTY, precision="double")[0].parameters)
    assert double.bytes_per_sample == (1603 + 32 * 8 + 3) * cells
    array = axes.array_bytes(requests()[0].parameters)
    assert wet.memory - plain.memory == pytest.approx(4 * array + array / 4, abs=2)
    assert third.memory - plain.memory == pytest.approx(array / 4, abs=2)


def test_rows_are_over_streets_and_a_file_has_its_own(tmp_path: Path) -> None:
    found = mist.nozzles("rows:4", (16, 8, 8), 2.0, HALF_BUILT)
    assert found[:, 2].tolist() == [1.0] * len(found)  # 3 m above the ground
    assert len(found) == 4 * 4
    assert found[:, 0].max() < 8
    file = written(tmp_path, ("x", "y", "z", "kg/s"), (17.5, 2, 7, 0.5), (1, 15.9, 0, 0.25))
    found = mist.nozzles(mist.parse(file), (16, 8, 8), 2.0, HALF_BUILT)
    assert found.tolist() == [[8, 1, 3, 0.5], [0, 7, 0, 0.25]]


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ((1, 2, 3), "not four numbers"),
        ((1, 2, "three", 1), "not four numbers"),
        ((1, 2, 3, 0), "more than 0 kg/s"),
        ((1, 2, 3, "nan"), "more than 0 kg/s"),
        ((32, 2, 3, 1), "outside the city, 32 x 16 x 16 m"),
        ((-1, 2, 3, 1), "outside the city"),
        (("nan", 2, 3, 1), "outside the city"),
        ((20, 2, 3, 1), "inside a building of 6 m"),
    ],
)
def test_a_bad_nozzle_is_named_by_its_line(row: tuple[Any, ...], why: str, tmp_path: Path) -> None:
    file = written(tmp_path, (1, 1, 1, 1), row)
    with pytest.raises(UsageError, match=f"line 2.*{why}"):
        mist.nozzles(file, (16, 8, 8), 2.0, HALF_BUILT)


def test_mist_that_is_none_is_refused(tmp_path: Path) -> None:
    for text, why in (
        ("fog", "no mist; write none, rows:SPACING"),
        ("rows:x", "not a number above 0"),
        ("rows:1", "closer than a cell"),
        ("rows:500", "0 nozzles over streets"),
    ):
        with pytest.raises(UsageError, match=why):
            requests(mist=text)
    with pytest.raises(FileError, match="cannot be read"):
        case.CASES[0].require_files(requests(mist=str(tmp_path / "none.csv"))[0].parameters)
    with pytest.raises(UsageError, match="0 nozzles; 1 to"):
        mist.from_file(written(tmp_path))


def test_the_wind_blows_from_its_direction() -> None:
    west, north, east = (command.blowing(angle, 8.0) for angle in (270, 0, 90))
    assert west == {"wind": (8.0, 0.0), "force": (4e-3, 0.0)}
    assert north == {"wind": (0.0, -8.0), "force": (0.0, -4e-3)}
    assert east["wind"] == (-8.0, 0.0)
    assert command.blowing(270, 4.0) == {"wind": (4.0, 0.0), "force": (1e-3, 0.0)}


def wind_of(**given: Any) -> output.Wind:
    pytest.importorskip("watari._native")
    parameters = command.parameters_of("flat", "XS", "2", "5", "cpu", None, **given)
    parameters["threads"] = 1
    return output.wind(trial.run(parameters, keep=True), parameters["spacing"])


def test_direction_and_speed_turn_the_wind() -> None:
    mean = {
        angle: [float(wind_of(direction=angle, speed="6").fields[name].mean()) for name in "uv"]
        for angle in ("180", "225")
    }
    assert mean["180"] == pytest.approx([0, 6], abs=0.3)
    assert mean["225"] == pytest.approx([6 / 2**0.5] * 2, abs=0.3)


def test_files_have_the_moisture(tmp_path: Path) -> None:
    blown = wind_of(nozzles="rows:16")
    assert float(blown.fields["q"].min()) == pytest.approx(mist.HUMIDITY, rel=1e-5)
    assert 0 < float(blown.fields["l"].max()) < 0.01
    assert float(blown.fields["q"].max()) > mist.HUMIDITY
    assert (blown.fields["T"] == blown.fields["theta"]).all()
    vtk.vti(tmp_path / "o.vti", blown)
    content = (tmp_path / "o.vti").read_text()
    assert all(f'Name="{name}"' in content for name in ("wind", "theta", "T", "q", "l"))
    vtk.vti(tmp_path / "dry.vti", wind_of())
    assert 'Name="q"' not in (tmp_path / "dry.vti").read_text()
    with dataset(tmp_path / "o.nc", blown) as file:
        assert file["q"].standard_name == "specific_humidity"
        assert file["T"].units == "K"
        np.testing.assert_allclose(file["l"][0], blown.fields["l"], rtol=1e-6)


@pytest.mark.gpu
@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("advection", axes.ADVECTIONS)
@pytest.mark.parametrize("nozzles", ["none", "rows:16"])
def test_a_gpu_has_the_bits_of_the_cpu_with_mist(
    precision: str, advection: str, nozzles: str
) -> None:
    given = {"grid": "64x64x32", "precision": precision, "advection": advection, "mist": nozzles}
    more = [] if nozzles == "none" else ["mist_fingerprint"]
    assert_bits_of_the_cpu("fingerprint", "energy", "mean_theta", *more, **given)


@pytest.mark.gpu
@pytest.mark.parametrize("style", ["pinned", "managed", "managed-prefetch"])
def test_styles_have_the_same_bits_with_mist(style: str) -> None:
    given = {**MISTY, "processor": "gpu", "grid": "64x64x32", "advection": "third"}
    made, plain = (run(**given, style=each) for each in (style, "explicit"))
    assert prints(made) == prints(plain)
