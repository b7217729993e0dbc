"""Placements of kernels that are launched a few times, in further runs of the program.

Each launch runs once, in one placement. So a kernel that is launched once shows its touches in the
sampled run, and what it takes `local`, `mapped` and `faulting` in three further runs, as far as
there is time for them. There its first launch alone is sampled.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

import numpy as np

from watari.attach.start import Start
from watari.attach.trace.observed import placed
from watari.attach.trace.observed.placed import LEAST, Placed
from watari.attach.trace.observed.touched import Touches
from watari.attach.trace.records.records import Kind, Recorded
from watari.attach.trace.runs import Sampling, busiest, fresh, traced_run
from watari.attach.trace.sampled import LEAST as LEAST_SECONDS
from watari.attach.trace.sampled import SLOWER, Bounds
from watari.common.units import counted

ONLY = ("local", "mapped", "faulting")
MUCH = 0.01  # of the time of all kernels: others are not worth three runs


@dataclass(frozen=True)
class Time:
    """The time for sampled runs of a program that takes `seconds` as it is, `start` of them before
    its first context. `left`: the seconds that are left for all."""

    seconds: float
    start: float
    left: Callable[[], float]

    def bounds(self) -> Bounds | None:
        """The bounds of a run that has all of it."""
        return Bounds.of(self.seconds, self.left(), self.start)

    def further(self, runs: int) -> Bounds | None:
        """Those of one of so many further runs: it must come to its end."""
        left = self.left() / runs
        enough = left >= SLOWER * self.seconds + LEAST_SECONDS
        return Bounds.of(self.seconds, left, self.start) if enough else None


def lacking(process: Recorded, touches: Touches) -> frozenset[str]:
    """The kernels of a traced run that lack a placement since they are launched a few times."""
    kernels = process.of(Kind.KERNEL)
    took = (kernels["end"] - kernels["start"]).astype(float)
    found = set()
    for identifier in np.unique(kernels["name"]).tolist():
        own = kernels["name"] == identifier
        name = process.names.get(int(identifier), "unnamed")
        known = {row.placement for row in touches.placed.get(name, [])}
        is_few = own.sum() < LEAST and took[own].sum() > MUCH * took.sum()
        if is_few and touches.kernels.get(name) and not known.issuperset(ONLY):
            found.add(name)
    return frozenset(found)


def placements(
    start: Start,
    files: Path,
    path: Path,
    touches: Touches,
    few: frozenset[str],
    time: Time,
    code: int,
    report: Callable[[str], None],
) -> Touches:
    """The touches with the missing placements of the kernels `few`, as far as there is time.
    `code`: the exit code of the program as it is."""
    rows = {name: list(found) for name, found in touches.placed.items()}
    why = {name: list(reasons) for name, reasons in touches.unplaced.items()}
    for left, only in zip((3, 2, 1), ONLY, strict=True):
        bound = time.further(left)
        if bound is None:
            break
        kernels = counted(len(few), "kernel", "kernels")
        report(f"run with the memory of {kernels} {only}, which the program launches a few times")
        bounded = replace(start, limit=min(start.limit, bound.end))
        sampling = Sampling(bound.sampling, bound.until, only)
        ending, _, processes = traced_run(bounded, fresh(files, only), path, "managed", sampling)
        if not processes or ending.code != code:
            break
        process = busiest(processes)
        timed, said = placed.of_run(process), placed.said(process)
        for name in few:
            own = rows.setdefault(name, [])
            own += added(own, timed.get(name, []), only, size(touches, name))
            why.setdefault(name, []).extend(said.get(name, []))
    return replace(touches, placed={n: r for n, r in rows.items() if r}, unplaced=why)


def size(touches: Touches, name: str) -> int:
    """The bytes that a launch of a kernel touches."""
    launches = touches.kernels.get(name, [])
    return round(median(sum(t.bytes for t in one.values()) for one in launches)) if launches else 0


def added(known: list[Placed], found: list[Placed], only: str, touched: int) -> list[Placed]:
    """Rows of a further run that are not known yet."""
    seen = {(row.placement, row.threads) for row in known}
    return [
        replace(row, bytes=touched)
        for row in found
        if row.placement == only and (row.placement, row.threads) not in seen
    ]
