"""The element type bfloat16, which NumPy lacks.

With the package `ml_dtypes` it is that package's type, which computes. Without it, an array of
bfloat16 has elements of one field `bfloat16` of uint16: the bits, to copy them or to send them to a
GPU.
"""

from __future__ import annotations

from typing import Any

import numpy

NAME = "bfloat16"
BITS: numpy.dtype[Any] = numpy.dtype([(NAME, "<u2")])


def bfloat16() -> numpy.dtype[Any]:
    """The type, or that of its bits."""
    try:
        import ml_dtypes
    except ImportError:
        return BITS
    found: numpy.dtype[Any] = numpy.dtype(ml_dtypes.bfloat16)
    return found


def is_bfloat16(dtype: numpy.dtype[Any]) -> bool:
    """Whether elements are bfloat16, by either type."""
    return dtype == BITS or dtype.name == NAME
