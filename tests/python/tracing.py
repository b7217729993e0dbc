"""Traces for tests: records made by hand, and programs traced on the driver without a GPU."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import commanded
import emulator
import numpy as np
from tried import program

from watari.attach.events import Allocation, Events, Frame, Process
from watari.attach.trace.observed import observed
from watari.attach.trace.observed.touched import Touches
from watari.attach.trace.records.records import FORMAT, RECORD, Copy, Counter, Kind, Recorded
from watari.model import trace_file

MIB = 2**20
MILLISECOND = 1_000_000
READ, WRITE = 1, 2
# seconds that a trace may take beyond those of the program: the machine may be busy
WHOLE = 300.0
PAGEABLE, PINNED, DEVICE = 1, 2, 3


def record(kind: Kind, start: float, end: float = 0, **fields: int) -> np.ndarray:
    """One record; times in milliseconds."""
    row = np.zeros(1, RECORD)
    row["kind"] = kind
    row["start"], row["end"] = int(start * MILLISECOND), int(end * MILLISECOND)
    for name, value in fields.items():
        row[name] = value
    return row


def kernel(start: float, end: float, name: int = 1, correlation: int = 0) -> np.ndarray:
    return record(Kind.KERNEL, start, end, name=name, correlation=correlation)


def copy(start, end, size, host, device, correlation, kind=Copy.TO_GPU, memory=PAGEABLE):
    """A copy between host and GPU memory, and its call."""
    to_gpu = kind == Copy.TO_GPU
    flags = memory | DEVICE << 8 if to_gpu else DEVICE | memory << 8
    call = record(Kind.CALL, start, bytes=size, correlation=correlation, name=77)
    call["address"], call["end"] = (host, device) if to_gpu else (device, host)
    moved = record(
        Kind.COPY, start, end, detail=kind, bytes=size, correlation=correlation, flags=flags
    )
    return np.concatenate([call, moved])


def counter(what: Counter, start: float, address: int, value: int, flags: int = 0) -> np.ndarray:
    return record(
        Kind.COUNTER, start, start + 0.01, detail=what, address=address, bytes=value, flags=flags
    )


def process(*parts: np.ndarray, pid: int = 1) -> Recorded:
    """A process that ended, whose kernels 1 and 2 are `first` and `second`."""
    begun = record(Kind.BEGIN, 0, detail=FORMAT, bytes=130000)
    before = np.concatenate([begun, *parts])
    rows = np.concatenate([before, record(Kind.END, 1000, name=len(before))])
    names = {1: "first", 2: "second"}
    return Recorded(pid, rows, names, {77: (Frame("/nowhere/a.out", 0x10),)})


def allocation(pointer: int, size: int, site: str = "aa", kind: str = "device", **times: float):
    """An allocation of process 1; times in seconds."""
    return Allocation(
        1, site, 0, "cuMemAlloc", pointer, size, kind, kind, 0, times.get("begun", 0.0), 0.0, 0,
        times.get("ended"),
    )  # fmt: skip


def events(*allocations: Allocation) -> Events:
    one = Process(1, "/nowhere/a.out", "as-is", 0.0, 0.01)
    one.allocations.extend(allocations)
    sites = {a.site: (Frame("/nowhere/a.out", 0x20),) for a in allocations}
    return Events([one], sites)


def watari(
    cwd: Path,
    *words: str,
    stdin: Any = subprocess.DEVNULL,
    code: int | None = None,
    **variables: object,
) -> subprocess.CompletedProcess[str]:
    """Runs a command on a machine with the made-up driver and CUPTI. `code`: as it should end."""
    environment = emulator.environment(**{"WATARI_CUPTI": emulator.cupti(), **variables})
    values = {"watari.attach.trace.sampled.WHOLE": WHOLE}
    return commanded.watari(cwd, words, environment, stdin, code, values)


def trace(cwd: Path, name: str, *words: str, options=(), code=None, **variables: object):
    """`watari trace` of a program; how it ended, and the file if any."""
    ended = watari(cwd, "trace", *options, "--", program(name), *words, code=code, **variables)
    path = cwd / "trace.json"
    if not path.is_file():
        return ended, None
    trace_file.read(path)  # has every field, as readers require
    return ended, json.loads(path.read_text())


def seen(of, allocations, touches=None):
    """The observations of records, and their call sites."""
    return observed.seen_of(of, events(*allocations), touches or Touches(), 1.0)


def file_of(of, allocations, touches=None):
    """The content of a trace made of records."""
    found, sites = seen(of, allocations, touches)
    facts = {
        "command": "./a.out", "complete": True, "incomplete": [], "untraced_seconds": 1.0,
        "traced_seconds": 2.0, "traced_once_seconds": 0.1, "ended": "", "ended_untraced": "",
        "processes": 1, "touches": "",
        "cupti": 130000,
        "check": {"pages": 1, "to_gpu": 1, "to_cpu": 1, "sparse": 1, "sparse_seen": 1,
                  "gpu_faults": 1, "cpu_faults": 1, "reasons": []},
    }  # fmt: skip
    return observed.trace("a.out", found, sites.copies, facts)


def example():
    """Records of a program that copies, computes and copies back, and its allocations."""
    a = 0x10000000
    of = process(copy(1, 2, MIB, 5, a, 8), kernel(3, 4), copy(5, 6, MIB, 5, a, 9, Copy.TO_CPU))
    return of, [allocation(a, MIB)]
