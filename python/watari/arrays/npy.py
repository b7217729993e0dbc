"""Arrays in .npy files: NumPy reads and writes the header."""

from __future__ import annotations

import ast
import io
from collections.abc import Callable
from typing import Any

import numpy
from numpy.lib import format as npy

from watari.arrays.layout import Layout, in_one_piece, require_bytes
from watari.arrays.source import Source, Stream
from watari.common.errors import FileError

MOST = 10_000  # characters of a header, as in NumPy
PAGE = 4096  # bytes of a header that is written: data begin where direct I/O can


def header_3_0(stream: Any) -> tuple[tuple[int, ...], bool, numpy.dtype[Any]]:
    """The header in UTF-8, for names of fields that are not Latin: NumPy reads it, but has no
    public function for it. Raises ValueError."""
    size = int.from_bytes(stream.read(4), "little")
    if size > MOST:
        raise ValueError(f"a header of {size} bytes")
    fields = ast.literal_eval(stream.read(size).decode())
    shape, by_columns = fields["shape"], fields["fortran_order"]
    if not isinstance(by_columns, bool) or not isinstance(shape, tuple):
        raise ValueError("a header with other fields")
    if not all(isinstance(side, int) for side in shape):
        raise ValueError(f"shape is {shape}")
    return shape, by_columns, npy.descr_to_dtype(fields["descr"])


HEADERS: dict[tuple[int, int], Callable[[Any], Any]] = {
    (1, 0): npy.read_array_header_1_0,
    (2, 0): npy.read_array_header_2_0,
    (3, 0): header_3_0,
}


def layout(path: str, source: Source) -> Layout:
    """Where the elements of a .npy file lie. Raises FileError."""
    stream = io.BufferedReader(Stream(source), PAGE)
    try:
        version = npy.read_magic(stream)
        if version not in HEADERS:
            raise ValueError(f"format version {'.'.join(map(str, version))} is not known")
        shape, by_columns, dtype = HEADERS[version](stream)
    except Exception as error:  # of many classes, for any damage of the header
        text = " ".join(str(error).split())
        raise FileError(f"{path}: not a .npy file: {text}") from None
    found = in_one_piece(path, shape, dtype, stream.tell(), path, by_columns)
    require_bytes(found, source.size)
    return found


def header(shape: tuple[int, ...], dtype: numpy.dtype[Any]) -> bytes:
    """The header of a C-ordered array, in whole pages."""
    made = io.BytesIO()
    fields = {"descr": npy.dtype_to_descr(dtype), "fortran_order": False, "shape": shape}
    npy.write_array_header_1_0(made, fields)
    text = made.getvalue()
    size = -(-len(text) // PAGE) * PAGE
    length = (size - 10).to_bytes(2, "little")
    return text[:8] + length + text[10:-1].ljust(size - 11) + b"\n"
