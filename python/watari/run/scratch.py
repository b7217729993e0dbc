"""Folders for the files of a trial, and the removal of those that a killed run left (owner.py)."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from watari.common import owner

PREFIX = ".trial-"
OWNED = re.compile(rf"\.trial-{owner.PATTERN}-\w+")


@contextmanager
def folder(directory: Path | None) -> Iterator[Path]:
    """A temporary folder in this directory, by default the system's; removed at the end. Raises
    OSError."""
    own = f"{PREFIX}{owner.mark()}-"
    path = tempfile.mkdtemp(prefix=own, dir=directory)
    try:
        yield Path(path)
    finally:
        with suppress(OSError):  # rmtree raises an error of closing a folder
            shutil.rmtree(path, ignore_errors=True)


def remove_left(directory: Path) -> None:
    """Removes the folders of runs that are dead."""
    with suppress(OSError):
        for path in owner.of_the_dead(directory, OWNED):
            shutil.rmtree(path, ignore_errors=True)
