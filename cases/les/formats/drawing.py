"""Pictures of a run. Each cell has a dot or more of its own."""

from __future__ import annotations

import io
import math
from pathlib import Path
from typing import Any

import numpy as np

from watari.cases.les.output import Wind
from watari.cases.les.picture import full_row, low_plane
from watari.common.files import write_atomically

LEAST_DOTS = 100  # of an inch
NEAREST: dict[str, Any] = {"origin": "lower", "interpolation": "nearest"}


def save(path: Path, figure: Any, axes: Any, cells: int) -> None:
    """Writes the figure with a whole number of dots, or more, for each of the `cells` along x."""
    figure.draw_without_rendering()  # places the axes
    inches = axes.get_window_extent().width / figure.dpi
    dots = max(LEAST_DOTS, math.ceil(cells / inches))
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=dots)
    write_atomically(path, content.getvalue())


def picture(path: Path, of: Wind) -> None:
    """The map of comfort, or else the wind. Raises FileError."""
    if of.map is not None:
        from watari.cases.les.formats.map_drawing import draw_map

        draw_map(path, of.map, of.before)
    else:
        draw_wind(path, of)


def draw_wind(path: Path, of: Wind) -> None:
    """Wind speed near 2 m above the ground and in the vertical cut through most of the buildings,
    each with colours of its own. Raises FileError."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    d = of.spacing
    depth, length, width = (n * d for n in of.solid.shape)
    heights = of.solid.sum(0)
    k, j = low_plane(of.solid.shape[0], d), full_row(heights)
    at, cut = (k + 0.5) * d, (j + 0.5) * d
    panels: tuple[tuple[Any, ...], ...] = (
        (np.s_[k], "v", heights, "y", cut, f"{at:g} m above the ground (dashed: the cut below)"),
        (np.s_[:, j], "w", heights[j], "z", at, f"cut at y = {cut:g} m (dashed: the plane above)"),
    )
    tall = min(1.6 + 7 * (length + depth) / width, 16)
    figure = Figure(figsize=(8.4, tall), layout="compressed")
    FigureCanvasAgg(figure)
    trees = "" if of.leaves is None else "; trees have a green edge"
    figure.suptitle(
        f"Wind speed after {of.seconds:.4g} s; buildings are grey, tall ones darker{trees}",
        fontsize=13,
    )
    both = figure.subplots(2, 1, height_ratios=[length, depth], sharex=True)
    for axes, (plane, other, tall_as, name, line, title) in zip(both, panels, strict=True):
        air = draw_plane(axes, of, plane, ("u", other), tall_as)
        if of.leaves is not None:
            draw_leaves(axes, of.leaves.any(0) if name == "y" else of.leaves[plane] > 0, d)
        axes.axhline(line, color="#e0542f", linewidth=0.9, linestyle=(0, (6, 4)))
        axes.set_ylabel(f"{name}, m")
        axes.set_title(title, fontsize=11)
        high = length if name == "y" else depth
        figure.colorbar(air, ax=axes, label="m/s", pad=0.02, aspect=32 * high / width, extend="max")
    both[1].set_xlabel("x, m")
    save(path, figure, both[0], of.solid.shape[2])


def draw_buildings(axes: Any, heights: Any, solid: Any, look: Any) -> None:
    """Buildings in grey, tall ones darker."""
    tallest = heights.max()
    built = np.ma.masked_array(np.broadcast_to(heights, solid.shape), ~solid)
    axes.imshow(built, cmap="Greys", vmin=-tallest / 4, vmax=1.6 * tallest + 1, **look)


def draw_leaves(axes: Any, leafy: Any, spacing: float) -> None:
    """A green edge around cells with leaves."""
    edges = np.pad(leafy, 1).astype(int)
    lines = []
    for axis in (0, 1):  # sides between a cell with leaves and one without
        for row, column in zip(*np.nonzero(np.diff(edges, axis=axis)), strict=True):
            begin = (column - (axis == 0), row - (axis == 1))
            end = (column, row)
            lines.append([(spacing * x, spacing * y) for x, y in (begin, end)])
    from matplotlib.collections import LineCollection

    axes.add_collection(LineCollection(lines, colors="#2e9e44", linewidths=0.8), autolim=False)


def draw_plane(axes: Any, of: Wind, plane: Any, names: tuple[str, str], heights: Any) -> Any:
    """Speed in colours, buildings by their height, and the wind in the plane as some forty arrows a
    row; returns the colours. The scale ends below the speed of the fastest 0.3% of cells."""
    d, solid, speed = of.spacing, of.solid[plane], of.speed[plane]
    high, width = (n * d for n in solid.shape)
    look = {**NEAREST, "extent": (0, width, 0, high)}
    most = float(np.percentile(speed.compressed(), 99.7)) or 1.0
    air = axes.imshow(speed, cmap="viridis", vmin=0, vmax=most, **look)
    draw_buildings(axes, heights, solid, look)

    step = max(1, round(solid.shape[1] / 40))
    some = (slice(step // 2, None, step),) * 2
    wind = (np.ma.masked_array(of.fields[n][plane][some], solid[some]) for n in names)
    y, x = ((np.arange(n)[some[0]] + 0.5) * d for n in solid.shape)
    size = {"angles": "xy", "scale_units": "xy", "scale": most / (1.6 * step * d), "width": 0.0016}
    axes.quiver(x, y, *wind, color="white", alpha=0.75, pivot="mid", headwidth=4, **size)
    axes.set(xlim=(0, width), ylim=(0, high))
    return air
