"""The elements that `array[key]` selects: NumPy's basic indexing, as one range for each axis."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

import numpy

FANCY = (
    "selects by basic indexing (integers, slices, ... and None): a list, an array or a mask of "
    "indices would be one small read for each element; read a slice, then index that"
)


@dataclass(frozen=True)
class Range:
    """Elements start, start + step, ... of an axis, `count` of them; step is positive."""

    start: int
    count: int
    step: int


@dataclass(frozen=True)
class Selection:
    """A range for each axis, and the basic index that then gives the result its shape."""

    ranges: tuple[Range, ...]
    shaped: tuple[Any, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """Elements along each axis, before `shaped`."""
        return tuple(each.count for each in self.ranges)


def selection(key: Any, shape: tuple[int, ...], name: str) -> Selection:
    """The selection of a key. Raises IndexError, as NumPy does, and for other kinds of indices."""
    keys = key if isinstance(key, tuple) else (key,)
    axes = sum(1 for each in keys if each is not None and each is not Ellipsis)
    if sum(1 for each in keys if each is Ellipsis) > 1:
        raise IndexError("an index has one ellipsis ('...') at most")
    if axes > len(shape):
        raise IndexError(f"{axes} indices for the {len(shape)} axes of {name}")
    whole = [slice(None)] * (len(shape) - axes)
    shaped: list[Any] = []
    if any(each is Ellipsis for each in keys):
        shaped.append(Ellipsis)  # an array without axes rather than an element
    else:
        keys = (*keys, Ellipsis)
    ranges: list[Range] = []
    for each in keys:
        for one in whole if each is Ellipsis else [each]:
            if one is None:
                shaped.append(None)
            else:
                found, view = of_axis(one, shape[len(ranges)], len(ranges), name)
                ranges.append(found)
                shaped.append(view)
    return Selection(tuple(ranges), tuple(shaped))


def of_axis(key: Any, side: int, axis: int, name: str) -> tuple[Range, Any]:
    """The range of one axis, and the index that is then applied to it."""
    if isinstance(key, slice):
        start, stop, step = key.indices(side)
        count = len(range(start, stop, step))
        if step > 0:
            return Range(start, count, step), slice(None)
        return Range(start + (count - 1) * step if count else 0, count, -step), slice(
            None, None, -1
        )
    if isinstance(key, bool | numpy.bool_ | list | tuple | numpy.ndarray) and not is_number(key):
        raise IndexError(f"{name} {FANCY}")
    try:
        index = operator.index(key)
    except TypeError:
        raise IndexError(f"{name} {FANCY}") from None
    if not -side <= index < side:
        raise IndexError(f"index {index} is out of bounds for axis {axis} with size {side}")
    return Range(index % side, 1, 1), 0


def is_number(key: Any) -> bool:
    """Whether an array is one whole number."""
    return isinstance(key, numpy.ndarray) and key.ndim == 0 and key.dtype.kind in "iu"
