"""Results as a table in Markdown, for an issue or a page of text: a row a case, with the numbers of
"Every case" on the report's page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from watari.common.files import write_atomically
from watari.report.tables import tables
from watari.results import schema
from watari.results.measured import measurements

# columns; those that are numbers have a colon at their right
COLUMNS = {
    "Case": ":--",
    "Size": "--:",
    "Median": "--:",
    "95% interval": "--:",
    "Spread": "--:",
    "Trials": "--:",
    "Status": ":--",
}


def cell(value: Any) -> str:
    """A text that ends no cell and no line."""
    return " ".join(str(value).replace("|", "\\|").split())


def row(name: str, unit: str, one: dict[str, Any]) -> list[str]:
    """A row of the report's table."""
    what = f"{name}: {one['what']}" + f", {one['phase']}" * bool(one["phase"])
    median = f"{one['median']} {unit}" if one["median"] else ""
    status = ", ".join([one["status"], *one["flags"], *filter(None, [one["reason"]])])
    numbers = (one["size"], median, one["interval"], one["spread"], one["trials"], status)
    return [cell(value) for value in (what, *numbers)]


def document(results: Sequence[schema.Results]) -> list[list[str]]:
    """The lines of the table, as cells; with several runs the second column names the run."""
    found = [
        (one["run"], row(table["name"], table["unit"], one))
        for table in tables(measurements(results))
        for one in table["rows"]
    ]
    several = len({run for run, _ in found}) > 1
    head = [list(COLUMNS), list(COLUMNS.values())]
    lines = [[cell(run)] * several + cells for run, cells in found]
    if several:
        head = [["Case", "Run", *head[0][1:]], [":--", ":--", *head[1][1:]]]
        lines = [[line[1], line[0], *line[2:]] for line in lines]
    return [*head, *lines]


def write(paths: Sequence[Path], output: Path) -> int:
    """Writes the table of result files; returns its number of rows. Raises FileError."""
    lines = document([schema.read(path) for path in paths])
    write_atomically(output, "".join(f"| {' | '.join(line)} |\n" for line in lines))
    return len(lines) - 2
