"""The wind at the end of a trial, small enough for a result file: its speed near 2 m above the
ground and in the vertical cut through most of the buildings, as rows of text.

A picture has 96 cells or fewer along each axis; each is the mean over the air of its part of the
plane. A digit of base 64 is its speed, a full stop a building. 512x512x128 cells take 9 KB.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

HEIGHT = 2.0  # m above the ground, of the plan
MOST_CELLS = 96  # of a picture, along an axis
DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
SOLID = "."


def low_plane(depth: int, spacing: float) -> int:
    """The plane of cells 2 m above the ground."""
    return min(int(HEIGHT / spacing), depth - 1)


def full_row(heights: NDArray[Any]) -> int:
    """The row along x with most of the buildings; of equal neighbours the middle one."""
    built = heights.sum(axis=1)
    first = int(built.argmax())
    alike = [*(built[first:] == built[first]), False]
    return first + alike.index(False) // 2


def pictures(
    seen: NDArray[Any], heights: NDArray[Any], spacing: float, plan: int, cut: int
) -> dict[str, dict[str, Any]]:
    """Pictures of plane `plan` and row `cut` from `seen`, the velocities around them: [u v w and
    one more][y, then z][x]. The fourth is w above the plane, and v behind the row."""
    import numpy as np

    length = heights.shape[0]
    flat, upright = (part.astype(float) for part in (seen[:, :length], seen[:, length:]))
    levels = np.arange(upright.shape[1])[:, None]
    above = np.concatenate([upright[2, 1:], np.zeros_like(upright[2, :1])])
    v_next = np.roll(flat[1], -1, 0)
    return {
        "speed.plan": coarse(
            speed(flat[0], flat[1] + v_next, flat[2] + flat[3]), heights <= plan, spacing, plan
        ),
        "speed.cut": coarse(
            speed(upright[0], upright[1] + upright[3], upright[2] + above),
            heights[cut] <= levels,
            spacing,
            cut,
        ),
    }


def speed(u: NDArray[Any], twice_v: NDArray[Any], twice_w: NDArray[Any]) -> NDArray[Any]:
    """Speed at centres, from u at low faces and the sums of v and of w over two faces."""
    import numpy as np

    squares: NDArray[Any] = (u + np.roll(u, -1, 1)) ** 2 + twice_v**2 + twice_w**2
    return squares**0.5 / 2


def coarse(values: NDArray[Any], air: NDArray[Any], spacing: float, plane: int) -> dict[str, Any]:
    """The picture of a plane; `air` marks cells without a building."""
    import numpy as np

    step = math.ceil(max(values.shape) / MOST_CELLS)

    def summed(of: NDArray[Any]) -> NDArray[Any]:
        for axis, cells in enumerate(values.shape):
            of = np.add.reduceat(of, range(0, cells, step), axis)
        return of

    open_cells, cells = summed(air.astype(int)), summed(np.ones_like(air, int))
    mean = summed(np.where(air, values, 0)) / np.maximum(open_cells, 1)
    most = float(f"{max(mean.max(), 1e-9):.4g}")
    levels = np.rint(np.clip(mean / most, 0, 1) * (len(DIGITS) - 1)).astype(int)
    digits = np.where(2 * open_cells > cells, np.array(list(DIGITS))[levels], SOLID)
    height, width = (spacing * n for n in values.shape)
    return {
        "unit": "m/s",
        "most": most,
        "width": width,
        "height": height,
        "at": spacing * (plane + 0.5),
        "rows": ["".join(row) for row in digits],
    }
