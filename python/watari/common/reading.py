"""Reads files that a user names: any of them may be damaged, endless, or no file at all.

A regular file or a pipe (`watari compare <(xzcat old.json.xz) new.json`) has at most MOST bytes; a
folder, a device or a socket is refused. JSON is parsed by pydantic's parser, which bounds the depth
of brackets and accepts no NaN.
"""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import Any

from watari.common.errors import FileError
from watari.common.files import reason

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

MOST = 2**30  # bytes: the largest result file in results/ has 3 MB


def require_readable(path: str | os.PathLike[str]) -> None:
    """Raises FileError for a path that is neither a regular file nor a pipe, and for a file that is
    too large; OSError, ValueError for a name that no file can have."""
    status = os.stat(path)
    if stat.S_ISREG(status.st_mode) and status.st_size > MOST:
        raise too_large(path)
    if not (stat.S_ISREG(status.st_mode) or stat.S_ISFIFO(status.st_mode)):
        is_folder = stat.S_ISDIR(status.st_mode)
        kind = "a folder: name the files in it" if is_folder else "not a regular file"
        raise FileError(f"{path}: cannot be read: {kind}")


def too_large(path: str | os.PathLike[str]) -> FileError:
    """The error for a file of more than MOST bytes."""
    return FileError(f"{path}: cannot be read: it has more than {MOST >> 20} MiB")


def content(path: str | os.PathLike[str]) -> bytes:
    """The bytes of a file. Raises FileError."""
    try:
        require_readable(path)
        with Path(path).open("rb") as file:
            read = file.read(MOST + 1)
    except (OSError, ValueError) as error:  # a NUL in the name is a ValueError
        raise FileError(f"{path}: cannot be read: {reason(error)}") from None
    if len(read) > MOST:
        raise too_large(path)
    return read


def text(path: str | os.PathLike[str]) -> str:
    """The text of a file in UTF-8. Raises FileError."""
    try:
        return content(path).decode()
    except UnicodeDecodeError as error:
        raise FileError(f"{path}: cannot be read: {reason(error)}") from None


def json(path: str | os.PathLike[str]) -> Any:
    """The value in a JSON file. Raises FileError."""
    return parsed(content(path), path)


def parsed(content: bytes, path: str | os.PathLike[str]) -> Any:
    """The value in the content of a JSON file. Raises FileError."""
    from pydantic_core import from_json  # not needed by trials, whose start is measured

    try:
        return from_json(content, allow_inf_nan=False)
    except ValueError as error:
        raise FileError(f"{path}: not JSON, or cut short: {error}") from None


def toml(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The table in a TOML file. Raises FileError."""
    written = text(path)
    try:
        return tomllib.loads(written)
    except ValueError as error:
        raise FileError(f"{path}: {error}") from None
    except RecursionError:
        raise FileError(f"{path}: brackets are nested too deeply") from None
