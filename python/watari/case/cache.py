"""The user's cache: what a case keeps for later runs, and makes again if it is missing."""

from __future__ import annotations

import os
from pathlib import Path

from watari.case.axis import expanded
from watari.common.errors import FileError
from watari.common.files import reason


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
