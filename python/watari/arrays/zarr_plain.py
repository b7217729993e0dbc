"""The metadata of plain Zarr arrays, which need no package: importing `zarr` takes longer than
opening an array of 10,000 chunks.

Formats: zarr-specs.readthedocs.io, versions 2 and 3. Only what is certain here is read: numbers in
plain chunks, with the fields of the specification. For anything else `plain` returns None, and the
package `zarr` says what it is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy

TYPES = {"bool", "float16", "float32", "float64", "complex64", "complex128"}
TYPES |= {f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)}
ORDERS = {None: "|", "little": "<", "big": ">"}
SEPARATORS = {"default": "/", "v2": "."}
NUMBER = re.compile(r"[<>][fiuc][248]|[<>]c16|\|[biu]1")  # of version 2
FIELDS_2 = {"zarr_format", "shape", "chunks", "dtype", "compressor", "fill_value", "order"}
FIELDS_2 |= {"filters", "dimension_separator"}
FIELDS_3 = {"zarr_format", "node_type", "shape", "data_type", "chunk_grid", "chunk_key_encoding"}
FIELDS_3 |= {"fill_value", "codecs", "attributes", "storage_transformers", "dimension_names"}

Key = Callable[[tuple[int, ...]], str]


@dataclass(frozen=True)
class Plain:
    """An array of plain chunks, and the name of a chunk by its place in the grid."""

    shape: tuple[int, ...]
    dtype: numpy.dtype[Any]
    chunks: tuple[int, ...]
    by_columns: bool
    key: Key


def plain(content: bytes) -> Plain | None:
    """The array that metadata describe; None where they may be of anything else."""
    try:
        found = json.loads(content)
        return {2: of_version_2, 3: of_version_3}[found["zarr_format"]](found)
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError):
        return None


def counts(values: Any, length: int | None = None) -> tuple[int, ...]:
    """A list of whole numbers. Raises ValueError for anything else."""
    right = isinstance(values, list) and all(type(each) is int and each >= 0 for each in values)
    if not right or length not in (None, len(values)):
        raise ValueError("no list of whole numbers")
    return tuple(values)


def of_version_2(found: dict[str, Any]) -> Plain | None:
    """The file .zarray."""
    shape = counts(found["shape"])
    separator = found.get("dimension_separator", ".")
    if (
        not set(found) <= FIELDS_2
        or found["compressor"] is not None
        or found["filters"] is not None
        or found["order"] not in ("C", "F")
        or separator not in SEPARATORS.values()
        or not NUMBER.fullmatch(found["dtype"])
    ):
        return None
    chunks, by_columns = counts(found["chunks"], len(shape)), found["order"] == "F"
    return Plain(shape, numpy.dtype(found["dtype"]), chunks, by_columns, keys("", separator))


def of_version_3(found: dict[str, Any]) -> Plain | None:
    """The file zarr.json of an array."""
    shape, grid, names = counts(found["shape"]), found["chunk_grid"], found["chunk_key_encoding"]
    separator = names.get("configuration", {}).get("separator", SEPARATORS[names["name"]])
    if (
        not set(found) <= FIELDS_3
        or found["node_type"] != "array"
        or found["data_type"] not in TYPES
        or grid["name"] != "regular"
        or separator not in SEPARATORS.values()
        or found.get("storage_transformers")
    ):
        return None
    chunks = counts(grid["configuration"]["chunk_shape"], len(shape))
    order = order_of(found["codecs"], len(shape))
    if order is None:
        return None
    dtype = numpy.dtype(found["data_type"])
    if dtype.itemsize > 1 and order[0] == "|":
        return None
    dtype = dtype.newbyteorder(order[0])
    key = keys("c" if names["name"] == "default" else "", separator)
    return Plain(shape, dtype, chunks, order[1], key)


def order_of(codecs: list[dict[str, Any]], axes: int) -> tuple[Any, bool] | None:
    """Order of bytes, and whether chunks lie by columns; None unless elements lie in a row."""
    by_columns = len(codecs) == 2 and codecs[0]["name"] == "transpose"
    if by_columns and codecs[0]["configuration"]["order"] != list(reversed(range(axes))):
        return None
    last = codecs[-1]
    if len(codecs) != 1 + by_columns or last["name"] != "bytes":
        return None
    return ORDERS[last.get("configuration", {}).get("endian")], by_columns and axes > 1


def keys(begin: str, separator: str) -> Key:
    """The name of a chunk: `c/3/1`, or `3.1` without `begin`; without axes `c` or `0`."""

    def key(at: tuple[int, ...]) -> str:
        numbers = (begin, *map(str, at)) if begin else tuple(map(str, at))
        return separator.join(numbers) or "0"

    return key
