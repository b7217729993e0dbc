"""`watari export`: results as a table, for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from watari.cli.app import app
from watari.common import written
from watari.common.written import Written


@app.command(epilog="Example: watari export run.json -o trials.csv --by trial")
def export(
    results: Annotated[list[Path], typer.Argument(help="result files", show_default=False)],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="the table: .csv or .parquet", metavar="FILE")
    ],
    by: Annotated[str, typer.Option(help="a row for each sample, or for each trial")] = "sample",
) -> None:
    """Writes result files as a table, with the axes of each case as columns."""
    from watari.results import table

    written.check([Written("-o", output, written.TABLE)], results)
    print(f"{table.write(results, output, by)} rows: {output}")
