"""Files that commands of cases write and read: `cases/<name>/tests/files.py`."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from pathlib import Path

CASES = Path(__file__).parents[2] / "cases"
FOUND = [runpy.run_path(str(path)) for path in sorted(CASES.glob("*/tests/files.py"))]
Content = Callable[[], bytes]
WRITES: list[tuple[list[str], str, str]] = [row for found in FOUND for row in found["WRITES"]]
READS: list[tuple[list[str], str, Content, str]] = [
    row for found in FOUND for row in found["READS"]
]


def reading(words: list[str], file: str) -> list[str]:
    """The words, with the name of the file that they read."""
    return [word.replace("{}", file) for word in words]
