"""The journal of a product in files: JSON lines beside the unfinished C, so that a killed run goes
on where it was.

The first line says of what the product is; each other line names tiles of C that are durable. When
all are, the last one also has size and time of change of the file, by which it is known again under
its own name. A line that was being written when the machine stopped is cut short and left out on
reading: its tiles are computed again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from watari.errors import FileError
from watari.files import write_atomically

SCHEMA = 1
SUFFIX = ".json-lines"
ANEW = "--fresh (fresh=True) discards it and begins anew"

Identity = dict[str, Any]
Tile = tuple[int, int]


class Stored(NamedTuple):
    """What a journal says."""

    product: Identity
    inode: int  # of the unfinished file
    tiles: list[Tile]  # that are durable
    whole: list[int] | None  # size and mtime_ns of the file, once it was finished


def path_for(partial: Path) -> Path:
    """The journal of an unfinished file."""
    return partial.with_name(partial.name + SUFFIX)


class Journal:
    """An open journal, which begins with the tiles that are durable already. Raises FileError."""

    def __init__(self, path: Path, identity: Identity, inode: int, tiles: Sequence[Tile]) -> None:
        self.path = path
        self.tiles = list(tiles)
        self.known = set(tiles)
        lines: list[Any] = [{"schema": SCHEMA, "product": identity, "inode": inode}]
        lines += [{"tiles": self.tiles}] if tiles else []
        write_atomically(path, "".join(json.dumps(line) + "\n" for line in lines))
        self.file = path.open("a", encoding="utf-8")

    def add(self, tiles: Sequence[Tile]) -> None:
        """Stores that these tiles are durable, each once. Raises OSError."""
        new = [tile for tile in tiles if tile not in self.known]
        if new:
            self.store({"tiles": new})
            self.tiles += new
            self.known.update(new)

    def finish(self, size: int, mtime_ns: int) -> None:
        """Stores that the file is whole, and how it is then. Raises OSError."""
        self.store({"tiles": [], "whole": [size, mtime_ns]})

    def store(self, line: dict[str, Any]) -> None:
        """Writes a line, durable. Raises OSError."""
        self.file.write(json.dumps(line) + "\n")
        self.file.flush()
        os.fsync(self.file.fileno())

    def close(self) -> None:
        """Closes the file; what could not be written was reported when it was added."""
        with suppress(OSError):
            self.file.close()


def read(path: Path) -> Stored | None:
    """The journal, or None where nothing whole was written. Raises FileError."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"{path}: cannot be read: {error}") from None
    lines.pop()  # empty, or the line that was being written when the machine stopped
    if not lines:
        return None
    try:
        first, *rest = map(json.loads, lines)
        if first["schema"] != SCHEMA:
            raise ValueError(f"schema is {first['schema']}, this version reads {SCHEMA}")
        tiles = [(int(row), int(column)) for line in rest for row, column in line["tiles"]]
        whole = [line["whole"] for line in rest if "whole" in line]
        return Stored(
            dict(first["product"]), int(first["inode"]), tiles, whole[-1] if whole else None
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        text = f"{type(error).__name__}: {error}"
        raise FileError(f"{path}: not a journal: {text}; {ANEW}") from None


def difference(before: Identity, now: Identity) -> str:
    """The first thing in which two products differ, for people; empty if in none."""
    for name in dict.fromkeys([*before, *now]):
        one, other = before.get(name), now.get(name)
        if isinstance(one, dict) and isinstance(other, dict):
            inner = difference(one, other)
            if inner:
                return f"{name}: {inner}"
        elif one != other:
            return f"{name} was {one}, is now {other}"
    return ""
