"""Meshes: the generators of the library, and files that meshio reads (the extra `bem`)."""

from __future__ import annotations

import importlib.util
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from watari.common.errors import FileError, UsageError
from watari.common.files import reason

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

GENERATORS = "cube:N, icosphere:N, spheres:N, bumpy:N"
SUFFIXES = (".obj", ".off", ".ply", ".stl", ".vtk", ".vtu", ".msh")
MISSING = "reading meshes needs meshio: pip install 'watari[bem]'; the generators need nothing"


@dataclass(frozen=True)
class Mesh:
    """Vertices (n x 3), triangles (m x 3, numbers of vertices), and the sign of the potential of
    each triangle; none: + everywhere."""

    vertices: NDArray[np.float64]
    triangles: NDArray[np.int64]
    signs: NDArray[np.int8]


def load(name: str) -> Mesh:
    """The mesh of a generator such as `bumpy:16`, or of a file. Raises UsageError, FileError."""
    from watari import _native

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
    if importlib.util.find_spec("meshio") is None:
        raise UsageError(f"{name}: {MISSING}")
    return read(path)


def read(path: Path) -> Mesh:
    """The triangles of a file; quadrilaterals are cut in two. Raises FileError."""
    import meshio
    import numpy as np

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of its guess at binary STL
            content: Any = meshio.read(path)
    except SystemExit:  # meshio's way out of a file that none of its readers takes
        raise FileError(f"{path}: cannot be read as a mesh") from None
    except Exception as error:  # of many kinds
        raise FileError(f"{path}: cannot be read as a mesh: {reason(error)}") from None
    parts = [np.zeros((0, 3), np.int64)]
    for block in content.cells:
        corners = np.asarray(block.data, np.int64)
        if block.type == "triangle":
            parts.append(corners)
        elif block.type == "quad":
            parts += [corners[:, [0, 1, 2]], corners[:, [0, 2, 3]]]
    triangles = np.ascontiguousarray(np.concatenate(parts))
    if not len(triangles):
        raise FileError(f"{path}: the mesh has no triangles")
    vertices = np.ascontiguousarray(content.points, np.float64)
    if vertices.ndim != 2 or vertices.shape[1] != 3:
        raise FileError(f"{path}: the mesh is not in three dimensions")
    return Mesh(vertices, triangles, np.zeros(0, np.int8))
