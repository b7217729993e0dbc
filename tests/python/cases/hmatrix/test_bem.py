"""`watari bem`: capacitances, files, refusals, interrupts."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from products import run_cli

from watari.cases.hmatrix import mesh as meshes
from watari.cases.hmatrix.bem import Options, Stopped, charges
from watari.cases.hmatrix.command import seven_digits
from watari.cases.hmatrix.mesh import Mesh

native = pytest.importorskip("watari._native")
pytestmark = pytest.mark.usefixtures("here")
GOLDEN = {"cube:4": 0.653300283807, "icosphere:4": 0.986984661664, "bumpy:4": 0.707876606784}
LENGTH = re.compile(r"^C/\(4 pi eps0\)  (\S+), in the mesh's unit of length$", re.MULTILINE)
FARAD = re.compile(r"^capacitance    (\S+) F, with lengths in metres$", re.MULTILINE)


class Quiet:
    """Stops after some reports."""

    def __init__(self, most=10**9):
        self.left = most
        self.notes = []

    def note(self, text):
        self.notes.append(text)

    def advance(self, fraction, text):
        self.left -= 1
        return self.left >= 0


@pytest.mark.parametrize(("name", "value"), GOLDEN.items())
def test_the_capacitance_is_the_known_one(capsys, name, value):
    code, out, _ = run_cli(
        capsys, "bem", name, "-o", "c.vtu", "--eps", "1e-9", "--tolerance", "1e-9"
    )
    assert code == 0
    assert float(LENGTH.search(out)[1]) == pytest.approx(value, abs=1e-7)
    assert len(re.sub(r"\D", "", LENGTH.search(out)[1]).lstrip("0")) == 7
    farad = float(FARAD.search(out)[1])
    assert farad == pytest.approx(4 * np.pi * 8.854187818e-12 * value, rel=1e-6)
    assert sorted(p.name for p in Path().iterdir()) == ["c.vtu"]


def test_charges_are_those_of_the_potential(capsys):
    asked = ("bem", "cube:3", "-o", "c.vtu", "--potential", "-250", "--charges", "c.npy")
    code, out, _ = run_cli(capsys, *asked)
    assert code == 0
    density = np.load("c.npy")
    surface = native.HmatrixSurface(*native.hmatrix_shape("cube:3"), False)
    charge = density @ surface.areas()
    assert charge == pytest.approx(-250 * float(FARAD.search(out)[1]), rel=1e-6)


def test_the_vtu_file_has_the_charges(capsys):
    meshio = pytest.importorskip("meshio")
    assert run_cli(capsys, "bem", "spheres:2", "-o", "c.vtu", "--charges", "c.npy")[0] == 0
    content = meshio.read("c.vtu")
    vertices, triangles, signs = native.hmatrix_shape("spheres:2")
    np.testing.assert_array_equal(content.points, vertices)
    np.testing.assert_array_equal(content.cells_dict["triangle"], triangles)
    np.testing.assert_array_equal(content.cell_data["charge_density"][0], np.load("c.npy"))
    np.testing.assert_array_equal(content.cell_data["potential"][0], signs)


@pytest.mark.parametrize("suffix", ["obj", "off", "ply", "stl"])
def test_a_mesh_of_a_file_is_that_of_its_generator(suffix):
    meshio = pytest.importorskip("meshio")
    made = meshes.load("bumpy:3")
    triangles = made.triangles.astype(np.int32)
    meshio.Mesh(made.vertices, {"triangle": triangles}).write(f"bumpy.{suffix}")
    read = meshes.load(f"bumpy.{suffix}")
    surface = native.HmatrixSurface(read.vertices, read.triangles, read.signs, False)
    assert surface.notes() == []
    assert len(surface.arrays()[1]) == 180
    options = Options(eps=1e-8, tolerance=1e-8)
    found = charges(read, 1.0, Path("m.hmatrix"), options, Quiet())
    same = charges(made, 1.0, Path("m.hmatrix"), options, Quiet())
    assert found.length == pytest.approx(same.length, rel=1e-6)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["cube:0"], "'cube:0' is not a mesh"),
        (["ball:3"], "'ball:3' is not a mesh: neither a generator (cube:N"),
        (["missing.ply"], "missing.ply: no such file"),
        (["cube:2", "--eps", "0"], "--eps 0: give a number from 1e-11 to 0.1"),
        (["cube:2", "--potential", "x"], "--potential x: give a number"),
        (["cube:2", "--fast-memory", "1KiB"], "is too small to solve with this matrix; give "),
        (["cube:2", "--folder", "nowhere"], "nowhere: no such folder"),
        (["cube:2", "--engine", "tape"], "unknown value 'tape'"),
        (["cube:2", "--solver", "cg"], "unknown value 'cg'"),
    ],
)
def test_what_cannot_be_is_refused(capsys, words, message):
    code, _, err = run_cli(capsys, "bem", *words, "-o", "c.vtu")
    assert code == 2
    assert message in err
    assert not Path("c.vtu").exists()


def test_output_of_another_kind_is_refused(capsys):
    code, _, err = run_cli(capsys, "bem", "cube:2", "-o", "c.png")
    assert code == 2
    assert "c.png: charges are written as VTK" in err


def test_an_empty_or_broken_file_is_refused(capsys):
    pytest.importorskip("meshio")
    Path("empty.off").write_text("OFF\n0 0 0\n")
    Path("broken.ply").write_bytes(b"ply\nnonsense")
    for name in ("empty.off", "broken.ply"):
        code, _, err = run_cli(capsys, "bem", name, "-o", "c.vtu")
        assert code == 2
        assert f"{name}: " in err


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


def test_a_stopped_build_is_resumed_and_a_stopped_solve_keeps_the_matrix():
    made, path = meshes.load("bumpy:6"), Path("m.hmatrix")
    expected = charges(made, 1.0, path, Options(), Quiet()).length
    with pytest.raises(Stopped, match=r"m\.hmatrix\.partial is kept"):
        charges(made, 1.0, path, Options(), Quiet(0))
    assert Path("m.hmatrix.partial").exists()
    with pytest.raises(Stopped, match=r"m\.hmatrix is kept"):
        charges(made, 1.0, path, Options(), Quiet(4))
    built = path.stat().st_mtime_ns
    found = charges(made, 1.0, path, Options(), Quiet(), keep=True)
    assert path.stat().st_mtime_ns == built
    assert found.length == expected


def test_four_mebibytes_suffice_for_seven_thousand_triangles():
    made, path = meshes.load("icosphere:19"), Path("m.hmatrix")  # 7220
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
