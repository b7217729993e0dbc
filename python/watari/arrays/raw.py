"""Arrays in files without a header: the caller knows shape and element type."""

from __future__ import annotations

import re
from typing import Any, SupportsIndex

import numpy

from watari.arrays.layout import Layout, in_one_piece, require_bytes
from watari.arrays.source import Source
from watari.common.errors import UsageError
from watari.memory.bfloat import NAME, bfloat16

WORDS = re.compile(r"(?P<dtype>[^:]+):(?P<shape>\d+(x\d+)*)")


def words(text: str) -> tuple[tuple[int, ...], str] | None:
    """Shape and element type of `float32:300x200`; None for another text."""
    found = WORDS.fullmatch(text)
    return found and (tuple(map(int, found["shape"].split("x"))), found["dtype"])


def dtype_of(dtype: Any) -> numpy.dtype[Any]:
    """NumPy's type of an element; `bfloat16` too. Raises UsageError."""
    if isinstance(dtype, str) and dtype == NAME:
        return bfloat16()
    try:
        found: numpy.dtype[Any] = numpy.dtype(dtype)
    except TypeError as error:
        raise UsageError(f"dtype: {error}") from None
    return found


def layout(path: str, source: Source, shape: Any, dtype: Any) -> Layout:
    """Where the elements lie: in C order, all of the file. Raises FileError, UsageError."""
    sides = (shape,) if isinstance(shape, SupportsIndex) else tuple(shape)
    found = in_one_piece(path, sides, dtype_of(dtype), 0, path)
    require_bytes(found, source.size, exactly=True)
    return found
