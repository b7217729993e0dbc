"""Meshes: the generators of the library, and files that trimesh reads (the extra `bem`)."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from watari import _native
from watari.common.errors import FileError, UsageError
from watari.common.files import reason

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

GENERATORS = "cube:N, icosphere:N, spheres:N, bumpy:N"
SUFFIXES = (".obj", ".off", ".ply", ".stl")
MISSING = "reading meshes needs trimesh: pip install 'watari[bem]'; the generators do not need it"


@dataclass(frozen=True)
class Mesh:
    """Vertices (n x 3), triangles (m x 3, numbers of vertices), and the sign of the potential of
    each triangle (empty: + everywhere)."""

    vertices: NDArray[np.float64]
    triangles: NDArray[np.int64]
    signs: NDArray[np.int8]


def load(name: str) -> Mesh:
    """The mesh of a generator such as `bumpy:16`, or of a file. Raises UsageError, FileError."""
    if _native.hmatrix_names_shape(name):
        return Mesh(*_native.hmatrix_shape(name))
    path = Path(name)
    if path.suffix.lower() not in SUFFIXES:
        raise UsageError(
            f"'{name}' is not a mesh: neither a generator ({GENERATORS}) nor a file that ends in "
            f"{', '.join(SUFFIXES)}"
        )
    if not path.is_file():
        raise FileError(f"{name}: no such file")
    if importlib.util.find_spec("trimesh") is None:
        raise UsageError(f"{name}: {MISSING}")
    return read(path)


def read(path: Path) -> Mesh:
    """The triangles of a file; other polygons are cut into triangles. Raises FileError."""
    import numpy as np
    import trimesh

    try:
        content: Any = trimesh.load(path, process=False, force="mesh", skip_materials=True)
        vertices = np.ascontiguousarray(content.vertices, np.float64)
        triangles = np.ascontiguousarray(content.faces, np.int64)
    except Exception as error:  # of many kinds
        raise FileError(f"{path}: cannot be read as a mesh: {reason(error)}") from None
    if not triangles.size:
        raise FileError(f"{path}: the mesh has no triangles")
    return Mesh(vertices, triangles, np.zeros(0, np.int8))
