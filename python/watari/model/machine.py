"""A machine profile: the seconds of elementary steps on a machine, by size, each with its spread.

A curve has points (bytes, seconds), ascending in both. Between two points seconds are linear in
bytes: a latency and a rate. Below the first point they are constant if its size is small (a latency
then), else at its rate; beyond the last point the last rate holds. So more bytes never take less
time. `low` and `high` are the seconds that single samples and other sessions may take instead.
Where a rate is used for a size that was not measured, they are FURTHER wider for each factor of
two.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Sequence
from math import log2
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from watari.case.sentence import Cost
from watari.common.files import write_atomically
from watari.common.places import portable
from watari.machine.record import Machine, Record
from watari.model.files import read_as
from watari.model.walk import Traits

SCHEMA = "watari-machine-1"
FURTHER = 0.05
LATENCY = 2**22  # bytes: a smallest measured size up to this is a latency, for any size below
Seconds = Annotated[float, Field(gt=0, le=1e9)]


class Point(Record):
    """Seconds of a step on `bytes`."""

    bytes: Annotated[float, Field(gt=0, le=2**63)] = Field(description="what the step moves")
    seconds: Seconds = Field(description="the middle")
    low: Seconds = Field(description="nine samples of ten took as long or longer, and")
    high: Seconds = Field(description="this or less; never nearer than 3% to the middle")

    @model_validator(mode="after")
    def ordered(self) -> Point:
        """low <= seconds <= high."""
        if not self.low <= self.seconds <= self.high:
            raise PydanticCustomError("order", "low, seconds and high must ascend")
        return self


class Curve(Record):
    """The seconds of one kind of step, by size."""

    points: list[Point] = Field(min_length=1, description="ascending in bytes and seconds")
    source: str = Field(description="result file and case, or publication, that it is from")

    @model_validator(mode="after")
    def ascending(self) -> Curve:
        """More bytes take no less time."""
        for one, other in zip(self.points, self.points[1:], strict=False):
            ends = [(p.bytes, p.seconds, p.low, p.high) for p in (one, other)]
            if any(later < earlier for earlier, later in zip(*ends, strict=True)):
                raise PydanticCustomError("order", "points must ascend in bytes and seconds")
        return self

    def cost(self, size: float) -> Cost:
        """Seconds of a step on `size` bytes."""
        if size <= 0:
            return Cost(0.0, 0.0, 0.0)
        sizes = [p.bytes for p in self.points]
        middle, low, high = (
            at(size, sizes, [getattr(p, name) for p in self.points])
            for name in ("seconds", "low", "high")
        )
        wider = 1 + FURTHER * self.doublings(size)
        return Cost(middle, low / wider, high * wider)

    def doublings(self, size: float) -> float:
        """Factors of two from a size to the measured ones, where a rate replaces a measurement."""
        first, last = self.points[0].bytes, self.points[-1].bytes
        below = log2(first / size) if first > LATENCY else 0.0
        return max(0.0, below, log2(size / last))


def at(size: float, sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """Linear between points; outside them constant or at a rate, as the head of this module
    states."""
    index = bisect_right(sizes, size)
    if index == 0:
        return seconds[0] * (1 if sizes[0] <= LATENCY else size / sizes[0])
    if index == len(sizes):
        return seconds[-1] * size / sizes[-1]
    part = (size - sizes[index - 1]) / (sizes[index] - sizes[index - 1])
    return seconds[index - 1] + part * (seconds[index] - seconds[index - 1])


class Refused(Record):
    """A measurement that the profile did not take."""

    what: str
    why: str


class Contention(Record):
    """Several processes at once: the slowdown of each against one alone."""

    key: str = Field(description="the step")
    processes: Annotated[int, Field(ge=2)]
    factor: Seconds = Field(description="seconds of each of them over seconds of one alone")


class Rate(Record):
    """The rate of a store."""

    what: str = Field(description="engine, direction, block")
    rate: Annotated[float, Field(gt=0)] = Field(description="GB/s")
    low: Annotated[float, Field(gt=0)]
    high: Annotated[float, Field(gt=0)]


class Latency(Record):
    """The latency of a load that needs the one before."""

    what: str = Field(description="processor, memory, size")
    seconds: Seconds


class Scaled(Record):
    """The origin of the profile of a machine that was not measured (profiles/scaled.py)."""

    machine: str = Field(description="the measured machine")
    ratios: dict[str, Annotated[float, Field(gt=0)]] = Field(
        description="by limit: that of this machine over that of the measured one"
    )
    same_cpu: bool = Field(description="whether both have the same CPU, with as many cores")


class MachineProfile(Record):
    """The facts that `predict` and `advise` use of a machine."""

    schema_: Literal["watari-machine-1"] = Field(default="watari-machine-1", alias="schema")
    name: str = Field(description="of the machine")
    title: str = Field(default="", description="one line for people")
    kind: Literal["measured", "published", "scaled", "imaginary"] = Field(
        description="where its numbers are from"
    )
    sources: list[str] = Field(default=[], description="result files, probes or publications")
    machine: Machine = Field(description="as in a result file; defaults of axes come from it")
    curves: dict[str, Curve] = Field(
        description="by step: `transfer pinned device`, `pass gpu`, ..."
    )
    duplex: Annotated[float, Field(ge=0, le=1)] = Field(
        default=0.3, description="part of the shorter direction that both at once add to the longer"
    )
    duplex_known: bool = Field(default=False, description="whether that was measured")
    route: Literal["", "ats", "hmm", "unified"] = Field(
        default="", description="how the GPU reaches memory of malloc"
    )
    counter_samples: Annotated[float, Field(ge=0)] = Field(
        default=0, description="passes of the GPU until access counters have moved the pages"
    )
    contention: list[Contention] = Field(default=[], description="several processes at once")
    stores: list[Rate] = Field(default=[], description="files, by what asks for them")
    latencies: list[Latency] = Field(default=[], description="of dependent loads")
    refused: list[Refused] = Field(default=[], description="measurements that cannot be true")
    scaled: Scaled | None = Field(default=None, description="for the kind `scaled`: how")

    @model_validator(mode="after")
    def says_what_was_scaled(self) -> MachineProfile:
        """`scaled` is set for that kind, and for no other."""
        if (self.kind == "scaled") != (self.scaled is not None):
            raise PydanticCustomError("scaled", "kind 'scaled' and the field go together")
        return self

    @property
    def traits(self) -> Traits:
        """The facts that the walk through a program needs."""
        return Traits(self.route, self.counter_samples)

    def record(self) -> dict[str, Any]:
        """The machine as cases and limits read it."""
        return self.machine.model_dump(mode="json", by_alias=True)


def read(path: Path) -> MachineProfile:
    """A machine profile from a file. Raises FileError that names the field."""
    return read_as(MachineProfile, path, "machine profile")


def write(profile: MachineProfile, path: Path) -> None:
    """Writes the profile to a file, atomically, with short paths. Raises FileError."""
    text = json.dumps(portable(profile.model_dump(mode="json", by_alias=True)), indent=1)
    write_atomically(path, text + "\n")
