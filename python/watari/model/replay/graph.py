"""The graph of a traced program: calls of CPU threads, operations of the GPU, and their order.

A thread is a sequence of calls with gaps between them. A call may add operations to a stream,
record an event, make a stream wait for an event, or wait itself. Times are nanoseconds since the
program began. `start` and `end` are measured; the other times are what a replay adds up:

    call       begin = end of the call before + gap
               end   = begin + own, or later: end of what it waits for + late
    operation  start = begin of its call + issue, end of what it follows + after,
                       or the time at which its engine has room + turn: the latest of them
               end   = start + takes
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
NONE = -1
# of the parts that a file of a graph holds as JSON: no unknown key, no guessed type
STRICT = {"extra": "forbid", "strict": True, "allow_inf_nan": False}


class Wait(IntEnum):
    """What a call waits for."""

    NOTHING = 0
    STREAM = 1
    EVENT = 2
    ALL = 3  # all work of a device
    OWN = 4  # the operations that it adds
    OPERATION = 5  # one operation, `on`
    BEFORE = 6  # what the operations that it adds follow


class Order(IntEnum):
    """How a call orders the operations of later calls."""

    NOTHING = 0
    RECORD = 1  # an event in a stream
    FOLLOW = 2  # the stream waits for an event


class Work(IntEnum):
    """The kind of an operation."""

    KERNEL = 0
    COPY = 1
    FILL = 2


class Role(IntEnum):
    """Where the time of a call itself counts."""

    CALL = 0  # launches, waits, and all others
    ALLOCATION = 1
    START = 2  # of CUDA


CALLS = np.dtype(
    [
        ("thread", "<i4"),
        ("start", "<f8"),
        ("end", "<f8"),
        ("function", "<i4"),
        ("role", "u1"),
        ("wait", "u1"),
        ("order", "u1"),
        ("on", "<i8"),  # a device, a stream, an event or an operation, as `wait` says
        ("stream", "<i4"),  # of `order`
        ("event", "<i8"),  # of `order`
        ("site", "<i4"),  # of a copy, prefetch, allocation or release, NONE where unknown
        ("bytes", "<f8"),  # of an allocation or release, 0 where unknown
        ("before", "<i8"),  # the call before it, NONE for the first one of the program
        ("migrates", "?"),  # managed memory moves in the gap, for the CPU
        ("records", "<u2"),  # of the call, and of those inside it
        ("aside", "<f8"),  # ns of tracing that were measured in the call itself
        ("gap", "<f8"),
        ("own", "<f8"),
        ("late", "<f8"),
        ("cost", "<f8"),  # ns of tracing that were taken out of gap, own and late
    ]
)
OPERATIONS = np.dtype(
    [
        ("call", "<i8"),
        ("work", "u1"),
        ("stream", "<i4"),
        ("engine", "<i4"),
        ("start", "<f8"),
        ("end", "<f8"),
        ("bytes", "<f8"),
        ("detail", "<i4"),  # of a copy: its direction, as CUPTI numbers it
        ("pageable", "?"),
        ("migrates", "?"),  # managed memory moves for it
        ("inside", "?"),  # a node of a CUDA graph: its order there is the measured one
        ("name", "<u8"),
        ("pair", "<i4"),  # of a copy: as those of the same bytes, source and target; or NONE
        ("takes", "<f8"),
        ("issue", "<f8"),
        ("after", "<f8"),
        ("turn", "<f8"),
        ("cost", "<f8"),  # ns of tracing that were taken out of issue or after
    ]
)


@dataclass(frozen=True)
class Stream:
    """A stream of a device. `default`: the legacy default stream, which waits for all blocking
    streams, and they for it."""

    __pydantic_config__ = STRICT
    device: int
    number: int
    blocking: bool = True
    default: bool = False


@dataclass(frozen=True)
class Tracing:
    """The cost of tracing, in ns: `call`: each record of a call; beyond it, `launch`, `copying`,
    `wait`, `record` (of an event) and `allocation` (or release); `node`: each node of a graph that
    a call launches; `returns`: the return from a wait for a kernel, and the start of that kernel;
    `behind`: an operation behind another one, on the GPU, `inside`: one of a graph; `once`: after
    the start of CUDA. `slower`, `migrating`, `pageable`: the part of the time of calls, of gaps and
    kernels in which managed memory moves, and of copies of pageable memory, that the traced run
    took longer. `start`, `end`: by which the start of CUDA and the end of the process took longer,
    or shorter. `noise`: by which the program's own runs differ between these."""

    __pydantic_config__ = STRICT
    call: float = 0.0
    launch: float = 0.0
    copying: float = 0.0
    wait: float = 0.0
    record: float = 0.0
    allocation: float = 0.0
    node: float = 0.0
    returns: float = 0.0
    behind: float = 0.0
    inside: float = 0.0
    slower: float = 0.0
    migrating: float = 0.0
    pageable: float = 0.0
    once: float = 0.0
    start: float = 0.0
    end: float = 0.0
    noise: float = 0.0


@dataclass(frozen=True)
class Machine:
    """The time of calls here without tracing, in ns: a launch, a wait for nothing, a launch with
    its wait; `empty`: a kernel that does nothing, by its record; `behind`: the same behind others.
    Pinned memory to the GPU and back, in bytes per second. 0: unknown."""

    __pydantic_config__ = STRICT
    launch: float = 0.0
    wait: float = 0.0
    launch_wait: float = 0.0
    empty: float = 0.0
    behind: float = 0.0
    to_gpu: float = 0.0
    to_cpu: float = 0.0


@dataclass(frozen=True)
class Join:
    """A call waits for another thread to end: it begins `lag` after call `other`, or later."""

    __pydantic_config__ = STRICT
    call: int
    other: int
    lag: float


@dataclass(frozen=True)
class Graph:
    """A program. `calls` are in order of their start, `operations` in order of their calls.
    `engines`: how many operations of each engine may run at once, as was seen. `ignored`: pairs of
    operations that overlap although the rules of streams order them. `last`: the call that ends
    last; `tail`: what follows it and all operations, with the end of the program."""

    calls: Array
    operations: Array
    streams: tuple[Stream, ...]
    engines: tuple[int, ...]
    functions: tuple[str, ...]
    names: dict[int, str] = field(default_factory=dict)
    joins: tuple[Join, ...] = ()
    sites: tuple[str, ...] = ()
    ignored: frozenset[tuple[int, int]] = frozenset()
    last: int = NONE
    tail: float = 0.0
    start_seconds: float = 0.0  # of the start of CUDA before the first call
    tracing: Tracing = Tracing()
    machine: Machine = Machine()

    @property
    def span(self) -> float:
        """Nanoseconds of the traced program."""
        ends = [float(rows["end"].max()) for rows in (self.calls, self.operations) if len(rows)]
        return max(ends, default=0.0) + self.tail
