"""Progress of long work: a bar with the time left on a terminal (bars.py), plain lines elsewhere.

A run counts trials (`Progress`); one long piece of work reports the share that is done (`Share`).
"""

from __future__ import annotations

import time
from types import TracebackType
from typing import Protocol

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


def suited(total: int, done: int) -> Progress:
    """A bar if the output is a terminal, else lines."""
    console = Console()
    if not console.is_terminal:
        return Lines(total, done)
    from watari.common.bars import Bar

    return Bar(total, done, console)


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


def suited_share() -> Share:
    """A bar if the output is a terminal, else lines."""
    console = Console()
    if not console.is_terminal:
        return Share()
    from watari.common.bars import ShareBar

    return ShareBar(console)
