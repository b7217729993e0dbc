"""Trees: the leaf area of a city by cell, from a spacing or from a file.

`rows:16`: street trees, 16 m from one to the next along x and y, each with a crown of 6 m x 6 m
from 3 to 9 m above the ground and 0.5 m2 of leaves in a m3. Any other text is a .npy file of leaf
area densities (1/m), [z][y][x] from the ground up, with one number for each cell; it may have fewer
planes than the grid.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from watari.case.axis import Parameters
from watari.cases.les import axes
from watari.cases.les.city.maps import opened
from watari.common.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

NONE = "none"
FORMS = "none, rows:SPACING in metres, or a .npy of leaf area densities in 1/m, [z][y][x]"
CROWN, WIDTH, DENSITY = (3.0, 9.0), 6.0, 0.5  # m above the ground, m, 1/m: of a tree in rows
DENSEST = 20.0  # 1/m: a clipped hedge has 10


def parse(text: str) -> str:
    """The text of an axis. Raises UsageError."""
    if text.startswith("rows:"):
        axes.positive(text.removeprefix("rows:"))
    elif text != NONE and not text.lower().endswith(".npy"):
        raise UsageError(f"'{text[:80]}' are no trees; write {FORMS}")
    return text


def is_file(text: str) -> bool:
    """Whether a text names a file."""
    return text != NONE and not text.startswith("rows:")


def require_files(parameters: Parameters) -> None:
    """Raises FileError, UsageError for a file that is missing or has no densities."""
    if is_file(parameters["trees"]):
        from_file(parameters["trees"])


def from_file(path: str) -> NDArray[Any]:
    """The densities of a file. Raises FileError, UsageError."""
    import numpy as np

    found = opened(path, f"trees {path}")
    if found.ndim != 3 or not found.size or found.dtype.kind not in "fiu":
        raise UsageError(f"trees {path}: not one array of numbers with three axes, [z][y][x]")
    return np.asarray(found, dtype=float)


def leaves(
    text: str, shape: tuple[int, int, int], spacing: float, heights: NDArray[Any]
) -> NDArray[Any]:
    """The cells with leaves: x, y, z and leaf area density of each; none without trees. Raises
    UsageError, FileError."""
    import numpy as np

    if text == NONE:
        return np.zeros((0, 4))
    if is_file(text):
        density = from_file(text)
        require_places(text, density, shape)
    else:
        density = rows(text, shape, spacing, heights)
    built = np.arange(len(density))[:, None, None] < heights
    if is_file(text):
        refuse(text, density, (density > 0) & built, "is inside a building")
    density = np.where(built, 0, density)
    k, j, i = np.nonzero(density)
    if not len(k):
        raise UsageError(f"trees {text}: no cell of the city has leaves")
    return np.column_stack([i, j, k, density[k, j, i]]).astype(float)


def require_places(text: str, density: NDArray[Any], shape: tuple[int, int, int]) -> None:
    """Raises UsageError unless a file has a possible density for each cell of some planes."""
    import numpy as np

    x, y, z = shape
    planes = density.shape[0]
    if density.shape[1:] != (y, x) or planes > z:
        sizes = "x".join(map(str, density.shape))
        raise UsageError(
            f"trees {text}: has {sizes} numbers; this grid takes {z} planes or fewer of {y}x{x}"
        )
    refuse(text, density, ~np.isfinite(density), "is no number")
    refuse(text, density, density < 0, "is below 0")
    refuse(text, density, density > DENSEST, f"is above {DENSEST:g}")


def refuse(text: str, density: NDArray[Any], bad: NDArray[Any], why: str) -> None:
    """Raises UsageError with the place of the first bad density."""
    import numpy as np

    if bad.any():
        k, j, i = (int(n[0]) for n in np.nonzero(bad))
        raise UsageError(f"trees {text}: {density[k, j, i]:g} 1/m at z {k}, y {j}, x {i} {why}")


def rows(
    text: str, shape: tuple[int, int, int], spacing: float, heights: NDArray[Any]
) -> NDArray[Any]:
    """Densities of street trees up to their tops. Raises UsageError if the grid is too coarse for
    a crown, or has no place for one."""
    import numpy as np

    apart = float(text.removeprefix("rows:"))
    x, y, z = shape
    tall = [k for k in range(z) if CROWN[0] <= (k + 0.5) * spacing < CROWN[1]]
    if not tall or spacing > WIDTH:
        raise UsageError(f"trees {text}: cells of {spacing:g} m are too large for a crown of 6 m")
    trunks = [(np.arange(int(n * spacing / apart)) + 0.5) * apart for n in (x, y)]
    crowns = np.zeros((y, x), bool)
    across = [(np.arange(n) + 0.5) * spacing for n in (x, y)]
    found = 0
    for north in trunks[1]:
        for east in trunks[0]:
            if heights[int(north / spacing), int(east / spacing)]:
                continue
            found += 1
            near = [
                (at - WIDTH / 2 <= c) & (c < at + WIDTH / 2)
                for c, at in zip(across, (east, north), strict=True)
            ]
            crowns |= near[1][:, None] & near[0]
    if not found:
        raise UsageError(f"trees {text}: no trunk stands in a street")
    density = np.zeros((tall[-1] + 1, y, x))
    density[tall] = DENSITY * crowns
    return density
