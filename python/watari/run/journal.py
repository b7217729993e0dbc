"""The journal of a run: JSON lines beside the result file, so that a killed run loses one trial.

The first line describes the run; each other line is one finished trial. A line that was being
written when the machine stopped is cut short and left out on reading. A run holds a lock on its
journal: a journal without a lock was left by a dead run.

Each line ends in a checksum of itself and all lines before it, so that a line that was changed,
lost, doubled or moved is refused. Journals of earlier versions have none.
"""

from __future__ import annotations

import fcntl
import json
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TextIO

from pydantic import Field, ValidationError
from pydantic_core import from_json

from watari.common import files
from watari.common.errors import FileError
from watari.common.files import reason
from watari.common.lock import is_name_of, lock, taken
from watari.common.reading import require_readable
from watari.machine.record import Count, Machine, Record
from watari.plan.request import Request
from watari.results import schema
from watari.results.trial import Trial as TrialRecord

SCHEMA = schema.SCHEMA
SUFFIX = ".journal"
OF_CASE = ("bytes_per_sample", "flops_per_sample")  # of a worker's trial; in a result, of its case

CHECKSUM = ', "crc32": "'  # before the checksum, at the end of a line

Trial = dict[str, Any]


@dataclass
class State:
    """A run at some moment: its requests, and the trials so far, by request."""

    program: schema.Program
    plan: schema.Plan | None
    machine: Machine
    requests: list[Request]
    trials: list[list[Trial]]


class Header(Record):
    """The first line."""

    schema_version: Literal[1] = Field(alias="schema")
    program: schema.Program
    plan: schema.Plan | None
    machine: Machine
    requests: list[schema.Missing]


class Entry(Record):
    """Each other line; the trial is checked with its request."""

    request: Count
    trial: dict[str, Any]


def path_for(output: Path) -> Path:
    """The journal of a result file."""
    return output.with_name(output.name + SUFFIX)


def is_left(journal: Path) -> bool:
    """Whether a run left a journal; an empty file is of a run that was killed before it wrote any
    line."""
    return os.path.isfile(journal) and journal.stat().st_size > 0


def header(state: State) -> dict[str, Any]:
    """The first line."""
    return {
        "schema": SCHEMA,
        "program": state.program.model_dump(by_alias=True),
        "plan": state.plan.model_dump(by_alias=True) if state.plan else None,
        "machine": state.machine.model_dump(by_alias=True),
        "requests": [
            {"case": r.case, "parameters": r.parameters, "trials": r.trials} for r in state.requests
        ],
    }


@contextmanager
def reading(path: Path) -> Iterator[TextIO]:
    """The journal of a dead run. Raises UsageError while a run writes it, FileError."""
    try:
        require_readable(path)
        with path.open(encoding="utf-8") as file:
            lock(file, path, fcntl.LOCK_SH)
            yield file
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"{path}: cannot be read: {reason(error)}") from None


def check_dead(path: Path) -> None:
    """Raises UsageError while a run writes this journal, FileError."""
    with reading(path):
        pass


class Journal:
    """An open journal. Raises FileError where it cannot be written, UsageError while another run
    writes it."""

    def __init__(self, path: Path, state: State) -> None:
        self.path, self.state = path, state
        self.begin()

    def begin(self) -> None:
        """Writes the first line and all trials so far, and locks the file."""
        self.sum = 0
        text = self.next_line(header(self.state))
        for number, trials in enumerate(self.state.trials):
            text += "".join(self.next_line({"request": number, "trial": t}) for t in trials)
        with taken(self.path):
            files.write_atomically(self.path, text, self.take)

    def next_line(self, value: dict[str, Any]) -> str:
        """The line of this value, behind all lines so far."""
        text = json.dumps(value)
        self.sum = zlib.crc32(text.encode(), self.sum)
        return f'{text[:-1]}{CHECKSUM}{self.sum:08x}"}}\n'

    def take(self, temporary: Path) -> None:
        """Locks the new journal before it is at its path, so that no other run can."""
        self.file = temporary.open("a", encoding="utf-8")
        lock(self.file, self.path)

    def is_there(self) -> bool:
        """Whether the file is where it was made, and was not removed by hand."""
        return is_name_of(self.path, self.file)

    def add(self, number: int, trial: Trial) -> None:
        """Stores a finished trial of the request with this number, in the state too. A journal that
        was removed meanwhile is written anew. Raises OSError, FileError, UsageError."""
        self.state.trials[number].append(trial)
        if not self.is_there():
            self.close()
            self.begin()
            return
        with files.naming(self.path):
            self.file.write(self.next_line({"request": number, "trial": trial}))
            self.file.flush()
            os.fsync(self.file.fileno())

    def remove(self) -> None:
        """Removes the journal of a run whose result is stored, but not the journal of another
        run."""
        if self.is_there():
            self.path.unlink()  # while it is locked: no other run may find it whole

    def close(self) -> None:
        """Closes the file; `add` has reported a line that could not be written."""
        with suppress(OSError):
            self.file.close()


def checked_trial(request: Request, trial: Trial) -> Trial:
    """The trial with every field. Raises ValueError that names the field if a result file could not
    hold it."""
    rest = {name: value for name, value in trial.items() if name not in OF_CASE}
    whole = {
        "case": request.case,
        "parameters": request.parameters,
        "status": "ok",
        "trials_planned": 1,
        "trials": [rest],
        **{name: whole_number(trial[name]) for name in OF_CASE if name in trial},
    }
    try:
        case = schema.Case.model_validate(whole)
    except ValidationError as error:
        text = schema.first(error.errors(include_url=False))
        raise ValueError(text.removeprefix("trials[0].")) from None
    return plain_trial(case, case.trials[0])


def whole_number(value: Any) -> Any:
    """A whole number as int: the compiled module counts in floating point."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def plain_trial(case: schema.Case, trial: TrialRecord) -> Trial:
    """A trial of a result file as a worker gives it."""
    common = {name: getattr(case, name) for name in OF_CASE}
    return {**trial.model_dump(exclude_none=True), **common}


@contextmanager
def naming(path: Path, number: int) -> Iterator[None]:
    """Turns an error in a line into a FileError that names file, line and field."""
    try:
        yield
    except ValidationError as error:
        text = schema.first(error.errors(include_url=False))
        raise FileError(f"{path}: line {number}: {text}") from None
    except ValueError as error:
        raise FileError(f"{path}: line {number}: {error}") from None


def parsed(line: str) -> Any:
    """The value of a line. Raises ValueError."""
    try:
        return from_json(line, allow_inf_nan=False)
    except ValueError as error:
        raise ValueError(f"not JSON: {error}") from None


def checked_line(line: str, before: int | None) -> tuple[str, int | None]:
    """A line without its checksum, and the checksum. `before` is that of the lines before it; None:
    they have none, and this line needs none. Raises ValueError."""
    text, found, stored = line.rpartition(CHECKSUM)
    if not found and before is None:
        return line, None
    value = zlib.crc32(f"{text}}}".encode(), before or 0)
    if stored != f'{value:08x}"}}':
        raise ValueError(
            "wrong checksum: this line was changed, or one before it was lost, doubled or moved; "
            "remove it and all lines after it to resume from the others"
        )
    return f"{text}}}", value


def read(path: Path) -> State:
    """The run in a journal. Raises FileError naming file and line, UsageError while a run writes
    it."""
    with reading(path) as file:
        lines = file.read().split("\n")
    lines.pop()  # empty, or the line that was being written when the machine stopped
    if not lines:
        raise FileError(f"{path}: line 1: missing or cut short")
    with naming(path, 1):
        text, checksum = checked_line(lines[0], None)
        header = parsed(text)
        schema.check_schema(header, f"{path}: line 1")
        state = state_of(Header.model_validate(header))
    for number, line in enumerate(lines[1:], 2):
        with naming(path, number):
            text, checksum = checked_line(line, checksum)
            entry = Entry.model_validate(parsed(text))
            if entry.request >= len(state.requests):
                raise ValueError(f"request {entry.request} of {len(state.requests)}")
            trial = checked_trial(state.requests[entry.request], entry.trial)
            state.trials[entry.request].append(trial)
    return state


def state_of(header: Header) -> State:
    """The state that the first line describes, before any trial."""
    requests = [Request(r.case, r.parameters, r.trials) for r in header.requests]
    trials: list[list[Trial]] = [[] for _ in requests]
    return State(header.program, header.plan, header.machine, requests, trials)
