"""The changes that a file of `watari exec --from` names: an answer of `watari advise --json`, or a
trace for `prefetched`."""

from __future__ import annotations

import json
from typing import Any

from watari.attach.changes import CHANGES
from watari.common.errors import FileError

ADVICE, TRACE = "watari-advice-1", "watari-trace-1"  # schemas of both files


def read(path: str) -> dict[str, Any]:
    """The content of a file. Raises FileError."""
    try:
        with open(path, encoding="utf-8") as file:
            content = json.load(file)
    except OSError as error:
        raise FileError(f"{path}: {error.strerror}") from None
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict) or content.get("schema") not in (ADVICE, TRACE):
        raise FileError(f"{path}: neither `watari advise --json` nor `watari trace` wrote it")
    return content


def named(path: str, content: dict[str, Any]) -> set[str]:
    """The changes that save time in any case, within the bounds of an answer; none of a trace.
    Raises FileError."""
    if content["schema"] == TRACE:
        return set()
    try:
        found = {s["imposed"] for s in content["savings"] if s["sure"]}
    except (KeyError, TypeError):
        raise FileError(f"{path}: its savings cannot be read") from None
    return found & set(CHANGES)
