"""Shared parts of the hostile programs: seeded attempts, a time bound, one line of report.

    python tests/hostile/NAME.py --attempts 300 --seconds 600 --seed 7

An attempt is a function of a random generator and an empty folder. It returns a word for its
outcome, raises `Broken` if a promise of docs/reliability.md was not kept, and `Unsupported` if this
machine lacks a need of the attack. Attempt i of seed s always draws the same numbers:
`--seed s --only i` repeats it. Moments of a kill are drawn too, but their effect depends on the
machine; so the folder of a broken attempt is kept.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import re
import shutil
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "python"))  # modules that tests share
Attempt = Callable[[random.Random, Path], str]


class Broken(Exception):  # noqa: N818
    """A promise was not kept; the message says which and how."""


class Unsupported(Exception):  # noqa: N818
    """This machine lacks a need of the attack, which the message names."""


@dataclass
class Tally:
    """The outcomes of some attempts."""

    outcomes: Counter[str] = field(default_factory=Counter)
    broken: list[tuple[int, str]] = field(default_factory=list)
    unsupported: str = ""

    def add(self, other: Tally) -> None:
        self.outcomes += other.outcomes
        self.broken += other.broken
        self.unsupported = self.unsupported or other.unsupported


@dataclass(frozen=True)
class Bounds:
    """The bounds of an attack. `deadline` is a moment of time.monotonic()."""

    seed: int
    numbers: range
    deadline: float


def scratch() -> Path:
    """The folder for attempts: on a real disk, since not every tmpfs has direct I/O."""
    folder = Path(__file__).parents[2] / "build" / "hostile"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def one(attempt: Attempt, name: str, seed: int, number: int, tally: Tally) -> None:
    """Runs one attempt in a folder of its own and adds its outcome."""
    folder = Path(tempfile.mkdtemp(prefix=f"{name}-{seed}-{number}-", dir=scratch()))
    try:
        tally.outcomes[attempt(random.Random(f"{name} {seed} {number}"), folder)] += 1
    except Unsupported as reason:
        tally.unsupported = str(reason)
    except Broken as broken:
        tally.broken.append((number, f"{broken} [kept in {folder}]"))
        return
    except Exception:  # of the attack itself, which never counts as a success
        tally.broken.append((number, f"the attack failed: {traceback.format_exc()}"))
    shutil.rmtree(folder, ignore_errors=True)


def share(attempt: Attempt, name: str, bounds: Bounds) -> Tally:
    """The attempts of one process, one after another until the time is over."""
    tally = Tally()
    for number in bounds.numbers:
        if time.monotonic() >= bounds.deadline or tally.unsupported:
            break
        one(attempt, name, bounds.seed, number, tally)
    return tally


def arguments(name: str, attempts: int) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog=name)
    parser.add_argument("--attempts", type=int, default=attempts)
    parser.add_argument("--seconds", type=float, default=3600.0, help="start none after these")
    parser.add_argument("--seed", type=int, default=None, help="default: drawn, and printed")
    parser.add_argument("--only", type=int, default=None, help="repeat the attempt of this number")
    parser.add_argument("--processes", type=int, default=2)
    return parser.parse_args()


def spread(attempt: Attempt, name: str, given: argparse.Namespace, seed: int) -> Tally:
    """Attempts by several processes, each with its own numbers."""
    deadline = time.monotonic() + given.seconds
    if given.only is not None:
        return share(attempt, name, Bounds(seed, range(given.only, given.only + 1), deadline))
    bounds = [
        Bounds(seed, range(first, given.attempts, given.processes), deadline)
        for first in range(given.processes)
    ]
    tally = Tally()
    with multiprocessing.get_context("fork").Pool(given.processes) as pool:
        for part in pool.starmap(share, [(attempt, name, seeds) for seeds in bounds]):
            tally.add(part)
    return tally


def kind(text: str) -> str:
    """The text that two reports of one defect share: the promise, and the error of a traceback."""
    raised = re.findall(r"(\w+(?:Error|Exception|Interrupt)): (.{0,30})", text)
    return f"{text.split('`')[0]} {raised[-1:]}"


def report(name: str, seed: int, tally: Tally) -> int:
    """One line, and one more for each kind of broken attempt; the exit code."""
    if tally.unsupported and not tally.outcomes and not tally.broken:
        print(f"{name}: unsupported: {tally.unsupported}")
        return 0
    tried = tally.outcomes.total() + len(tally.broken)
    counts = ", ".join(f"{count} {word}" for word, count in sorted(tally.outcomes.items()))
    print(f"{name}: {tried} attempts, seed {seed}: {counts or 'none ended'}; ", end="")
    print(f"{len(tally.broken)} broken" if tally.broken else "nothing broken")
    kinds: dict[str, list[tuple[int, str]]] = {}
    for number, text in sorted(tally.broken):
        kinds.setdefault(kind(text), []).append((number, text))
    for (number, text), *others in kinds.values():
        print(f"  --seed {seed} --only {number}: {text}")
        if others:
            print(f"    and so did {', '.join(str(other) for other, _ in others)}")
    return 1 if tally.broken or not tried else 0


def main(attempt: Attempt, attempts: int) -> None:
    """The whole program; `attempts` is their default number. Exits with 1 if anything broke."""
    name = Path(sys.argv[0]).stem
    given = arguments(name, attempts)
    seed = given.seed if given.seed is not None else int.from_bytes(os.urandom(3), "big")
    sys.exit(report(name, seed, spread(attempt, name, given, seed)))
