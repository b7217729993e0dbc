"""Progress of long work: a bar with the time left on a terminal, plain lines elsewhere.

A run counts trials (`Progress`); one long piece of work reports the share that is done (`Share`).
"""

from __future__ import annotations

import time
from types import TracebackType
from typing import Protocol

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    ProgressColumn,
    TaskProgressColumn,
    TextColumn,
)
from rich.progress import Progress as Bars

from watari.common.console import Console


def duration(seconds: float) -> str:
    """`42 s`, `3 min`, `1 h 20 min`."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"


class Progress(Protocol):
    """Receives the start and the end of each trial."""

    def start(self, text: str, left: float) -> None:
        """A trial starts; the rest of the run should take `left` seconds."""

    def finish(self, text: str, left: float) -> None:
        """The trial ended, as the text says."""

    def __enter__(self) -> Progress: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


class Silent:
    """Shows nothing: for callers that show progress themselves."""

    def start(self, text: str, left: float) -> None:
        pass

    def finish(self, text: str, left: float) -> None:
        pass

    def __enter__(self) -> Silent:
        return self

    def __exit__(self, *_: object) -> None:
        pass


class Lines(Silent):
    """A line for each finished trial, for logs and pipes."""

    def __init__(self, total: int, done: int) -> None:
        self.total, self.done = total, done

    def finish(self, text: str, left: float) -> None:
        self.done += 1
        print(f"[{self.done}/{self.total}] {text}; {duration(left)} left", flush=True)


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


def suited(total: int, done: int) -> Progress:
    """A bar if the output is a terminal, else lines."""
    console = Console()
    return Bar(total, done, console) if console.is_terminal else Lines(total, done)


class Share:
    """The share of one long piece of work that is done: a line now and then, for logs and pipes.

    The time left follows from the progress since the first report: resumed work does not begin
    at 0.
    """

    EVERY = 10.0  # seconds between lines

    def __init__(self) -> None:
        self.first: tuple[float, float] | None = None
        self.last_line = 0.0

    def start(self) -> None:
        self.last_line = time.monotonic()

    def stop(self) -> None:
        pass

    def left(self, fraction: float) -> float | None:
        """Seconds that are left; None while they are not known."""
        now = time.monotonic()
        self.first = self.first or (now, fraction)
        since, done = now - self.first[0], fraction - self.first[1]
        return since * (1 - fraction) / done if done > 0 else None

    def advance(self, fraction: float, text: str) -> None:
        """`fraction` of the work is done; `text` describes it."""
        left = self.left(fraction)
        if time.monotonic() - self.last_line >= self.EVERY:
            self.last_line = time.monotonic()
            remaining = "" if left is None else f", {duration(left)} left"
            print(f"{fraction:.0%}, {text}{remaining}", flush=True)


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


def suited_share() -> Share:
    """A bar if the output is a terminal, else lines."""
    console = Console()
    return ShareBar(console) if console.is_terminal else Share()
