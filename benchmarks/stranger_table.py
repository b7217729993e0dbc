"""The table of programs that were built elsewhere, and the file of rows that they leave.

The table is TOML, outside the repository; folders are relative to it:

    [[program]]
    name = "bfs"
    source = "Rodinia"               # the project
    revision = "9c10d3e"             # of the project
    folder = "bin/rodinia"           # in which the program runs
    command = "./bfs"
    arguments = ["graph65536.txt"]
    same = ["-"]                     # outputs that nothing may alter; - is standard output
    edited = "a new API of CUDA 13"  # why its source was changed, if it was

A row is a line of JSON. It is written when its program is done, so a killed run loses one program.
Of several rows of a program the newest styles and the newest trace count, which may be of two runs.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from watari.common import reading
from watari.common.errors import FileError, UsageError

SCHEMA = "watari-stranger-1"
LISTS = ("arguments", "same")  # of a program; its other words are texts
NAME = re.compile(r"[\w+-][\w.+-]*")
OF_TRACE = (
    "trace",
    "advice",
    "today",
    "copied",
    "advised",
)  # parts of a row that come from its trace
KEYS = {"name", "source", "revision", "arguments", "status"}  # of each row
Row = dict[str, Any]


@dataclass(frozen=True)
class Stranger:
    """A program of other people."""

    name: str
    source: str
    revision: str
    folder: str
    command: str
    arguments: tuple[str, ...] = ()
    same: tuple[str, ...] = ()
    edited: str = ""

    @property
    def key(self) -> tuple[str, ...]:
        """The program of a row."""
        return (self.name, self.source, self.revision, shlex.join(self.arguments))

    def words(self, base: Path) -> tuple[str, ...]:
        """The command with its arguments; a path is absolute, since the folder is another one."""
        folder = (base / self.folder).resolve()
        first = str(folder / self.command) if "/" in self.command else self.command
        return (first, *self.arguments)


def stranger(given: Mapping[str, Any], path: Path) -> Stranger:
    """One program of the table. Raises UsageError."""
    known = {field.name for field in fields(Stranger)}
    name = given.get("name", "a program")
    if unknown := given.keys() - known:
        raise UsageError(f"{path}: {name}: unknown: {', '.join(sorted(unknown))}")
    if missing := known - {"arguments", "same", "edited"} - given.keys():
        raise UsageError(f"{path}: {name}: missing: {', '.join(sorted(missing))}")
    if wrong := [n for n, v in given.items() if not isinstance(v, list if n in LISTS else str)]:
        raise UsageError(f"{path}: {name}: of another type: {', '.join(sorted(wrong))}")
    if not NAME.fullmatch(name):
        raise UsageError(f"{path}: {name!r}: the name of a trace's file: letters, digits, ._+-")
    lists = {word: tuple(map(str, given.get(word, ()))) for word in LISTS}
    return Stranger(**{**given, **lists})


def read(path: Path) -> list[Stranger]:
    """The programs of a table. Raises FileError, UsageError."""
    table = reading.toml(path).get("program", [])
    if not isinstance(table, list) or not all(isinstance(one, dict) for one in table):
        raise UsageError(f"{path}: programs begin with [[program]]")
    found = [stranger(given, path) for given in table]
    names = [one.name for one in found]
    if not found:
        raise UsageError(f"{path}: no [[program]] in it")
    if twice := {name for name in names if names.count(name) > 1}:
        raise UsageError(f"{path}: twice: {', '.join(sorted(twice))}")
    return found


def key(row: Row) -> tuple[str, ...]:
    """The program of a row, as Stranger.key."""
    return (row["name"], row["source"], row["revision"], row["arguments"])


def row_in(line: bytes, where: str) -> Row:
    """The row in a line. Raises FileError."""
    row = reading.parsed(line, where)
    if not isinstance(row, dict) or row.get("schema") != SCHEMA or not row.keys() >= KEYS:
        raise FileError(f"{where} is no row of schema {SCHEMA}")
    return row


def rows(paths: Iterable[Path]) -> list[Row]:
    """The rows of several files, one a program. Raises FileError."""
    found: dict[tuple[str, ...], Row] = {}
    for path in paths:
        for number, line in enumerate(whole_lines(reading.content(path)), 1):
            row = row_in(line, f"{path}: line {number}")
            found[key(row)] = merged(found[key(row)], row) if key(row) in found else row
    return list(found.values())


def has_styles(row: Row) -> bool:
    """Whether the styles of a row were measured: they alternate with further runs as it is."""
    return row["status"] == "ok" and len(row["as_is"]) > 1


def has_trace(row: Row) -> bool:
    """Whether a row has a trace."""
    return "untraced_seconds" in row.get("trace", {})


def merged(before: Row, after: Row) -> Row:
    """One row of two of a program: the newer styles, the newer trace, and the newer pairs."""
    styles = after if has_styles(after) or not has_styles(before) else before
    trace = after if has_trace(after) or not has_trace(before) else before
    said = {name: trace[name] for name in OF_TRACE if name in trace}
    found = {**{n: v for n, v in styles.items() if n not in OF_TRACE}, **said}
    pairs = after.get("pairs") or before.get("pairs")
    return {**found, "pairs": pairs} if pairs else found


def whole_lines(content: bytes) -> list[bytes]:
    """The lines that were written to their end."""
    return [line for line in content[: content.rfind(b"\n") + 1].split(b"\n") if line]


def begin(path: Path) -> set[tuple[str, ...]]:
    """Prepares a file for further rows: cuts off what a killed run left of its last line. Returns
    the programs that it has."""
    if not path.exists():
        return set()
    done = {key(row) for row in rows([path])}  # a file of another kind is refused as it is
    content = reading.content(path)
    if content and not done and not content.startswith(b"{"):
        raise FileError(f"{path}: it has no rows: name another file by -o")
    os.truncate(path, content.rfind(b"\n") + 1)
    return done


def add(path: Path, row: Row) -> None:
    """Writes a row at once."""
    with path.open("ab") as file:
        file.write(json.dumps(row).encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())
