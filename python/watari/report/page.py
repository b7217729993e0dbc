"""The report: one page that holds its data, its figures and the code that draws them, for use
offline.

The page names missing cases as plainly as measured ones. Vega comes from vl-convert's bundle, so
that the same code draws the figures of page and paper, and the page fetches nothing.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import jinja2
import vl_convert

from watari.case.anonymous import anonymous
from watari.case.cache import digest, store, stored
from watari.charts.figure import Drawing, draw
from watari.charts.file import VEGA_LITE
from watari.charts.style import COLOURS
from watari.common.errors import FileError, UsageError
from watari.common.files import write_atomically
from watari.common.units import format_rate, format_size
from watari.common.variables import readable
from watari.report import sweeps
from watari.report.figures import figures
from watari.report.overview import run
from watari.report.paper import PIXELS, folder, write_figures
from watari.report.reproduce import commands
from watari.report.tables import missing, numbers, tables, troubles
from watari.results import published, schema
from watari.results.measured import Measured, measurements, names
from watari.results.schema import Results

TEMPLATES = Path(__file__).parent / "templates"
CACHE = "report"  # the folder of the user's cache
SNIPPET = "window.vegaEmbed = vegaEmbed;"  # report.js calls it
GROUPS = ("Memory", "Storage", "Applications", "Data")  # of figures, in the sidebar


def write(paths: list[Path], output: Path, without_names: bool = False) -> None:
    """Writes the page. `without_names` leaves out the names of hosts, users, paths and files.
    Raises FileError for a file that is not a result."""
    read = results(paths, without_names)
    shown = output
    if without_names:
        paths, shown = [Path("RESULTS.json")], Path("report.html")
    measured = measurements(read)
    write_atomically(output, page(paths, read, measured, drawn(measured), shown))


def results(paths: Sequence[Path], without_names: bool) -> list[Results]:
    """The result files, perhaps without names. Raises FileError."""
    read = [schema.read(path) for path in paths]
    return anonymous(read) if without_names else read


def drawn(measured: Sequence[Measured]) -> list[Drawing]:
    """Every figure of these cases, and the sweeps that none of them runs along."""
    drawings = draw(figures(), measured)
    return [*drawings, *sweeps.left_out(measured, drawings)]


def write_drawn(paths: list[Path], where: Path, format: str, without_names: bool = False) -> None:
    """Writes every figure as a file in a folder. Raises FileError, UsageError if there is none."""
    drawings = drawn(measurements(results(paths, without_names)))
    if not drawings:
        raise UsageError("nothing to draw: lines need cases of two sizes; the page has the numbers")
    write_figures(drawings, folder(where), format, paths)


def write_asked(
    paths: list[Path],
    where: Path,
    format: str,
    x: str,
    by: str = "",
    width: float | None = None,
    without_names: bool = False,
) -> list[Path]:
    """Writes a chart over the axis `x` for each case that has it, with a line for each value of
    `by`; `width` in mm. `where` is a folder, or the file of the only one. Returns the files. Raises
    FileError, UsageError."""
    pixels = width * PIXELS if width else None
    found = sweeps.asked(measurements(results(paths, without_names)), x, by, pixels)
    if where.suffix != f".{format}":
        return write_figures(found, folder(where), format, paths, width)
    if len(found) > 1:
        names = ", ".join(drawing.name for drawing in found)
        raise UsageError(f"-o {where}: {len(found)} figures ({names}) need a folder")
    return write_figures([replace(found[0], name=where.stem)], where.parent, format, paths, width)


@cache
def bundle() -> str:
    """The JavaScript that draws the figures. It takes seconds to make, so the user's cache keeps
    it, where there can be one."""
    follows_from = (version("vl-convert-python"), SNIPPET, VEGA_LITE)
    name = f"{digest(*(each.encode() for each in follows_from))}.js"
    code = None
    with suppress(FileError, UsageError):  # of a cache
        code = stored(CACHE, name)
    if not code:
        code = vl_convert.javascript_bundle(SNIPPET, VEGA_LITE).encode()
        with suppress(FileError, UsageError):
            store(CACHE, name, code)
    return code.decode(errors="replace").replace("</script", r"<\/script")


@cache
def templates() -> jinja2.Environment:
    """The templates of pages: a missing value is an error, and text is escaped."""
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )


def page(
    paths: Sequence[Path],
    read: Sequence[Results],
    measured: Sequence[Measured],
    drawings: Sequence[Drawing],
    output: Path,
) -> str:
    """The whole page as text."""
    environment = templates()
    environment.filters |= {"size": format_size, "json": inline_json, "rate": format_rate}
    files = readable(shlex.join(str(path) for path in paths))
    runs = [run(name, same, measured) for name, same in by_name(read).items()]
    return environment.get_template("report.html.j2").render(
        runs=runs,
        machines=alike(runs, lambda one: one["hardware"]),
        memories_of=alike(runs, lambda one: one["machine"]["memories"]),
        figures=(shown := sections(drawings, files)),
        not_drawn=sweeps.not_drawn(measured),
        groups=grouped(shown),
        cases=tables(measured),
        numbers=numbers(measured),
        troubles=troubles(measured),
        missing=[missing(result, name) for name, result in zip(names(read), read, strict=True)],
        published=published.values(),
        quantities=published.quantities(),
        colours=COLOURS,
        command=f"watari report {files} -o {readable(shlex.quote(str(output)))}",
        bundle=bundle(),
    )


def alike(
    runs: Sequence[dict[str, Any]], of: Callable[[dict[str, Any]], Any]
) -> list[tuple[Any, list[dict[str, Any]]]]:
    """Each distinct value of the runs, with the runs that share it, so that the page shows it
    once."""
    found: list[tuple[Any, list[dict[str, Any]]]] = []
    for one in runs:
        same = next((others for value, others in found if value == of(one)), None)
        if same is None:
            found.append((of(one), [one]))
        else:
            same.append(one)
    return found


def grouped(figures: Sequence[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """The figures that have charts, by the parts of the page."""
    return {name: [f for f in figures if f["charts"] and f["group"] == name] for name in GROUPS}


def inline_json(value: Any) -> str:
    """JSON that may stand in a script element: no `<` can end it."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")


def by_name(read: Sequence[Results]) -> dict[str, list[Results]]:
    """The files of each run on the page: several files of one machine are one run."""
    grouped: dict[str, list[Results]] = {}
    for name, result in zip(names(read), read, strict=True):
        grouped.setdefault(name, []).append(result)
    return grouped


def sections(drawings: Sequence[Drawing], files: str) -> list[dict[str, Any]]:
    """The figures with their charts, in the order of the table; those without any are named."""
    content = []
    for figure in (*figures(), sweeps.SWEEPS):
        charts = [
            {
                "name": d.name,
                "heading": d.heading,
                "spec": {**d.spec(), "description": f"{figure.title}. {d.heading}"},
                "commands": commands(d.cases),
            }
            for d in drawings
            if d.figure is figure
        ]
        content.append(
            {
                "name": figure.name,
                "title": figure.title,
                "says": figure.says,
                "group": figure.group,
                "folded": figure.folded,
                "charts": charts,
                "of": figure.of,
                "files": f"watari report {files} --format svg -o figures",
            }
        )
    return content
