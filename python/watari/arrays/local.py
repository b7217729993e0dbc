"""New arrays in files of this machine: written beside their name, then renamed."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy
from numpy.typing import NDArray

from watari import _native
from watari.arrays import npy, zarr
from watari.arrays.layout import Layout, in_one_piece
from watari.arrays.plan import Direct, plan, table
from watari.arrays.selection import Selection
from watari.common.errors import FileError, UsageError
from watari.common.files import reason, remove_left, sync_folder, temporary_of

FILES = 64  # open at once


@contextlib.contextmanager
def writing(path: str) -> Iterator[None]:
    """Gives errors of the operating system the name of the array."""
    try:
        yield
    except OSError as error:
        raise FileError(f"{path}: cannot be written: {reason(error)}") from None


def steps(layout: Layout, chosen: Selection) -> Iterator[Direct]:
    """The writes of a slice: whole runs."""
    for step in plan(layout.shape, layout.chunks, layout.dtype.itemsize, chosen.ranges, -1):
        assert isinstance(step, Direct)
        yield step


def move(
    files: _native.RangeFiles, layout: Layout, group: list[Direct], values: NDArray[Any]
) -> None:
    """Writes the blocks of step number i to file number i."""
    address = values.ctypes.data
    files.move(table(enumerate(group), layout.offset, address), address, values.nbytes)


def allocate(path: str, size: int, begin: bytes = b"") -> None:
    """Makes a file of `size` zeros that begins with `begin`, if there is room. Raises OSError."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        if size:
            os.posix_fallocate(descriptor, 0, size)
        if begin:
            os.pwrite(descriptor, begin, 0)
    finally:
        os.close(descriptor)


class FileTarget:
    """A .npy file, or plain elements."""

    def __init__(self, path: str, shape: tuple[int, ...], dtype: numpy.dtype[Any]) -> None:
        self.path = path
        with writing(path):
            self.target = Path(os.path.realpath(path))
            if os.path.lexists(self.target) and not stat.S_ISREG(os.stat(self.target).st_mode):
                raise FileError(f"{path}: cannot be written: not a regular file")
            remove_left(self.target)
            self.temporary = temporary_of(self.target)
            begin = npy.header(shape, dtype) if path.lower().endswith(".npy") else b""
            self.layout = in_one_piece(path, shape, dtype, len(begin), str(self.temporary))
            try:
                allocate(str(self.temporary), len(begin) + self.layout.nbytes, begin)
            except OSError:
                self.abort()
                raise
        self.files = _native.RangeFiles([str(self.temporary)], True)

    def write(self, chosen: Selection, values: NDArray[Any]) -> None:
        """Writes elements to their place."""
        for step in steps(self.layout, chosen):
            move(self.files, self.layout, [step], values)

    def complete(self) -> None:
        """Gives the file its name."""
        self.files.sync()
        with writing(self.path):
            os.replace(self.temporary, self.target)
        sync_folder(self.target.parent)

    def abort(self) -> None:
        """Removes the file."""
        with contextlib.suppress(OSError):
            self.temporary.unlink()


class ZarrTarget:
    """A folder of chunks."""

    def __init__(
        self, path: str, shape: tuple[int, ...], dtype: numpy.dtype[Any], chunks: Any
    ) -> None:
        self.path = path
        self.target = Path(os.path.realpath(path))
        if os.path.lexists(self.target):
            raise UsageError(f"{path}: exists already: remove it, or name another")
        remove_left(self.target)
        self.temporary = temporary_of(self.target)
        with writing(path):
            self.temporary.mkdir()
        try:
            described = zarr.metadata(path, shape, dtype, chunks)
            (self.temporary / zarr.METADATA[0]).write_bytes(described)
            self.layout = zarr.unchecked(path, str(self.temporary), described)
        except BaseException:
            self.abort()
            raise

    def write(self, chosen: Selection, values: NDArray[Any]) -> None:
        """Writes elements to their chunks, which are made before."""
        group: list[Direct] = []
        for step in steps(self.layout, chosen):
            if len(group) == FILES:
                self.move(group, values)
                group = []
            group.append(step)
        if group:
            self.move(group, values)

    def move(self, group: list[Direct], values: NDArray[Any]) -> None:
        """Writes to several chunks."""
        paths = [self.layout.file(step.chunk) for step in group]
        for path in paths:
            self.make(path)
        move(_native.RangeFiles(paths, True), self.layout, group, values)

    def make(self, path: str) -> None:
        """Makes the file of a chunk, of zeros."""
        if os.path.exists(path):
            return
        with writing(self.path):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            allocate(path, self.layout.chunk_bytes)

    def complete(self) -> None:
        """Makes chunks that were not written, and gives the folder its name."""
        with writing(self.path):
            for at in numpy.ndindex(self.layout.grid):
                path = self.layout.file(at)
                self.make(path)
                synced(path)
            for base, _, _ in os.walk(self.temporary):
                sync_folder(Path(base))
            os.rename(self.temporary, self.target)
        sync_folder(self.target.parent)

    def abort(self) -> None:
        """Removes the folder."""
        shutil.rmtree(self.temporary, ignore_errors=True)


def synced(path: str) -> None:
    """Makes a file durable. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fdatasync(descriptor)
    finally:
        os.close(descriptor)
