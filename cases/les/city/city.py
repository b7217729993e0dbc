"""Cities: heights of buildings, from a pattern, from a seed, or from a file.

`cubes:16:0.25:staggered`: cubes of 16 m that cover a quarter of the ground. `random:7:0.25:12:5`:
seed, share of the ground, mean and deviation of lognormal heights (m). `file:PATH`: heights in
metres, either a .npy, [y][x], with one number for each cell of the grid, or a GeoTIFF (with
rasterio) of the size of the grid in metres, of which a cell takes the nearest number. A map of
another size is refused: it would be another city.

Heights become whole cells, a half upwards.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

from watari.cases.les.city.maps import from_file, impossible, on_grid, refuse
from watari.common.errors import UsageError

if TYPE_CHECKING:
    import numpy as np

HIGHEST = 0.75  # share of the lid's height
NUMBER = r"(\d{1,6}(?:\.\d{1,6})?)"
PATTERNS = {
    "cubes": re.compile(rf"cubes:{NUMBER}:{NUMBER}:(aligned|staggered)", re.ASCII),
    "random": re.compile(rf"random:(\d{{1,9}}):{NUMBER}:{NUMBER}:{NUMBER}", re.ASCII),
    "file": re.compile(r"file:(.+)"),
}
FORMS = "cubes:HEIGHT:DENSITY:aligned|staggered, random:SEED:DENSITY:MEAN:DEVIATION, file:PATH"


def parse(text: str) -> str:
    """The text of a city. Raises UsageError."""
    if text != "flat" and not any(p.fullmatch(text) for p in PATTERNS.values()):
        raise UsageError(f"'{text[:80]}' is not a city; write flat, {FORMS}")
    return text


def heights(text: str, shape: tuple[int, int, int], spacing: float) -> np.ndarray[Any, Any]:
    """Heights in cells, [y][x]. Raises UsageError, UnsupportedError."""
    import numpy as np

    x, y, z = shape
    if text == "flat":
        metres: Any = np.zeros((y, x))
    elif match := PATTERNS["cubes"].fullmatch(text):
        height, density = float(match[1]), float(match[2])
        metres = blocks(shape, spacing, height, density, match[3] == "staggered")
    elif match := PATTERNS["random"].fullmatch(text):
        metres = drawn(shape, spacing, int(match[1]), *(float(match[n]) for n in (2, 3, 4)))
    else:
        metres = on_grid(from_file(text.removeprefix("file:"), spacing), text, shape, spacing)
    return possible(metres, z, spacing, text)


def possible(metres: Any, z: int, spacing: float, text: str) -> np.ndarray[Any, Any]:
    """Heights in cells. Raises UsageError for those that no run takes."""
    require(metres, z * spacing, text)
    cells = in_cells(metres, spacing)
    if cells.max() > HIGHEST * z:
        refuse(
            text, cells * spacing, cells > HIGHEST * z, f"is above 3/4 of the lid, {z * spacing} m"
        )
    require_streets(cells, spacing, text)
    return cells


def in_cells(metres: Any, spacing: float) -> np.ndarray[Any, Any]:
    """Heights in whole cells, a half upwards."""
    import numpy as np

    return np.ascontiguousarray(np.floor(metres / spacing + 0.5), dtype=np.uint16)


def require_streets(cells: np.ndarray[Any, Any], spacing: float, text: str) -> None:
    """Raises UsageError for a city without a building, and for one without a street."""
    y, x = cells.shape
    if text != "flat" and not cells.any():
        low = f"no height reaches half a cell, {spacing / 2:g} m"
        none = low if text.startswith("file:") else f"no building and its street fit {x}x{y} cells"
        raise UsageError(f"city {text}: {none}")
    if cells.all():
        raise UsageError(f"city {text}: every column is built up, no street is left")


def require(metres: Any, lid: float, text: str) -> None:
    """Raises UsageError with the first impossible height."""
    high = (metres > HIGHEST * lid, f"is above 3/4 of the lid, {lid:g} m")
    for bad, why in (*impossible(metres), high):
        if bad.any():
            refuse(text, metres, bad, why)


def lattice(side: int, density: float, text: str) -> int:
    """Cells from block to block. Raises UsageError."""
    if not 0 < density < 1:
        raise UsageError(f"city {text}: a density is above 0 and below 1")
    pitch = round(side / math.sqrt(density))
    if pitch <= side:
        raise UsageError(f"city {text}: no street is left between blocks of {side} cells")
    return pitch


def blocks(
    shape: tuple[int, int, int], spacing: float, height: float, density: float, staggered: bool
) -> np.ndarray[Any, Any]:
    """Cubes on a lattice; every second row is moved by half a pitch where they are staggered."""
    import numpy as np

    x, y, _ = shape
    side = max(1, round(height / spacing))
    pitch = lattice(side, density, f"cubes:{height:g}:{density:g}")
    result = np.zeros((y, x))
    for row, first in enumerate(range((pitch - side) // 2, y - side + 1, pitch)):
        shift = pitch // 2 if staggered and row % 2 else 0
        for column in range((pitch - side) // 2, x - side + 1, pitch):
            across = [(column + shift + n) % x for n in range(side)]
            result[first : first + side, across] = height
    return result


def drawn(
    shape: tuple[int, int, int],
    spacing: float,
    seed: int,
    density: float,
    mean: float,
    deviation: float,
) -> np.ndarray[Any, Any]:
    """Blocks on a lattice with lognormal heights, cut at 3/4 of the lid."""
    import numpy as np

    x, y, z = shape
    text = f"random:{seed}:{density:g}:{mean:g}:{deviation:g}"
    if mean <= 0:
        raise UsageError(f"city {text}: the mean height is above 0 m")
    side = max(2, round(mean / spacing))
    pitch = lattice(side, density, text)
    spread = math.log(1 + (deviation / mean) ** 2)
    engine = np.random.default_rng(seed)
    result = np.zeros((y, x))
    for first in range(0, y - side + 1, pitch):
        for column in range(0, x - side + 1, pitch):
            height = engine.lognormal(math.log(mean) - spread / 2, math.sqrt(spread))
            highest = HIGHEST * z * spacing // spacing * spacing
            result[first : first + side, column : column + side] = min(height, highest)
    return result


def notes(text: str, shape: tuple[int, int, int], spacing: float) -> list[str]:
    """Lines on a map: its size, how this grid resamples it, how heights are rounded. None for other
    cities. Raises UsageError, UnsupportedError."""
    if not text.startswith("file:"):
        return []
    of = from_file(text.removeprefix("file:"), spacing)
    metres = on_grid(of, text, shape, spacing)
    cells = possible(metres, shape[2], spacing, text)
    rows, columns = of.metres.shape
    lines = [f"{text}: {of.size[0]:g} m x {of.size[1]:g} m"]
    if (of.width, of.length) != (spacing, spacing):
        lines[0] += (
            f", resampled: {columns} x {rows} numbers, {shape[0]} x {shape[1]} cells of "
            f"{spacing:g} m, each with the nearest number"
        )
    street = int(((metres > 0) & (cells == 0)).sum())
    lines.append(
        f"heights in whole cells of {spacing:g} m: mean {metres.mean():.4g} m becomes "
        f"{cells.mean() * spacing:.4g} m, highest {metres.max():.4g} m "
        f"becomes {cells.max() * spacing:.4g} m"
        + (f"; columns below {spacing / 2:g} m, which become street: {street}" if street else "")
    )
    return lines


def densities(cells: np.ndarray[Any, Any]) -> dict[str, float]:
    """Built share of the ground; faces against the wind along x and along y, over the ground."""
    import numpy as np

    signed = cells.astype(np.int64)
    area = signed.size
    return {
        "plan_density": float((signed > 0).sum() / area),
        "frontal_density_x": float(np.clip(signed - np.roll(signed, 1, 1), 0, None).sum() / area),
        "frontal_density_y": float(np.clip(signed - np.roll(signed, 1, 0), 0, None).sum() / area),
    }
