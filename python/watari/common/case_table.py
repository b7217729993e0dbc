"""A table with a row a case, which keeps every number on a narrow terminal.

Where the columns do not fit beside the names, each row is a name with its cells below: `trials 3,
GB/s 13.7, spread 4.0%, status ok`.
"""

from __future__ import annotations

from rich import box
from rich.console import Console, ConsoleOptions, RenderResult
from rich.padding import Padding
from rich.table import Column, Table
from rich.text import Text

from watari.common.tables import NARROW, Room, text

LEAST_NAME = 22  # least characters of a name; LEAST_TEXT: of another text that may be wrapped
LEAST_TEXT = 18
INDENT = 2


class CaseTable(Table):
    """A table whose first column names a case."""

    def __init__(self, *more: Column, first: str = "case", padding: Room = NARROW) -> None:
        super().__init__(text(first), *more, box=box.SIMPLE_HEAD, pad_edge=False, padding=padding)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        columns = [self.texts(column, console) for column in self.columns]
        if self.least_width(columns) <= options.max_width:
            yield from super().__rich_console__(console, options)
            return
        titles = [str(column.header) for column in self.columns]
        yield Text()
        for name, *cells in zip(*columns, strict=True):
            shown = zip(titles[1:], cells, strict=True)
            parts = [Text(f"{title} ".lstrip()) + cell for title, cell in shown if cell]
            yield name
            yield Padding(Text(", ").join(parts), (0, 0, 0, INDENT))
        yield Text()

    def texts(self, column: Column, console: Console) -> list[Text]:
        """The cells of a column."""
        return [
            cell if isinstance(cell, Text) else console.render_str(str(cell))
            for cell in column.cells
        ]

    def least_width(self, columns: list[list[Text]]) -> int:
        """Characters that the table needs: of numbers all, of names and texts a part."""
        needed = 1 + len(columns) * (self.padding[1] + self.padding[3] + 1)
        for i, (column, cells) in enumerate(zip(self.columns, columns, strict=True)):
            natural = max(len(str(column.header)), *(cell.cell_len for cell in cells), 0)
            least = LEAST_TEXT if i else LEAST_NAME
            needed += natural if column.no_wrap else min(natural, least)
        return needed
