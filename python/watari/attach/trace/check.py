"""Checks whether driver, CUPTI and library lose records, with a program of known touches.

src/attach/injected/touches/touches.cpp states its touches. Records of unified memory do get lost:
on an H200 one of three runs of a program missed 9% of its transfers, and CUPTI reported none as
dropped.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from watari.attach.entry import PACKAGE
from watari.attach.start import Ending, Start, run
from watari.attach.trace.records import records
from watari.attach.trace.records.records import Counter, Kind, Recorded
from watari.common.errors import UnsupportedError, WatariError

PROGRAM = "watari_touches"
PAGE = 64 * 1024  # bytes that a fault moves at least
SECONDS = 60.0


@dataclass(frozen=True)
class Check:
    """Recorded pages of 64 KiB against known ones. `to_gpu`, `to_cpu`: recorded pages of the dense
    part (`pages`) in each direction. `sparse_seen`: recorded pages of the sparse part, single bytes
    every 2 MiB (`sparse`). `reasons`: why traces are incomplete."""

    pages: int
    to_gpu: int
    to_cpu: int
    sparse: int
    sparse_seen: int
    gpu_faults: int
    cpu_faults: int
    reasons: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """The check as plain values, for the trace file."""
        return {**vars(self), "reasons": list(self.reasons)}


def pages_of(process: Recorded, counter: Counter, first: int, size: int) -> set[int]:
    """Numbers of the pages of a range that transfers cover, counted from its start."""
    rows = process.counters(counter)
    covered: set[int] = set()
    for row in rows:
        begin, end = int(row["address"]) - first, int(row["address"]) + int(row["bytes"]) - first
        if end > 0 and begin < size:
            covered.update(range(max(begin, 0) // PAGE, -(-min(end, size) // PAGE)))
    return covered


def judged(process: Recorded, truth: Mapping[str, int]) -> Check:
    """The verdict on a run of the program, whose output is `truth`."""
    first, dense = truth["address"], truth["dense"]
    pages = dense // PAGE
    to_gpu = len(pages_of(process, Counter.TO_GPU, first, dense))
    to_cpu = len(pages_of(process, Counter.TO_CPU, first, dense))
    sparse_at = first + truth["sparse_from"]
    sparse_size = truth["bytes"] - truth["sparse_from"]
    step = truth["sparse_step"] // PAGE
    seen = {p // step for p in pages_of(process, Counter.TO_GPU, sparse_at, sparse_size)}
    gpu_faults, cpu_faults = (
        len(process.counters(c)) for c in (Counter.GPU_FAULT, Counter.CPU_FAULT)
    )
    reasons = []
    for name, count in (("to the GPU", to_gpu), ("to the CPU", to_cpu)):
        if count < pages:
            reasons.append(f"of {pages} pages that move {name} for certain, {count} were recorded")
    if not gpu_faults or not cpu_faults:
        reasons.append(f"{gpu_faults} faults of the GPU and {cpu_faults} of the CPU were recorded")
    if process.dropped:
        reasons.append(f"CUPTI dropped {process.dropped} records")
    if not process.ended:
        reasons.append("the records do not reach the end of the program")
    if len(process.of(Kind.KERNEL)) != 2:
        reasons.append(f"of 2 kernels, {len(process.of(Kind.KERNEL))} were recorded")
    sparse = sparse_size // truth["sparse_step"]
    return Check(pages, to_gpu, to_cpu, sparse, len(seen), gpu_faults, cpu_faults, tuple(reasons))


def said(ending: Ending) -> dict[str, Any]:
    """The output of a program of ours: an object of JSON. Raises WatariError where it was cut."""
    try:
        return dict(json.loads(ending.output.read_text()))
    except (OSError, ValueError, TypeError):
        raise WatariError(
            f"the output of {PROGRAM} was cut off: make room for temporary files, or set TMPDIR"
        ) from None


def check(variables: Mapping[str, str], files: Path) -> Check:
    """Traces the program of known touches. Raises UnsupportedError with the reason where nothing
    can be traced here."""
    program = Path(PACKAGE) / PROGRAM
    if not program.is_file():
        raise UnsupportedError(
            "this build of Watari cannot trace: CUPTI's headers (cuda-cupti-dev) were missing"
        )
    ending = run(Start((str(program),), SECONDS), variables, files)
    processes = records.read(files)
    errors = [error for process in processes for error in process.errors]
    if errors:
        raise UnsupportedError(f"CUPTI cannot be used: {'; '.join(dict.fromkeys(errors))}")
    if ending.reason:
        raise UnsupportedError(f"no program can be traced here: {ending.reason}")
    if not processes:
        raise UnsupportedError("the driver did not load the library of CUDA_INJECTION64_PATH")
    truth = {name: int(np.uint64(value)) for name, value in said(ending).items()}
    return judged(processes[0], truth)
