"""The wind as files: their content as other programs read it, and refusals of the command."""

from __future__ import annotations

import base64
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import refused, run_cli
from les_flow import dataset, written

from watari.cases.les import command, output, trial
from watari.cases.les.comfort.asked_map import Asked
from watari.cases.les.formats import drawing, vtk
from watari.common.errors import UsageError


@pytest.fixture
def blown() -> output.Wind:
    """Air that moves along x between two buildings."""
    shape = (8, 6, 4)
    trial: dict[str, Any] = {name: np.zeros(shape, "f4") for name in ("u", "v", "w", "theta")}
    trial["u"][:] = np.arange(4)
    trial["w"][1:] = 2
    trial["heights"] = np.zeros((6, 4), np.uint16)
    trial["heights"][0, 1] = 3
    trial["quantities"] = {"simulated": {"value": 12.5, "unit": "s"}}
    return output.wind(trial, 2.0)


def test_velocities_move_to_the_centres(blown: output.Wind) -> None:
    assert blown.fields["u"][0, 0].tolist() == [0.5, 1.5, 2.5, 1.5]  # x is periodic
    assert blown.fields["w"][:, 0, 0].tolist() == [1, 2, 2, 2, 2, 2, 2, 1]  # ground and lid
    assert blown.fields["theta"].min() == output.THETA0
    assert blown.solid.sum() == 3
    assert blown.solid[:3, 0, 1].all()


def test_an_image_has_every_number_and_no_wind_in_buildings(
    blown: output.Wind, tmp_path: Path
) -> None:
    vtk.vti(tmp_path / "wind.vti", blown)
    text = (tmp_path / "wind.vti").read_text()
    assert 'WholeExtent="0 4 0 6 0 8"' in text
    found = dict(re.findall(r'Name="(\w+)"[^>]*>([^<]+)<', text))
    data = base64.b64decode(found["wind"])
    assert int.from_bytes(data[:8], "little") == len(data) - 8 == 8 * 6 * 4 * 3 * 4
    values = np.frombuffer(data[8:], "<f4").reshape(8, 6, 4, 3)
    assert (np.isnan(values[..., 0]) == blown.solid).all()
    assert (values[~blown.solid, 0] == blown.fields["u"][~blown.solid]).all()


def test_netcdf_has_the_wind_with_its_units(blown: output.Wind, tmp_path: Path) -> None:
    with dataset(tmp_path / "wind.nc", blown) as file:
        assert file["time"][0] == 12.5
        assert file["u"].units == "m s-1"
        assert file["z"][0] == 1
        assert (file["u"][0].mask == blown.solid).all()
        assert (file["u"][0] == blown.fields["u"])[~blown.solid].all()


@pytest.fixture(scope="module")
def twice_touched() -> output.Wind:
    """Air among cubes after 20 steps of 0.1 s, at which the CPU looked after 10 and 20."""
    pytest.importorskip("watari._native")
    parameters = command.parameters_of("cubes:16:0.25:staggered", "XS", "2", "20", "cpu", None)
    made = trial.run(parameters, keep=True)
    return output.wind(made, 2.0, parameters["dt"], parameters["every"])


def test_netcdf_has_the_planes_of_every_touch(twice_touched: output.Wind, tmp_path: Path) -> None:
    with dataset(tmp_path / "wind.nc", twice_touched) as file:
        assert file["touch"][:].tolist() == pytest.approx([1.0, 2.0])
        for name in ("u", "v", "theta"):  # the second touch is behind the last step
            assert (file[f"{name}_low"][1] == file[name][0, 1]).all(), name
        for name in ("u", "w", "theta"):
            assert (file[f"{name}_cut"][1] == file[name][0, :, 16]).all(), name
        assert (file["u_low"][1].mask == twice_touched.solid[1]).all()
        assert abs(file["u_low"][1] - file["u_low"][0]).max() > 0
        assert file["u_low"].long_name == "eastward_wind at z = 3 m"


def test_xarray_has_times_places_and_no_wind_in_buildings(
    twice_touched: output.Wind, tmp_path: Path
) -> None:
    xarray = pytest.importorskip("xarray")
    with xarray.open_dataset(written(tmp_path / "wind.nc", twice_touched)) as data:
        assert data.attrs["Conventions"] == "CF-1.10"
        start = np.datetime64("2000-01-01")
        since = (data["touch"].values - start) / np.timedelta64(1, "s")
        assert since.tolist() == pytest.approx([1.0, 2.0])
        assert (data["time"].values[0] - start) / np.timedelta64(1, "s") == pytest.approx(2.0)
        for name in output.NAMES:
            assert (data[name][0].isnull().values == twice_touched.solid).all(), name
        assert data["u_low"].coords["z_low"] == 3.0
        assert data["w_cut"].coords["y_cut"] == 33.0
        assert data["u"].attrs["standard_name"] == "eastward_wind"


def test_paraviews_reader_has_the_fields(blown: output.Wind, tmp_path: Path) -> None:
    pyvista = pytest.importorskip("pyvista")
    vtk.vti(tmp_path / "wind.vti", blown)
    cells = pyvista.read(tmp_path / "wind.vti").cell_data
    assert (np.isnan(cells["theta"]) == blown.solid.ravel()).all()
    air = ~blown.solid.ravel()
    assert (cells["wind"][air, 0] == blown.fields["u"].ravel()[air]).all()
    written(tmp_path / "wind.nc", blown)
    reader = pytest.importorskip("vtkmodules.vtkIONetCDF").vtkNetCDFCFReader()  # ParaView's
    reader.SetFileName(str(tmp_path / "wind.nc"))
    reader.SphericalCoordinatesOff()
    reader.UpdateMetaData()
    assert reader.GetAllDimensions().GetValue(0) == "(z, y, x)"  # and time
    reader.SetDimensions("(z, y, x)")
    reader.Update()
    points = pyvista.wrap(reader.GetOutput()).point_data
    solid = points["u"] > 1e19  # the fill value
    assert (solid == blown.solid.ravel()).all()
    assert (points["u"][air] == blown.fields["u"].ravel()[air]).all()


def test_the_picture_is_one(blown: output.Wind, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    drawing.picture(tmp_path / "wind.png", blown)
    assert (tmp_path / "wind.png").read_bytes()[:4] == b"\x89PNG"


WIND = ["wind", "flat", "--grid", "XS", "--steps", "1"]


@pytest.mark.usefixtures("not_simulated")
@pytest.mark.parametrize(
    ("files", "message"),
    [
        (["wind.vtk"], "-o wind.vtk: names of wind fields end in .nc, .vti, .pvd, .png"),
        (["none/wind.vti"], "that folder does not exist"),
        (["wind.vti", "./wind.vti"], "-o wind.vti and -o wind.vti name one file"),
    ],
)
def test_other_files_are_refused(
    files: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert message in refused(capsys, *WIND, *(word for file in files for word in ("-o", file)))


@pytest.mark.usefixtures("not_simulated")
@pytest.mark.parametrize(
    ("file", "package"), [("wind.nc", "netCDF4"), ("wind.png", "matplotlib"), ("W.PNG", "matplot")]
)
def test_a_package_that_is_missing_is_named_before_the_simulation(
    file: str,
    package: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name in ("netCDF4", "matplotlib", "matplotlib.backends.backend_agg"):
        monkeypatch.setitem(sys.modules, name, None)
    assert f"-o {file}: a {Path(file).suffix.lower()} needs {package}" in refused(
        capsys, *WIND, "-o", "wind.vti", "-o", file
    )
    assert list(Path().iterdir()) == []


def test_an_image_takes_at_least_its_forecast(blown: output.Wind, tmp_path: Path) -> None:
    vtk.vti(tmp_path / "wind.vti", blown)
    size = (tmp_path / "wind.vti").stat().st_size
    assert 0 < size - output.least_size(tmp_path / "wind.vti", (4, 6, 8)) < 1000


@pytest.mark.usefixtures("not_simulated")
def test_a_disk_without_room_for_the_image_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(output, "least_size", lambda path, shape, fields: 10**18)
    assert "-o wind.vti: not enough room: takes 1e+03 PB" in refused(
        capsys, *WIND, "-o", "wind.vti"
    )
    assert list(Path().iterdir()) == []


@pytest.mark.usefixtures("in_folder")
def test_fields_stay_if_a_picture_fails(
    blown: output.Wind, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(path: Path, of: output.Wind) -> None:
        raise ValueError("no font")

    monkeypatch.setattr(output, "require_package", lambda path: None)
    monkeypatch.setattr(drawing, "picture", fails)
    monkeypatch.setattr(command, "simulated", lambda parameters, asked: (blown, 1.5))
    code, out, err = run_cli(capsys, *WIND, "-o", "wind.png", "-o", "wind.vti")
    assert (code, err) == (2, "watari: wind.png: cannot be written: no font\n")
    assert "wind.vti" in out
    assert [path.name for path in Path().iterdir()] == ["wind.vti"]


@pytest.mark.usefixtures("not_simulated")
def test_a_map_is_described_before_the_simulation(capsys: pytest.CaptureFixture[str]) -> None:
    np.save("h.npy", 7 * np.eye(32))
    asked = command.parameters_of("file:h.npy", "XS", "2", "1", "cpu", None)
    with pytest.raises(AssertionError, match="simulates"):
        command.simulated(asked, Asked(None))
    assert "heights in whole cells of 2 m" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("option", "text", "message"),
    [
        ("grid", "7x7x7", "--grid: .* the nearest valid grid is 8x8x8"),
        ("spacing", "0.1", "--spacing: .*turns over at 4 z0 = 0.2 m"),
        ("steps", "0", "--steps: '0' is not a whole number from 1"),
        ("dt", "0", "--dt: '0' is not a number above 0"),
        ("processor", "tpu", "--processor: unknown value 'tpu'"),
    ],
)
def test_an_option_that_cannot_be_is_named(option: str, text: str, message: str) -> None:
    usual: dict[str, str | None] = {"grid": "XS", "spacing": "2", "steps": "20"}
    given = {**usual, "processor": "cpu", "dt": None, option: text}
    with pytest.raises(UsageError, match=message):
        command.parameters_of("flat", **given)  # type: ignore[arg-type]
