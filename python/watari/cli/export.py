"""`watari export`: results as a table, for other programs and for a page of text."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from watari.cli.app import app
from watari.common import written
from watari.common.errors import UsageError
from watari.common.written import Written

MARKDOWN = ".md"


@app.command(
    epilog="Examples: watari export run.json -o trials.csv --by trial · "
    "watari export run.json --export-markdown run.md"
)
def export(
    results: Annotated[list[Path], typer.Argument(help="result files", show_default=False)],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="the table: .csv, .parquet or .md", metavar="FILE"),
    ] = None,
    markdown: Annotated[
        Path | None,
        typer.Option("--export-markdown", help="a row a case, as the report has", metavar="FILE"),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(metavar="WHAT", help="a row for each sample, trial or case [sample]"),
    ] = None,
) -> None:
    """Writes result files as a table: file, host, the axes of each case, GB/s."""
    from watari.results import table

    if output and output.suffix.lower() == MARKDOWN:
        if markdown:
            raise UsageError(f"one table in Markdown: -o {output} or --export-markdown {markdown}")
        output, markdown = None, output
    files = [Written("-o", output, written.TABLE)] if output else []
    files += [Written("--export-markdown", markdown, written.TABLE)] if markdown else []
    if not files:
        names = shlex.join(map(str, results))
        raise UsageError(
            f"name the table: watari export {names} -o {results[0].with_suffix('.csv').name}"
        )
    if markdown and markdown.suffix.lower() != MARKDOWN:
        raise UsageError(f"--export-markdown {markdown}: write a name that ends in {MARKDOWN}")
    if markdown and by not in (None, "case"):
        raise UsageError(f"--by {by}: a table in Markdown has a row for each case")
    written.check(files, results)
    if output:
        print(f"{table.write(results, output, by or 'sample')} rows: {output}")
    if markdown:
        from watari.report import markdown as tables

        print(f"{tables.write(results, markdown)} rows: {markdown}")
