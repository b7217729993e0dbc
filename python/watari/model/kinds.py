"""The kind of a JSON file that a user names: a result file, a trace, a machine profile or a probe.

The content decides, not the name. The reader of the kind reports what is wrong with the file.
"""

from __future__ import annotations

from pathlib import Path

from pydantic_core import from_json

from watari.model import machine, program

RESULTS, TRACE, PROFILE, PROBE = "a result file", "a trace", "a machine profile", "a probe"
OTHER = ""
SCHEMAS = {program.SCHEMA: TRACE, machine.SCHEMA: PROFILE}
BEGIN = 64  # bytes in which a JSON object begins: a program of gigabytes is not read


def kind(path: Path) -> str:
    """The kind of a file; OTHER for any other one, and where there is none."""
    if not path.is_file():
        return OTHER
    try:
        with path.open("rb") as file:
            begin = file.read(BEGIN)
            content = from_json(begin + file.read()) if begin.lstrip()[:1] == b"{" else None
    except (OSError, ValueError):
        return OTHER
    if not isinstance(content, dict):
        return OTHER
    schema = content.get("schema")
    if isinstance(schema, str):
        return SCHEMAS.get(schema, OTHER)
    if isinstance(schema, int) and "machine" in content:
        return RESULTS
    return PROBE if "processors" in content else OTHER
