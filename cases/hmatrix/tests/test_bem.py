"""`watari bem`: capacitances, outputs, refusals, budgets."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
import pytest
from charging import FARAD, LENGTH, Quiet
from command_line import printed, refused, run_cli

import watari
from watari.cases.hmatrix import _native as native
from watari.cases.hmatrix import mesh as meshes
from watari.cases.hmatrix.bem import Options, charges
from watari.cases.hmatrix.command import seven_digits
from watari.cases.hmatrix.mesh import Mesh
from watari.common.errors import UsageError

pytestmark = pytest.mark.usefixtures("here")
GOLDEN = {"cube:4": 0.653300283807, "icosphere:4": 0.986984661664, "bumpy:4": 0.707876606784}


@pytest.mark.parametrize(("name", "value"), GOLDEN.items())
def test_the_capacitance_is_the_known_one(capsys, name, value):
    out = printed(capsys, "bem", name, "-o", "c.vtu", "--eps", "1e-9", "--tolerance", "1e-9")
    assert float(LENGTH.search(out)[1]) == pytest.approx(value, abs=1e-7)
    assert len(re.sub(r"\D", "", LENGTH.search(out)[1]).lstrip("0")) == 7
    farad = float(FARAD.search(out)[1])
    assert farad == pytest.approx(4 * np.pi * 8.854187818e-12 * value, rel=1e-6)
    assert sorted(p.name for p in Path().iterdir()) == ["c.vtu"]


def test_charges_are_those_of_the_potential(capsys):
    asked = ("bem", "cube:3", "-o", "c.vtu", "--potential", "-250", "--charges", "c.npy")
    out = printed(capsys, *asked)
    density = np.load("c.npy")
    surface = native.HmatrixSurface(*native.hmatrix_shape("cube:3"), False)
    charge = density @ surface.areas()
    assert charge == pytest.approx(-250 * float(FARAD.search(out)[1]), rel=1e-6)


def test_charges_in_other_formats(capsys):
    pytest.importorskip("zarr")
    assert run_cli(capsys, "bem", "cube:3", "-o", "c.vtu", "--charges", "c.npy")[0] == 0
    density = np.load("c.npy")
    for name in ("c.zarr", "c.bin"):
        assert run_cli(capsys, "bem", "cube:3", "-o", "c.vtu", "--charges", name)[0] == 0
    np.testing.assert_array_equal(watari.open("c.zarr")[:], density)
    np.testing.assert_array_equal(np.fromfile("c.bin"), density)
    err = refused(capsys, "bem", "cube:3", "-o", "c.vtu", "--charges", "c.zarr")
    assert "c.zarr: exists already: remove it" in err


def test_charges_without_the_package_are_refused_before_the_work(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "zarr", None)
    assert "needs the Python package zarr" in refused(
        capsys, "bem", "cube:3", "-o", "c.vtu", "--charges", "c.zarr"
    )
    assert not list(Path().iterdir())


def test_the_vtu_file_has_the_charges(capsys):
    pyvista = pytest.importorskip("pyvista")
    assert run_cli(capsys, "bem", "spheres:2", "-o", "c.vtu", "--charges", "c.npy")[0] == 0
    content = pyvista.read("c.vtu")
    vertices, triangles, signs = native.hmatrix_shape("spheres:2")
    np.testing.assert_array_equal(content.points, vertices)
    np.testing.assert_array_equal(content.cells.reshape(-1, 4)[:, 1:], triangles)
    np.testing.assert_array_equal(content.cell_data["charge_density"], np.load("c.npy"))
    np.testing.assert_array_equal(content.cell_data["potential"], signs)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["cube:0"], "'cube:0' is not a mesh"),
        (["ball:3"], "'ball:3' is not a mesh: neither a generator (cube:N"),
        (["missing.ply"], "missing.ply: no such file"),
        (["cube:2", "--eps", "0"], "--eps 0: give a number from 1e-11 to 0.1"),
        (["cube:2", "--potential", "x"], "--potential x: give a number"),
        (
            ["cube:2", "--fast-memory", "1KiB"],
            "is too small to solve with this matrix; it takes at least ",
        ),
        (["cube:2", "--folder", "nowhere"], "nowhere: no such folder"),
        (["cube:2", "--engine", "tape"], "unknown value 'tape'"),
        (["cube:2", "--solver", "cg"], "unknown value 'cg'"),
        (["cube:2", "--inner", "5"], "it needs --solver fgmres"),
    ],
)
def test_what_cannot_be_is_refused(capsys, words, message):
    assert message in refused(capsys, "bem", *words, "-o", "c.vtu")
    assert not Path("c.vtu").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-o", "c.png"], "c.png: names of charges end in .vtu"),
        (["-o", "nowhere/c.vtu"], "that folder does not exist"),
        (
            ["-o", "c.vtu", "--charges", "c.txt"],
            "--charges c.txt: names of charge densities end in",
        ),
        (["-o", "c.vtu", "--charges", "nowhere/c.npy"], "that folder does not exist"),
        (["-o", "c.vtu", "--picture", "c.jpg"], "--picture c.jpg: names of pictures end in .png"),
    ],
)
def test_an_output_that_cannot_be_is_refused_before_the_work(capsys, words, message):
    assert message in refused(capsys, "bem", "cube:2", *words)
    assert list(Path().iterdir()) == []


def test_without_pyvista_a_picture_is_refused_with_its_name(capsys, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert "--picture needs pyvista: pip install 'watari[bem]'" in refused(
        capsys, "bem", "cube:2", "-o", "c.vtu", "--picture", "c.png"
    )


def test_a_picture_shows_the_surface(capsys):
    pyvista = pytest.importorskip("pyvista")
    words = ("-o", "c.vtu", "--picture", "c.png")
    assert run_cli(capsys, "bem", "spheres:4", *words)[0] == 0
    pixels = pyvista.read("c.png").point_data.active_scalars.astype(int)
    red = (pixels[:, 0] > pixels[:, 2] + 60).mean()
    blue = (pixels[:, 2] > pixels[:, 0] + 60).mean()
    assert 0.02 < red < 0.5  # a sphere of each sign
    assert 0.02 < blue < 0.5


def test_duplicates_are_refused_with_counts_or_repaired():
    made = meshes.load("cube:2")
    twice = Mesh(made.vertices, np.concatenate([made.triangles, made.triangles[:3]]), made.signs)
    with pytest.raises(Exception, match="3 duplicate triangles and 0 triangles without area"):
        charges(twice, 1.0, Path("m.hmatrix"), Options(), Quiet())
    quiet = Quiet()
    found = charges(twice, 1.0, Path("m.hmatrix"), Options(), quiet, repair=True)
    assert "note: removed 3 duplicate triangles" in quiet.notes
    assert found.length == charges(made, 1.0, Path("m.hmatrix"), Options(), Quiet()).length


def test_a_plate_is_solved_with_a_note():
    vertices = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0.0]])
    plate = Mesh(vertices, np.array([[0, 1, 2], [0, 2, 3]]), np.zeros(0, np.int8))
    quiet = Quiet()
    found = charges(plate, 1.0, Path("m.hmatrix"), Options(), quiet)
    assert quiet.notes[0] == "note: the surface is open: 4 edges of one triangle alone"
    assert 0.28 < found.length < 0.3667874  # of a unit square; two triangles have less


def test_a_matrix_serves_every_budget():
    made, path = meshes.load("bumpy:6"), Path("m.hmatrix")
    small = Options(fast_memory=2**21)
    expected = charges(made, 1.0, path, small, Quiet())
    assert expected.solved["read_bytes"] > 0
    built = path.stat().st_mtime_ns
    found = charges(made, 1.0, path, Options(), Quiet())
    assert path.stat().st_mtime_ns == built
    assert (found.density == expected.density).all()


def test_a_budget_below_every_need_is_refused_before_the_build():
    """Less than the solver's vectors take. The lower bound itself is refused after the build."""
    made, path = meshes.load("bumpy:8"), Path("m.hmatrix")
    with pytest.raises(UsageError, match=r"it takes at least .*; the exact number") as low:
        charges(made, 1.0, path, Options(fast_memory=2**16), Quiet())
    assert not list(Path().glob("m.hmatrix*"))
    least = int(re.search(r"\((\d+) bytes\); the exact", str(low.value))[1])
    with pytest.raises(UsageError, match=r"give .* or more; .* is kept"):
        charges(made, 1.0, path, Options(fast_memory=least), Quiet())
    assert path.exists()


def test_inner_iterations_read_less(capsys):
    words = ("bem", "bumpy:12", "-o", "c.vtu", "--solver", "fgmres", "--fast-memory", "13MiB")
    read, length = [], []
    for more in ((), ("--inner", "5")):
        out = printed(capsys, *words, *more)
        read.append(int(re.search(r"triangles, (\d+) products", out)[1]))
        length.append(float(LENGTH.search(out)[1]))
    assert read[1] < read[0]
    assert length[1] == pytest.approx(length[0], rel=3e-6)


def test_four_mebibytes_suffice_for_seven_thousand_triangles():
    made, path = meshes.load("icosphere:19"), Path("m.hmatrix")  # 7220 triangles
    options = Options(fast_memory=2**22, eps=1e-4, tolerance=1e-4)
    found = charges(made, 1.0, path, options, Quiet())
    assert found.solved["memory"] <= 2**22
    assert found.solved["bytes_read"] > 4 * found.solved["matrix_bytes"]
    assert found.length == pytest.approx(1, abs=2e-3)


def test_digits():
    assert seven_digits(0.732132847) == "0.7321328"
    assert seven_digits(8.14604e-11) == "8.146040e-11"
    assert seven_digits(1.5) == "1.500000"
    assert seven_digits(0.0) == "0.000000"
