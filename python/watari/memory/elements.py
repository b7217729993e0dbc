"""Sizes, element types and shapes of a buffer: NumPy's, and their codes in DLPack."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from typing import Any, SupportsIndex

import numpy

from watari.case.axis import parse_size
from watari.memory.bfloat import is_bfloat16

# kind of NumPy's dtype: code of DLPack's (dlpack.h: DLDataTypeCode)
CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}
BFLOAT = 4
Shape = SupportsIndex | Iterable[SupportsIndex]


def size_of(size: int | str) -> int:
    """Bytes, of a number or of a text such as `64KiB`. Raises TypeError, ValueError."""
    if isinstance(size, str):
        return parse_size(size)
    try:
        size = operator.index(size)
    except TypeError:
        name = type(size).__name__
        raise TypeError(
            f"size must be a number of bytes or a text like '1GiB', not {name}"
        ) from None
    if size <= 0:
        raise ValueError(f"size must be positive, not {size}")
    return size


def dtype_of(dtype: Any) -> numpy.dtype[Any]:
    """NumPy's type of an element that other libraries know too. Raises TypeError."""
    known: numpy.dtype[Any] = numpy.dtype(dtype)
    if is_bfloat16(known):
        return known
    if known.kind not in CODES or not known.isnative or known.itemsize > 16:
        raise TypeError(f"elements of {known} have no type code in DLPack")
    if known.char in "gG":  # long double: its bytes differ between processors
        raise TypeError(f"elements of {known} have no type code in DLPack")
    return known


def shape_of(shape: Shape) -> tuple[int, ...]:
    """Elements along each axis. Raises TypeError, ValueError."""
    sides = shape if isinstance(shape, Iterable) else (shape,)
    numbers = tuple(operator.index(side) for side in sides)
    if any(side <= 0 for side in numbers):
        raise ValueError(f"every side of a shape must be positive, not {numbers}")
    return numbers


def fitted(
    size: int | str | None, dtype: numpy.dtype[Any], shape: Shape | None
) -> tuple[int, tuple[int, ...]]:
    """Bytes and shape, from one of them or both. Raises TypeError, ValueError."""
    if shape is None:
        if size is None:
            raise TypeError("a Buffer needs a size or a shape")
        bytes_ = size_of(size)
        if bytes_ % dtype.itemsize:
            raise ValueError(
                f"size {bytes_} is not a multiple of the {dtype.itemsize} bytes of a {dtype}"
            )
        return bytes_, (bytes_ // dtype.itemsize,)
    sides = shape_of(shape)
    needed = math.prod(sides) * dtype.itemsize
    if size is not None and size_of(size) != needed:
        raise ValueError(f"shape {sides} of {dtype} takes {needed} bytes, not {size_of(size)}")
    return needed, sides


def dlpack_type(dtype: numpy.dtype[Any]) -> tuple[int, int]:
    """Code and bits of an element, as DLPack has them."""
    return BFLOAT if is_bfloat16(dtype) else CODES[dtype.kind], 8 * dtype.itemsize
