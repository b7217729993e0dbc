"""Requests of a workload: offset and bytes of each, whether it writes, and when."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Requests:
    """One element a request, in order. `seconds`: since the first; None if no time is known."""

    offset: NDArray[np.int64]
    bytes: NDArray[np.int64]
    writes: NDArray[np.bool_]
    seconds: NDArray[np.float64] | None = None

    @property
    def end(self) -> int:
        """The first byte behind all requests."""
        return int((self.offset + self.bytes).max())

    def only(self, direction: str) -> Requests:
        """The requests that read, or those that write."""
        some = self.writes if direction == "write" else ~self.writes
        seconds = None if self.seconds is None else self.seconds[some]
        return Requests(self.offset[some], self.bytes[some], self.writes[some], seconds)

    def counts(self, block: int) -> NDArray[np.int64]:
        """Blocks that each request covers."""
        first = self.offset // block
        return (self.offset + self.bytes - 1) // block - first + 1

    def covered(self, block: int) -> int:
        """Blocks that all requests cover."""
        return int(self.counts(block).sum())

    def blocks(self, block: int) -> NDArray[np.uint64]:
        """Numbers of these blocks, in order."""
        counts = self.counts(block)
        before = np.cumsum(counts) - counts
        within = np.arange(int(counts.sum())) - np.repeat(before, counts)
        return (np.repeat(self.offset // block, counts) + within).astype(np.uint64)
