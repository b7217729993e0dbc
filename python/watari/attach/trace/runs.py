"""Runs of a program with the libraries that record it."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from pathlib import Path

from watari.attach import events
from watari.attach.start import Ending, Start, library, preloaded, run
from watari.attach.trace.records import lines, records
from watari.attach.trace.records.records import Kind, Recorded

INJECTED = "libwatari_injected.so"
LAUNCHES = 16  # sampled launches of each kernel


@dataclass(frozen=True)
class Sampling:
    """How long a run samples launches: `work`, seconds of it; `until`, seconds after the start.
    `only`: first launches alone, in this placement."""

    work: float
    until: float = math.inf
    only: str = ""

    def variables(self) -> dict[str, str]:
        """Environment variables of a run that starts now."""
        set_for = {
            "WATARI_TRACE_EVICT": str(LAUNCHES),
            "WATARI_TRACE_EVICT_SECONDS": str(self.work),
        }
        if self.only:
            set_for["WATARI_TRACE_EVICT_ONLY"] = self.only
        if math.isfinite(self.until):
            set_for["WATARI_TRACE_EVICT_UNTIL"] = str(time.monotonic_ns() + int(self.until * 1e9))
        return set_for


def variables(
    files: Path, library_of_cupti: Path, sampling: Sampling | None = None
) -> dict[str, str]:
    """Environment variables that make the driver load the injected library, which writes into
    `files`. Without `sampling` no launch is sampled."""
    return {
        "CUDA_INJECTION64_PATH": str(library(INJECTED, files)),
        "WATARI_TRACE_FOLDER": str(files),
        "WATARI_TRACE_CUPTI": str(library_of_cupti),
        **(sampling.variables() if sampling else {}),
    }


def fresh(files: Path, name: str) -> Path:
    """Makes a folder for one run."""
    folder = files / name
    folder.mkdir()
    return folder


def traced_run(
    start: Start,
    files: Path,
    path: Path,
    style: str = "as-is",
    sampling: Sampling | None = None,
) -> tuple[Ending, events.Events, list[Recorded]]:
    """One run with both libraries in the program."""
    ending = run(start, {**preloaded(files, style), **variables(files, path, sampling)}, files)
    processes = records.read(files)
    for process in processes:
        process.symbols = process.names
        process.names = lines.demangled(process.symbols)
    return ending, events.read(files / "events"), processes


def busiest(processes: list[Recorded]) -> Recorded:
    """The process with most kernels, copies and counters: some programs use CUDA in several
    processes."""
    counted = (Kind.KERNEL, Kind.COPY, Kind.COUNTER)
    return max(processes, key=lambda p: sum(len(p.of(kind)) for kind in counted))
