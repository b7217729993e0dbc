"""`watari bem`: capacitances, files, refusals, interrupts."""

from __future__ import annotations

import importlib
import logging
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from command_line import run_cli

import watari
from watari.cases.hmatrix import _native as native
from watari.cases.hmatrix import command, vtu
from watari.cases.hmatrix import mesh as meshes
from watari.cases.hmatrix.bem import Options, Stopped, charges
from watari.cases.hmatrix.command import seven_digits
from watari.cases.hmatrix.mesh import Mesh
from watari.common import files
from watari.common.errors import FileError

pytestmark = pytest.mark.usefixtures("here")
GOLDEN = {"cube:4": 0.653300283807, "icosphere:4": 0.986984661664, "bumpy:4": 0.707876606784}
LENGTH = re.compile(r"^C/\(4 pi eps0\)  (\S+), in the mesh's unit of length$", re.MULTILINE)
FARAD = re.compile(r"^capacitance    (\S+) F, with lengths in metres$", re.MULTILINE)


class Quiet:
    """A listener that stops after `most` reports."""

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


def test_charges_in_other_formats(capsys):
    pytest.importorskip("zarr")
    assert run_cli(capsys, "bem", "cube:3", "-o", "c.vtu", "--charges", "c.npy")[0] == 0
    density = np.load("c.npy")
    for name in ("c.zarr", "c.bin"):
        assert run_cli(capsys, "bem", "cube:3", "-o", "c.vtu", "--charges", name)[0] == 0
    np.testing.assert_array_equal(watari.open("c.zarr")[:], density)
    np.testing.assert_array_equal(np.fromfile("c.bin"), density)
    code, _, err = run_cli(capsys, "bem", "cube:3", "-o", "c.vtu", "--charges", "c.zarr")
    assert code == 2
    assert "c.zarr: is a folder" in err


def test_charges_without_the_package_are_refused_before_the_work(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "zarr", None)
    code, _, err = run_cli(capsys, "bem", "cube:3", "-o", "c.vtu", "--charges", "c.zarr")
    assert code == 2
    assert "needs the Python package zarr" in err
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


@pytest.mark.parametrize("suffix", ["obj", "off", "ply", "stl"])
def test_a_mesh_of_a_file_is_that_of_its_generator(suffix):
    trimesh = pytest.importorskip("trimesh")
    made = meshes.load("bumpy:3")
    trimesh.Trimesh(made.vertices, made.triangles, process=False).export(f"bumpy.{suffix}")
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
        (["cube:2", "--inner", "5"], "it needs --solver fgmres"),
    ],
)
def test_what_cannot_be_is_refused(capsys, words, message):
    code, _, err = run_cli(capsys, "bem", *words, "-o", "c.vtu")
    assert code == 2
    assert message in err
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
    code, out, err = run_cli(capsys, "bem", "cube:2", *words)
    assert (code, out) == (2, "")
    assert message in err
    assert list(Path().iterdir()) == []


def test_without_pyvista_a_picture_is_refused_with_its_name(capsys, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    code, out, err = run_cli(capsys, "bem", "cube:2", "-o", "c.vtu", "--picture", "c.png")
    assert (code, out) == (2, "")
    assert "--picture needs pyvista: pip install 'watari[bem]'" in err


def test_a_picture_shows_the_surface(capsys):
    pyvista = pytest.importorskip("pyvista")
    words = ("-o", "c.vtu", "--picture", "c.png")
    assert run_cli(capsys, "bem", "spheres:4", *words)[0] == 0
    pixels = pyvista.read("c.png").point_data.active_scalars.astype(int)
    red = (pixels[:, 0] > pixels[:, 2] + 60).mean()
    blue = (pixels[:, 2] > pixels[:, 0] + 60).mean()
    assert 0.02 < red < 0.5  # a sphere of each sign
    assert 0.02 < blue < 0.5


def test_an_empty_or_broken_file_is_refused(capsys):
    pytest.importorskip("trimesh")
    Path("empty.off").write_text("OFF\n0 0 0\n")
    Path("broken.ply").write_bytes(b"ply\nnonsense")
    Path("short.stl").write_bytes(b"\0" * 80 + b"\x04\0\0\0" + b"\0" * 60)
    Path("nowhere.off").write_text("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 7\n")
    for name in ("empty.off", "broken.ply", "short.stl", "nowhere.off"):
        code, _, err = run_cli(capsys, "bem", name, "-o", "c.vtu")
        assert code == 2
        assert f"{name}: " in err


OBJ = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
STL = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.obj", OBJ + "f 0 1 2\n", "line 5: '0' names none of the 4 vertices"),
        ("a.obj", OBJ + "f 1 2 -5\n", "line 5: '-5' names none"),
        ("a.obj", OBJ + "f 1 2 x/1\n", "line 5: 'x/1' names none"),
        ("a.obj", OBJ + "f 1 2 5\n", "a face names vertex 4, counted from 0, of 4"),
        ("a.obj", OBJ + "f 1 2\n", "line 5: a face has three corners or more"),
        ("a.obj", "v 1 2\n", "line 1: not three coordinates"),
        ("a.obj", "v 1 2 1_0\n", "line 1: not three coordinates"),
        ("a.obj", OBJ, "the mesh has no triangles"),
        ("a.obj", OBJ + "v nan 0 0\nf 1 2 5\n", "a.obj: a coordinate of a vertex is not"),
        ("a.stl", STL, "cut short"),
        ("a.stl", STL + "endloop\nendfacet\n", "cut short"),
        ("a.stl", STL + "endfacet\n", "line 7: not 'endloop'"),
        ("a.stl", STL.replace("1 0 0", "1 0 x"), "line 5: not three coordinates"),
        ("a.stl", "\0" * 80 + "\2\0\0\0" + "\0" * 50, "2 triangles in 134 bytes"),
        ("a.stl", "", "0 triangles in 0 bytes"),
    ],
)
def test_a_damaged_obj_or_stl_is_refused_with_its_line(capsys, name, content, message):
    Path(name).write_text(content)
    code, out, err = run_cli(capsys, "bem", name, "-o", "c.vtu")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message in err


def test_a_binary_stl_with_a_signalling_nan_is_refused_in_one_line(capsys):
    nan = b"\1\0\x80\x7f"
    Path("a.stl").write_bytes(bytes(80) + b"\1\0\0\0" + bytes(12) + 9 * nan + bytes(2))
    code, out, err = run_cli(capsys, "bem", "a.stl", "-o", "c.vtu")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "a.stl: a coordinate of a vertex is not finite" in err


@pytest.mark.parametrize("name", ["a.off", "a.ply"])
def test_a_complaint_of_trimesh_is_a_refusal(capsys, monkeypatch, name):
    pytest.importorskip("trimesh")
    load = importlib.import_module("trimesh").load

    def warns(path, **more):
        logging.getLogger("trimesh").error("guessed", exc_info=ValueError("x"))
        return load("cube.off", **more)

    written("cube.off")
    monkeypatch.setattr("trimesh.load", warns)
    Path(name).write_text("x")
    code, out, err = run_cli(capsys, "bem", name, "-o", "c.vtu")
    assert (code, out, err) == (2, "", f"watari: {name}: cannot be read as a mesh: guessed\n")


def test_relative_numbers_of_an_obj_count_from_the_vertices_before_them():
    """Two blocks, each with its vertices and then faces that count back from the last one."""
    corners = [[int(i) for i in face.split()] for face in FACES]
    lines = []
    for shift in (0, 5):
        lines += [f"v {' '.join(str(float(x) + shift) for x in v.split())}" for v in CUBE]
        lines += [f"f {' '.join(f'{i - 8}//' for i in face)}" for face in corners]
    Path("blocks.obj").write_text("\n".join(lines))
    read = meshes.load("blocks.obj")
    points = read.vertices[read.triangles]
    assert points.shape == (24, 3, 3)
    assert points[:12].max() == 1
    assert points[12:].min() == 5
    surface = native.HmatrixSurface(read.vertices, read.triangles, read.signs, False)
    assert surface.notes() == []


def test_an_obj_with_positive_numbers_is_the_same_surface():
    written("textured.obj")
    written("negative.obj")
    texts = Path("textured.obj").read_text().replace("f 1/1/1 4/1/1", "f 1/1/1 \\\n 4/1/1")
    Path("continued.obj").write_text(texts)
    first, *others = (meshes.load(f"{n}.obj") for n in ("textured", "negative", "continued"))
    for other in others:
        np.testing.assert_array_equal(first.triangles, other.triangles)
        np.testing.assert_array_equal(first.vertices, other.vertices)


def test_a_flat_closed_box_is_refused(capsys):
    """Its two sides are cut along different diagonals: no triangle is the duplicate of another."""
    corners = [" ".join([*v.split()[:2], "0"]) for v in CUBE]
    faces = ["3 2 1 0", *FACES[1:]]
    texts = [" ".join(str(int(i) + 1) for i in face.split()) for face in faces]
    lines = [*(f"v {v}" for v in corners), *(f"f {t}" for t in texts)]
    Path("flat.obj").write_text("\n".join(lines))
    code, _, err = run_cli(capsys, "bem", "flat.obj", "-o", "c.vtu")
    assert (code, err.count("\n")) == (2, 1)
    code, _, err = run_cli(capsys, "bem", "flat.obj", "--repair", "-o", "c.vtu")
    assert (code, err.count("\n")) == (2, 1)
    assert "has no volume" in err


CUBE = ["0 0 0", "1 0 0", "1 1 0", "0 1 0", "0 0 1", "1 0 1", "1 1 1", "0 1 1"]
FACES = ["0 3 2 1", "4 5 6 7", "0 1 5 4", "1 2 6 5", "2 3 7 6", "3 0 4 7"]


def written(name):
    """A cube of quadrilaterals, as programs write it: comments, textures, negative numbers."""
    if name.endswith(".off"):
        faces = [f"4 {face} 255 0 0" for face in FACES]
        lines = ["# by hand", "OFF", "# sizes", "8 6 0", "", *CUBE, *faces]
    else:
        corners = [[int(i) for i in face.split()] for face in FACES]
        step = 8 if name == "negative.obj" else -1
        texts = [" ".join(f"{i - step}/1/1" for i in face) for face in corners]
        vertices = [f"v {vertex} 0.5 0.5 0.5" for vertex in CUBE]
        faces = [f"f {text}" for text in texts]
        lines = ["mtllib x.mtl", "o cube", *vertices, "vt 0 0", "vn 0 0 1", "usemtl x", *faces]
    Path(name).write_text("\n".join(lines))


@pytest.mark.parametrize("name", ["quads.off", "textured.obj", "negative.obj"])
def test_a_file_of_quadrilaterals_is_a_closed_surface(capsys, name):
    pytest.importorskip("trimesh")
    written(name)
    code, out, _ = run_cli(capsys, "bem", name, "-o", "c.vtu")
    assert code == 0
    assert "open" not in out
    assert f"{name}: 12 triangles" in out
    one = native.hmatrix_shape("cube:1")
    expected = charges(Mesh(*one), 1.0, Path("m.hmatrix"), Options(), Quiet()).length
    assert float(LENGTH.search(out)[1]) == pytest.approx(expected, rel=0.01)


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
    path.unlink()
    with pytest.raises(Stopped, match=r"m\.hmatrix\.partial is kept"):
        charges(made, 1.0, path, Options(), Quiet(0))
    assert Path("m.hmatrix.partial").exists()
    with pytest.raises(Stopped, match=r"m\.hmatrix is kept"):
        charges(made, 1.0, path, Options(), Quiet(4))
    built = path.stat().st_mtime_ns
    found = charges(made, 1.0, path, Options(), Quiet())
    assert path.stat().st_mtime_ns == built
    assert found.length == expected


def test_a_journal_without_a_build_is_removed_when_its_matrix_is_used():
    made, path = meshes.load("bumpy:6"), Path("m.hmatrix")
    partial, journal = Path("m.hmatrix.partial"), Path("m.hmatrix.partial.journal")
    charges(made, 1.0, path, Options(), Quiet())
    journal.touch()
    partial.touch()  # another build has begun
    charges(made, 1.0, path, Options(), Quiet())
    assert journal.exists()
    partial.unlink()
    charges(made, 1.0, path, Options(), Quiet())
    assert not journal.exists()


OWN = ["c.vtu.hmatrix", "c.vtu.hmatrix.partial", "c.vtu.hmatrix.partial.journal"]


@pytest.mark.parametrize("name", OWN)
def test_a_file_of_the_user_beside_the_output_stays(capsys, name):
    Path(name).write_bytes(b"the notes of a user\n" * 300)
    before = Path(name).read_bytes()
    code, out, err = run_cli(capsys, "bem", "cube:2", "-o", "c.vtu")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert f"{name}: this file is none of the " in err
    assert [path.name for path in Path().iterdir()] == [name]
    assert Path(name).read_bytes() == before


@pytest.mark.parametrize("name", OWN)
def test_a_link_beside_the_output_is_not_followed(capsys, name):
    Path("notes").touch()
    Path(name).symlink_to("notes")
    code, _, err = run_cli(capsys, "bem", "cube:2", "-o", "c.vtu")
    assert (code, err.count("\n")) == (2, 1)
    assert f"{name}: is a link" in err
    assert Path("notes").read_bytes() == b""
    assert Path(name).is_symlink()


def test_own_files_of_a_killed_build_are_taken(capsys):
    with pytest.raises(Stopped):
        charges(meshes.load("bumpy:6"), 1.0, Path(OWN[0]), Options(), Quiet(0))
    assert sorted(path.name for path in Path().iterdir()) == OWN[1:]
    assert Path(OWN[2]).stat().st_size > 0
    for mesh in ("cube:2", "bumpy:6"):  # of another mesh, too
        assert run_cli(capsys, "bem", mesh, "-o", "c.vtu")[0] == 0
        assert [path.name for path in Path().iterdir()] == ["c.vtu"]


def test_charges_that_cannot_be_stored_leave_the_matrix(capsys, monkeypatch):
    words = ("bem", "bumpy:6", "-o", "c.vtu", "--charges", "c.npy")

    def full(*given):
        raise FileError("c.vtu: cannot be written: No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(vtu, "write", full)
        code, _, err = run_cli(capsys, *words)
    assert (code, err.count("\n")) == (2, 1)
    assert [path.name for path in Path().iterdir()] == ["c.vtu.hmatrix"]
    built = Path("c.vtu.hmatrix").stat()
    assert run_cli(capsys, *words, "--keep")[0] == 0
    assert Path("c.vtu.hmatrix").stat().st_ino == built.st_ino
    assert Path("c.vtu.hmatrix").stat().st_mtime_ns == built.st_mtime_ns


def test_a_folder_that_takes_no_file_is_refused_before_the_build(capsys, monkeypatch):
    monkeypatch.setattr(command, "load", lambda mesh: pytest.fail("builds"))
    monkeypatch.setattr(files.owner, "mark", lambda: "x" * 250)  # a name that no folder takes
    code, out, err = run_cli(capsys, "bem", "cube:2", "-o", "c.vtu")
    assert (code, out) == (2, "")
    assert "c.vtu: cannot be written: " in err


def test_two_commands_on_one_output_are_one_and_a_refusal(capsys, monkeypatch):
    ended = []

    def meanwhile(name):
        ended.append(subprocess.run(again, capture_output=True, text=True))
        return meshes.load(name)

    words = ("bem", "cube:2", "-o", "c.vtu")
    again = [sys.executable, "-m", "watari", *words]
    monkeypatch.setattr(command, "load", meanwhile)
    assert run_cli(capsys, *words)[0] == 0
    assert (ended[0].returncode, ended[0].stdout) == (2, "")
    assert ended[0].stderr == "watari: -o c.vtu is being written by another command\n"
    assert [path.name for path in Path().iterdir()] == ["c.vtu"]


def test_a_matrix_serves_every_budget():
    made, path = meshes.load("bumpy:6"), Path("m.hmatrix")
    small = Options(fast_memory=2**21)
    expected = charges(made, 1.0, path, small, Quiet())
    assert expected.solved["read_bytes"] > 0
    built = path.stat().st_mtime_ns
    found = charges(made, 1.0, path, Options(), Quiet())
    assert path.stat().st_mtime_ns == built
    assert (found.density == expected.density).all()


def test_inner_iterations_read_less(capsys):
    words = ("bem", "bumpy:12", "-o", "c.vtu", "--solver", "fgmres", "--fast-memory", "13MiB")
    read, length = [], []
    for more in ((), ("--inner", "5")):
        code, out, _ = run_cli(capsys, *words, *more)
        assert code == 0
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
