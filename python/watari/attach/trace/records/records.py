"""Reads the records of the injected library; src/attach/injected/records/format.hpp has the format.

A process has three files: records of 64 bytes, calls of 32 bytes, and lines of text that both refer
to. The file of a killed process ends in a partial record or line: only whole ones count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path
from typing import Any

import numpy as np

from watari.attach.events import Frame
from watari.common.errors import FileError

FORMAT = 2
Array = np.ndarray[Any, Any]
RECORD = np.dtype(
    [
        ("kind", "<u4"),
        ("detail", "<u4"),
        ("start", "<u8"),
        ("end", "<u8"),
        ("address", "<u8"),
        ("bytes", "<u8"),
        ("device", "<u4"),
        ("stream", "<u4"),
        ("correlation", "<u4"),
        ("flags", "<u4"),
        ("name", "<u8"),
    ]
)
CALL = np.dtype(
    [
        ("start", "<u8"),
        ("end", "<u8"),
        ("thread", "<u4"),
        ("correlation", "<u4"),
        ("function", "<u4"),
        ("result", "<u4"),
    ]
)
SITE = re.compile(r"(?P<module>.*)\+0x(?P<offset>[0-9a-f]+)")


class Kind(IntEnum):
    """The kind of a record."""

    BEGIN = 1
    KERNEL = 2
    COPY = 3
    FILL = 4
    COUNTER = 5
    WAIT = 6
    CALL = 7
    PREFETCH = 8
    CONTEXT = 9
    DROPPED = 10
    EVICTED = 11
    END = 12
    UNSAMPLED = 13
    TOUCHED = 14
    EVENT = 15
    STREAM = 16
    FLUSHED = 17
    PLACED = 18
    STOPPED = 19
    UNMOVED = 20


class Copy(IntEnum):
    """CUpti_ActivityMemcpyKind, without those between arrays."""

    TO_GPU = 1
    TO_CPU = 2
    TO_ARRAY = 3
    FROM_ARRAY = 4
    ON_GPU = 8
    ON_CPU = 9
    PEER = 10


class Counter(IntEnum):
    """CUpti_ActivityUnifiedMemoryCounterKind."""

    TO_GPU = 1
    TO_CPU = 2
    CPU_FAULT = 3
    GPU_FAULT = 4
    THRASHING = 5
    THROTTLING = 6
    REMOTE_MAP = 7
    GPU_TO_GPU = 8


PAGEABLE = 1  # CUpti_ActivityMemoryKind
WRITES = (2, 3)  # CUpti_ActivityUnifiedMemoryAccessType: write, atomic


def columns(rows: Array, *names: str) -> Iterator[tuple[Any, ...]]:
    """These fields of each row, as Python's numbers: reading NumPy values one by one is far
    slower."""
    return zip(*(rows[name].tolist() for name in names), strict=True)


@dataclass
class Recorded:
    """The records of one process. `sites`: call stacks, as module and offset, innermost first."""

    pid: int
    records: Array
    names: dict[int, str] = field(default_factory=dict)
    symbols: dict[int, str] = field(default_factory=dict)  # of kernels: mangled names
    sites: dict[int, tuple[Frame, ...]] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    calls: Array = field(default_factory=lambda: np.zeros(0, CALL))
    functions: dict[int, str] = field(default_factory=dict)  # names of CUDA's functions
    unplaced: dict[int, list[str]] = field(default_factory=dict)  # reasons, by kernel
    by_kind: dict[Kind, Array] = field(default_factory=dict, init=False, repr=False, compare=False)

    def of(self, kind: Kind) -> Array:
        """The records of one kind, by time."""
        if kind not in self.by_kind:
            found = self.records[self.records["kind"] == kind]
            self.by_kind[kind] = found[np.argsort(found["start"], kind="stable")]
        return self.by_kind[kind]

    def counters(self, counter: Counter) -> Array:
        """The records of one counter of unified memory."""
        found = self.of(Kind.COUNTER)
        own: Array = found[found["detail"] == counter]
        return own

    @property
    def cupti(self) -> int:
        """CUPTI's version; 0 where it was not loaded."""
        begun = self.of(Kind.BEGIN)
        return int(begun["bytes"][0]) if len(begun) else 0

    @property
    def dropped(self) -> int:
        """Records that CUPTI had no room for."""
        return int(self.of(Kind.DROPPED)["bytes"].sum())

    @property
    def once(self) -> float:
        """Seconds that tracing takes once, independent of how long the program runs."""
        ended = self.of(Kind.END)
        return sum(float(ended[name].sum()) for name in ("address", "bytes", "end")) * 1e-9

    @property
    def collecting(self) -> tuple[float, float]:
        """Begin and end (seconds of CLOCK_MONOTONIC) of the wait for late records, which follows
        the program's own work; (0, 0) without one."""
        ended = self.of(Kind.END)
        if not len(ended):
            return 0.0, 0.0
        end = float(ended["start"][0])
        return (end - float(ended["end"][0])) * 1e-9, end * 1e-9

    @property
    def destroyed(self) -> int:
        """Records that were written before the end, and that the file lacks by now."""
        ends = np.flatnonzero(self.records["kind"] == Kind.END)
        if not len(ends):
            return 0
        left = np.count_nonzero(self.records["kind"][: ends[0]])
        return int(self.records["name"][ends[0]]) - int(left)

    @property
    def flushing(self) -> int:
        """Nanoseconds that flushing took in the program's calls."""
        return int(self.of(Kind.FLUSHED)["bytes"].sum())

    @property
    def ended(self) -> bool:
        """Whether the program came to its end and everything was flushed."""
        return len(self.of(Kind.END)) > 0


def read_notes(path: Path, into: Recorded) -> None:
    """Reads the lines of text: the `name` of a kernel, why it is `unplaced`, the `call` of a
    function, the `site` of a copy, an `error`."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return
    for line in text.split("\n")[:-1]:
        word, _, numbered = line.partition(" ")
        number, _, rest = numbered.partition(" ")
        if not number.isdecimal():  # a partial line, left by a full disk or a signal
            continue
        if word == "name":
            into.names[int(number)] = rest
        elif word == "call":
            into.functions[int(number)] = rest
        elif word == "unplaced":
            into.unplaced.setdefault(int(number), []).append(rest)
        elif word == "site":
            frames = (SITE.fullmatch(frame) for frame in rest.split("\t"))
            into.sites[int(number)] = tuple(
                Frame(f["module"], int(f["offset"], 16)) for f in frames if f
            )
        else:
            into.errors.append(rest)


def rows(path: Path, row: np.dtype[Any]) -> Array:
    """The whole rows of a file, none where there is no file."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return np.zeros(0, row)
    return np.frombuffer(data[: len(data) // row.itemsize * row.itemsize], row)


def read_process(path: Path) -> Recorded:
    """Reads one process. Raises FileError for another version of the format."""
    process = Recorded(int(path.stem.partition("-")[2]), rows(path, RECORD))
    process.calls = rows(path.with_name(f"calls-{process.pid}.bin"), CALL)
    read_notes(path.with_name(f"notes-{process.pid}.txt"), process)
    begun = process.of(Kind.BEGIN)
    if len(begun) and begun["detail"][0] != FORMAT:
        raise FileError(f"{path}: records of format {begun['detail'][0]}, not {FORMAT}")
    return process


def read(folder: Path) -> list[Recorded]:
    """Reads all processes that loaded the library."""
    return [read_process(path) for path in sorted(folder.glob("records-*.bin"))]
