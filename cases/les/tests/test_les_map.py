"""`watari wind --map`, `--compare`; time series, and dots of pictures."""

from __future__ import annotations

import struct
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from command_line import printed, refused
from les_flow import dataset, drawn_panels, flow, written

from watari.cases.les.comfort.asked_map import Asked
from watari.cases.les.formats import drawing, netcdf, vtk
from watari.common.errors import UsageError

pytestmark = pytest.mark.usefixtures("in_folder")


def test_a_result_is_read_as_it_was_written() -> None:
    of = flow()
    found = netcdf.read(written("w.nc", of))
    assert (found.solid == of.solid).all()
    assert (found.spacing, found.seconds) == (2.0, 12.5)
    for name, values in of.fields.items():
        assert (found.fields[name] == values)[~of.solid].all()


@pytest.mark.parametrize("content", [b"", b"\x89HDF\r\n\x1a\n", b"text"])
def test_a_damaged_result_is_refused(content: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("netCDF4")
    Path("w.nc").write_bytes(content)
    assert "w.nc" in refused(capsys, "wind", "w.nc", "--map", "tair", "-o", "o.vti")


def test_another_netcdf_is_no_result(capsys: pytest.CaptureFixture[str]) -> None:
    library = pytest.importorskip("netCDF4")
    with library.Dataset("w.nc", "w") as file:
        file.createDimension("x", 2)
    told = refused(capsys, "wind", "w.nc", "--map", "tair", "-o", "o.vti")
    assert "no result of watari wind: it has no u" in told


def test_a_map_is_in_every_file() -> None:
    of = Asked("wbgt").drawn(flow())
    assert of.map is not None
    with dataset("w.nc", of) as file:
        assert (file["wbgt"][0] == of.map.values.astype("f4")).all()
        assert file["wbgt"].units == "degC"
        assert "humidity: 0.012 kg/kg" in file["wbgt"].comment
        assert file["height_of_map"][...] == 1.5
    pyvista = pytest.importorskip("pyvista")
    vtk.vti(Path("w.vti"), of)
    cells = pyvista.read("w.vti").cell_data["wbgt"].reshape(of.solid.shape)
    assert (cells[0] == of.map.values.astype("f4").filled(np.nan))[~of.solid[0]].all()
    assert np.isnan(cells[1:]).all()


def test_what_a_map_assumes_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    written("a.nc", flow())
    words = ["wind", "a.nc", "--map", "wbgt", "--humidity", "70", "-o", "o.png"]
    out = printed(capsys, *words)
    for told in ("humidity: 70% at 26.85 C", "beam 800", "Liljegren", "of an earlier run", "o.png"):
        assert told in out


def test_two_runs_are_drawn_beside_their_difference(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("matplotlib")
    before, after = flow(), flow(seconds=20)
    warmer = {**after.fields, "theta": after.fields["theta"] + 2}
    written("a.nc", before)
    written("b.nc", replace(after, fields=warmer))
    drawn = drawn_panels(monkeypatch)
    words = ["wind", "b.nc", "--map", "tair", "--compare", "a.nc", "-o", "d.png"]
    printed(capsys, *words)
    (left, one, first), (right, two, second), (change, _, third) = drawn
    assert one == two
    assert change.compressed() == pytest.approx((right - left).compressed())
    assert change.mean() == pytest.approx(2, abs=1e-4)
    assert "a.nc" in first
    assert "after 20 s" in second
    assert "+2" in third


def test_mist_is_drawn_beside_the_run_without_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("matplotlib")
    pytest.importorskip("watari._native")
    drawn = drawn_panels(monkeypatch)
    words = ["wind", "flat", "--grid", "XS", "--steps", "20", "--mist", "rows:16", "--map", "tair"]
    out = printed(capsys, *words, "-o", "m.png")
    assert "kg of mist" in out
    titles = [title.partition(",")[0] for *_, title in drawn]
    assert titles == ["without mist", "this run", "difference"]
    assert drawn[2][0].min() < -0.01  # K: the mist cools


@pytest.mark.usefixtures("not_simulated")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--map", "pet"], "--map: 'pet' is none of utci, wbgt, tmrt, tair"),
        (["--humidity", "50"], "--humidity is of a map"),
        (["--compare", "a.nc"], "--compare is of a map"),
        (["--map", "tair", "--humidity", "120"], "--humidity: 120% is above 100%"),
        (["--map", "tair", "--humidity", "wet"], "--humidity: 'wet' is not a number"),
        (["--map", "tair", "--compare", "none.nc"], "--compare is drawn: add -o FILE.png"),
        (["--map", "tair", "--compare", "none.nc", "-o", "o.png"], "none.nc: is no file"),
    ],
)
def test_options_that_cannot_be_are_refused_before_the_run(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("netCDF4")
    assert message in refused(capsys, "wind", "flat", "-o", "o.vti", *words)


def test_another_grid_is_not_compared(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    written("a.nc", flow())
    words = ["wind", "flat", "--grid", "XS", "--map", "tair", "--compare", "a.nc", "-o", "d.png"]
    told = refused(capsys, *words)
    assert "a.nc: has 12x8x6 cells of 2 m, this run 32x32x32 cells of 2 m" in told


def test_utci_without_its_package_is_refused(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pythermalcomfort.models", None)
    told = refused(capsys, "wind", "flat", "--map", "utci", "-o", "o.vti")
    assert "pip install 'watari[comfort]'" in told


def test_a_series_names_an_image_for_each_plane_and_time() -> None:
    of = flow()
    vtk.series(Path("w.pvd"), of)
    sets = ElementTree.parse("w.pvd").getroot().findall(".//DataSet")
    assert [(s.get("timestep"), s.get("name")) for s in sets] == [
        ("1", "low"),
        ("1", "cut"),
        ("2.5", "low"),
        ("2.5", "cut"),
    ]
    assert all(Path(str(s.get("file"))).is_file() for s in sets)
    pyvista = pytest.importorskip("pyvista")
    low, cut = (pyvista.read(str(s.get("file"))) for s in sets[2:])
    assert low.bounds[:4] == (0, 24, 0, 16)
    assert low.bounds[4:] == (2, 4)  # the cells around 2 m
    assert cut.bounds[2:4] == (8, 10)
    wind = low.cell_data["wind"].reshape(8, 12, 3)
    expected = of.planes["v_low"][1][1]
    assert (wind[..., 1] == expected)[~expected.mask].all()
    assert np.isnan(wind[..., 0][expected.mask]).all()
    reader = pyvista.get_reader("w.pvd")  # as ParaView
    assert list(reader.time_values) == [1, 2.5]


def test_a_series_needs_looks(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UsageError, match="no time series"):
        vtk.series(Path("w.pvd"), replace(flow(), touches=(), planes={}))


@pytest.mark.parametrize("mapped", [False, True])
def test_every_cell_has_dots_of_its_own(mapped: bool) -> None:
    pytest.importorskip("matplotlib")
    image = pytest.importorskip("matplotlib.image")
    of = flow(x=1200, y=8)
    # every second column is fast: in a thinned picture no column would be
    of.fields["u"][:] = 8.0 * (np.arange(1200) % 2)
    of.fields["theta"][:] = 300 + 5.0 * (np.arange(1200) % 2)
    drawing.picture(Path("w.png"), Asked("tair").drawn(of) if mapped else of)
    width = struct.unpack(">I", Path("w.png").read_bytes()[16:20])[0]
    assert width > 1200
    red = image.imread("w.png")[:, :, 0]
    changes = (np.abs(np.diff(red, axis=1)) > 0.2).sum(1).max()
    assert changes >= 1190
