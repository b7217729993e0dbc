"""Counts the data that move in each style, in one further run with `watari trace`'s library.

Tracing slows these runs, by an amount that differs from style to style: their seconds are not kept.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path

from watari.attach.measure import BARE, Measured, variables
from watari.attach.start import run
from watari.attach.trace import runs
from watari.attach.trace.records import records
from watari.attach.trace.records.records import Copy, Counter, Kind, Recorded
from watari.common.errors import UnsupportedError
from watari.machine import cupti
from watari.run import scratch


@dataclass(frozen=True)
class Counts:
    """Counts over all processes of a run. Bytes over the link are those of copies and
    migrations."""

    kernels: int = 0
    copies: int = 0
    to_gpu_bytes: int = 0
    to_cpu_bytes: int = 0
    gpu_faults: int = 0
    cpu_faults: int = 0
    lost: int = 0  # records that CUPTI dropped, and processes whose records have no end

    def __add__(self, other: Counts) -> Counts:
        return Counts(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))


def of_process(process: Recorded) -> Counts:
    """The counts of one process."""
    copies = process.of(Kind.COPY)

    def moved(direction: Copy, counter: Counter) -> int:
        copied = copies[copies["detail"] == direction]["bytes"].sum()
        return int(copied) + int(process.counters(counter)["bytes"].sum())

    return Counts(
        len(process.of(Kind.KERNEL)),
        len(copies),
        moved(Copy.TO_GPU, Counter.TO_GPU),
        moved(Copy.TO_CPU, Counter.TO_CPU),
        len(process.counters(Counter.GPU_FAULT)),
        len(process.counters(Counter.CPU_FAULT)),
        process.dropped + (not process.ended),
    )


def of_style(measured: Measured, style: str, library: Path) -> Counts | None:
    """The counts of one further run; None where it leaves no records."""
    with scratch.folder(None) as files:
        of_row = variables(style, files, measured.rules, measured.start)
        run(measured.bounded, {**of_row, **runs.variables(files, library)}, files)
        found = [of_process(process) for process in records.read(files)]
    return sum(found, Counts()) if found else None


def count(measured: Measured) -> None:
    """Fills in the counts of every style that works, or notes why there are none."""
    try:
        library = cupti.find()
        for style in measured.styles:
            good = any(one.status == "ok" for one in measured.of(style))
            if style != BARE and good and (counts := of_style(measured, style, library)):
                measured.counts[style] = counts
    except UnsupportedError as error:
        measured.notes.append(f"no traced runs: {error}")
