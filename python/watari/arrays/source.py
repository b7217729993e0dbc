"""Where bytes come from: local files, and objects of an S3 service (`watari.objects`).

A Source is one open file or object. A Place opens the sources of an array, and has a row for each
kind of path. Another kind of place is another row.
"""

from __future__ import annotations

import io
import os
import re
import stat
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Protocol

from watari import _native
from watari.common.errors import FileError, UnsupportedError
from watari.common.files import reason

Range = tuple[int, Any]  # offset in the source, and a writable buffer that is filled from there


class Source(Protocol):
    """One file or object, whose bytes can be read by several threads at once."""

    @property
    def size(self) -> int:
        """Bytes, when it was opened."""

    @property
    def etag(self) -> str | None:
        """The version of its content, if the place knows it."""

    def read_into(self, ranges: Sequence[Range]) -> None:
        """Reads many ranges at once. Raises FileError if the content changed since it was
        opened."""

    def close(self) -> None:
        """Ends its use."""


class Place(Protocol):
    """A kind of path."""

    gap: int  # bytes that are cheaper to read than a second request
    is_local: bool  # engines read its files

    def open(self, path: str) -> Source:
        """Opens a file or object. Raises FileError."""

    def create(self, path: str) -> Sink:
        """Begins an object. Raises FileError."""

    def is_folder(self, path: str) -> bool:
        """Whether it is known to be a folder."""

    def require(self, path: str) -> None:
        """Raises FileError where it is known that nothing can be written."""


class Sink(Protocol):
    """A new object, written from its first byte to its last."""

    def write(self, content: Any) -> None:
        """Adds bytes."""

    def complete(self) -> None:
        """Gives the object its name. Raises FileError."""

    def abort(self) -> None:
        """Removes what was written."""


class LocalFile:
    """A regular file. `files` is the native object, which moves blocks in parts as well."""

    etag = None

    def __init__(self, path: str) -> None:
        require_regular(path)
        self.files = _native.RangeFiles([path])
        (self.size,) = self.files.sizes()

    def read_into(self, ranges: Sequence[Range]) -> None:
        import numpy

        for offset, place in ranges:
            view = numpy.frombuffer(place, numpy.uint8)
            address = view.ctypes.data
            row = numpy.array([[0, offset, view.nbytes, 1, 0, address]], numpy.int64)
            self.files.move(row, address, view.nbytes)

    def close(self) -> None:
        pass  # closed with its last user


class Local:
    """Files of this machine."""

    gap = 2**14
    is_local = True

    def open(self, path: str) -> LocalFile:
        return LocalFile(path)

    def create(self, path: str) -> Sink:
        raise NotImplementedError("files are written in any order (watari.arrays.local)")

    def is_folder(self, path: str) -> bool:
        return os.path.isdir(path)

    def require(self, path: str) -> None:
        pass  # a command has checked the folder (watari.common.written)


class Objects:
    """Objects of an S3 service, by a module with `open(url)` and `create(url)`."""

    gap = 2**14  # the library's reader merges ranges that are further apart
    is_local = False

    def __init__(self, module: Any) -> None:
        self.module = module

    def open(self, path: str) -> Source:
        source: Source = self.module.open(path)
        return source

    def create(self, path: str) -> Sink:
        sink: Sink = self.module.create(path)
        return sink

    def is_folder(self, path: str) -> bool:
        return False

    def require(self, path: str) -> None:
        self.module.require_bucket(path)


def require_regular(path: str) -> None:
    """Raises FileError unless the path leads to a regular file that can be read."""
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        raise FileError(f"{path}: no such file") from None
    except (OSError, ValueError) as error:  # a NUL in the name is a ValueError
        raise FileError(f"{path}: cannot be read: {reason(error)}") from None
    if not stat.S_ISREG(mode):
        kind = "a folder" if stat.S_ISDIR(mode) else "not a regular file"
        raise FileError(f"{path}: cannot be read: {kind}")


def objects() -> Place:
    """The place of `s3://` paths. Raises UnsupportedError if this build has none."""
    try:
        return Objects(import_module("watari.objects"))
    except ImportError:
        raise UnsupportedError("s3:// paths: this build has no client for objects") from None


PLACES: dict[str, Callable[[], Place]] = {"s3://": objects}


def place_of(path: str) -> Place:
    """The place that a path begins with. Raises UnsupportedError, FileError."""
    for begin, make in PLACES.items():
        if path.startswith(begin):
            return make()
    if "://" in path:
        raise unknown_place(path)
    return Local()


def unknown_place(path: str) -> FileError:
    """The error for a URL of another kind, without the password or the signature in it."""
    shown = re.sub("//.*@", "//", path).partition("?")[0]
    return FileError(f"{shown}: paths are those of files, or begin with {', '.join(PLACES)}")


class Stream(io.RawIOBase):
    """A source as a binary file of Python, for libraries that read metadata."""

    def __init__(self, source: Source) -> None:
        self.source, self.at = source, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self.at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        begin = {io.SEEK_SET: 0, io.SEEK_CUR: self.at, io.SEEK_END: self.source.size}[whence]
        self.at = max(0, begin + offset)
        return self.at

    def readinto(self, buffer: Any) -> int:
        size = max(0, min(len(buffer), self.source.size - self.at))
        if size:
            self.source.read_into([(self.at, memoryview(buffer)[:size])])
        self.at += size
        return size


def whole(source: Source, most: int, name: str) -> bytes:
    """All bytes of a small source. Raises FileError if there are more than `most`."""
    if source.size > most:
        raise FileError(f"{name}: {source.size} bytes: too many for metadata")
    content = bytearray(source.size)
    if content:
        source.read_into([(0, content)])
    return bytes(content)
