"""What the functions of `watari` return: text, a figure, a table."""

from __future__ import annotations

import html
import io
import os
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from watari.common import written
from watari.common.errors import UsageError
from watari.common.files import write_atomically
from watari.common.written import Written

if TYPE_CHECKING:
    import pandas

WIDTH = 120  # characters of a table


def table(rows: Sequence[dict[str, Any]]) -> pandas.DataFrame:
    """Rows as a DataFrame; a column for each name, in the order in which they appear."""
    try:
        import pandas
    except ImportError:
        raise UsageError("a DataFrame needs pandas: pip install pandas") from None
    return pandas.DataFrame(rows, columns=list(dict.fromkeys(n for row in rows for n in row)))


def text_of(*parts: Any) -> str:
    """Tables and lines as plain text."""
    from rich.console import Console
    from rich.text import Text

    shown = io.StringIO()
    console = Console(file=shown, width=WIDTH, color_system=None)
    for part in parts:
        console.print(Text(part) if isinstance(part, str) else part)
    return "\n".join(line.rstrip() for line in shown.getvalue().splitlines()).strip("\n")


class Shown:
    """Prints as its command does, also in a notebook."""

    @property
    def text(self) -> str:
        """What the command prints."""
        raise NotImplementedError

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.text)}</pre>"


class Figure:
    """A figure. A notebook shows it; `save` writes it.

    `spec`: its Vega-Lite specification with the data, for `altair.Chart.from_dict`; None where the
    figure is an SVG of Watari's own.
    """

    def __init__(self, spec: dict[str, Any] | None = None, svg: str = "") -> None:
        self.spec = spec
        self._svg = svg

    @cached_property
    def svg(self) -> str:
        """The figure as SVG. Raises UsageError without the packages of `watari[report]`."""
        return self._svg or self.converted("svg").decode()

    def converted(self, format: str) -> bytes:
        """The figure as `svg`, `pdf` or `png`."""
        if self._svg and format == "svg":
            return self._svg.encode()
        try:
            from watari.charts.file import converted
        except ImportError as error:
            text = f"a figure needs {error.name}: pip install 'watari[report]'"
            raise UsageError(text) from None
        return converted([self._svg or self.spec or {}], format)[0]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the figure: .svg, .pdf or .png.

        Raises UsageError for another suffix, and for a file that is no figure; FileError where it
        cannot be written.
        """
        output = Path(path)
        written.check([Written("save", output, written.FIGURE)])
        write_atomically(output, self.converted(output.suffix[1:].lower()))

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return "<Figure: save('name.svg') writes it>"
