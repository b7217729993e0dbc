"""The user's cache: what is kept for later runs, and made again if it is missing."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from watari.case.axis import expanded
from watari.common.errors import FileError
from watari.common.files import reason, write_atomically

HASH = 16  # digits of a hash


def folder(name: str) -> Path:
    """A folder of the cache. Raises FileError if it cannot be made."""
    home = os.environ.get("XDG_CACHE_HOME", "")
    path = Path(home if os.path.isabs(home) else expanded("~/.cache")) / "watari" / name
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(
            f"{path}: cannot be made: {reason(error)}; XDG_CACHE_HOME names another place"
        ) from None
    return path


def digest(*parts: bytes) -> str:
    """The hash of these parts, whose lengths count."""
    whole = hashlib.sha256()
    for part in parts:
        whole.update(len(part).to_bytes(8, "little") + part)
    return whole.hexdigest()[:HASH]


def store(place: str, name: str, content: bytes) -> None:
    """Keeps a file in a folder of the cache whole, with its hash before it. Raises FileError."""
    write_atomically(folder(place) / name, digest(content).encode() + b"\n" + content)


def stored(place: str, name: str) -> bytes | None:
    """A file of the cache; None if it is absent or damaged. Raises FileError."""
    try:
        data = (folder(place) / name).read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise FileError(f"{folder(place) / name}: cannot be read: {reason(error)}") from None
    head, _, content = data.partition(b"\n")
    return content if head == digest(content).encode() else None
