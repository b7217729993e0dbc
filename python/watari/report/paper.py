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
    if width:
        specs = [on_paper(spec, width * PIXELS) for spec in specs]
    made = converted(specs, format, scale=paper_scale(format) if width else None)
    if width and format == "svg":
        made = [in_millimetres(content, width) for content in made]
    for path, content in zip(files, made, strict=True):
        write_atomically(path, content)
    return list(files)


def on_paper(spec: dict[str, Any], width: float) -> dict[str, Any]:
    """A chart of a width in pixels, axes and legend included."""
    return {**spec, "width": width, "autosize": {"type": "fit", "contains": "padding"}}


def paper_scale(format: str) -> float | None:
    """Points a pixel of a PDF; pixels of a PNG at DOTS an inch."""
    return {"pdf": 72 / 96, "png": DOTS / 96}.get(format)


def in_millimetres(svg: bytes, width: float) -> bytes:
    """An SVG whose size is in mm, in place of pixels."""
    found = re.search(rb'width="([\d.]+)" height="([\d.]+)"', svg)
    if not found:
        raise WatariError("the plotting engine gave an SVG without a size")
    height = width * float(found[2]) / float(found[1])
    size = f'width="{width:g}mm" height="{height:.4g}mm"'.encode()
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
