"""Maps of heights for cities, from a .npy or a GeoTIFF: their size in metres, and the height of
each cell of a grid.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from watari.cases.les import axes
from watari.cases.les.city.place import Place
from watari.common.errors import FileError, UnsupportedError, UsageError
from watari.common.reading import require_readable

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class Map:
    """Heights in metres, [y][x], south first, and the width and length of one of them in metres."""

    metres: Any
    width: float
    length: float
    place: Place | None = None  # on the earth

    @property
    def size(self) -> tuple[float, float]:
        """Metres along x and along y."""
        rows, columns = self.metres.shape
        return columns * self.width, rows * self.length


def from_file(path: str, spacing: float) -> Map:
    """A map of heights; a .npy has one for each cell. Raises UsageError, UnsupportedError."""
    is_raster = path.lower().endswith((".tif", ".tiff"))
    found = raster(path, spacing) if is_raster else Map(npy(path), spacing, spacing)
    if found.metres.dtype.kind not in "fiu":
        raise UsageError(f"city file:{path}: heights are real numbers, not {found.metres.dtype}")
    for bad, why in impossible(found.metres):  # before resampling, which may skip a bad cell
        if bad.any():
            rows = found.metres.shape[0]
            refuse(f"file:{path}", found.metres, bad, f"of its {rows} rows {why}")
    return found


def place(city: str, spacing: float) -> Place | None:
    """Where the map of a city lies on the earth, if it says so."""
    if not city.startswith("file:"):
        return None
    return from_file(city.removeprefix("file:"), spacing).place


def on_grid(
    of: Map, text: str, shape: tuple[int, int, int], spacing: float
) -> np.ndarray[Any, Any]:
    """The height that is nearest to the centre of each cell. Raises UsageError for a map whose size
    differs by half a cell or more."""
    import numpy as np

    x, y, z = shape
    (wide, long), (rows, columns) = of.size, of.metres.shape
    if max(abs(wide - x * spacing), abs(long - y * spacing)) >= spacing / 2:
        fits = [max(axes.LEAST_CELLS, round(n / spacing / 2) * 2) for n in of.size]
        cut = [n * spacing for n in fits]
        raise UsageError(
            f"city {text}: the map has {wide:g} m x {long:g} m ({columns} x {rows} numbers of "
            f"{of.width:g} m), the grid {x * spacing:g} m x {y * spacing:g} m; a grid of "
            f"{fits[0]}x{fits[1]}x{z} takes a map of {cut[0]:g} m x {cut[1]:g} m"
        )
    nearest_row = ((np.arange(y) + 0.5) * spacing / of.length).astype(int)
    nearest_column = ((np.arange(x) + 0.5) * spacing / of.width).astype(int)
    found = of.metres[np.ix_(nearest_row.clip(max=rows - 1), nearest_column.clip(max=columns - 1))]
    return np.asarray(found, dtype=float)


def impossible(metres: Any) -> tuple[tuple[Any, str], tuple[Any, str]]:
    """Masks of heights that no building can have, each with its reason."""
    import numpy as np

    return (~np.isfinite(metres), "is no number"), (metres < 0, "is below the ground")


def refuse(text: str, metres: Any, bad: Any, why: str) -> None:
    """Raises UsageError with the place of the first bad height."""
    import numpy as np

    row, column = (int(n[0]) for n in np.nonzero(bad))
    raise UsageError(f"city {text}: {metres[row, column]:g} m at y {row}, x {column} {why}")


def opened(path: str, what: str) -> Any:
    """The array of a .npy file, mapped. `what` begins the message. Raises UsageError, FileError."""
    import numpy as np

    try:
        require_readable(path)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a head that Python 2 wrote
            return np.lib.format.open_memmap(path, mode="r")  # no zip, no pickle; whole
    except OSError as error:
        raise UsageError(f"{what}: {error.strerror or error}") from None
    except FileError:
        raise
    except Exception:  # of many kinds: NumPy evaluates the head as Python
        raise UsageError(f"{what}: not a complete .npy file of numbers") from None


def npy(path: str) -> Any:
    """A NumPy file with an array of two axes. Raises UsageError, FileError."""
    found = opened(path, f"city file:{path}")
    if found.ndim != 2 or not found.size:
        raise UsageError(f"city file:{path}: not one array of two axes, [y][x]")
    return found


def raster(path: str, spacing: float) -> Map:
    """The first band of a GeoTIFF in metres. A file without a position on the ground has one height
    for each cell, like a .npy. Raises UsageError, UnsupportedError."""
    try:
        import rasterio
    except ImportError:
        raise UnsupportedError("a GeoTIFF needs rasterio: pip install 'watari[city]'") from None
    import numpy as np

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", rasterio.errors.NotGeoreferencedWarning)
            with rasterio.open(path) as source:
                where, crs = source.transform, source.crs
                if crs is not None and crs.is_geographic:
                    raise UsageError(f"city file:{path}: in degrees; reproject it to metres")
                if where.b or where.d:
                    raise UsageError(f"city file:{path}: is rotated; warp it, so that y is north")
                band = source.read(1, masked=True)
    except rasterio.errors.RasterioError as error:
        raise UsageError(
            f"city file:{path}: not a complete GeoTIFF: {error.__cause__ or error}"
        ) from None
    placed = not where.is_identity
    if not placed or where.e < 0:  # the first row is the northern one
        band = band[::-1]
    mask = np.ma.getmaskarray(band)
    if mask.any():
        row, column = (int(n[0]) for n in np.nonzero(mask))
        raise UsageError(
            f"city file:{path}: has holes (no data), the first at y {row}, x {column} of its "
            f"{mask.shape[0]} rows; fill them"
        )
    if not placed:
        return Map(band.data, spacing, spacing)
    if crs is None or not crs.is_projected:
        return Map(band.data, abs(where.a), abs(where.e))
    unit = crs.linear_units_factor[1]
    south = where.f + min(0.0, where.e * band.shape[0])
    place = Place(where.c, south, unit, crs.to_wkt())
    return Map(band.data, abs(where.a) * unit, abs(where.e) * unit, place)
