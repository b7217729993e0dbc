"""Figures as files, for a paper: SVG, PDF or PNG."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from watari import cases
from watari.charts.figure import Drawing, Drawn, Effort
from watari.charts.file import converted
from watari.common import written
from watari.common.errors import FileError, UsageError, WatariError
from watari.common.files import reason, write_atomically
from watari.common.written import Written
from watari.results.measured import Measured

PIXELS = 96 / 25.4  # of a mm, as SVG and CSS define them
POINTS = 72 / 25.4  # of a mm, as PDF has them
DOTS = 300  # an inch, of a PNG for paper


def folder(output: Path) -> Path:
    """The folder of figures: `output`, or for a page its name without .html."""
    return output.with_suffix("") if output.suffix == ".html" else output


def write_figures(
    drawings: Sequence[Drawing],
    where: Path,
    format: str,
    read: Sequence[Path] = (),
    width: float | None = None,
) -> list[Path]:
    """Writes each figure to a file, never over a file in `read`; `width` in mm makes a chart of one
    view as wide as that. Returns the files. Raises FileError, UsageError."""
    files = {where / f"{drawing.name}.{format}": drawing for drawing in drawings}
    try:
        where.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"{where}: cannot be written: {reason(error)}") from error
    written.check([Written("-o", path, written.FIGURE) for path in files], read)
    specs = [drawing.spec() for drawing in files.values()]
    made = as_wide(specs, format, width) if width else converted(specs, format)
    for path, content in zip(files, made, strict=True):
        write_atomically(path, content)
    return list(files)


def as_wide(specs: Sequence[dict[str, Any]], format: str, width: float) -> list[bytes]:
    """Charts of one view that are `width` mm wide, axes and legend included. Raises WatariError."""
    fitting = {"width": width * PIXELS, "autosize": {"type": "fit", "contains": "padding"}}
    pictures = converted([{**spec, **fitting} for spec in specs], "svg")
    if format == "svg":
        return [sized(svg, width, "mm") for svg in pictures]
    unit = POINTS if format == "pdf" else PIXELS
    texts = [sized(svg, width * unit, "").decode() for svg in pictures]
    return converted(texts, format, scale=DOTS / 25.4 / PIXELS if format == "png" else None)


def sized(svg: bytes, width: float, unit: str) -> bytes:
    """An SVG of another size, of the same shape. Raises WatariError."""
    found = re.search(rb'width="([\d.]+)" height="([\d.]+)"', svg)
    if not found:
        raise WatariError("the plotting engine gave an SVG without a size")
    height = width * float(found[2]) / float(found[1])
    size = f'width="{width:.6g}{unit}" height="{height:.6g}{unit}"'.encode()
    return svg[: found.start()] + size + svg[found.end() :]


def effort_of(program: str) -> Effort:
    """The figure of effort beside speed of a program that has styles."""
    module = import_module(cases.presentation(program).figures)
    effort: Effort = module.EFFORT
    return effort


def write_effort(program: str, measured: Sequence[Measured], output: Path) -> Drawn:
    """Writes the figure of effort beside speed, its format by the name; returns its charts.

    Raises UsageError without two styles on a GPU, FileError.
    """
    effort = effort_of(program)
    drawn = effort.figure.draw(measured)
    if not drawn:
        raise UsageError(f"no two styles of {program} on a GPU in these results")
    figure, chart = effort.figure, effort.combined(drawn)
    cases = [m for _, _, used in drawn for m in used]
    drawing = Drawing(output.stem, figure, "", chart, cases)
    write_figures([drawing], output.parent, output.suffix[1:])
    return drawn
