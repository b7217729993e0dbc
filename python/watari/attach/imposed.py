"""Changes in `watari try`: rows beside the memory styles, each change alone, then all together.

By default a change is run where the first run shows that it can matter: the calls that it acts on
take at least LEAST of the run. A change that the user names is run in any case.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from statistics import median
from typing import TYPE_CHECKING

from watari.attach import changes, huge, near
from watari.attach.changes import CHANGES
from watari.attach.entry import loader, which
from watari.attach.events import Process
from watari.attach.styles import AS_IS
from watari.common.errors import UsageError
from watari.common.units import format_bytes, format_duration

if TYPE_CHECKING:
    from watari.attach.measure import Measured, Run
    from watari.attach.start import Start

TOGETHER = "+"  # between the changes of a row
LEAST = 0.01  # of the seconds of the first run
FAULT = 2.5e-7  # seconds of a page fault of the CPU that clears 4 KiB, at least
START = 20_000  # page faults of the start of a program and of CUDA: no memory of malloc
LINEAR = ("cuMemAlloc", "cuMemAllocPitch")
NO_TABLE = "--trace names no trace with kernels before which faults move managed memory"
NOUNS = {"staged": "copies", "pooled": "allocations", "prefetched": "prefetches"}


def parts(row: str) -> tuple[str, ...]:
    """The changes of a row; none for a memory style."""
    names = tuple(row.split(TOGETHER))
    return names if all(name in CHANGES for name in names) else ()


def chosen(words: str | None) -> list[str] | None:
    """The changes that `staged,pooled` names; `all` and `none` too. None: those of the first run.
    Raises UsageError."""
    if words in (None, "all", "none"):
        return {None: None, "all": list(CHANGES), "none": []}[words]
    names = [name.strip() for name in (words or "").split(",")]
    for name in names:
        if name not in CHANGES:
            known = ", ".join(CHANGES)
            raise UsageError(f"unknown change '{name}'; known: {known}; or all, or none, alone")
    return list(dict.fromkeys(names))


def variables(row: str, start: Start) -> dict[str, str]:
    """The environment of a row. What a shell has set for `watari exec` acts in no row."""
    names = parts(row)
    found = dict.fromkeys(changes.VARIABLES, "")
    found[changes.VARIABLE] = ",".join(name for name in names if CHANGES[name].is_inside)
    found[changes.PREFETCHES] = start.prefetches
    if "huge" in names:
        found[huge.VARIABLE] = huge.tunables(os.environ.get(huge.VARIABLE, ""))
    return found


def beside_gpu(row: str) -> AbstractContextManager[object]:
    """The program of a row with `near` starts on the GPU's node, where this process moves to."""
    return near.moved() if "near" in parts(row) else nullcontext()


def lacking(name: str, start: Start) -> str:
    """Why a change cannot be given to this program; empty where it can."""
    if name == "prefetched":
        return "" if start.prefetches else NO_TABLE
    if name == "huge":
        linker = loader(which(start.command[0]))
        return huge.lacking(linker, huge.version(), near.read(huge.SWITCH))
    if name == "near":
        if start.launcher.prefix(start.ranks):
            return "the launcher places the ranks: mpirun -n 2 watari exec --near -- ./a.out"
        with near.moved() as reason:
            return reason
    return ""


def repeated(process: Process) -> float:
    """Seconds of allocations whose size and context a freed block had, and of as many releases."""
    linear = [a for a in process.allocations if a.api in LINEAR and a.code == 0 and not a.shared]
    steps = [(a.begun, 1, i) for i, a in enumerate(linear)]
    steps += [(a.ended, 0, i) for i, a in enumerate(linear) if a.ended is not None]
    kept: Counter[tuple[int, int]] = Counter()
    seconds = 0.0
    for _, begins, index in sorted(steps):
        key = (linear[index].context, linear[index].bytes)
        if not begins:
            kept[key] += 1
        elif kept[key]:
            kept[key] -= 1
            seconds += 2 * linear[index].seconds
    return seconds


def acted_on(name: str, one: Run) -> float:
    """Seconds of the first run in what a change acts on, in the process with most of them."""
    match name:
        case "staged":
            each = [sum(c.large_seconds for c in p.copies.values()) for p in one.events.processes]
        case "pooled":
            each = [repeated(p) for p in one.events.processes]
        case "huge":
            each = [max(0, one.ending.faults - START) * FAULT]
        case _:
            each = [one.ending.seconds]
    return max(each, default=0.0)


def add_rows(measured: Measured, asked: list[str] | None) -> None:
    """Adds the rows of changes, or why there are none."""
    one = measured.learned
    possible = []
    for name in CHANGES if asked is None else asked:
        took = acted_on(name, one)
        if reason := lacking(name, measured.start):
            if asked is not None:
                measured.styles.append(name)
                measured.unsupported[name] = reason
        elif asked is not None or took >= LEAST * one.ending.seconds:
            possible.append(name)
    measured.styles += possible
    if len(possible) > 1:
        measured.styles.append(TOGETHER.join(possible))


def did(row: str, runs: Sequence[Run]) -> str:
    """`pooled: 9 allocations, 9 MB`: what the changes of a row did in its last run."""
    words = []
    for name in parts(row):
        totals = [p.changed[name] for p in runs[-1].events.processes if name in p.changed]
        times, moved = sum(t.times for t in totals), sum(t.bytes for t in totals)
        if name in NOUNS:
            amount = f"{times} {NOUNS[name]}, {format_bytes(moved)}"
            nothing = f"{name} changed nothing (it acts on {CHANGES[name].replaces})"
            words.append(amount if times else nothing)
    return "; ".join(words)


def sentences(measured: Measured, times: Mapping[str, Sequence[float]]) -> list[str]:
    """What each change saves of the whole run, the most first. `times`: seconds of each row."""
    base = times.get(AS_IS, ())
    rows = [row for row in times if parts(row) and times[row]]
    if not base or not rows:
        return []
    saved = {row: median(base) - median(times[row]) for row in rows}
    said = []
    for row in sorted(rows, key=lambda each: -saved[each]):
        what = did(row, measured.of(row))
        words = f"{row}: {verb(saved[row])} {format_duration(abs(saved[row]))}"
        words += f" ({abs(saved[row]) / median(base):.1%} of the run)"
        if max(min(base), min(times[row])) <= min(max(base), max(times[row])):
            words += ", within the spread of the runs"
        said.append(words + (f"; {what}" if what else ""))
    return said


def verb(saved: float) -> str:
    """`saves`, or `costs`."""
    return "saves" if saved >= 0 else "costs"
