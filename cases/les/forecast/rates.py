"""Times of copies, prefetches, faults and lines on a machine: the rates of a touch's forecast.

The rates come from other cases of the same run, none from a style that has a formula:

    rate                                   case
    copy to and from the GPU, by size      copy from=pinned to=device, and back
    prefetch to either side, by size       touch operation=prefetch
    faults of the GPU, by size             migration: the first sample of a later phase
    faults of the CPU, by size             gather processor=cpu stride=4KiB turns=read: a number of
                                           each page
    a row that lies alone, either side     the same with stride=1MiB or so; the GPU reads all
    prefetch of such a row, either side    the same with turns=prefetch
    a line of GPU memory, a launch         gather memory=device
    the CPU's own work                     les style=pinned: the same touch, and nothing moves
    bytes that the CPU reads in a second   gather processor=cpu memory=pageable element=4 stride=64

In the cases of migration and gather, as in les, both sides have had the pages before.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median
from typing import Any

from watari.cases.les.forecast.model import of_touches
from watari.cases.les.radiation import radiation
from watari.common.errors import UnsupportedError
from watari.results.measured import Measured

LONE = 1 << 18  # least bytes between rows that no single fault brings together
PAGE = 1 << 12  # bytes of a page of a CPU
SAME_WORK = ("grid", "spacing", "city", "precision", "cpu-touch", "gather", "threads", "ranks")


@dataclass(frozen=True)
class Curve:
    """Seconds over bytes: straight between two measured sizes, constant below the least, in
    proportion above the largest."""

    points: tuple[tuple[float, float], ...]  # ascending

    def __call__(self, size: float) -> float:
        if size <= 0:
            return 0.0
        before = self.points[0]
        if size <= before[0]:
            return before[1]
        for after in self.points[1:]:
            if size <= after[0]:
                part = (size - before[0]) / (after[0] - before[0])
                return before[1] + part * (after[1] - before[1])
            before = after
        return before[1] * size / before[0]


def firsts(m: Measured, processor: str) -> Iterator[float]:
    """Seconds of the first sample in each of a processor's phases, except its first phase, in which
    a page may be new to that side."""
    for trial in m.trials:
        mine = [phase for phase in trial["phases"] if phase["name"].split("-")[0] == processor]
        yield from (trial["host_s"][phase["first"]] for phase in mine[1:])


def gathered(m: Measured) -> int:
    """Elements of a gather."""
    return int(m["size"]) // int(m["stride"])


def again(m: Measured, series: str) -> float:
    """The median over the samples, except the first of a trial, in which pages may be new."""
    return float(
        median(
            seconds
            for trial in m.trials
            for seconds in (trial["host_s"] if series == "host_s" else trial["series"][series])[1:]
        )
    )


def of_samples(m: Measured, series: str) -> float:
    """The median over all samples of all trials."""
    return float(median(seconds for trial in m.trials for seconds in trial[series]))


class Rates:
    """The rates of one run. Each raises UnsupportedError if its case was not measured."""

    def __init__(self, cases: Sequence[Measured]) -> None:
        self.cases = [m for m in cases if m.drawn]

    def all_of(self, case: str, **wanted: Any) -> list[Measured]:
        """The cases that have these parameters."""
        found = [
            m
            for m in self.cases
            if m.case == case and all(m[name] == value for name, value in wanted.items())
        ]
        if not found:
            words = " ".join(f"{name}={value}" for name, value in wanted.items())
            raise UnsupportedError(f"needs case {case} {words} in the same run")
        return found

    def by_size(self, series: str, case: str, **wanted: Any) -> Curve:
        """A curve over the axis `size`."""
        found = self.all_of(case, **wanted)
        return Curve(tuple(sorted((int(m["size"]), of_samples(m, series)) for m in found)))

    def copies(self, source: str, target: str) -> list[Measured]:
        """Copies by the copy engine, from one memory to another."""
        ends = {"from": source, "to": target}
        return self.all_of("copy", **ends, means="copy-engine", streams=1, bidirectional=False)

    def copy(self, source: str, target: str) -> Curve:
        """Copies by the GPU's clock: the host waits once for several copies."""
        found = self.copies(source, target)
        return Curve(tuple(sorted((int(m["size"]), of_samples(m, "device_s")) for m in found)))

    @cached_property
    def down(self) -> Curve:
        """A copy to the CPU."""
        return self.copy("device", "pinned")

    @cached_property
    def up(self) -> Curve:
        """A copy to the GPU."""
        return self.copy("pinned", "device")

    @cached_property
    def wait(self) -> float:
        """Seconds of the host to start copies and to wait for them, beyond the GPU's time."""
        least = min(self.copies("device", "pinned"), key=lambda m: int(m["size"]))
        return of_samples(least, "host_s") - of_samples(least, "device_s")

    def prefetch(self, to: str) -> Curve:
        """A prefetch to a processor."""
        of = {"processor": to, "memory": "managed", "operation": "prefetch"}
        return self.by_size("device_s", "touch", **of)

    @cached_property
    def gpu_faults(self) -> Curve:
        """Seconds of a GPU's pass over pages that the CPU has, over their bytes; both arrays
        move."""
        found = self.all_of("migration", memory="managed", hint="none")
        points = [(2 * int(m["size"]), seconds) for m in found for seconds in firsts(m, "gpu")]
        sizes = sorted({size for size, _ in points})
        if not sizes:
            raise UnsupportedError("needs case migration with later phases of the gpu")
        return Curve(tuple((n, median(s for size, s in points if size == n)) for n in sizes))

    def by_turns(self, turns: str, stride: str, least: int, most: float) -> list[Measured]:
        """Gathers by the CPU of elements that the GPU has before each pass."""
        of = {"processor": "cpu", "memory": "managed", "source": "gpu", "turns": turns}
        found = [m for m in self.all_of("gather", **of) if least <= m["stride"] <= most]
        if not found:
            raise UnsupportedError(f"needs case gather turns={turns} stride={stride}")
        return found

    @cached_property
    def cpu_faults(self) -> Curve:
        """Seconds of the CPU's faults on pages that the GPU has, over their bytes."""
        found = self.by_turns("read", "4KiB", PAGE, PAGE)
        return Curve(tuple(sorted((int(m["size"]), again(m, "host_s")) for m in found)))

    def lone(self, turns: str) -> Measured:
        """A gather of rows that lie alone."""
        return self.by_turns(turns, "1MiB or so", LONE, math.inf)[0]

    def lone_fault(self, of: str) -> float:
        """Seconds of a row that the CPU reads, or that comes back while the GPU reads all."""
        m = self.lone("read")
        if of == "cpu":
            return again(m, "host_s") / gathered(m)
        in_place = median(float(trial["series"]["read_s"][0]) for trial in m.trials)
        return (again(m, "read_s") - in_place) / gathered(m)

    def lone_prefetch(self, to: str) -> float:
        """Seconds of a call that brings a row to a processor."""
        m = self.lone("prefetch")
        return again(m, {"cpu": "bring_s", "gpu": "back_s"}[to]) / gathered(m)

    def lines(self, loads: int) -> float:
        """Seconds of a GPU's kernel that loads `loads` numbers, each in a line of its own, with the
        launch and the wait."""
        m = self.all_of("gather", processor="gpu", memory="device", pattern="strided", element=4)[0]
        device = of_samples(m, "device_s")
        return of_samples(m, "host_s") - device + loads * device / gathered(m)

    @cached_property
    def reads(self) -> float:
        """Bytes a second that all threads of the CPU read: a number of each line."""
        of = {"processor": "cpu", "memory": "pageable", "pattern": "strided"}
        m = max(self.all_of("gather", **of, element=4, stride=64), key=lambda m: int(m["size"]))
        return int(m["size"]) / again(m, "host_s")

    def own_work(self, of: Measured) -> float:
        """Seconds of the CPU's part of a touch, without radiation between facets, if all memory is
        the CPU's. As in every style, its threads slept during a step of the GPU, and the GPU wrote
        the data that they read."""
        same = {name: of[name] for name in SAME_WORK}
        found = self.all_of("les", style="pinned", **same)
        plain = [m for m in found if not radiation.is_on(m.parameters)]
        if not plain:
            raise UnsupportedError("needs case les style=pinned radiation=none in the same run")
        return of_touches(plain[0], "cpu_s")
