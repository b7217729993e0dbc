"""The result file, which a run writes and report and compare read. docs/results.md explains it.

Times are in seconds, sizes in bytes. A key that is absent reads as null or empty; a written file
has every key. `python -m watari.results.schema` prints the JSON Schema.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, model_validator
from pydantic_core import ErrorDetails

from watari.common import reading
from watari.common.errors import FileError
from watari.common.files import write_atomically
from watari.common.places import portable
from watari.machine.record import Count, Machine, Record
from watari.results import consistency
from watari.results.key import key
from watari.results.trial import Scalar, Status, Trial

SCHEMA: Literal[1] = 1

MOST_TRIALS = 10_000
Trials = Annotated[int, Field(ge=0, le=MOST_TRIALS)]


class Case(Record):
    """One case at one point of its axes; `case` and `parameters` are what compare matches."""

    case: str = Field(description="copy, access, migration, touch, ...")
    parameters: dict[str, Scalar] = Field(
        description="every axis, fully resolved; sizes in bytes. Number of trials is not one"
    )
    status: Status
    reason: str | None = Field(default=None, description="why it is not ok")
    bytes_per_sample: Count = Field(
        default=0, description="bytes that the algorithm reads and writes; 0 where nothing ran"
    )
    flops_per_sample: Count = Field(default=0, description="floating point operations")
    flags: list[str] = Field(default=[], description="doubts, as a rate beyond a physical limit")
    trials_planned: Trials = Field(description="trials asked for")
    trials: list[Trial] = Field(default=[], description="in the order in which they ran")

    @model_validator(mode="after")
    def check(self) -> Case:
        sampled = any(trial.status == "ok" and trial.host_s for trial in self.trials)
        counts = (self.bytes_per_sample, self.flops_per_sample) if sampled else None
        self.parameters = consistency.checked_case(self.case, self.parameters, counts)
        return self

    @property
    def key(self) -> str:
        """Canonical text of case and parameters, the same as that of `Request`."""
        return key(self.case, self.parameters)


class Missing(Record):
    """What the plan has and the run did not get to."""

    case: str
    parameters: dict[str, Scalar]
    trials: Trials = Field(description="trials still to be run")

    @model_validator(mode="after")
    def check(self) -> Missing:
        self.parameters = consistency.checked_case(self.case, self.parameters, None)
        return self


class Plan(Record):
    """Where the cases come from."""

    name: str
    description: str | None = None
    source: str | None = Field(default=None, description="paper or talk that it follows")


class Program(Record):
    """What measured, and how it was built and called."""

    version: str
    revision: str | None = Field(default=None, description="git commit of the source")
    compiler: str | None = None
    flags: str | None = Field(default=None, description="of the compiler")
    cuda: str | None = Field(default=None, description="toolkit built with; null: without CUDA")
    command: str = Field(
        description="as typed, but absolute paths without their folders, and values that may be "
        "secret as ***; empty: left out"
    )
    launcher: str | None = Field(
        default=None, description="as given, like the command; null: the default one"
    )
    environment: dict[str, str] = Field(
        default={}, description="variables that matter; *** for values that are not kept"
    )
    anonymous: bool = Field(default=False, description="hosts, paths and command are left out")
    started: str = Field(description="ISO 8601, UTC")
    finished: str | None = Field(default=None, description="ISO 8601, UTC; null: interrupted")


class Results(Record):
    """One run."""

    schema_version: Literal[1] = Field(
        default=SCHEMA, alias="schema", description="version of this schema"
    )
    program: Program
    plan: Plan | None = None
    machine: Machine
    cases: list[Case] = Field(default=[], description="in the order of the plan")
    missing: list[Missing] = Field(default=[], description="planned, but not run")

    def as_dict(self) -> dict[str, Any]:
        """Plain values with the keys of the file, as report and statistics take them."""
        return self.model_dump(mode="json", by_alias=True)


def check_schema(data: Any, name: str) -> None:
    """Raises FileError unless the values are of this schema; `name` stands for the file."""
    if not isinstance(data, dict):
        raise FileError(f"{name}: not a result file: an object is expected")
    schema = data.get("schema")
    if schema is None:
        raise FileError(f"{name}: not a result file of Watari: it has no key 'schema'")
    if type(schema) is not int:  # true is an int, 1.0 equals 1: neither is a version
        raise FileError(f"{name}: schema: must be a whole number, is {json.dumps(schema)[:40]}")
    if schema != SCHEMA:
        whose = "written by a newer Watari" if schema > SCHEMA else "not known"
        raise FileError(f"{name}: schema: {whose}: schema {schema}, this one reads {SCHEMA}")


def parse(data: Any, name: str) -> Results:
    """Results from plain values; `name` stands for the file in the messages of FileError."""
    check_schema(data, name)
    try:
        return Results.model_validate(data)
    except ValidationError as error:
        raise FileError(f"{name}: {first(error.errors(include_url=False))}") from None


def read(path: str | os.PathLike[str]) -> Results:
    """The results in a file; FileError names the file and the wrong field."""
    return parse(reading.json(path), str(path))


def spaced_folders(results: Results) -> list[str]:
    """Folders of these results with a space in their name, the longest first: of this user and of
    the cases' files, and those above them."""
    used = {os.environ.get("HOME", "")} | {str(c.parameters.get("folder")) for c in results.cases}
    every = {str(f) for name in used for f in (Path(name), *Path(name).parents)}
    return sorted((name for name in every if " " in name), key=len, reverse=True)


def write(path: str | os.PathLike[str], results: Results) -> None:
    """Writes the file whole or not at all, with short paths (common/places.py); FileError names the
    reason. `read` accepts the file."""
    data = portable(results.as_dict(), spaced_folders(results))
    parse(data, str(path))  # lists may have been changed since the model was made
    write_atomically(path, format_json(data) + "\n")


def format_json(value: Any, indent: str = "") -> str:
    """JSON for people: a key a line, but a series of plain values on one."""
    inner = indent + " "
    if isinstance(value, dict) and value:
        items = (f"{inner}{json.dumps(k)}: {format_json(v, inner)}" for k, v in value.items())
    elif isinstance(value, list) and any(isinstance(item, dict | list) for item in value):
        items = (inner + format_json(item, inner) for item in value)
    else:
        return json.dumps(value, allow_nan=False, ensure_ascii=False)
    left, right = "{}" if isinstance(value, dict) else "[]"
    return left + "\n" + ",\n".join(items) + f"\n{indent}{right}"


def json_schema() -> dict[str, Any]:
    """The JSON Schema of a result file, as published in docs/results.schema.json."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **Results.model_json_schema(by_alias=True),
    }


def first(problems: list[ErrorDetails]) -> str:
    """The first problem with its location: cases[3].trials[0].host_s[12]: ..."""
    steps = [f"[{step}]" if isinstance(step, int) else f".{step}" for step in problems[0]["loc"]]
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    return f"{''.join(steps).lstrip('.')}: {problems[0]['msg']}{more}"


if __name__ == "__main__":
    print(json.dumps(json_schema(), indent=2))
