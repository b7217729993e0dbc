"""Cities: heights of buildings, from a pattern, from a seed, or from a file.

`cubes:16:0.25:staggered`: cubes of 16 m that cover a quarter of the ground. `random:7:0.25:12:5`:
seed, share of the ground, mean and deviation of lognormal heights (m). `file:PATH`: a .npy of
heights in metres, [y][x], or a GeoTIFF (with rasterio), resampled by the nearest cell.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

from watari.common.errors import FileError, UnsupportedError, UsageError
from watari.common.reading import require_readable

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
        metres = from_file(text.removeprefix("file:"), shape)
    if text != "flat" and not metres.any():
        raise UsageError(f"city {text}: no building and its street fit {x}x{y} cells")
    require(metres, z * spacing, text)
    cells = np.ascontiguousarray(np.rint(metres / spacing), dtype=np.uint16)
    if cells.max() > HIGHEST * z:
        refuse(
            text, cells * spacing, cells > HIGHEST * z, f"is above 3/4 of the lid, {z * spacing} m"
        )
    return cells


def impossible(metres: Any) -> tuple[tuple[Any, str], tuple[Any, str]]:
    """Masks of heights that no building can have, each with its reason."""
    import numpy as np

    return (~np.isfinite(metres), "is no number"), (metres < 0, "is below the ground")


def require(metres: Any, lid: float, text: str) -> None:
    """Raises UsageError with the first impossible height, and for a city without a street."""

    high = (metres > HIGHEST * lid, f"is above 3/4 of the lid, {lid:g} m")
    for bad, why in (*impossible(metres), high):
        if bad.any():
            refuse(text, metres, bad, why)
    if (metres > 0).all():
        raise UsageError(f"city {text}: every column is built up, no street is left")


def refuse(text: str, metres: Any, bad: Any, why: str) -> None:
    """Raises UsageError with the place of the first bad height."""
    import numpy as np

    row, column = (int(n[0]) for n in np.nonzero(bad))
    raise UsageError(f"city {text}: {metres[row, column]:g} m at y {row}, x {column} {why}")


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


def from_file(path: str, shape: tuple[int, int, int]) -> np.ndarray[Any, Any]:
    """A map of heights, resampled by the nearest cell. Raises UsageError, UnsupportedError."""
    import numpy as np

    metres: Any = raster(path) if path.lower().endswith((".tif", ".tiff")) else npy(path)
    if metres.dtype.kind not in "fiu":
        raise UsageError(f"city file:{path}: heights are real numbers, not {metres.dtype}")
    for bad, why in impossible(metres):  # before resampling, which may skip a bad cell
        if bad.any():
            refuse(f"file:{path}", metres, bad, f"of its {metres.shape[0]} rows {why}")
    x, y, _ = shape
    rows = (np.arange(y) + 0.5) * metres.shape[0] / y
    columns = (np.arange(x) + 0.5) * metres.shape[1] / x
    nearest = metres[np.ix_(rows.astype(int), columns.astype(int))]
    return np.asarray(nearest, dtype=float)


def npy(path: str) -> Any:
    """An array of two axes of real numbers. Raises UsageError, FileError."""
    import numpy as np

    try:
        require_readable(path)
        found = np.lib.format.open_memmap(path, mode="r")  # no zip, no pickle; compares the size
    except OSError as error:
        raise UsageError(f"city file:{path}: {error.strerror or error}") from None
    except FileError:
        raise
    except Exception:  # of many kinds: NumPy evaluates the head as Python
        raise UsageError(f"city file:{path}: not a whole .npy file of numbers") from None
    if found.ndim != 2 or not found.size:
        raise UsageError(f"city file:{path}: not one array of two axes, [y][x]")
    return found


def raster(path: str) -> Any:
    """The first band of a GeoTIFF in metres, south first. Raises UsageError, UnsupportedError."""
    try:
        import rasterio
    except ImportError:
        raise UnsupportedError("a GeoTIFF needs rasterio: pip install 'watari[city]'") from None
    import numpy as np

    try:
        with rasterio.open(path) as source:
            if source.crs is not None and source.crs.is_geographic:
                raise UsageError(f"city file:{path}: in degrees; reproject it to metres")
            band = source.read(1, masked=True)
    except rasterio.errors.RasterioError as error:
        raise UsageError(
            f"city file:{path}: not a whole GeoTIFF: {error.__cause__ or error}"
        ) from None
    mask = np.ma.getmaskarray(band)[::-1]
    if mask.any():
        row, column = (int(n[0]) for n in np.nonzero(mask))
        raise UsageError(
            f"city file:{path}: has holes (no data), the first at y {row}, x {column} of its "
            f"{mask.shape[0]} rows; fill them"
        )
    return band.data[::-1]


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
