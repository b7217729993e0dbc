"""Files that a user names, as values of an axis: `saxpy.cu@3f2a91c04be07d15`.

A value has the file's name and the hash of its content, never its folder. The content is kept in
the user's cache (XDG_CACHE_HOME, else ~/.cache) under its hash: the processes of trials and a
resumed run read what was named, even if the file has changed since.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from watari.case.axis import expanded
from watari.case.cache import HASH, digest, store, stored
from watari.common.errors import UsageError
from watari.common.files import reason

CACHE = "kernels"  # the folder of the cache
MOST_BYTES = 2**20
VALUE = re.compile(rf"[^/,]+@[0-9a-f]{{{HASH}}}")
HERE = Path(__file__).parent


def read(path: Path) -> bytes:
    """The content of a file that a user names. Raises UsageError."""
    try:
        with open(path, "rb") as file:
            content = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: cannot be read: {reason(error)}") from None
    if len(content) > MOST_BYTES:
        raise UsageError(f"{path}: is larger than {MOST_BYTES} bytes, too large for a source")
    try:
        content.decode()
    except UnicodeDecodeError:
        raise UsageError(f"{path}: is not text in UTF-8") from None
    return content


def value_of(text: str) -> str:
    """The value of a file that a user names, whose content is then in the cache; a value stays as
    it is. Raises UsageError, FileError."""
    if VALUE.fullmatch(text) and not os.path.exists(text):
        return text
    path = Path(expanded(text))
    if not path.name.isprintable():
        raise UsageError(f"{text!r}: the name of a file must be printable")
    content = read(path)
    value = f"{path.name}@{digest(content)}"
    if stored(CACHE, digest(content)) is None:
        store(CACHE, digest(content), content)
    return value


def name_of(value: str) -> str:
    """The name of the file."""
    return value.rpartition("@")[0]


def content_of(value: str) -> str:
    """The content of a value. Raises UsageError where this machine does not have it."""
    hashed = value.rpartition("@")[2]
    content = stored(CACHE, hashed)
    if content is None:
        raise UsageError(
            f"{value}: no file with this hash was named on this machine: name the file"
        )
    return content.decode()
