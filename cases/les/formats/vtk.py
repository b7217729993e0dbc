"""The wind for ParaView: VTK's image data (.vti), and a time series of them (.pvd).

The series has the two planes that the run kept at each look: 2 m above the ground, and through the
middle. `wind.pvd` names its images, which lie in the folder `wind/`.
"""

from __future__ import annotations

import base64
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from watari.cases.les.output import Wind
from watari.cases.les.picture import low_plane
from watari.common.errors import FileError, UsageError
from watari.common.files import reason, write_atomically

HEAD = '<?xml version="1.0"?>'


def data_array(name: str, values: NDArray[Any], width: int) -> str:
    """An array of cells, in base64."""
    data = np.ascontiguousarray(values, "<f4").tobytes()
    text = base64.b64encode(struct.pack("<Q", len(data)) + data).decode()
    head = f'<DataArray type="Float32" Name="{name}" NumberOfComponents="{width}" '
    return f'{head}format="binary">{text}</DataArray>'


def image(
    shape: tuple[int, ...],
    spacing: float,
    vector: NDArray[Any],
    scalars: Mapping[str, NDArray[Any]],
    origin: tuple[float, float, float] = (0, 0, 0),
) -> str:
    """Image data of cells [z][y][x]: the wind as a vector, and scalars by name."""
    extent = " ".join(f"0 {n}" for n in reversed(shape))
    step = " ".join([f"{spacing:g}"] * 3)
    place = " ".join(f"{x:.9g}" for x in origin)
    return "\n".join(
        [
            HEAD,
            '<VTKFile type="ImageData" version="1.0" byte_order="LittleEndian" '
            'header_type="UInt64">',
            f'<ImageData WholeExtent="{extent}" Origin="{place}" Spacing="{step}">',
            f'<Piece Extent="{extent}"><CellData Vectors="wind" Scalars="theta">',
            data_array("wind", vector, 3),
            *(data_array(name, values, 1) for name, values in scalars.items()),
            "</CellData></Piece></ImageData></VTKFile>\n",
        ]
    )


def vti(path: Path, of: Wind) -> None:
    """The whole flow by cell; buildings are NaN. A map of comfort is in the lowest cells, and NaN
    above them. Raises FileError."""
    masked = {n: np.where(of.solid, np.float32("nan"), a) for n, a in of.fields.items()}
    vector = np.stack([masked.pop(name) for name in "uvw"], -1)
    if of.leaves is not None:
        masked["leaf_area_density"] = of.leaves
    if of.map is not None:
        masked[of.map.name] = np.full(of.solid.shape, np.float32("nan"))
        masked[of.map.name][0] = of.map.values.filled(np.nan)
    write_atomically(path, image(of.solid.shape, of.spacing, vector, masked))


def plane(of: Wind, where: str, touch: int) -> str:
    """The image of a plane at a look: one cell thick."""
    depth, length, width = of.solid.shape
    names = ("u", "v") if where == "low" else ("u", "w")
    found = {n: of.planes[f"{n}_{where}"][1][touch].filled(np.nan) for n in (*names, "theta")}
    vector = np.zeros((*found["u"].shape, 3), np.float32)
    for name in names:
        vector[..., "uvw".index(name)] = found[name]
    if where == "low":
        shape = (1, length, width)
        origin = (0.0, 0.0, low_plane(depth, of.spacing) * of.spacing)
    else:
        shape, origin = (depth, 1, width), (0.0, length // 2 * of.spacing, 0.0)
    return image(shape, of.spacing, vector, {"theta": found["theta"]}, origin)


def series(path: Path, of: Wind) -> None:
    """The planes of each look, with its time. Raises FileError, UsageError."""
    if not of.touches:
        raise UsageError(f"{path}: no time series: the run kept no planes")
    folder = path.with_suffix("")
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise FileError(f"{folder}: cannot be made: {reason(error)}") from None
    lines = [HEAD, '<VTKFile type="Collection" version="1.0"><Collection>']
    for touch, seconds in enumerate(of.touches):
        for part, where in enumerate(("low", "cut")):
            file = folder / f"{where}-{touch + 1:05}.vti"
            write_atomically(file, plane(of, where, touch))
            lines.append(
                f'<DataSet timestep="{seconds:.9g}" part="{part}" name="{where}" '
                f'file="{folder.name}/{file.name}"/>'
            )
    write_atomically(path, "\n".join([*lines, "</Collection></VTKFile>\n"]))
