"""What ground, roofs and walls are made of: a table in TOML (surfaces.toml), or a user's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from watari.case.axis import expanded
from watari.common import reading
from watari.common.errors import FileError, UsageError

USUAL = "usual"
TABLE = Path(__file__).with_name("surfaces.toml")
PARTS = ("ground", "roof", "wall")
# the columns of a kind, with the least and the most that a surface has
COLUMNS = {
    "albedo": (0.0, 0.999),
    "emissivity": (0.01, 1.0),
    "capacity": (1e3, 1e8),
    "diffusivity": (1e-9, 1e-3),
}
Row = tuple[float, ...]


def parse(text: str) -> str:
    """`usual`, or a file. Raises UsageError."""
    if text != USUAL and not (text.startswith("file:") and len(text) > 5):
        raise UsageError(f"'{text[:80]}' is not a table of surfaces; write {USUAL} or file:PATH")
    return text


def rows(text: str) -> tuple[Row, ...]:
    """The columns of ground, roof and wall. Raises UsageError that names the first wrong entry."""
    path = TABLE if text == USUAL else Path(expanded(text.removeprefix("file:")))
    try:
        table = reading.toml(path)
    except (FileError, OSError, ValueError) as error:
        raise UsageError(f"surfaces {text}: {error}") from None
    parts, kinds = (section(table, name, text) for name in ("parts", "kinds"))
    known = {name: row(name, kind, text) for name, kind in kinds.items()}
    found = []
    for part in PARTS:
        if part not in parts:
            raise UsageError(f"surfaces {text}: [parts] has no {part}")
        if parts[part] not in known:
            raise UsageError(
                f"surfaces {text}: {part} = {parts[part]!r} is no kind; kinds: {', '.join(known)}"
            )
        found.append(known[parts[part]])
    return tuple(found)


def section(table: dict[str, Any], name: str, text: str) -> dict[str, Any]:
    """A table of the file. Raises UsageError."""
    found = table.get(name)
    if not isinstance(found, dict):
        raise UsageError(f"surfaces {text}: it has no table [{name}]")
    return found


def row(name: str, kind: Any, text: str) -> Row:
    """The numbers of a kind. Raises UsageError."""
    of = f"surfaces {text}: kind '{name}'"
    if not isinstance(kind, dict) or set(kind) != set(COLUMNS):
        raise UsageError(f"{of} needs {', '.join(COLUMNS)}, and nothing else")
    for column, (least, most) in COLUMNS.items():
        value = kind[column]
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise UsageError(f"{of}: {column} is not a number")
        if not least <= value <= most:
            raise UsageError(f"{of}: {column} = {value:g}, which is from {least:g} to {most:g}")
    return tuple(float(kind[column]) for column in COLUMNS)
