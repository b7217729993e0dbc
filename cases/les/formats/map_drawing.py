"""The picture of a map of comfort; of two runs both maps by one scale, and their difference.

Below the maps stands what they assume.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from watari.cases.les.comfort.maps import Map
from watari.cases.les.formats.drawing import NEAREST, draw_buildings, draw_leaves, save

LETTERS = 15  # of a line of notes, for each inch
OUTSIDE = "#d9b3d9"  # streets where the index is not defined


@dataclass(frozen=True)
class Scale:
    """Colours, and the values at their ends."""

    colours: str
    least: float
    most: float


def scale_of(*maps: Any) -> Scale:
    """One scale for all maps, without the outermost 0.2% of points at each end."""
    known = np.concatenate([values.compressed() for values in maps])
    if not known.size:
        return Scale("inferno", 0, 1)
    least, most = (float(n) for n in np.percentile(known, (0.2, 99.8)))
    return Scale("inferno", least, most if most > least else least + 1)


def difference_scale(values: Any) -> Scale:
    """White is no difference."""
    known = np.abs(values.compressed())
    most = float(np.percentile(known, 99.8)) if known.size else 0.0
    return Scale("RdBu_r", -(most or 1), most or 1)


def panel(axes: Any, of: Map, values: Any, scale: Scale, title: str) -> Any:
    """A map with its buildings; returns its colours."""
    high, width = (n * of.spacing for n in of.heights.shape)
    look = {**NEAREST, "extent": (0, width, 0, high)}
    drawn = axes.imshow(values, cmap=scale.colours, vmin=scale.least, vmax=scale.most, **look)
    axes.set_facecolor(OUTSIDE)
    draw_buildings(axes, of.heights / of.spacing, of.heights > 0, look)
    if of.leafy is not None:
        draw_leaves(axes, of.leafy, of.spacing)
    axes.set_title(title, fontsize=11)
    axes.set_xlabel("x, m")
    return drawn


def mean(values: Any, sign: str = "") -> str:
    """`mean 31.2 C` of the streets."""
    return f"mean {values.mean():{sign}.3g} C" if values.count() else "no value"


def draw_map(path: Path, after: Map, before: Map | None = None) -> None:
    """Writes a picture of one map, or of two and their difference. Raises FileError."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    if before is None:
        scale = scale_of(after.values)
        panels = [(after, after.values, scale, f"{after.label}, {mean(after.values)}")]
    else:
        scale, change = scale_of(before.values, after.values), after.values - before.values
        panels = [
            (before, before.values, scale, f"{before.label}, {mean(before.values)}"),
            (after, after.values, scale, f"this run, {after.label}, {mean(after.values)}"),
            (after, change, difference_scale(change), f"difference, {mean(change, '+')}"),
        ]
    length, width = after.heights.shape
    wide = 8.4 if before is None else 5.4 * len(panels)
    lines = after.all_notes(before)
    notes = "\n".join(line for n in lines for line in textwrap.wrap(n, int(LETTERS * wide)))
    tall = min(max(0.86 * wide / len(panels) * length / width, 2), 16)
    tall += 0.9 + 0.19 * (notes.count("\n") + 1)
    figure = Figure(figsize=(wide, tall), layout="compressed")
    FigureCanvasAgg(figure)
    trees = "" if after.leafy is None else "; trees have a green edge"
    figure.suptitle(f"{after.title}; buildings are grey, tall ones darker{trees}", fontsize=13)
    all_axes = figure.subplots(1, len(panels), squeeze=False)[0]
    for axes, (of, values, colours, title) in zip(all_axes, panels, strict=True):
        drawn = panel(axes, of, values, colours, title)
        figure.colorbar(drawn, ax=axes, label="C", pad=0.02, extend="both", shrink=0.9)
    all_axes[0].set_ylabel("y, m")
    figure.supxlabel(notes, fontsize=8.5, x=0.01, ha="left")
    save(path, figure, all_axes[0], width)
