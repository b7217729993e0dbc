"""`watari fleet`: many nodes, each beside the median of all."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from watari.case.axis import parse_share
from watari.cli.app import app, show
from watari.cli.draw import drawing
from watari.common import written
from watari.common.console import print_json
from watari.common.errors import UsageError
from watari.common.written import Written

if TYPE_CHECKING:
    from watari.report.fleet.judge import Fleet

KINDS = (written.NODES, written.METRICS, written.FIGURE)  # of -o


def asked(path: Path) -> Written:
    """A file of -o, its kind by its suffix. Raises UsageError for another."""
    suffix = path.suffix.lower()
    for kind in KINDS:
        if suffix in kind.suffixes:
            return Written("-o", path, kind)
    names = ", ".join(kind.name for kind in KINDS)
    known = ", ".join(suffix for kind in KINDS for suffix in kind.suffixes)
    raise UsageError(f"-o {path}: names of {names} end in {known}")


@app.command(
    epilog="Examples: watari fleet results/ -o fleet.svg · "
    "watari fleet node*.json --junit fleet.xml -o fleet.prom"
)
def fleet(
    results: Annotated[
        list[Path],
        typer.Argument(metavar="FOLDER|RESULTS...", help="result files, or folders of them"),
    ],
    threshold: Annotated[
        str, typer.Option(metavar="PART", help="smallest change that counts: 5% or 0.05")
    ] = "5%",
    as_json: Annotated[bool, typer.Option("--json", help="as JSON, for programs")] = False,
    junit: Annotated[
        Path | None, typer.Option(metavar="FILE", help="also write JUnit XML, for test systems")
    ] = None,
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="also write a table (.csv), metrics for Prometheus (.prom), or the figure (.svg, "
            ".pdf, .png); may be repeated",
        ),
    ] = None,
) -> None:
    """Compares nodes that ran one plan: a row a node, its worst case beside the median of all.

    Exit code: 4 if a node lost a case or a GPU, 3 if one is slower or failed, else 0.
    """
    from watari.report.fleet import judge, node, table
    from watari.report.fleet.formats import as_values

    share = parse_share(threshold)
    files = node.files(results)
    wanted = [asked(path) for path in output or []]
    suites = [Written("--junit", junit, written.TEST_SUITE)] if junit else []
    written.check([*wanted, *suites], files)
    if any(one.kind is written.FIGURE for one in wanted):
        drawing("fleet.figure")
    nodes, unread = node.read_all(files)
    given = {str(path) for path in results}
    left = [one.why for one in unread if not one.other or one.file in given]
    if not nodes:
        raise UsageError(left[0] if left else f"{results[0]}: no result file of Watari in it")
    found = judge.judge(nodes, left, share)
    for one in (*wanted, *suites):
        write(found, one)
    if as_json:
        print_json(as_values(found))
    else:
        show(table.render(found))
    raise typer.Exit(judge.exit_code(found))


def write(found: Fleet, one: Written) -> None:
    """Writes one of the files."""
    from watari.common.files import write_atomically
    from watari.report.fleet import formats

    if one.kind is written.FIGURE:
        drawing("fleet.figure").write(found, one.path)
        return
    of = {
        written.NODES.name: formats.as_csv,
        written.METRICS.name: formats.prometheus,
        written.TEST_SUITE.name: formats.junit,
    }
    write_atomically(one.path, of[one.kind.name](found))
