"""`watari bem`: PLY, as range scanners and their programs write it."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from charging import LENGTH, Quiet
from command_line import printed, refused

from watari.cases.hmatrix import mesh as meshes
from watari.cases.hmatrix.bem import Options, charges
from watari.cases.hmatrix.ply import ply

pytestmark = pytest.mark.usefixtures("here")
POINTS = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (1.0, 1.0, 0.0), (0.0, 1.0, 0.0), (0.5, 0.5, 1.0)]
FACES = [(0, 3, 2, 1), (0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4)]  # a pyramid, outward
TRIANGLES = [[0, 3, 2], [0, 2, 1], [0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]]
HEAD = """ply
format {form} 1.0
comment zipper output
obj_info num_cols 512
element vertex 5
property float x
property float y
property float z
property float confidence
property uchar red
element face {faces}
property short group
property list uchar int vertex_indices
property list uchar float quality
element edge 1
property int vertex1
property int vertex2
end_header
"""


def written(form: str, faces: Any = FACES) -> bytes:
    """The pyramid with properties and elements that no mesh needs."""
    head = HEAD.format(form=form, faces=len(faces)).encode()
    if form == "ascii":
        lines = [f"{x} {y} {z} 0.5 255" for x, y, z in POINTS]
        lines += [f"7 {len(f)} {' '.join(map(str, f))} 2 0.1 0.2" for f in faces]
        return head + "\n".join([*lines, "0 1", ""]).encode()
    order = {"binary_little_endian": "<", "binary_big_endian": ">"}[form]
    body = b"".join(struct.pack(f"{order}4fB", *p, 0.5, 255) for p in POINTS)
    for f in faces:
        body += struct.pack(f"{order}hB{len(f)}iB2f", 7, len(f), *f, 2, 0.1, 0.2)
    return head + body + struct.pack(f"{order}2i", 0, 1)


FORMS = ("ascii", "binary_little_endian", "binary_big_endian")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("faces", "triangles"), [(FACES, TRIANGLES), (FACES[1:], TRIANGLES[2:])], ids=["mixed", "equal"]
)
def test_extra_properties_and_elements_are_skipped(form: str, faces: Any, triangles: Any) -> None:
    content = written(form, faces)
    for each in (content, content.replace(b"\n", b"\r\n") if form == "ascii" else content):
        points, found = ply(each)
        np.testing.assert_array_equal(points, POINTS)
        np.testing.assert_array_equal(found, triangles)


def test_the_forms_are_one_surface_for_the_command(capsys: Any) -> None:
    lengths = set()
    for form in FORMS:
        Path("a.ply").write_bytes(written(form))
        out = printed(capsys, "bem", "a.ply", "-o", "c.vtu")
        assert "open" not in out
        lengths |= set(LENGTH.findall(out))
    assert len(lengths) == 1


def test_it_is_what_trimesh_reads_and_writes() -> None:
    trimesh = pytest.importorskip("trimesh")
    made = meshes.load("scan:4")
    for encoding in ("ascii", "binary"):
        whole = trimesh.Trimesh(made.vertices, made.triangles, process=False)
        content = whole.export(file_type="ply", encoding=encoding)
        points, triangles = ply(content)
        np.testing.assert_allclose(points, made.vertices, atol=1e-6)
        np.testing.assert_array_equal(triangles, made.triangles)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"ply\nnonsense", "not a PLY file"),
        (b"solid", "not a PLY file"),
        (written("ascii").replace(b"format ascii", b"format text"), "line 2: 'format text 1.0'"),
        (written("ascii").replace(b"element face 5", b"element face -5"), "line 11: 'element face"),
        (written("ascii").replace(b"property float y", b"property half y"), "line 7: 'property h"),
        (written("ascii").replace(b"format ascii 1.0\n", b""), "its header names no format"),
        (written("ascii").replace(b"vertex_indices", b"corners"), "no faces with vertex_indices"),
        (written("ascii").replace(b"float z", b"float w"), "no vertices with x, y, z"),
        (written("ascii").replace(b"element face 5", b"element face 5000000000"), "cut short"),
        (written("ascii").replace(b"1.0 0.0 0.0", b"1.0 0.0 0_0"), "not a number"),
        (written("ascii").replace(b"1.0 0.0 0.0", b"1.0 0.0 x"), "could not convert"),
        (written("ascii").replace(b"1.0 0.0 0.0", b"1.0 0.0 nan"), "is not finite"),
        (written("ascii")[:-20], "cut short"),
        (written("binary_big_endian")[:-30], "cut short"),
        (written("binary_little_endian", [(0, 1)]), "a face has three corners or more"),
        (written("ascii", [()]), "a face has three corners or more"),
        (written("ascii", [(0, 1, 5)]), "a face names vertex 5, counted from 0, of 5"),
        (written("binary_big_endian", []), "the mesh has no triangles"),
    ],
)
def test_a_damaged_file_is_refused_in_one_line(capsys: Any, content: bytes, message: str) -> None:
    Path("a.ply").write_bytes(content)
    err = refused(capsys, "bem", "a.ply", "-o", "c.vtu")
    assert err.startswith("watari: a.ply: ")
    assert message in err


def test_a_scan_with_slivers_is_refused_and_one_with_holes_has_a_note(capsys: Any) -> None:
    Path("a.ply").write_bytes(written("ascii", [*FACES, (1, 1, 2)]))
    assert "1 triangle without area; --repair removes them" in refused(
        capsys, "bem", "a.ply", "-o", "c.vtu"
    )
    Path("a.ply").write_bytes(written("ascii", FACES[1:]))  # without its base
    quiet = Quiet()
    charges(meshes.load("a.ply"), 1.0, Path("m.hmatrix"), Options(), quiet)
    assert quiet.notes[0] == "note: the surface is open: 4 edges of one triangle alone"
