"""The choice of one array among those of a file, and the libraries that read its metadata."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from watari.common.errors import FileError, UnsupportedError

LISTED = 5  # names in an error
MOST = 1000  # names that are looked for


def chosen(path: str, name: str | None, names: list[str], what: str) -> str:
    """The array called `name`, or the only one. Raises FileError."""
    if name is None and len(names) == 1:
        return names[0]
    if name in names:
        return name
    known = ", ".join(names[:LISTED]) + (", ..." if len(names) > LISTED else "")
    if name is None and names:
        count = f"{len(names)} or more" if len(names) == MOST else len(names)
        raise FileError(f"{path}: has {count} {what}s: name one, {path}::{names[0]} ({known})")
    if name is None:
        raise FileError(f"{path}: has no {what}")
    raise FileError(f"{path}: has no {what} {name}" + (f"; it has {known}" if names else ""))


def library(name: str, path: str) -> Any:
    """An optional package. Raises UnsupportedError if it is not installed."""
    try:
        return import_module(name)
    except ImportError:
        raise UnsupportedError(
            f"{path}: needs the Python package {name}: pip install 'watari[formats]'"
        ) from None
