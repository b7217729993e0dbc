"""Locks, so that one run at a time writes a file. The kernel lifts them when their holder dies.

A file system without locks (Lustre, depending on its mount options) locks nothing.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from watari.common.errors import FileError, UsageError
from watari.common.files import closed_quietly


def lock(file: TextIO, path: Path, how: int = fcntl.LOCK_EX) -> None:
    """Locks an open file, which is or will be at `path`. Raises UsageError while a run has the
    lock."""
    try:
        fcntl.flock(file, how | fcntl.LOCK_NB)
    except BlockingIOError:
        raise UsageError(f"{path} is being written by another run") from None
    except OSError:
        pass  # a file system without locks


def is_name_of(path: Path, file: TextIO) -> bool:
    """Whether an open file is the one that is at `path` now."""
    try:
        return os.path.samestat(path.stat(), os.fstat(file.fileno()))
    except (FileNotFoundError, NotADirectoryError):
        return False


@contextmanager
def taken(path: Path) -> Iterator[None]:
    """Holds the lock of the file at `path`. A missing file is made, empty, and removed again if
    nothing replaces it. Raises UsageError, FileError."""
    while True:
        try:
            file = path.open("a", encoding="utf-8")
        except OSError as error:
            raise FileError(f"{path}: cannot be written: {error.strerror}") from None
        with closed_quietly(file):
            lock(file, path)
            if not is_name_of(path, file):
                continue  # its run has just ended, and removed it
            try:
                yield
            finally:
                if is_name_of(path, file) and not path.stat().st_size:
                    path.unlink()
            return
