"""The journal of a run: JSON lines beside the result file, so that a killed run loses one trial.

The first line says what is measured; each other line is one finished trial. A line that was being
written when the machine stopped is cut short and left out on reading. A run holds a lock on its
journal: one without was left by a dead run.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from pydantic import ValidationError

from watari import results
from watari.errors import FileError
from watari.files import write_atomically
from watari.lock import lock, taken
from watari.machine import Machine
from watari.request import Request

SCHEMA = 1
SUFFIX = ".journal"
OF_CASE = ("bytes_per_sample", "flops_per_sample")  # a worker's trial has them, a result's case

Trial = dict[str, Any]


@dataclass
class State:
    """A run at some moment: what was asked for, and the trials so far, by request."""

    program: results.Program
    plan: results.Plan | None
    machine: Machine
    requests: list[Request]
    trials: list[list[Trial]]


def path_for(output: Path) -> Path:
    """The journal of a result file."""
    return output.with_name(output.name + SUFFIX)


def is_left(journal: Path) -> bool:
    """Whether a run left its trials there; an empty one is of a run that was killed before any."""
    return journal.is_file() and journal.stat().st_size > 0


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
        with path.open(encoding="utf-8") as file:
            lock(file, path, fcntl.LOCK_SH)
            yield file
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"{path}: cannot be read: {error}") from None


def check_dead(path: Path) -> None:
    """Raises UsageError while a run writes this journal, FileError."""
    with reading(path):
        pass


class Journal:
    """An open journal. Raises FileError where it cannot be written, UsageError while another run
    writes it."""

    def __init__(self, path: Path, state: State) -> None:
        self.path = path
        lines: list[dict[str, Any]] = [header(state)]
        for number, trials in enumerate(state.trials):
            lines += [{"request": number, "trial": trial} for trial in trials]
        text = "".join(json.dumps(line) + "\n" for line in lines)
        with taken(path):
            write_atomically(path, text, self.take)

    def take(self, temporary: Path) -> None:
        """Locks what is to be the journal before it is, so that no other run can."""
        self.file = temporary.open("a", encoding="utf-8")
        lock(self.file, self.path)

    def add(self, number: int, trial: Trial) -> None:
        """Stores a finished trial of the request with this number. Raises OSError."""
        self.file.write(json.dumps({"request": number, "trial": trial}) + "\n")
        self.file.flush()
        os.fsync(self.file.fileno())

    def close(self) -> None:
        """Closes the file; what could not be written was reported when it was added."""
        with suppress(OSError):
            self.file.close()


def check_trial(trial: Trial) -> None:
    """Raises pydantic's ValidationError if a result file could not hold this trial."""
    results.Trial.model_validate({k: v for k, v in trial.items() if k not in OF_CASE})


@contextmanager
def naming(path: Path, number: int) -> Iterator[None]:
    """Turns what is wrong with a line into a FileError that names file, line and field."""
    try:
        yield
    except ValidationError as error:
        problem = error.errors()[0]
        field = ".".join(map(str, problem["loc"]))
        raise FileError(f"{path}: line {number}: {field}: {problem['msg']}") from None
    except (ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
        text = f"{type(error).__name__}: {error}"
        raise FileError(f"{path}: line {number}: not a journal: {text}") from None


def read(path: Path) -> State:
    """The run in a journal. Raises FileError naming file and line, UsageError while a run writes
    it."""
    with reading(path) as file:
        lines = file.read().split("\n")
    lines.pop()  # empty, or the line that was being written when the machine stopped
    if not lines:
        raise FileError(f"{path}: line 1: missing or cut short")
    with naming(path, 1):
        state = read_header(json.loads(lines[0]), path)
    for number, line in enumerate(lines[1:], 2):
        with naming(path, number):
            entry = json.loads(line)
            check_trial(entry["trial"])
            state.trials[entry["request"]].append(entry["trial"])
    return state


def read_header(first: dict[str, Any], path: Path) -> State:
    """The state that the first line describes, before any trial."""
    if first["schema"] != SCHEMA:
        raise FileError(f"{path}: schema: is {first['schema']}, this version reads {SCHEMA}")
    requests = [Request(r["case"], r["parameters"], r["trials"]) for r in first["requests"]]
    return State(
        results.Program.model_validate(first["program"]),
        results.Plan.model_validate(first["plan"]) if first["plan"] else None,
        Machine.model_validate(first["machine"]),
        requests,
        [[] for _ in requests],
    )
