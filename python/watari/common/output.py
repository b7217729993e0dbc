"""Standard output whose reader may leave, as in `watari list | head -1`, or whose disk may be full.

What cannot be written is lost, and nothing else: a run goes on, a product is finished. The exit
code says how they ended; a full disk is said once, at the end.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO


class Output:
    """A stream that goes on to nowhere once it cannot be written; `lost` is why, but for a reader
    who left."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.lost: OSError | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)

    def write(self, text: str) -> int:
        with self.surviving():
            self.stream.write(text)
        return len(text)

    def flush(self) -> None:
        with self.surviving():
            self.stream.flush()

    @contextmanager
    def surviving(self) -> Iterator[None]:
        """What the stream still holds goes nowhere, as all that comes."""
        try:
            yield
        except BrokenPipeError:
            nowhere(self.stream)
        except OSError as error:
            self.lost = error
            nowhere(self.stream)


def nowhere(stream: TextIO) -> None:
    """What is written to a stream, and what it holds, is thrown away."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, stream.fileno())
    os.close(null)
