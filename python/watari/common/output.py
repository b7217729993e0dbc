"""Standard output whose reader may leave, as in `watari list | head -1`.

What nobody reads is lost, and nothing else: a run goes on, a product is finished, and the exit code
says how they ended.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO


class Output:
    """A stream that goes on to nowhere once its pipe is broken."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)

    def write(self, text: str) -> int:
        with surviving(self.stream):
            self.stream.write(text)
        return len(text)

    def flush(self) -> None:
        with surviving(self.stream):
            self.stream.flush()


@contextmanager
def surviving(stream: TextIO) -> Iterator[None]:
    """Where the pipe of a stream is broken, what it still holds goes nowhere, as all that comes."""
    try:
        yield
    except BrokenPipeError:
        nowhere(stream)


def nowhere(stream: TextIO) -> None:
    """What is written to a stream, and what it holds, is thrown away."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, stream.fileno())
    os.close(null)
