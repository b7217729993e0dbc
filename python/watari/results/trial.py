"""A trial in the result file (schema.py): its samples, and what was recorded beside them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from watari.machine.record import Count, Record
from watari.results import consistency
from watari.results.consistency import MOST_SECONDS

Status = Literal["ok", "wrong", "unsupported", "failed"]
LEAST_SECONDS, MOST = 1e-12, 1e30  # finer than any clock; beyond any count or rate
Seconds = Annotated[float, Field(ge=LEAST_SECONDS, le=MOST_SECONDS)]
Number = Annotated[float, Field(ge=-MOST, le=MOST)]
Scalar = str | bool | int | Number | None


class Phase(Record):
    """A named part of a series: samples first <= i < last."""

    name: str = Field(description="gpu-1, cpu, gpu-2; first, migrating, steady")
    first: Count = Field(description="index of its first sample")
    last: Count = Field(description="index after its last sample")


class Quantity(Record):
    """One number of a trial that is not a series."""

    value: Number
    unit: str = Field(description="s, B, B/s, 1/s, s/GB, 1")

    @model_validator(mode="after")
    def check(self) -> Quantity:
        if self.unit == "s":
            consistency.check_seconds(("value",), self.value)
        return self


class Histogram(Record):
    """How often which time was seen: `count[i]` times from `low[i]` up to `high[i]`."""

    unit: str = Field(description="s")
    low: list[Number]
    high: list[Number]
    count: list[Count]

    @model_validator(mode="after")
    def check(self) -> Histogram:
        for name, values in (("low", self.low), ("high", self.high)):
            if len(values) != len(self.count):
                text = f"has {len(values)} values, and count {len(self.count)}"
                raise consistency.wrong((name,), text, len(values))
        return self


class Residency(Record):
    """On which side the bytes of an array lie, and how that was determined."""

    method: str = Field(
        description="pagemap (present on the CPU side or not), move_pages (NUMA node of each "
        "page) or by-kind (the kind of memory leaves no choice)"
    )
    bytes: Count = Field(description="size of the array, in bytes")
    cpu: Count = Field(description="bytes on the CPU side")
    gpu: Count | None = Field(
        default=None, description="bytes in GPU memory; null where the method does not report it"
    )
    untold: Count = Field(default=0, description="bytes that the method does not report")
    nodes: dict[str, Count] = Field(default={}, description="bytes by NUMA node, if known")


class Picture(Record):
    """A plane through a field at the end, coarse: a character a cell."""

    unit: str = Field(description="m/s")
    most: Number = Field(gt=0, description="the value of level 63")
    width: Number = Field(gt=0, description="of a row, in m")
    height: Number = Field(gt=0, description="of all rows, in m")
    at: Number = Field(description="where the plane lies on its third axis, in m")
    rows: list[Annotated[str, Field(pattern=r"^[A-Za-z0-9+/.]+$")]] = Field(
        min_length=1,
        description="from below; a cell is a digit of base 64 (A to Z, a to z, 0 to 9, +, /), its "
        "level from 0 to 63, or a full stop: solid",
    )

    @model_validator(mode="after")
    def check(self) -> Picture:
        if any(len(row) != len(self.rows[0]) for row in self.rows):
            raise consistency.wrong(("rows",), "are not of one length", len(self.rows))
        return self


class Trial(Record):
    """A series of samples in a fresh process."""

    status: Status
    error: str | None = Field(default=None, description="why it is not ok")
    started: str = Field(description="when, ISO 8601, UTC")
    ranks: int = Field(default=1, ge=1, description="processes")
    host_s: list[Seconds] = Field(
        default=[], description="every sample in order by the host's clock, in s"
    )
    device_s: list[Seconds] | None = Field(
        default=None, description="the same samples by device events, in s"
    )
    series: dict[str, list[Number]] = Field(
        default={},
        description="others by sample: cpu_mapped_fraction.source (0 to 1), return_s (s), ...",
    )
    phases: list[Phase] = Field(default=[], description="parts of the series, in order")
    quantities: dict[str, Quantity] = Field(
        default={}, description="peak_rss, threads, setup_s (process start to first sample), ..."
    )
    histograms: dict[str, Histogram] = Field(
        default={}, description="times of single requests: latency"
    )
    pictures: dict[str, Picture] = Field(
        default={}, description="planes through a field at the end: speed.plan, speed.cut"
    )
    notes: list[str] = Field(
        default=[], description="what a reader must know, such as a compatibility mode"
    )
    residency_before: dict[str, Residency] = Field(
        default={}, description="by array, before the first sample"
    )
    residency_after: dict[str, Residency] = Field(
        default={}, description="by array, after the last sample, before verification"
    )
    verified: bool | None = Field(
        default=None,
        description="the case's verification passed; null: no known value to compare with",
    )

    @model_validator(mode="after")
    def check(self) -> Trial:
        if self.status == "ok" and not self.host_s:
            raise consistency.wrong(("host_s",), "is empty in a trial that is ok", 0)
        consistency.check_series(len(self.host_s), self.device_s, self.series)
        consistency.check_phases(self.phases, len(self.host_s))
        return self
