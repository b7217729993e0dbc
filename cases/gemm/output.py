"""Where C goes. The library writes a local .npy file, or a plain one, tile by tile. A Zarr array
and an object are stored from a complete C in a work file, which then is removed.

    C.npy, C.bin        itself; also C.raw, C.dat; any other name is that of a .npy file
    C.zarr              C.zarr.work beside it, then one chunk for each tile
    s3://bucket/C.npy   C.npy.MARK.work in the folder of work files, then an upload in parts
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from watari import objects
from watari.arrays.opening import open_array
from watari.arrays.source import unknown_place
from watari.arrays.writing import create, is_zarr, require_format, require_written
from watari.common import written
from watari.common.errors import FileError, UsageError
from watari.common.units import format_bytes
from watari.common.written import Written
from watari.objects import sending

BLOCK = 2**26  # bytes that are compared at once
SUFFIXES = (".bin", ".raw", ".dat")  # of files without a header
PLAIN = written.kind("plain arrays", " ".join(SUFFIXES), b"", strict=True)
WORK = written.kind("work files", ".work", b"\x93NUMPY|")

Advance = Callable[[float], None]


@dataclass(frozen=True)
class Output:
    """C as it was named, the file that the library writes, and whether that has no header."""

    named: str
    file: str
    plain: bool

    @property
    def is_stored(self) -> bool:
        """Whether C is stored elsewhere once its file is complete."""
        return self.named != self.file

    @property
    def in_chunks(self) -> bool:
        """Whether C becomes a Zarr array."""
        return is_zarr(self.named)

    def kind(self) -> Written:
        """The file that the command writes, for its checks."""
        if self.is_stored:
            option = "--work" if objects.is_address(self.named) else "-o"
            return Written(option, Path(self.file), WORK)
        return Written("-o", Path(self.file), PLAIN if self.plain else written.ARRAY)

    def check(self, beta: float) -> None:
        """Raises UsageError, FileError or UnsupportedError where C cannot be stored."""
        if not self.is_stored:
            return
        if beta:
            raise UsageError(
                f"{self.named}: beta adds to C in a local .npy or plain file: this is "
                + ("an object" if objects.is_address(self.named) else "a Zarr array")
            )
        require_format(self.named)
        there = not objects.is_address(self.named) and os.path.lexists(self.named)
        if there and not os.path.exists(sending.note_of(self.file)):
            raise UsageError(f"{self.named}: exists already: remove it, or name another")

    def require_room(self, size: int) -> None:
        """Raises FileError where the disk has no room for a Zarr array of `size` bytes beside the
        work file."""
        if not self.in_chunks or objects.is_address(self.named):
            return
        there = sum(
            os.stat(path).st_blocks * 512
            for path in (self.file, f"{self.file}.partial")
            if os.path.exists(path)
        )
        folder = os.path.dirname(self.file) or "."
        needed, free = size + max(size - there, 0), shutil.disk_usage(folder).free
        if free < needed:
            raise FileError(
                f"{self.named}: not enough room: the array and its work file take "
                f"{format_bytes(needed)}, {os.path.abspath(folder)} has {format_bytes(free)} free"
            )


def output(named: str, work: str | None = None) -> Output:
    """The output of a name; `work` is the folder of the work file of an object. Raises UsageError,
    FileError."""
    require_written(named)
    if objects.is_address(named):
        key = named.removeprefix(objects.PREFIX).partition("/")[2].rstrip("/")
        if not key:
            raise UsageError(f"'{named}' names a bucket, not an object in it")
        mark = hashlib.sha256(named.encode()).hexdigest()[:8]
        folder = work or "."
        if not os.path.isdir(folder):
            raise FileError(f"{folder}: the folder of the work file is not there")
        name = f"{key.rpartition('/')[2]}.{mark}.work"
        file = os.path.join(folder, name) if work else name
        return Output(named, file, named.endswith(SUFFIXES))
    if "://" in named:
        raise unknown_place(named)
    if work:
        raise UsageError(f"--work is for C in objects; {named} is written where it is")
    if is_zarr(named):
        return Output(named.rstrip("/"), f"{named.rstrip('/')}.work", False)
    return Output(named, named, named.endswith(SUFFIXES))


def store(to: Output, tile: int, advance: Advance) -> None:
    """Stores a complete C, and removes its file. A call that was killed is continued by the next
    one. `advance` gets the share that is done, and may raise. Raises FileError, ServiceError."""
    if to.in_chunks:
        store_chunks(to, tile, advance)
    else:
        sending.send(to.file, to.named, advance)
    for path in (to.file, f"{to.file}.partial.journal"):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)


def store_chunks(to: Output, tile: int, advance: Advance) -> None:
    """Stores a Zarr array of one chunk for each tile."""
    remote, file = objects.is_address(to.named), to.file
    note = sending.noted(file)
    if note and remote:
        sending.abort_strays(f"{to.named}/", note.others)
    if note and not remote and os.path.exists(to.named):  # killed once the array had its name
        if not is_equal(to):
            raise UsageError(f"{to.named}: exists already: remove it, or name another")
        sending.done_with(file)
        return
    others = [each.id for each in sending.uploads_of(f"{to.named}/")] if remote else []
    sending.Note(to.named, sending.state(file), others=others).store(file)
    with open_array(file) as c:
        rows, columns = c.shape
        chunks = (min(tile, rows), min(tile, columns))
        with create(to.named, c.shape, c.dtype, chunks=chunks) as stored:
            for row in range(0, rows, tile):
                for column in range(0, columns, tile):
                    at = slice(row, row + tile), slice(column, column + tile)
                    stored[at] = c[at]
                advance(min(row + tile, rows) / rows)
    sending.done_with(file)


def is_equal(to: Output) -> bool:
    """Whether a stored array has the elements of the file."""
    try:
        stored = open_array(to.named)
    except FileError:
        return False
    with stored, open_array(to.file) as c:
        if stored.shape != c.shape or stored.dtype != c.dtype:
            return False
        step = max(1, BLOCK // max(c.nbytes // len(c), 1))
        rows = (slice(first, first + step) for first in range(0, len(c), step))
        return all(c[each].tobytes() == stored[each].tobytes() for each in rows)


def discard(to: Output) -> None:
    """Removes what an earlier call left of storing C: its parts on the server, and its file."""
    if to.is_stored:
        sending.forget(to.file)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(to.file)
