"""Meshes: the generators of the library, and files; OFF by trimesh (the extra `bem`)."""

from __future__ import annotations

import importlib.util
import logging
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from watari.case.native import module
from watari.cases.hmatrix import formats
from watari.cases.hmatrix.ply import ply
from watari.common import reading
from watari.common.errors import FileError, UsageError, WatariError
from watari.common.files import reason
from watari.common.reading import require_readable

if TYPE_CHECKING:
    from watari.cases.hmatrix.formats import Surface

GENERATORS = "cube:N, icosphere:N, spheres:N, bumpy:N, scan:N"
SUFFIXES = (".obj", ".off", ".ply", ".stl")
MISSING = "OFF needs trimesh: pip install 'watari[bem]'; OBJ, PLY, STL and generators do not"
READERS = {".obj": formats.obj, ".ply": ply, ".stl": formats.stl}


@dataclass(frozen=True)
class Mesh:
    """Vertices (n x 3), triangles (m x 3, numbers of vertices), and the sign of the potential of
    each triangle (empty: + everywhere)."""

    vertices: NDArray[np.float64]
    triangles: NDArray[np.int64]
    signs: NDArray[np.int8]


def load(name: str) -> Mesh:
    """The mesh of a generator such as `bumpy:16`, or of a file. Raises UsageError, FileError."""
    if module(__package__).hmatrix_names_shape(name):
        return Mesh(*module(__package__).hmatrix_shape(name))
    path = Path(name)
    if path.suffix.lower() not in SUFFIXES:
        raise UsageError(
            f"'{name}' is not a mesh: neither a generator ({GENERATORS}) nor a file that ends in "
            f"{', '.join(SUFFIXES)}"
        )
    if not path.is_file():
        why = "meshes are files on this machine" if name.startswith("s3://") else "no such file"
        raise FileError(f"{name}: {why}")
    return read(path)


def read(path: Path) -> Mesh:
    """The triangles of a file; other polygons are cut into triangles. Raises FileError, UsageError
    where a package is missing."""
    own = READERS.get(path.suffix.lower())
    try:
        vertices, triangles = own(reading.content(path)) if own else by_trimesh(path)
    except WatariError:
        raise
    except ValueError as error:
        raise FileError(f"{path}: cannot be read as a mesh: {error}") from None
    if not triangles.size:
        raise FileError(f"{path}: the mesh has no triangles")
    if triangles.min() < 0 or triangles.max() >= len(vertices):
        far = triangles.min() if triangles.min() < 0 else triangles.max()
        raise FileError(f"{path}: a face names vertex {far}, counted from 0, of {len(vertices)}")
    if not np.isfinite(vertices).all():
        raise FileError(f"{path}: a coordinate of a vertex is not finite")
    return Mesh(vertices, triangles, np.zeros(0, np.int8))


def by_trimesh(path: Path) -> Surface:
    """A file that trimesh reads. What it logs as a fault, and then guesses, is an error. Raises
    UsageError, ValueError, FileError."""
    if importlib.util.find_spec("trimesh") is None:
        raise UsageError(f"{path}: {MISSING}")
    import trimesh

    require_readable(path)
    faults: list[str] = []

    def keep(record: logging.LogRecord) -> bool:
        faults.append(record.getMessage())
        return False  # not printed

    log = logging.getLogger("trimesh")
    log.addFilter(keep)
    try:
        content: Any = trimesh.load(path, process=False, force="mesh", skip_materials=True)
        vertices = np.ascontiguousarray(content.vertices, np.float64).reshape(-1, 3)
        triangles = np.ascontiguousarray(content.faces, np.int64).reshape(-1, 3)
    except Exception as error:  # of many kinds
        raise ValueError(reason(error)) from None
    finally:
        log.removeFilter(keep)
    if faults:
        raise ValueError(faults[0])
    return vertices, triangles
