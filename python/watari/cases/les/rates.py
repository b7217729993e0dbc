"""What copies, prefetches, faults and lines take on a machine: the rates of a touch's forecast.

They come from other cases of the same run, none from a trial with touches on the GPU:

    rate                                   case
    copy to and from the GPU, by size      copy from=pinned to=device, and back
    prefetch to either side, by size       touch operation=prefetch
    faults of either side, by size         migration: the first sample of a later phase. Both sides
                                           have had the pages before, as fields have
    a page that lies alone, either side    gather memory=managed source=(the other side)
    a line of GPU memory, a launch         gather memory=device
    the CPU's own work                     les processor=cpu: the same touch, nothing moves
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median
from typing import Any

from watari.cases.les.model import of_touches
from watari.common.errors import UnsupportedError
from watari.results.measured import Measured

LONE = 1 << 18  # bytes between pages that no fault brings together, at least
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
    """Seconds of the first sample in each of a processor's phases but the first one, in which a
    page may be new to that side."""
    for trial in m.trials:
        mine = [phase for phase in trial["phases"] if phase["name"].split("-")[0] == processor]
        yield from (trial["host_s"][phase["first"]] for phase in mine[1:])


def of_samples(m: Measured, series: str) -> float:
    """The median over all samples of all trials."""
    return float(median(seconds for trial in m.trials for seconds in trial[series]))


class Rates:
    """Those of one run. Each raises UnsupportedError where its case was not measured."""

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
        """By the copy engine, from one memory to another."""
        ends = {"from": source, "to": target}
        return self.all_of("copy", **ends, means="copy-engine", streams=1, bidirectional=False)

    def copy(self, source: str, target: str) -> Curve:
        """By the GPU's clock: the host waits once for several copies."""
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
        """What the host takes to ask for copies and to wait for them, beyond the GPU's time."""
        least = min(self.copies("device", "pinned"), key=lambda m: int(m["size"]))
        return of_samples(least, "host_s") - of_samples(least, "device_s")

    def prefetch(self, to: str) -> Curve:
        """A prefetch to a processor."""
        of = {"processor": to, "memory": "managed", "operation": "prefetch"}
        return self.by_size("device_s", "touch", **of)

    def faults(self, of: str) -> Curve:
        """What a pass over pages that are on the other side takes longer, over their bytes; both
        arrays come."""
        found = self.all_of("migration", memory="managed", hint="none")
        points = [(2 * int(m["size"]), seconds) for m in found for seconds in firsts(m, of)]
        sizes = sorted({size for size, _ in points})
        if not sizes:
            raise UnsupportedError(f"needs case migration with later phases of the {of}")
        return Curve(tuple((n, median(s for size, s in points if size == n)) for n in sizes))

    def lone_page(self, of: str) -> float:
        """Seconds of a page that lies alone, in the first pass over such pages."""
        other = {"cpu": "gpu", "gpu": "cpu"}[of]
        found = [
            m
            for m in self.all_of("gather", processor=of, memory="managed", source=other)
            if m["stride"] >= LONE and m["hint"] == "none"
        ]
        if not found:
            raise UnsupportedError(f"needs case gather processor={of} stride=1MiB or so")
        first = [
            trial["host_s"][0] / (m["size"] // m["stride"]) for m in found for trial in m.trials
        ]
        return float(median(first))

    def lines(self, loads: int) -> float:
        """Seconds of a GPU's kernel that loads so many numbers, each in a line of its own, with its
        launch and the wait for it."""
        m = self.all_of("gather", processor="gpu", memory="device", pattern="strided", element=4)[0]
        device = of_samples(m, "device_s")
        lines = int(m["size"]) // int(m["stride"])
        return of_samples(m, "host_s") - device + loads * device / lines

    def own_work(self, of: Measured) -> float:
        """Seconds that the CPU's part takes of a touch where nothing moves."""
        same = {name: of[name] for name in SAME_WORK}
        return of_touches(self.all_of("les", processor="cpu", **same)[0], "cpu_s")
