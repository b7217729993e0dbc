"""The trace file, which `watari trace` writes, and `predict`, `advise`, `try` and `report` read.

The model reads allocations and phases. `observed` has further records of `watari trace`
(trace_observed.py). Sizes are in bytes, times in seconds.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field

from watari.common.errors import FileError
from watari.model.files import read_as
from watari.model.trace_observed import UNSEEN, Observed, Row, Size

SCHEMA = "watari-trace-1"


class AllocationRow(Row):
    """An allocation."""

    name: str
    bytes: Size


class AccessRow(Row):
    """Bytes that a processor reads and writes of an allocation in one sample of a phase."""

    allocation: str
    processor: Literal["cpu", "gpu"]
    read: Size
    written: Size
    passes: float = Field(default=1.0, gt=0, le=1e12)
    pattern: Literal["regular", "sparse"] = "regular"


class PhaseRow(Row):
    """Consecutive samples of one kind. `assumed`: what kernels access in it was not recorded; its
    accesses are guesses from copies and faults, and may lack most of them."""

    name: str
    repeats: int = Field(default=1, ge=1, le=10**12)
    accesses: list[AccessRow]
    assumed: bool = False


class Trace(Row):
    """A whole file."""

    schema_: Literal["watari-trace-1"] = Field(alias="schema")
    name: str
    allocations: list[AllocationRow]
    phases: list[PhaseRow] = Field(min_length=1)
    observed: Observed | None = None

    @property
    def assumed(self) -> str:
        """Why accesses of kernels are guesses; empty where they are not. Older files have no
        phase that says so."""
        if self.observed and self.observed.unseen:
            return self.observed.unseen
        return UNSEEN if any(phase.assumed for phase in self.phases) else ""


def read(path: Path) -> Trace:
    """The content of a trace file. Raises FileError that names the field."""
    trace = read_as(Trace, path, "trace")
    names = {allocation.name for allocation in trace.allocations}
    for phase in trace.phases:
        for access in phase.accesses:
            if access.allocation not in names:
                text = f"phase {phase.name} uses '{access.allocation}', which is no allocation"
                raise FileError(f"{path}: no trace: {text}")
    return trace
