"""Matrices in .npy files: what a header must say, and a header whose data begin on a page.

The format is NumPy's, versions 1 to 3; here a file holds one matrix of float32 or float64, row by
row, in this machine's byte order, so that its elements can be read where they lie.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy
from numpy.lib import format as npy

from watari.errors import FileError

TYPES = {"float32": "single", "float64": "double"}  # and what the case calls them
HEADER_BYTES = 4096  # of files that are written: what direct I/O wants data aligned to


@dataclass(frozen=True)
class Matrix:
    """A matrix in a file: element (0, 0) is `offset` bytes from its beginning."""

    path: Path
    rows: int
    columns: int
    dtype: str
    offset: int
    size: int  # bytes of the file
    mtime_ns: int

    @property
    def precision(self) -> str:
        """`single` or `double`."""
        return TYPES[self.dtype]

    @property
    def shape(self) -> str:
        """For people."""
        return f"{self.rows} x {self.columns}"

    @property
    def bytes(self) -> int:
        """Bytes of all elements."""
        return self.rows * self.columns * numpy.dtype(self.dtype).itemsize

    def identity(self) -> dict[str, Any]:
        """What tells this content from another, as far as that is known without reading it."""
        return {
            "path": str(self.path),
            "size": self.size,
            "mtime_ns": self.mtime_ns,
            "shape": [self.rows, self.columns],
            "dtype": self.dtype,
        }


def read_header(file: BinaryIO) -> tuple[tuple[int, ...], bool, numpy.dtype[Any]]:
    """Shape, whether column by column, and type. Raises ValueError, EOFError."""
    version = npy.read_magic(file)
    if version == (1, 0):
        return npy.read_array_header_1_0(file)
    if version in ((2, 0), (3, 0)):  # 3 has names of fields in UTF-8: no matrix has fields
        return npy.read_array_header_2_0(file)
    raise ValueError(f"format version {'.'.join(map(str, version))} is not known")


def read(path: str | os.PathLike[str]) -> Matrix:
    """The matrix in a file, of which the header alone is read. Raises FileError."""
    real = Path(os.path.realpath(path))
    try:
        if not real.is_file():
            raise FileError(f"{path}: {'not a file' if real.exists() else 'no such file'}")
        with real.open("rb") as file:
            shape, by_columns, dtype = read_header(file)
            offset, status = file.tell(), os.fstat(file.fileno())
    except OSError as error:
        raise FileError(f"{path}: cannot be read: {error.strerror}") from None
    except (ValueError, EOFError) as error:
        raise FileError(f"{path}: not a .npy file: {' '.join(str(error).split())}") from None
    check(path, shape, by_columns, dtype)
    rows, columns = shape
    needed = offset + rows * columns * dtype.itemsize
    if status.st_size < needed:
        raise FileError(
            f"{path}: cut short: {status.st_size} bytes, while its header says {needed}"
        )
    return Matrix(
        real, rows, columns, dtype.name, offset, status.st_size, mtime_ns=status.st_mtime_ns
    )


def check(
    path: str | os.PathLike[str], shape: tuple[int, ...], by_columns: bool, dtype: numpy.dtype[Any]
) -> None:
    """Raises FileError for what is no matrix of numbers as the hardware reads them."""
    if dtype.name not in TYPES:
        raise FileError(f"{path}: elements are {dtype.name}: must be float32 or float64")
    if not dtype.isnative:
        raise FileError(f"{path}: elements are {dtype.str}: bytes in the other order")
    if len(shape) != 2:
        text = "x".join(map(str, shape)) or "one number"
        raise FileError(f"{path}: shape is {text}: must be a matrix, of two dimensions")
    if by_columns:
        raise FileError(
            f"{path}: lies column by column (Fortran order): save numpy.ascontiguousarray(x)"
        )
    if 0 in shape:
        raise FileError(f"{path}: has no elements: {shape[0]} x {shape[1]}")


def header(rows: int, columns: int, dtype: str) -> bytes:
    """The head of a file, HEADER_BYTES long: version 1.0, padded as the format has it."""
    magic = npy.magic(1, 0)
    length = HEADER_BYTES - len(magic) - 2
    descr = npy.dtype_to_descr(numpy.dtype(dtype))
    text = repr({"descr": descr, "fortran_order": False, "shape": (rows, columns)})
    return bytes(magic + length.to_bytes(2, "little") + f"{text:<{length - 1}}\n".encode())
