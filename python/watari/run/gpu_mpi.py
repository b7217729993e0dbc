"""Checks whether this machine's MPI accepts GPU memory: two processes try it and may crash.

    mpirun -n 2 python start.py watari.run.gpu_mpi

An MPI without CUDA treats a GPU pointer as the CPU's: a segmentation fault. The report of an MPI
itself is not enough where a library below it was replaced. So two ranks try it once per run,
started as the trials are.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from watari.cases import find
from watari.common.errors import UnsupportedError, WatariError
from watari.plan.request import Request
from watari.run import launch, question
from watari.run.launcher import Launcher

LIMIT_SECONDS = 90.0
QUESTION = "mpi-takes-gpu-memory"  # its name in `Case.asks`


@dataclass
class Probe:
    """Asks when the first case needs it, and remembers the answer."""

    asked: bool = False
    answer: str | None = None

    def unsupported(
        self, request: Request, launcher: Launcher, directory: Path | None = None
    ) -> str | None:
        """Why this request cannot run here; None where it can."""
        if QUESTION not in find(request.case).asks(request.parameters):
            return None
        if not self.asked:
            self.asked, self.answer = True, ask(request, launcher, directory)
        return self.answer


def ask(request: Request, launcher: Launcher, directory: Path | None) -> str | None:
    """The error of two ranks, in the environment of this request; None if all went well."""
    answer = question.ask("watari.run.gpu_mpi", 2, request, launcher, directory, LIMIT_SECONDS)
    if answer is None or answer.code == 0:
        return None
    if answer.code is None:
        return f"this MPI cannot send GPU memory: timeout after {LIMIT_SECONDS:g} s"
    return f"this MPI cannot send GPU memory: {cause(answer.code, answer.error)}"


def cause(code: int, error: str) -> str:
    """The cause of a failure: a signal, else exit code and last message."""
    death = launch.death(code)
    return death if death.startswith("killed") else f"{death}: {error[:200]}"


def main() -> int:
    """Runs one of the two ranks. Returns the exit code."""
    from watari import _native

    try:
        _native.exchange_gpu_memory()
    except UnsupportedError:
        pass  # no MPI, no GPU: the trial reports it
    except WatariError as error:
        print(f"watari: {error}", file=sys.stderr)
        return 1
    _native.end_ranks()
    return 0


if __name__ == "__main__":
    sys.exit(main())
