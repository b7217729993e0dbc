"""Bars of progress on a terminal. Imported where there is one: rich's part for them takes long."""

from __future__ import annotations

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    ProgressColumn,
    TaskProgressColumn,
    TextColumn,
)
from rich.progress import Progress as Bars

from watari.common.console import Console
from watari.common.progress import Share, Silent, duration


def bars(console: Console, *columns: ProgressColumn) -> Bars:
    """A bar, these columns, and a description. What is printed beside it stays out of rich, which
    would obey its escape sequences."""
    described = TextColumn("{task.description}", markup=False)
    return Bars(
        BarColumn(),
        *columns,
        described,
        console=console,
        redirect_stdout=False,
        redirect_stderr=False,
    )


class Bar(Silent):
    """One bar; trials that are not ok are printed above it."""

    def __init__(self, total: int, done: int, console: Console) -> None:
        self.bars = bars(console, MofNCompleteColumn(), TextColumn("{task.fields[left]} left"))
        self.task = self.bars.add_task("", total=total, completed=done, left="")

    def __enter__(self) -> Bar:
        self.bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.bars.stop()

    def start(self, text: str, left: float) -> None:
        self.bars.update(self.task, description=text, left=duration(left))

    def finish(self, text: str, left: float) -> None:
        self.bars.update(self.task, advance=1, left=duration(left))
        if not text.partition(": ")[2].startswith("ok"):
            self.bars.console.print(text, highlight=False)


class ShareBar(Share):
    """The share as a bar."""

    def __init__(self, console: Console) -> None:
        super().__init__()
        self.bars = bars(console, TaskProgressColumn(), TextColumn("{task.fields[left]}"))
        self.task = self.bars.add_task("", total=1.0, left="")

    def start(self) -> None:
        self.bars.start()

    def stop(self) -> None:
        self.bars.stop()

    def advance(self, fraction: float, text: str) -> None:
        left = self.left(fraction)
        remaining = "" if left is None else f"{duration(left)} left"
        self.bars.update(self.task, completed=fraction, description=text, left=remaining)
