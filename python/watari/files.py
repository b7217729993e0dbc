"""Files: written whole or not at all, and the TOML files that come with the package."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from watari.errors import FileError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def stored(name: str) -> list[Path]:
    """Folders of the package: beside it when installed, beside python/ in a source tree."""
    return [Path(__file__).parent / name, Path(__file__).parents[2] / name]


def read_toml(path: Path) -> dict[str, Any]:
    """A TOML file as a dictionary. Raises FileError with its name."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:  # UnicodeDecodeError and TOMLDecodeError are ValueErrors
        raise FileError(f"{path}: {error}") from None


def write_atomically(
    path: str | os.PathLike[str],
    text: str,
    before: Callable[[Path], None] = lambda temporary: None,
) -> None:
    """Put `text` at `path` in one step: a temporary file beside it, fsync, then rename.

    `before` gets the temporary file while nobody else knows it. On any failure (a full disk, no
    permission) the old file stays as it was and the temporary one is removed. Raises FileError with
    path and cause.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not stat.S_ISREG(target.stat().st_mode):
        raise FileError(f"{path}: cannot be written: not a regular file")
    temporary = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        with open(temporary, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        before(temporary)
        os.replace(temporary, target)
    except OSError as error:
        kept = "; the file that was there is unchanged" if target.exists() else ""
        raise FileError(f"{path}: cannot be written: {error.strerror or error}{kept}") from error
    finally:
        with contextlib.suppress(OSError):  # gone already when the rename has happened
            os.unlink(temporary)
    sync_folder(target.parent)


def sync_folder(folder: Path) -> None:
    """Make the rename itself survive a power cut, where the file system can."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
