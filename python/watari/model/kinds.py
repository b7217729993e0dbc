"""The kind of a JSON file that a user names: a result file, a trace, a machine profile or a probe.

The content decides, not the name. The reader of the kind reports what is wrong with the file.
"""

from __future__ import annotations

from pathlib import Path

from watari.common import reading
from watari.common.errors import FileError

RESULTS, TRACE, PROFILE, PROBE = "a result file", "a trace", "a machine profile", "a probe"
OTHER = ""
BEGIN = 64  # bytes in which a JSON object begins: a program of gigabytes is not read


def begins_an_object(path: Path) -> bool:
    """Whether a file begins as a JSON object does."""
    with path.open("rb") as file:
        return file.read(BEGIN).lstrip()[:1] == b"{"


def kind(path: Path) -> str:
    """The kind of a file; OTHER for any other one, and where there is none."""
    from watari.model import machine, trace_file  # late: they would double the start of the command

    try:
        if not path.is_file() or not begins_an_object(path):
            return OTHER
        content = reading.json(path)
    except (FileError, OSError):
        return OTHER
    if not isinstance(content, dict):
        return OTHER
    schema = content.get("schema")
    if isinstance(schema, str):
        return {trace_file.SCHEMA: TRACE, machine.SCHEMA: PROFILE}.get(schema, OTHER)
    if isinstance(schema, int) and "machine" in content:
        return RESULTS
    return PROBE if "processors" in content else OTHER
