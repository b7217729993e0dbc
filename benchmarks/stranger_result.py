"""The rows of a test of strangers as one result file: what the report reads, and no more.

    {"schema": "watari-strangers-1", "machine": ..., "gpu": ..., "programs": [rows]}

Seconds have five digits. Programs without styles or without a try at a trace are left out.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from stranger_table import SCHEMA, Row, has_styles

from watari.common.errors import FileError
from watari.common.files import write_atomically

RESULT = "watari-strangers-1"
DIGITS = 5
MOST = 4  # savings of a program
HEAD = ("machine", "gpu")
KEPT = (
    *("name", "source", "revision", "arguments", "edited", "started", "status", "reason"),
    *("watari", "advised", "as_is", "whole", "start", "styles", "changes", "pairs", "counts"),
    *("copied", "repeated_s"),
)
OF_REPLAY = ("seconds", "untraced", "untraced_starts", "met", "calls", "operations")


def rounded(value: Any) -> Any:
    """Plain values with fewer digits."""
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    if isinstance(value, dict):
        return {name: rounded(one) for name, one in value.items()}
    return [rounded(one) for one in value] if isinstance(value, list) else value


def chosen(given: Row, names: Sequence[str]) -> Row:
    """These parts of a row, where it has them."""
    return {name: given[name] for name in names if name in given}


def is_run(one: Row) -> bool:
    """Whether a style acts on the program."""
    return bool(one["status"] != "unsupported")


def saving(one: Row) -> Row:
    """A saving in short."""
    return chosen(one, ("change", "text", "site", "imposed", "saves", "sure"))


def pared(row: Row) -> Row:
    """A row without what the report does not read."""
    trace, advice = row.get("trace", {}), row.get("advice", {})
    found = chosen(row, KEPT)
    found["styles"] = {s: one for s, one in row.get("styles", {}).items() if is_run(one)}
    found["trace"] = chosen(trace, ("error", "untraced_seconds", "traced_seconds", "complete"))
    if replay := trace.get("replay"):
        found["trace"]["replay"] = chosen(replay, OF_REPLAY)
    found["advice"] = chosen(advice, ("error", "measured", "replayed", "shares", "changes"))
    found["advice"] |= chosen(advice, ("best", "verdict", "stops"))
    found["advice"]["savings"] = [saving(one) for one in advice.get("savings", [])[:MOST]]
    imposed = advice.get("styles", {}).get("imposed", [])
    found["advice"]["styles"] = {"imposed": [one for one in imposed if "seconds" in one]}
    found["today"] = chosen(row.get("today", {}), ("seconds", "unsupported"))
    whole: Row = rounded(found)
    return whole


def write(rows: Sequence[Row], path: Path) -> None:
    """Writes the programs that have styles and a trace, or the reason why they have none."""
    whole = [one for one in rows if one["status"] != "ok" or (has_styles(one) and one.get("trace"))]
    lines = ",\n".join(json.dumps(pared(one)) for one in whole)
    head = json.dumps({"schema": RESULT, **chosen(rows[0], HEAD)})[:-1]
    write_atomically(path, f'{head}, "programs": [\n{lines}\n]}}\n')


def read(path: Path) -> list[Row]:
    """The rows of a result file. Raises FileError."""
    content = json.loads(path.read_text())
    if content.get("schema") != RESULT:
        raise FileError(f"{path}: no {RESULT}")
    head = chosen(content, HEAD)
    return [{"schema": SCHEMA, **head, **one} for one in content["programs"]]
