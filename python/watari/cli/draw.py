"""`watari report` and `watari effort`: the page, and figures for a paper."""

from __future__ import annotations

import re
import shlex
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from watari.case.axis import nearest
from watari.cases import CASES
from watari.cli.app import app, show
from watari.common import written
from watari.common.errors import UsageError
from watari.common.written import Written

FORMATS = ("svg", "pdf", "png")
LEAST_WIDTH, MOST_WIDTH = 40, 500  # mm


def known_format(format: str) -> None:
    """Raises UsageError for a format that figures do not have."""
    if format not in FORMATS:
        known = ", ".join(FORMATS)
        raise UsageError(
            f"unknown format '{format}'{nearest(format, FORMATS)}; known: {known}; without it a "
            "page is made"
        )


def parse_width(text: str) -> float:
    """Millimetres of `85mm`, `8.5cm` or `3.35in`. Raises UsageError."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(mm|cm|in)?", text, re.ASCII)
    width = float(found[1]) * {"cm": 10, "in": 25.4}.get(found[2], 1) if found else 0.0
    if not LEAST_WIDTH <= width <= MOST_WIDTH:
        raise UsageError(
            f"'{text}' is not a width of {LEAST_WIDTH} to {MOST_WIDTH} mm; write for example 85mm"
        )
    return width


def drawing(module: str) -> Any:
    """Imports a module that draws. Raises UsageError where a package that it needs is missing."""
    try:
        return import_module(f"watari.report.{module}")
    except ImportError as error:
        text = f"a report needs {error.name}, which is not installed: pip install 'watari[report]'"
        raise UsageError(text) from None


@app.command(
    epilog="Examples: watari report before.json after.json -o report.html · "
    "watari report run.json --x size --by from --width 85mm -o size.pdf · "
    "watari report trace.json -o trace.html"
)
def report(
    results: Annotated[list[Path], typer.Argument(help="result files", show_default=False)],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="PATH", help="page, or folder of figures; with --x a figure"
        ),
    ] = None,
    format: Annotated[
        str | None,
        typer.Option(metavar="FORMAT", help="write figures instead of a page: svg, pdf, png"),
    ] = None,
    anonymous: Annotated[
        bool, typer.Option("--anonymous", help="omit hosts, paths and commands of the runs")
    ] = False,
    x: Annotated[
        str | None, typer.Option("--x", metavar="AXIS", help="one figure of each case over an axis")
    ] = None,
    by: Annotated[
        str | None, typer.Option("--by", metavar="AXIS", help="with --x: a line for each value")
    ] = None,
    width: Annotated[
        str | None, typer.Option("--width", metavar="MM", help="with --x: as wide as 85mm, say")
    ] = None,
) -> None:
    """Makes one page of result files (report.html), figures for a paper, or a trace's page."""
    from watari.model.kinds import TRACE, kind

    if (by or width) and not x:
        raise UsageError(f"{'--by' if by else '--width'} goes with --x AXIS")
    millimetres = parse_width(width) if width else None
    one_file = bool(x and output and output.suffix in written.FIGURE.suffixes)
    format = format or (output.suffix[1:] if one_file and output else "svg" if x else None)
    if format:
        known_format(format)
    traces = [path for path in results if kind(path) == TRACE]
    if traces and (len(results) > 1 or format or anonymous):
        raise UsageError(f"{traces[0]} is a trace: watari report {traces[0]} -o trace.html")
    if traces:
        output = output or traces[0].with_suffix(".html")
        written.check([Written("-o", output, written.PAGE)], results)
        made_by = f"watari report {shlex.quote(str(traces[0]))} -o {shlex.quote(str(output))}"
        page = drawing("traced")
        content, shown = page.read(traces[0])
        page.write(content, output, made_by, shown)
        print(f"page: {output}")
        return
    output = output or Path("figures" if format else "report.html")
    if not format:
        written.check([Written("-o", output, written.PAGE)], results)
    elif output.suffix.lower() in written.FIGURE.suffixes and output.suffix != f".{format}":
        raise UsageError(f"-o {output}: a figure as {format} ends in .{format}")
    elif output.suffix.lower() in written.FIGURE.suffixes and not one_file:
        raise UsageError(f"-o {output}: with --format, -o names the folder of the figures")
    page = drawing("page")
    if x and format:
        for path in page.write_asked(results, output, format, x, by or "", millimetres, anonymous):
            print(f"figure: {path}")
    elif format:
        page.write_drawn(results, output, format, anonymous)
        print(f"figures: {output}")
    else:
        page.write(results, output, anonymous)
        print(f"report: {output}")


STYLED = next(name for name, case in CASES.items() if case.styles)


@app.command(epilog=f"Example: watari effort {STYLED} run.json -o effort.svg")
def effort(
    program: Annotated[str, typer.Argument(help="a case with styles")],
    results: Annotated[
        list[Path] | None, typer.Argument(help="result files: show effort beside speed")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="the figure: .svg, .pdf or .png"),
    ] = None,
) -> None:
    """Counts the statements that each memory style needs in the source."""
    from watari.cases import effort

    counted = effort.effort(program)
    if output and not results:
        raise UsageError(f"a figure shows speed too: watari effort {program} RESULTS -o {output}")
    if not results:
        show(effort.render(counted))
        return
    output = output or Path("effort.svg")
    written.check([Written("-o", output, written.FIGURE)], results)
    paper = drawing("paper")
    from watari.results import schema
    from watari.results.measured import measurements

    measured = measurements([schema.read(path) for path in results])
    speeds = paper.effort_of(program).speeds
    for heading, _, used in paper.write_effort(program, measured, output):
        show(effort.render(counted, heading, speeds(used)))
    print(f"figure: {output}")
