"""Which hosts a launcher puts ranks on: each rank prints its name, once before the run.

    mpirun -n 8 python start.py watari.run.hosts

Defaults follow from it: threads are those of a rank's own host, and a halo crosses hosts. The ranks
load no MPI and share no file.
"""

from __future__ import annotations

import os
import re
import socket
import sys
from pathlib import Path

from watari.plan.request import Request
from watari.run import launch, question
from watari.run.worker import RANK_VARIABLES, from_launcher

LIMIT_SECONDS = 60.0
MARK = "watari-rank"  # launchers may write before it which rank a line is of
LINE = re.compile(rf"{MARK} (\d+) (\S+)$", re.MULTILINE)


def of_ranks(
    requests: list[Request], launcher: launch.Launcher, directory: Path | None = None
) -> list[str]:
    """The host of each rank, for the request with the most ranks, where they are on several hosts.

    Empty: one rank, one host, or a launcher that fails, which the trials report.
    """
    largest = max(requests, key=launch.ranks_of, default=None)
    if largest is None or launch.ranks_of(largest) == 1:
        return []
    names = ask(largest, launcher, directory)
    return names if len(set(names)) > 1 else []


def ask(request: Request, launcher: launch.Launcher, directory: Path | None = None) -> list[str]:
    """The host of each rank of this request; empty where not every rank has answered."""
    ranks = launch.ranks_of(request)
    answer = question.ask("watari.run.hosts", ranks, request, launcher, directory, LIMIT_SECONDS)
    if answer is None or answer.code != 0:
        return []
    names = {int(rank): name for rank, name in LINE.findall(answer.output)}
    return [names[rank] for rank in range(ranks)] if names.keys() == set(range(ranks)) else []


def main() -> int:
    """One of the ranks. Slurm has names of its own for its nodes. A line is written at once, or the
    launcher might mix it with another rank's."""
    name = os.environ.get("SLURMD_NODENAME") or socket.gethostname()
    os.write(sys.stdout.fileno(), f"{MARK} {from_launcher(RANK_VARIABLES, 0)} {name}\n".encode())
    return 0


if __name__ == "__main__":
    sys.exit(main())
