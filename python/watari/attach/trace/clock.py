"""Divides a run at the making of its first context and at the end of its program."""

from __future__ import annotations

from watari.attach.events import Events, Process
from watari.attach.start import Ending
from watari.model.replay.calibrate import Run


def divided(ending: Ending, log: Events, pid: int | None = None) -> Run:
    """The seconds of a run. `pid`: of the process that counts; without it, the first one that
    initialised CUDA. What is unknown belongs to the middle: a program that _exit ends has no end
    of its own."""
    own = next((p for p in log.processes if is_meant(p, pid)), None)
    start = own.started - ending.begun if own and own.started else 0.0
    until = own.ended - ending.begun if own and own.ended else ending.seconds
    start = min(max(start, 0.0), ending.seconds)
    until = min(max(until, start), ending.seconds)
    return Run(start, until - start, ending.seconds - until)


def is_meant(process: Process, pid: int | None) -> bool:
    """Whether a process initialised CUDA, and is the one that is asked for."""
    return process.started is not None and pid in (None, process.pid)
