"""C.npy.partial: the unfinished C, beside its place, locked, with its journal.

It takes the name C.npy when all of it is durable. A run that was killed leaves it; where nothing
was finished nothing is left.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from watari import gemm_journal, npy
from watari.errors import FileError, UsageError
from watari.files import sync_folder
from watari.gemm_case import amount
from watari.gemm_journal import Journal, Tile
from watari.gemm_work import Work
from watari.npy import Matrix


def finished_already(work: Work) -> bool:
    """Whether an earlier run was killed after C.npy had got its name, before it could say so."""
    journal = gemm_journal.path_for(work.partial)
    if work.partial.exists() or not work.output.exists():
        return False
    found = gemm_journal.read(journal)
    status = work.output.stat()
    now = (status.st_ino, [status.st_size, status.st_mtime_ns])
    if not found or now != (found.inode, found.whole):
        return False
    journal.unlink()
    return not gemm_journal.difference(
        {**found.product, "old C": 0}, {**work.identity(), "old C": 0}
    )


@contextmanager
def opened(work: Work, fresh: bool) -> Iterator[tuple[int, Journal]]:
    """The unfinished C, locked, and its journal. When nothing was finished nothing is left.

    Raises FileError, UsageError.
    """
    path = gemm_journal.path_for(work.partial)
    check_room(work)
    file = locked(work)
    keep = True
    try:
        tiles = [] if fresh else tiles_of(work, file, path)
        keep = bool(tiles)
        journal = Journal(path, work.identity(), os.fstat(file).st_ino, tiles)
        try:
            if not tiles:
                allocate(work, file)
            yield file, journal
        finally:
            keep = bool(journal.tiles)
            journal.close()
    finally:
        if not keep:
            remove_own(work.partial, file)
            path.unlink(missing_ok=True)
        os.close(file)


def remove_own(path: Path, file: int) -> None:
    """Removes a file that is open, if the name still is its own."""
    with suppress(FileNotFoundError):
        if path.stat().st_ino == os.fstat(file).st_ino:
            path.unlink()


def check_room(work: Work) -> None:
    """Raises FileError where the disk does not have the bytes of C."""
    try:
        system = os.statvfs(work.output.parent)
        there = work.partial.stat().st_blocks * 512 if work.partial.exists() else 0
    except OSError as error:
        raise FileError(f"{work.shown}: cannot be written: {error.strerror}") from None
    free = system.f_bavail * system.f_frsize
    if work.bytes > free + there:
        raise FileError(
            f"{work.shown}: not enough room: takes {amount(work.bytes)}, "
            f"{work.output.parent} has {amount(free)} free"
        )


def locked(work: Work) -> int:
    """The unfinished C opened, by one run at a time. Raises FileError, UsageError."""
    while True:
        try:
            file = os.open(work.partial, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except OSError as error:
            raise FileError(f"{work.shown}: cannot be written: {error.strerror}") from None
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(file)
            raise UsageError(f"{work.partial} is being written by another run") from None
        with suppress(FileNotFoundError):
            if work.partial.stat().st_ino == os.fstat(file).st_ino:
                return file
        os.close(file)  # that run has just finished and given the file its name


def tiles_of(work: Work, file: int, path: Path) -> list[Tile]:
    """The tiles that an earlier run finished. Raises UsageError where that was another product."""
    size = os.fstat(file).st_size
    found = gemm_journal.read(path) if size else None
    anew = f"; {gemm_journal.ANEW}"
    if not found:
        if size:
            raise UsageError(f"{work.partial} is there, and no journal says what it is{anew}")
        return []
    tiles = found.tiles
    if not tiles:
        return []
    if found.inode != os.fstat(file).st_ino or size != work.bytes:
        raise UsageError(f"{work.partial} is not the file that {path.name} is about{anew}")
    rows, columns = work.grid
    if other := gemm_journal.difference(found.product, work.identity()):
        raise UsageError(f"{work.partial} is of another product: {other}{anew}")
    if not all(0 <= row < rows and 0 <= column < columns for row, column in tiles):
        raise UsageError(f"{path} names tiles that C does not have{anew}")
    return list(dict.fromkeys(tiles))


def allocate(work: Work, file: int) -> None:
    """The whole of the file's blocks, and its header, durable. Raises FileError."""
    try:
        os.ftruncate(file, 0)
        os.posix_fallocate(file, 0, work.bytes)
        os.pwrite(file, npy.header(work.a.rows, work.b.columns, work.a.dtype), 0)
        os.fsync(file)
        sync_folder(work.output.parent)
    except OSError as error:
        raise FileError(f"{work.shown}: cannot be written: {error.strerror}") from None


def put_in_place(work: Work, file: int, journal: Journal) -> None:
    """Gives the finished C its name. Raises FileError where a matrix changed while it was read."""
    for matrix in work.read:
        if changed(matrix):
            journal.tiles.clear()  # of which product they are, none can say: nothing is kept
            raise FileError(f"{matrix.path} changed while it was read: the product is discarded")
    os.fsync(file)
    status = os.fstat(file)
    try:
        journal.finish(status.st_size, status.st_mtime_ns)
        os.replace(work.partial, work.output)
    except OSError as error:
        raise FileError(f"{work.shown}: cannot be written: {error.strerror}") from None
    sync_folder(work.output.parent)
    remove_own(journal.path, journal.file.fileno())


def changed(matrix: Matrix) -> bool:
    """Whether a file is another one than when its header was read."""
    try:
        status = matrix.path.stat()
    except OSError:
        return True
    return (status.st_size, status.st_mtime_ns) != (matrix.size, matrix.mtime_ns)
