"""Asks a launcher, once before the run, for the hosts of its ranks and for the records of these
hosts.

    mpirun -n 8 python start.py watari.run.hosts              each rank prints its host's name
    mpirun -n 8 python start.py watari.run.hosts 0,4 node0 0,1,2     ranks 0 and 4: its record, too

Defaults follow from the hosts: threads are those of a rank's own host, and a halo crosses hosts.
The ranks load no MPI and share no file. A record is printed in short lines, which arrive whole and
in any order: launchers mix the output of ranks.
"""

from __future__ import annotations

import base64
import json
import os
import re
import sys
import zlib
from pathlib import Path
from typing import Any

from watari.machine import cpus as cpus_of
from watari.machine.hosts import with_host
from watari.plan.request import Request
from watari.run import question
from watari.run.launcher import Launcher, ranks_of
from watari.run.worker import RANK_VARIABLES, allow, from_launcher, host_name

LIMIT_SECONDS = 60.0
MARK = "watari-rank"  # launchers may write the rank of a line before it
LINE = re.compile(rf"{MARK} (\d+) (\S+)$", re.MULTILINE)
PART = re.compile(r"watari-part (\S+) (\d+)/(\d+) (\S+)$", re.MULTILINE)
PART_CHARACTERS = 200
Machine = dict[str, Any]


def described(machine: Machine, requests: list[Request], launcher: Launcher) -> Machine:
    """The record of a run: rank 0's host and the differences of the others, for the request with
    the most ranks. Returns `machine`, this host, if all ranks are on it, or if the launcher fails,
    which the trials report."""
    largest = max(requests, key=ranks_of, default=None)
    if largest is None or not launcher.prefix(ranks_of(largest)):
        return machine
    names = ask(largest, launcher)
    if set(names) <= {host_name()}:
        return machine
    found = records(largest, names, launcher)
    first = {**found.get(names[0], machine), "hosts": names}
    for name in dict.fromkeys(names):
        first = with_host(first, name, found.get(name))
    return first


def summary(names: list[str]) -> str:
    """`4 ranks on 2 hosts: node0, node1`, of the host of each rank."""
    different = list(dict.fromkeys(names))
    hosts = f"{len(different)} hosts: " if len(different) > 1 else ""
    return f"{len(names)} rank{'s'[: len(names) > 1]} on {hosts}{', '.join(different)}"


def ask(request: Request, launcher: Launcher, directory: Path | None = None) -> list[str]:
    """The host of each rank of this request; empty where not every rank has answered."""
    ranks = ranks_of(request)
    answer = question.ask("watari.run.hosts", ranks, request, launcher, directory, LIMIT_SECONDS)
    if answer is None or answer.code != 0:
        return []
    names = {int(rank): name for rank, name in LINE.findall(answer.output)}
    return [names[rank] for rank in range(ranks)] if names.keys() == set(range(ranks)) else []


def records(
    request: Request, names: list[str], launcher: Launcher, directory: Path | None = None
) -> dict[str, Machine]:
    """The records of the hosts of this request, by name. A host that gave no whole record is left
    out. `names` has the host of each rank."""
    describing, cpus = (
        ",".join(map(str, sorted(numbers)))
        for numbers in ({names.index(name) for name in names}, cpus_of.allowed())
    )
    given = [describing, host_name(), cpus]
    answer = question.ask(
        "watari.run.hosts", len(names), request, launcher, directory, LIMIT_SECONDS, given
    )
    parts: dict[str, dict[int, str]] = {}
    counts: dict[str, int] = {}
    for name, number, count, text in PART.findall(answer.output if answer else ""):
        parts.setdefault(name, {})[int(number)] = text
        counts[name] = int(count)
    return {
        name: unpacked("".join(texts[n] for n in range(counts[name])))
        for name, texts in parts.items()
        if len(texts) == counts[name]
    }


def packed(machine: Machine) -> str:
    """A record as one word."""
    return base64.b64encode(zlib.compress(json.dumps(machine).encode())).decode()


def unpacked(word: str) -> Machine:
    """The record in a word."""
    machine: Machine = json.loads(zlib.decompress(base64.b64decode(word)))
    return machine


def write(line: str) -> None:
    """Writes a line in one call, or the launcher might mix it with another rank's."""
    os.write(sys.stdout.fileno(), f"{line}\n".encode())


def describe(name: str, host: str, cpus: str) -> None:
    """Prints the record of this host, with the CPUs that trials may use."""
    from watari.machine.probe import machine

    allow(host, [int(cpu) for cpu in cpus.split(",")])
    word = packed(machine())
    texts = [word[n : n + PART_CHARACTERS] for n in range(0, len(word), PART_CHARACTERS)]
    for number, text in enumerate(texts):
        write(f"watari-part {name} {number}/{len(texts)} {text}")


def main(describing: str = "", host: str = "", cpus: str = "") -> int:
    """Runs one of the ranks. Returns the exit code."""
    name, rank = host_name(), from_launcher(RANK_VARIABLES, 0)
    write(f"{MARK} {rank} {name}")
    if str(rank) in describing.split(","):
        describe(name, host, cpus)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
