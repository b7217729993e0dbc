"""The times of sampled launches with their memory in GPU memory, over the link, and faulting.

Times are CUPTI's of the kernel alone. A launch beside another kernel does not count. Launches whose
faults were recorded, to see what they touch, do not count as `faulting`: a record delays a fault.
Only launches of one number of threads are comparable. The first launch of a kernel counts only if
there is no other one of its kind.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from watari.attach.trace.records.records import Array, Kind, Recorded, columns
from watari.attach.trace.records.repeats import ordinals

LOCAL, MAPPED, FAULTING = 1, 2, 3  # src/attach/injected/sampled/schedule.hpp
NAMES = {LOCAL: "local", MAPPED: "mapped", FAULTING: "faulting"}
ALL = tuple(NAMES.values())
LEAST = 4  # launches of a kernel with which every placement has its turn


@dataclass(frozen=True)
class Placed:
    """Launches of a kernel in one placement, with one number of threads. `bytes`: that such a
    launch touches; 0 where they are unknown."""

    placement: str
    threads: int
    seconds: Sequence[float]
    bytes: int

    def as_json(self) -> dict[str, Any]:
        """The row of the trace file."""
        return {
            "placement": self.placement,
            "threads": self.threads,
            "launches": len(self.seconds),
            "seconds": statistics.median(self.seconds),
            "low": min(self.seconds),
            "high": max(self.seconds),
            "bytes": self.bytes,
        }


def alone(kernels: Array) -> Array:
    """Whether each kernel, in order of their start, ran beside no other one."""
    if not len(kernels):
        return np.zeros(0, bool)
    latest = np.maximum.accumulate(kernels["end"])
    before = np.r_[True, kernels["start"][1:] >= latest[:-1]]
    after = np.r_[kernels["end"][:-1] <= kernels["start"][1:], True]
    found: Array = before & after
    return found


def placements(process: Recorded) -> dict[int, int]:
    """The placement of each sampled launch whose time counts, by correlation."""
    where = dict(columns(process.of(Kind.PLACED), "correlation", "detail"))
    evicted = process.of(Kind.EVICTED)
    timed = evicted["correlation"][evicted["detail"] == 1]
    where |= dict.fromkeys(timed.tolist(), FAULTING)
    for (correlation,) in columns(process.of(Kind.STOPPED), "correlation"):
        where.pop(correlation, None)
    return where


def sizes(process: Recorded) -> dict[int, int]:
    """The bytes that each launch touches whose pages were looked at, by correlation."""
    found: dict[int, int] = defaultdict(int)
    for correlation, size in columns(process.of(Kind.TOUCHED), "correlation", "bytes"):
        found[correlation] += size
    return found


def of_run(process: Recorded) -> dict[str, list[Placed]]:
    """The timed launches of a sampled run, by kernel."""
    where, bytes_of = placements(process), sizes(process)
    kernels = process.of(Kind.KERNEL)
    is_alone, order = alone(kernels), ordinals(kernels["name"])
    sampled = np.isin(kernels["correlation"], list({**where, **bytes_of}))
    times: dict[tuple[int, int], list[tuple[int, float, bool]]] = defaultdict(list)
    touched: dict[tuple[int, int], list[int]] = defaultdict(list)
    fields = ("correlation", "name", "address", "bytes", "start", "end")
    for (correlation, name, blocks, block, start, end), by_itself, ordinal in zip(
        columns(kernels[sampled], *fields), is_alone[sampled], order[sampled], strict=True
    ):
        launch = (name, blocks * block)
        if size := bytes_of.get(correlation):
            touched[launch].append(size)
        if by_itself and correlation in where:
            times[launch].append((where[correlation], (end - start) * 1e-9, ordinal == 0))
    return grouped(process.names, times, touched)


def grouped(
    names: Mapping[int, str],
    times: Mapping[tuple[int, int], Sequence[tuple[int, float, bool]]],
    touched: Mapping[tuple[int, int], Sequence[int]],
) -> dict[str, list[Placed]]:
    """Launches by kernel, number of threads and placement."""
    rows: dict[str, list[Placed]] = {}
    for (name, threads), launches in sorted(times.items()):
        size = round(statistics.median(touched.get((name, threads), [0])))
        for placement, word in NAMES.items():
            own = [(seconds, first) for p, seconds, first in launches if p == placement]
            later = [seconds for seconds, first in own if not first]
            if own:
                seconds = later or [seconds for seconds, _ in own]
                row = Placed(word, threads, seconds, size)
                rows.setdefault(names.get(name, "unnamed"), []).append(row)
    return rows


def said(process: Recorded) -> dict[str, list[str]]:
    """The reasons of the run itself, by kernel."""
    found: dict[str, list[str]] = {}
    for identifier, reasons in process.unplaced.items():
        found.setdefault(process.names.get(identifier, "unnamed"), []).extend(reasons)
    for (identifier,) in columns(process.of(Kind.UNSAMPLED), "name"):
        name = process.names.get(identifier, "unnamed")
        found.setdefault(name, []).append("the time for sampling ended")
    return found


def unplaced(rows: Sequence[Placed], launches: int, reasons: Sequence[str], why: str) -> str:
    """Why rows of a kernel are missing; nothing if it has all. `launches`: in the traced run;
    `reasons`: of the sampled run; `why`: of the run as a whole."""
    lacking = [word for word in ALL if word not in {row.placement for row in rows}]
    if not lacking:
        return ""
    known = list(dict.fromkeys(reasons))
    if launches == 1:
        known.insert(0, "it is launched once")
    elif rows and launches < LEAST:
        known.insert(0, f"it is launched {launches} times")
    if not known:
        known = [
            why or "none of its launches could be moved (a CUDA graph, or a launch beside another)"
        ]
    return f"no {' and no '.join(lacking)}: {'; '.join(known)}"
