"""The terminal: the one place where text goes to it, and becomes printable (printable.py).

`print` writes through `Printed`, which main() puts in place of standard output and error. Tables
and bars of rich have colours, which are escape sequences: they use `Console`, which makes each text
printable before it adds them. A newline inside a text is data, and is escaped, too; text of several
lines is for `print_lines`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from typing import Any

import rich.console
from rich.console import ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from watari.common.output import Output
from watari.common.printable import printable


class Printed:
    """An output to which each text goes in its printable form. A newline at its end stays."""

    def __init__(self, output: Output) -> None:
        self.output = output

    def __getattr__(self, name: str) -> Any:
        return getattr(self.output, name)

    def write(self, text: str) -> int:
        line = text.removesuffix("\n")
        self.output.write(printable(line) + text[len(line) :])
        return len(text)


class Console(rich.console.Console):
    """A console on standard output whose texts are printable, and no markup."""

    def __init__(self, width: int | None = None, **more: Any) -> None:
        file = getattr(sys.stdout, "output", sys.stdout)  # colours pass unchanged
        super().__init__(file=file, width=width, markup=False, emoji=False, **more)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Segments of anything; of a text, those of its printable form."""
        if isinstance(renderable, str):
            renderable = printable(renderable)
        elif isinstance(renderable, Text) and not renderable.plain.isprintable():
            renderable = clean(renderable)
        return super().render(renderable, options)


def clean(text: Text) -> Text:
    """The printable form of a text. A newline at its end stays. Loses the styles of parts."""
    line = text.plain.removesuffix("\n")
    left = text.blank_copy(printable(line))
    left.end = text.plain[len(line) :] + text.end
    return left


def print_lines(text: str) -> None:
    """Prints text of several lines, whose last newline may be there or not."""
    print(*text.removesuffix("\n").split("\n"), sep="\n")


def print_json(value: Any) -> None:
    """Prints a value as JSON."""
    print_lines(json.dumps(value, indent=1))
