"""A program as the model sees it: allocations, phases, and the style that keeps them.

A program comes from the profile of a case, or from a trace file, which is JSON:

    {"schema": "watari-trace-1", "name": "a.out", "allocations": [{"name": "A", "bytes": 8000000}],
     "phases": [{"name": "fill", "repeats": 1, "accesses": [
        {"allocation": "A", "processor": "cpu", "read": 0, "written": 8000000}]}]}

Every phase of a trace is timed, in order. A trace has no style: the reader predicts it in each one.
`observed` has further records of `watari trace`, for people and its page: the model does not read
it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from watari.case.profile import Access, Allocation, Phase, Profile
from watari.common.errors import FileError, UnsupportedError
from watari.model.files import read_as

SCHEMA = "watari-trace-1"
Size = Field(ge=0, le=2**63 - 1)


@dataclass(frozen=True)
class Program:
    """A program: allocations and phases, in order. `before` and `after` are outside the timed
    samples; for a trace both are empty. `measured`: parts that a trial of the case times, None for
    all of them."""

    name: str
    style: str
    allocations: Mapping[str, Allocation]
    phases: tuple[Phase, ...]
    before: tuple[Phase, ...] = ()
    after: tuple[Phase, ...] = ()
    measured: frozenset[str] | None = None

    def with_style(self, style: str) -> Program:
        """The same work with its allocations kept in another way."""
        return replace(self, style=style)

    def repeated(self, samples: list[int]) -> Program:
        """The program with these numbers of samples in its phases: those that a trial had."""
        phases = tuple(replace(p, repeats=n) for p, n in zip(self.phases, samples, strict=True))
        return replace(self, phases=phases)


def of_profile(name: str, profile: Profile, outside: Mapping[str, str]) -> Program:
    """The program of a case's trial. Raises UnsupportedError where its profile has none."""
    if not profile.allocations:
        raise UnsupportedError(
            f"what {name} accesses with these parameters is not in the model (requests to a "
            "store, tiles, dependent loads, several ranks or processes)"
        )
    return Program(
        name,
        profile.style,
        {a.name: a for a in profile.allocations},
        profile.phases,
        profile.before,
        profile.after,
        frozenset({"first", "moving", "steady", *outside.values()}),
    )


class Row(BaseModel):
    """A part of a trace: no unknown key, no guessed type."""

    model_config = ConfigDict(extra="forbid", strict=True)


class AllocationRow(Row):
    """An allocation."""

    name: str
    bytes: int = Size


class AccessRow(Row):
    """Bytes that a processor reads and writes of an allocation in one sample of a phase."""

    allocation: str
    processor: Literal["cpu", "gpu"]
    read: int = Size
    written: int = Size
    passes: float = Field(default=1.0, gt=0, le=1e12)
    pattern: Literal["regular", "sparse"] = "regular"


class PhaseRow(Row):
    """Consecutive samples of one kind."""

    name: str
    repeats: int = Field(default=1, ge=1, le=10**12)
    accesses: list[AccessRow]


class Trace(Row):
    """A whole file."""

    schema_: Literal["watari-trace-1"] = Field(alias="schema")
    name: str
    allocations: list[AllocationRow]
    phases: list[PhaseRow] = Field(min_length=1)
    observed: dict[str, Any] | None = None


def read_observed(path: Path) -> dict[str, Any]:
    """What a trace file observed; empty where it has only accesses."""
    return read_as(Trace, path, "trace").observed or {}


def read_trace(path: Path) -> Program:
    """The program of a trace file. Raises FileError that states the error in the file."""
    trace = read_as(Trace, path, "trace")
    allocations = {a.name: Allocation(a.name, a.bytes) for a in trace.allocations}
    for phase in trace.phases:
        for access in phase.accesses:
            if access.allocation not in allocations:
                text = f"phase {phase.name} uses '{access.allocation}', which is no allocation"
                raise FileError(f"{path}: no trace: {text}")
    phases = tuple(
        Phase(
            phase.name,
            sum(a.read + a.written for a in phase.accesses),
            accesses=tuple(Access(**a.model_dump()) for a in phase.accesses),
            repeats=phase.repeats,
        )
        for phase in trace.phases
    )
    return Program(trace.name, "", allocations, phases)


def side(processor: str) -> str:
    """`gpu` of `gpu:1`."""
    return processor.partition(":")[0]
