"""`watari bem`: meshes in files."""

from __future__ import annotations

import importlib
import logging
from pathlib import Path

import numpy as np
import pytest
from charging import LENGTH, Quiet
from command_line import printed, refused, run_cli

from watari.cases.hmatrix import _native as native
from watari.cases.hmatrix import mesh as meshes
from watari.cases.hmatrix.bem import Options, charges
from watari.cases.hmatrix.mesh import Mesh

pytestmark = pytest.mark.usefixtures("here")


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


def test_an_empty_or_broken_file_is_refused(capsys):
    pytest.importorskip("trimesh")
    Path("empty.off").write_text("OFF\n0 0 0\n")
    Path("broken.ply").write_bytes(b"ply\nnonsense")
    Path("short.stl").write_bytes(b"\0" * 80 + b"\x04\0\0\0" + b"\0" * 60)
    Path("nowhere.off").write_text("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 7\n")
    for name in ("empty.off", "broken.ply", "short.stl", "nowhere.off"):
        assert f"{name}: " in refused(capsys, "bem", name, "-o", "c.vtu")


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
    assert message in refused(capsys, "bem", name, "-o", "c.vtu")


def test_a_binary_stl_with_a_signalling_nan_is_refused_in_one_line(capsys):
    nan = b"\1\0\x80\x7f"
    Path("a.stl").write_bytes(bytes(80) + b"\1\0\0\0" + bytes(12) + 9 * nan + bytes(2))
    assert "a.stl: a coordinate of a vertex is not finite" in refused(
        capsys, "bem", "a.stl", "-o", "c.vtu"
    )


def test_a_complaint_of_trimesh_is_a_refusal(capsys, monkeypatch):
    pytest.importorskip("trimesh")
    load = importlib.import_module("trimesh").load

    def warns(path, **more):
        logging.getLogger("trimesh").error("guessed", exc_info=ValueError("x"))
        return load("cube.off", **more)

    written("cube.off")
    monkeypatch.setattr("trimesh.load", warns)
    Path("a.off").write_text("x")
    code, out, err = run_cli(capsys, "bem", "a.off", "-o", "c.vtu")
    assert (code, out, err) == (2, "", "watari: a.off: cannot be read as a mesh: guessed\n")


def test_a_file_that_needs_a_missing_package_is_refused_in_one_line(capsys, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    Path("a.off").write_text("x")
    err = refused(capsys, "bem", "a.off", "-o", "c.vtu")
    assert err.startswith("watari: a.off: OFF needs trimesh: pip install 'watari[bem]'")


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
    refused(capsys, "bem", "flat.obj", "-o", "c.vtu")
    assert "has no volume" in refused(capsys, "bem", "flat.obj", "--repair", "-o", "c.vtu")


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
    out = printed(capsys, "bem", name, "-o", "c.vtu")
    assert "open" not in out
    assert f"{name}: 12 triangles" in out
    one = native.hmatrix_shape("cube:1")
    expected = charges(Mesh(*one), 1.0, Path("m.hmatrix"), Options(), Quiet()).length
    assert float(LENGTH.search(out)[1]) == pytest.approx(expected, rel=0.01)
