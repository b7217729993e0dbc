"""Standard output whose reader may leave, as in `watari list | head -1`, or whose disk may be full.

Only the text that cannot be written is lost: a run continues, a product is completed. The exit
code reports how they ended; a full disk is reported once, at the end.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO


class Output:
    """A stream that discards its text once it cannot be written. `lost` is the reason, unless the
    reader closed its end."""

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
        """Discards the buffered text of the stream, and all later text, once a write fails."""
        try:
            yield
        except BrokenPipeError:
            nowhere(self.stream)
        except OSError as error:
            self.lost = error
            nowhere(self.stream)


def nowhere(stream: TextIO) -> None:
    """Discards the buffered text of a stream and all that is written to it later."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, stream.fileno())
    os.close(null)
