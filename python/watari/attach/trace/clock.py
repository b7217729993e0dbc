"""Runs as they are, divided at the making of the first context and at the end of the program."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from watari.attach import events
from watari.attach.events import Events, Process
from watari.attach.start import Ending, Start, clocked, run
from watari.model.replay.calibrate import Run

# seconds of a program, and how often a shorter one runs once more: the start of CUDA, most of the
# time of a short one, differs by 5 to 15%
REPEATS = ((1.0, 4), (3.0, 2))


def divided(
    ending: Ending,
    log: Events,
    pid: int | None = None,
    collecting: tuple[float, float] = (0.0, 0.0),
) -> Run:
    """The seconds of a run. `pid`: of the process that counts; without it, the first one that
    initialised CUDA. What is unknown belongs to the middle: a program that _exit ends has no end
    of its own. `collecting`: begin and end of the wait for late records in a traced run, which is
    in the middle if the program's end is noted after it, and belongs to the end."""
    own = next((p for p in log.processes if is_meant(p, pid)), None)
    start = own.started - ending.begun if own and own.started else 0.0
    until = own.ended - ending.begun if own and own.ended else ending.seconds
    if own and own.ended and collecting[1] <= own.ended:
        until -= collecting[1] - collecting[0]
    start = min(max(start, 0.0), ending.seconds)
    until = min(max(until, start), ending.seconds)
    return Run(start, until - start, ending.seconds - until)


def is_meant(process: Process, pid: int | None) -> bool:
    """Whether a process initialised CUDA, and is the one that is asked for."""
    return process.started is not None and pid in (None, process.pid)


@dataclass(frozen=True)
class Plain:
    """A run as it is, and how it divides."""

    ending: Ending
    parts: Run


def as_it_is(start: Start, files: Path) -> Plain:
    """One run as it is, with a clock."""
    ending = run(start, clocked(files), files)
    return Plain(ending, divided(ending, events.read(files / "events")))


def repeated(start: Start, files: Path, first: Plain) -> list[Plain]:
    """More runs as it is of a short program: its own spread is then known."""
    times = next((times for most, times in REPEATS if first.ending.seconds < most), 0)
    folders = [files / f"as-is-{number}" for number in range(times)]
    for folder in folders:
        folder.mkdir()
    again = (as_it_is(start, folder) for folder in folders)
    known = (first.ending.code, False)
    return [one for one in again if (one.ending.code, one.ending.timed_out) == known]
