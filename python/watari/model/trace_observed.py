"""The part `observed` of a trace file: what `watari trace` recorded, for people and the page."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

UNSEEN = "what its kernels touch was not recorded"
Size = Annotated[int, Field(ge=0, le=2**63 - 1)]
Seconds = Annotated[float, Field(ge=0, le=1e12)]
Nanoseconds = Seconds


class Row(BaseModel):
    """A part of a trace: no unknown key, no guessed type, no NaN or infinity."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, defer_build=True)


class Check(Row):
    """Pages of a known program that were recorded (attach/trace/check.py)."""

    pages: Size
    to_gpu: Size
    to_cpu: Size
    sparse: Size
    sparse_seen: Size
    gpu_faults: Size
    cpu_faults: Size
    reasons: list[str]


class Moved(Row):
    """Transfers and faults of an allocation."""

    name: str
    label: str
    site: str
    api: str
    kind: str
    bytes: Size
    lives: Size = 1
    moved: dict[str, Size]
    gpu_faults: Size
    cpu_faults: Size
    thrashing: Size


class Transfers(Row):
    """Transfers of one kind, allocation and call site."""

    how: str
    direction: str
    allocation: str
    site: str
    pageable: bool
    count: Size
    bytes: Size
    traced_seconds: Seconds


class Touched(Row):
    """An allocation that launches of a kernel touch."""

    allocation: str
    launches: Size
    bytes: Size
    reads: bool
    writes: bool

    @model_validator(mode="after")
    def check(self) -> Touched:
        if not (self.reads or self.writes):
            raise PydanticCustomError("touched", "is neither read nor written")
        return self


class Placement(Row):
    """Seconds of sampled launches of so many threads, with their memory `local`, `mapped` over the
    link, or `faulting` in: the median, lowest and highest. `bytes`: touched, 0 if unknown."""

    placement: Literal["local", "mapped", "faulting"]
    threads: Size
    launches: Size
    seconds: Seconds
    low: Seconds
    high: Seconds
    bytes: Size


class Kernel(Row):
    """Launches of a kernel. `symbol`: its mangled name, empty in older files. `unplaced`: why rows
    of `placements` are missing."""

    name: str
    symbol: str = ""
    launches: Size
    traced_seconds: Seconds
    sampled: Size
    touched: list[Touched]
    placements: list[Placement] = []
    unplaced: str = ""


class Cells(Row):
    """Bytes of an allocation by column of the heat map."""

    to_gpu: list[Size]
    to_cpu: list[Size]


class MovedInPhase(Row):
    """Bytes and faults of an allocation in a phase."""

    name: str
    to_gpu: Size = 0
    to_cpu: Size = 0
    gpu_faults: Size = 0
    cpu_faults: Size = 0
    thrashing: Size = 0


class Stretch(Row):
    """A phase as it was recorded."""

    processor: str
    start: float = Field(ge=-1e12, le=1e12)
    end: float = Field(ge=-1e12, le=1e12)
    kernels: dict[str, Size]
    to_gpu: Size
    to_cpu: Size
    allocations: list[MovedInPhase] = []


class Timeline(Row):
    """The heat map, and the phases."""

    seconds: Seconds
    columns: int = Field(ge=1, le=10_000)
    rows: list[Cells]
    phases: list[Stretch]

    @model_validator(mode="after")
    def check(self) -> Timeline:
        for row in self.rows:
            if {len(row.to_gpu), len(row.to_cpu)} != {self.columns}:
                raise PydanticCustomError("rows", "not every row has all columns")
        return self


class Met(Row):
    """A thing in a program that its replay cannot know, or takes out."""

    word: str
    text: str
    stops: bool


class Cost(Row):
    """The cost of tracing. `factors`: of the costs that a burst of calls gave; `slower`: the part
    of the time of calls, `migrating`: of gaps and kernels with migrations, `pageable`: of pageable
    copies, less than 0 where the traced run was faster; `start_s`, `end_s`: likewise of the start
    of CUDA and the end of the process."""

    call_ns: Nanoseconds
    launch_ns: Nanoseconds
    copy_ns: Nanoseconds
    wait_ns: Nanoseconds = 0
    record_ns: Nanoseconds = 0
    allocation_ns: Nanoseconds = 0
    returns_ns: Nanoseconds = 0
    node_ns: Nanoseconds = 0
    behind_ns: Nanoseconds = 0
    inside_ns: Nanoseconds = 0
    noise_ns: Nanoseconds = 0
    slower: float = Field(0, ge=-1, le=1)
    migrating: float = Field(0, ge=-1, le=1)
    pageable: float = Field(0, ge=-1, le=1)
    once_s: Seconds
    start_s: float = Field(0, ge=-1e12, le=1e12)
    end_s: float = Field(0, ge=-1e12, le=1e12)
    factors: dict[str, float] = {}


class FirstTouches(Row):
    """Page faults of the CPU in the run as it is, beyond those of the start of CUDA; those that are
    `left` in a run with huge pages. Nanoseconds of the first touch of a page and its release, and
    of as much of a huge page."""

    pages: Size
    left: Size | None = None  # None: there was no such run
    small_ns: Nanoseconds
    huge_ns: Nanoseconds


class Replay(Row):
    """The replay of the program without tracing. `untraced`: runs as it is, `untraced_starts`
    until their first context. `first_touches`: where the program can be given huge pages."""

    seconds: Seconds
    untraced_seconds: float = Field(gt=0, le=1e12)
    untraced: list[Seconds] = []
    untraced_starts: list[Seconds] = []
    traced_seconds: Seconds
    shares: dict[str, Seconds]
    met: list[Met]
    stops: bool
    cost: Cost
    calls: Size
    operations: Size
    first_touches: FirstTouches | None = None
    graph: str = ""
    graph_digest: str = ""


class Observed(Row):
    """Further records of `watari trace`."""

    command: str
    machine: str = ""
    complete: bool
    incomplete: list[str]
    untraced_seconds: float = Field(gt=0, le=1e12)
    traced_seconds: Seconds
    traced_once_seconds: Seconds
    ended: str
    ended_untraced: str
    check_: Check = Field(alias="check")
    processes: Size
    touches: str
    cupti: Size
    findings: list[str]
    allocations: list[Moved]
    transfers: list[Transfers]
    kernels: list[Kernel]
    timeline: Timeline
    replay: Replay | None = None

    @property
    def unseen(self) -> str:
        """Why nothing is known of what kernels touch; empty if some is, or there are none."""
        if not self.kernels or any(row.sampled or row.placements for row in self.kernels):
            return ""
        return UNSEEN + (f" ({self.touches})" if self.touches else "")

    @model_validator(mode="after")
    def check(self) -> Observed:
        if len(self.timeline.rows) != len(self.allocations):
            raise PydanticCustomError("rows", "timeline.rows lacks a row of an allocation")
        return self
