"""Mist: the nozzles of a city, from a spacing or from a file.

`rows:16`: rows of nozzles over the streets, 16 m from one to the next along x and y, 3 m above the
ground, with 1 g/s each. Any other text is a CSV file: x, y, z in metres and kg/s, a nozzle a line;
a first line of names is allowed.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from watari.case.axis import Parameters
from watari.cases.les import axes
from watari.common.errors import UsageError
from watari.common.reading import text as read_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

NONE = "none"
FORMS = "none, rows:SPACING in metres, or a CSV file of x,y,z,kg/s"
HEIGHT, RATE = 3.0, 1e-3  # m, kg/s: of a nozzle in rows
MOST = 1_000_000  # nozzles
HUMIDITY = 0.012  # kg/kg: of the air before mist (native/les.hpp)


def parse(text: str) -> str:
    """The text of an axis. Raises UsageError."""
    if text.startswith("rows:"):
        axes.positive(text.removeprefix("rows:"))
    elif text != NONE and not text.lower().endswith(".csv"):
        raise UsageError(f"'{text[:80]}' is no mist; write {FORMS}")
    return text


def is_file(text: str) -> bool:
    """Whether a text names a file."""
    return text != NONE and not text.startswith("rows:")


def require_files(parameters: Parameters) -> None:
    """Raises FileError, UsageError for a file that is missing or is no table of nozzles."""
    if is_file(parameters["mist"]):
        from_file(parameters["mist"])


def from_file(path: str) -> list[tuple[int, list[float]]]:
    """Line, and x, y, z, kg/s of each nozzle. Raises FileError, UsageError."""
    found: list[tuple[int, list[float]]] = []
    for number, line in enumerate(read_text(path).splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            values = [float(word) for word in line.split(",")]
        except ValueError:
            if not found and number == 1:
                continue  # names
            raise UsageError(f"mist {path}, line {number}: not four numbers, x,y,z,kg/s") from None
        if len(values) != 4:
            raise UsageError(f"mist {path}, line {number}: not four numbers, x,y,z,kg/s")
        if not (0 < values[3] < math.inf):
            raise UsageError(f"mist {path}, line {number}: a nozzle releases more than 0 kg/s")
        found.append((number, values))
    if not 0 < len(found) <= MOST:
        raise UsageError(f"mist {path}: {len(found)} nozzles; 1 to {MOST} are possible")
    return found


def nozzles(
    text: str, shape: tuple[int, int, int], spacing: float, heights: NDArray[Any]
) -> NDArray[Any]:
    """The cell along x, y and z, and kg/s of each nozzle; none without mist. Raises UsageError,
    FileError."""
    import numpy as np

    if text == NONE:
        return np.zeros((0, 4))
    if is_file(text):
        return np.array([in_cells(text, *of, shape, spacing, heights) for of in from_file(text)])
    return rows(text, shape, spacing, heights)


def in_cells(
    path: str,
    line: int,
    of: list[float],
    shape: tuple[int, int, int],
    spacing: float,
    heights: NDArray[Any],
) -> list[float]:
    """A nozzle of a file by its cell. Raises UsageError."""
    where = f"mist {path}, line {line}: {of[0]:g}, {of[1]:g}, {of[2]:g} m"
    if not all(0 <= place < n * spacing for place, n in zip(of, shape, strict=False)):
        size = " x ".join(f"{n * spacing:g}" for n in shape)
        raise UsageError(f"{where} is outside the city, {size} m")
    i, j, k = (int(place / spacing) for place in of[:3])
    if heights[j, i] > k:
        raise UsageError(f"{where} is inside a building of {heights[j, i] * spacing:g} m")
    return [i, j, k, of[3]]


def rows(
    text: str, shape: tuple[int, int, int], spacing: float, heights: NDArray[Any]
) -> NDArray[Any]:
    """Nozzles over the streets. Raises UsageError if there are none, or too many."""
    import numpy as np

    apart = float(text.removeprefix("rows:"))
    if apart < spacing:
        raise UsageError(f"mist {text}: nozzles closer than a cell, {spacing:g} m")
    x, y, z = shape
    k = min(int(HEIGHT / spacing), z - 1)
    along = [
        ((np.arange(int(n * spacing / apart)) + 0.5) * apart / spacing).astype(int) for n in (x, y)
    ]
    j, i = (index.ravel() for index in np.meshgrid(along[1], along[0], indexing="ij"))
    street = heights[j, i] == 0
    i, j = i[street], j[street]
    if not 0 < len(i) <= MOST:
        raise UsageError(f"mist {text}: {len(i)} nozzles over streets; 1 to {MOST} are possible")
    return np.column_stack([i, j, np.full(len(i), k), np.full(len(i), RATE)]).astype(float)
