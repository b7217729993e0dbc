"""A file that becomes an object, in parts. A killed process leaves its parts on the server, and a
note beside the file, by which the next call sends the rest."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from watari import objects
from watari.common.errors import WatariError
from watari.common.files import write_atomically

PIECE = 8 * 2**20  # bytes; a file of this size or less is one request


@dataclass
class Note:
    """What a call sends: address, size, time of change and inode of the file, the name of the
    upload once it has begun, and the uploads of that key that others had begun before."""

    address: str
    file: list[int]
    upload: str = ""
    others: list[str] = field(default_factory=list)

    def store(self, path: str) -> None:
        """Puts the note beside the file. Raises FileError."""
        write_atomically(note_of(path), json.dumps(asdict(self)))


def note_of(path: str) -> str:
    """The path of the note beside a file."""
    return f"{path}.upload"


def noted(path: str) -> Note | None:
    """The note beside a file; None without one that can be read."""
    try:
        return Note(**json.loads(Path(note_of(path)).read_text()))
    except (OSError, ValueError, TypeError):
        return None


def state(path: str) -> list[int]:
    """Identifies the content of a file."""
    now = os.stat(path)
    return [now.st_size, now.st_mtime_ns, now.st_ino]


def send(path: str, address: str, advance: Callable[[float], None] = lambda done: None) -> None:
    """Makes a file an object, which appears when it is complete. If an earlier call was killed, its
    parts are used. `advance` gets the share that is done, and may raise to end the call: the parts
    stay for the next one. Raises FileError, ServiceError."""
    note = noted(path)
    if note and (note.address != address or note.file != state(path)):
        forget(path)
        note = None
    target = objects.Writer(address)
    try:
        if not resumed(target, note):
            if note and note.upload and is_same(path, address):  # killed after its completion
                target.leave()
                done_with(path)
                return
            begin(target, note, path, address)
        size = max(os.path.getsize(path), 1)
        with open(path, "rb") as file:
            while part := file.read(PIECE):
                target.write(part)
                advance(file.tell() / size)
        target.complete()
    except BaseException:
        target.leave()
        raise
    done_with(path)


def resumed(target: objects.Writer, note: Note | None) -> bool:
    """Whether the upload of a note goes on."""
    return bool(note and note.upload and target.resume(note.upload))


def begin(target: objects.Writer, note: Note | None, path: str, address: str) -> None:
    """Begins an upload, after a note: a process that is killed between leaves an upload that no
    note names, which the next call aborts."""
    if note and not note.upload:
        abort_strays(address, note.others)
    if os.path.getsize(path) <= PIECE:
        return
    note = Note(address, state(path), others=[each.id for each in uploads_of(address)])
    note.store(path)
    note.upload = target.begin()
    note.store(path)


def uploads_of(address: str) -> list[objects.OpenUpload]:
    """The open uploads of keys that begin so; none where they may not be listed."""
    try:
        return objects.uploads(address)
    except WatariError:
        return []


def abort_strays(address: str, others: list[str]) -> None:
    """Aborts the uploads of this key (of all keys in it, if it ends in /) that began since a note
    was made."""
    key = address.removeprefix(objects.PREFIX).partition("/")[2]
    for each in uploads_of(address):
        own = each.key == key or (key.endswith("/") and each.key.startswith(key))
        if own and each.id not in others:
            with suppress(WatariError):
                objects.abort(address, each)


def forget(path: str) -> None:
    """Removes the note beside a file, and the parts of its upload."""
    note = noted(path)
    if note and note.upload:
        key = note.address.removeprefix(objects.PREFIX).partition("/")[2]
        with suppress(WatariError):  # it is over already
            objects.abort(note.address, objects.OpenUpload(key, note.upload, ""))
    elif note:
        abort_strays(note.address, note.others)
    done_with(path)


def done_with(path: str) -> None:
    """Removes the note."""
    with suppress(OSError):
        os.unlink(note_of(path))


def is_same(path: str, address: str) -> bool:
    """Whether an object has the bytes of a file."""
    try:
        source: Any = objects.open(address)
    except WatariError:
        return False
    with source, open(path, "rb") as file:
        if source.size != os.path.getsize(path):
            return False
        while part := file.read(PIECE):
            if bytes(source.read(file.tell() - len(part), len(part))) != part:
                return False
    return True
