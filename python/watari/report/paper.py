"""Figures as files, for a paper: SVG, PDF or PNG."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from watari import cases
from watari.charts.figure import Drawing, Drawn, Effort
from watari.charts.file import converted
from watari.common import written
from watari.common.errors import FileError, UsageError
from watari.common.files import reason, write_atomically
from watari.common.written import Written
from watari.results.measured import Measured


def folder(output: Path) -> Path:
    """The folder of figures: `output`, or for a page its name without .html."""
    return output.with_suffix("") if output.suffix == ".html" else output


def write_figures(
    drawings: Sequence[Drawing], where: Path, format: str, read: Sequence[Path] = ()
) -> None:
    """Writes each figure to a file, never over a file in `read`. Raises FileError, UsageError."""
    files = {where / f"{drawing.name}.{format}": drawing for drawing in drawings}
    try:
        where.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"{where}: cannot be written: {reason(error)}") from error
    written.check([Written("-o", path, written.FIGURE) for path in files], read)
    made = converted([drawing.spec() for drawing in files.values()], format)
    for path, content in zip(files, made, strict=True):
        write_atomically(path, content)


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
