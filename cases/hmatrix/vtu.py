"""A surface with numbers by triangle as a .vtu file (VTK's XML of unstructured grids), which
ParaView and PyVista read: arrays in base64, little-endian, each behind its count of bytes.
"""

from __future__ import annotations

import base64
import os
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from watari.common.files import write_atomically

TYPES = {"f8": "Float64", "i8": "Int64", "u1": "UInt8"}
TRIANGLE = 5  # VTK's number for this kind of cell


def array(name: str, values: NDArray[Any], kind: str) -> str:
    """A DataArray element; the columns of a two-dimensional array are components."""
    data = np.ascontiguousarray(values, f"<{kind}")
    text = base64.b64encode(struct.pack("<Q", data.nbytes) + data.tobytes()).decode()
    width = f' NumberOfComponents="{data.shape[1]}"' if data.ndim == 2 else ""
    head = f'<DataArray type="{TYPES[kind]}" Name="{name}"{width} format="binary">'
    return f"{head}{text}</DataArray>"


def write(
    path: str | os.PathLike[str],
    vertices: NDArray[Any],
    triangles: NDArray[Any],
    numbers: Mapping[str, NDArray[Any]],
) -> None:
    """Writes the file whole or not at all. Raises FileError."""
    count = len(triangles)
    cells = "".join(array(name, values, "f8") for name, values in numbers.items())
    content = [
        '<?xml version="1.0"?>',
        '<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian" '
        'header_type="UInt64"><UnstructuredGrid>',
        f'<Piece NumberOfPoints="{len(vertices)}" NumberOfCells="{count}">',
        f"<Points>{array('Points', vertices, 'f8')}</Points><Cells>",
        array("connectivity", triangles.reshape(-1), "i8"),
        array("offsets", 3 * np.arange(1, count + 1), "i8"),
        array("types", np.full(count, TRIANGLE), "u1"),
        f"</Cells><CellData>{cells}</CellData></Piece></UnstructuredGrid></VTKFile>\n",
    ]
    write_atomically(path, "\n".join(content))
