"""Blocks along the first axis of an array, read ahead of their use."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future
from typing import Any

from watari.arrays.layout import Layout
from watari.memory.elements import size_of


def block_rows(layout: Layout, size: int | str) -> int:
    """Indices of the first axis in a block of at most `size` bytes, but one at least; a multiple of
    a chunk's if one fits. Raises ValueError, TypeError."""
    if not layout.shape:
        raise TypeError("an array without axes has no blocks")
    row = math.prod(layout.shape[1:]) * layout.dtype.itemsize
    rows = max(1, size_of(size) // max(row, 1))
    chunk = layout.chunks[0]
    return rows // chunk * chunk if rows >= chunk else rows


def read_ahead(
    by: Executor, read: Callable[[Any], Any], keys: Iterable[Any], ahead: int
) -> Iterator[Any]:
    """read(key) for each key, in order; `ahead` of them are being read or have been read."""
    pending: deque[Future[Any]] = deque()
    try:
        for key in keys:
            pending.append(by.submit(read, key))
            if len(pending) > ahead:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
    finally:
        for each in pending:
            each.cancel()
