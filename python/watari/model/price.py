"""Seconds of steps, by a machine profile; and substitutes for curves that it lacks.

    pass = max(local bytes at the rate of a copy there, time on the link)
    link = max(read, write) + duplex x min(read, write)

n kernels that share some bytes take n times as long as a copy of an nth: each of them is launched.

A better known curve replaces a missing one, times two factors (least, most), and the prediction
says so. Without a substitute the step is unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from watari.case.sentence import NOTHING, Cost
from watari.common.errors import UnsupportedError
from watari.model.machine import LATENCY, Curve, MachineProfile, at
from watari.model.work import Pass, Step

ALLOCATES = ("allocate", "release")  # left out without a curve, and the prediction says so
# missing curve: its substitute, and the least and most factor on the seconds of that
INSTEAD = {
    "read gpu link": ("transfer pinned device", 1.0, 1.2),
    "write gpu link": ("transfer device pinned", 1.0, 1.2),
    "read cpu link": ("transfer device pinned", 0.7, 1.2),
    "write cpu link": ("transfer pinned device", 0.7, 1.2),
    "prefetch gpu": ("transfer pinned device", 1.0, 1.5),
    "prefetch cpu": ("transfer device pinned", 1.0, 4.0),
    "fault gpu managed read": ("transfer pinned device", 1.2, 8.0),
    "fault gpu managed write": ("fault gpu managed read", 0.7, 1.0),
    "fault cpu managed read": ("transfer device pinned", 1.2, 6.0),
    "fault cpu managed write": ("fault cpu managed read", 0.7, 1.2),
    "populate gpu system": ("pass gpu", 1.0, 30.0),
    "populate gpu managed": ("pass gpu", 1.0, 300.0),
    "populate cpu managed": ("populate cpu pageable", 1.0, 1.6),
    "populate cpu pageable": ("pass cpu", 1.5, 8.0),
    "pass gpu system": ("pass gpu", 1.0, 1.1),
    "pass cpu system": ("pass cpu", 1.0, 1.1),
    "transfer pageable device": ("transfer pinned device", 1.0, 8.0),
    "transfer device pageable": ("transfer device pinned", 1.0, 3.0),
}
# with ATS the driver copies pageable memory without a staging buffer
COHERENT = {
    "transfer pageable device": ("transfer pinned device", 1.0, 1.2),
    "transfer device pageable": ("transfer device pinned", 1.0, 1.2),
}
UNIFIED = {
    "pass cpu": ("pass gpu", 1.0, 30.0),
    "transfer pageable device": ("pass gpu", 1.0, 20.0),
    "transfer device pageable": ("pass gpu", 1.0, 20.0),
    "populate cpu pageable": ("pass gpu", 1.0, 300.0),
}
BY_ROUTE = {"ats": COHERENT, "unified": UNIFIED}
UNKNOWN_LAUNCH = 1e-5  # seconds at most
UNKNOWN_CONTENTION = (0.95, 1.5)  # times the number of processes


def factor_of(processes: int, known: Mapping[int, float]) -> float:
    """The slowdown of each of several processes against one alone: linear between measured counts.
    Beyond the last count it grows with the number of processes."""
    counts, factor = [1], [1.0]
    for count, slower in sorted(known.items()):
        counts.append(count)
        factor.append(max(slower, factor[-1]))  # more processes are never faster
    if processes > counts[-1]:
        return factor[-1] * processes / counts[-1]
    return at(processes, counts, factor)


@dataclass
class Prices:
    """The seconds of steps on a machine, for one or several processes at once. `assumed` and
    `left_out` gather the keys that were not measured there."""

    profile: MachineProfile
    processes: int = 1
    assumed: dict[str, str] = field(default_factory=dict)
    left_out: dict[str, None] = field(default_factory=dict)

    def curve(self, key: str, size: float, seen: tuple[str, ...] = ()) -> Cost:
        """Seconds of a step. Raises UnsupportedError where nothing is known of it."""
        known = self.profile.curves.get(key)
        if known:
            return self.no_faster_than_a_launch(key, known, size)
        table = {**INSTEAD, **BY_ROUTE.get(self.profile.route, {})}
        if key not in table or key in seen:
            raise UnsupportedError(f"{self.profile.name} has no measurement of '{key}'")
        other, least, most = table[key]
        cost = self.curve(other, size, (*seen, key))
        self.assumed[key] = f"{key}: not measured; {least:g} to {most:g} times '{other}'"
        middle = (least * most) ** 0.5
        return Cost(cost.middle * middle, cost.low * least, cost.high * most)

    def no_faster_than_a_launch(self, key: str, known: Curve, size: float) -> Cost:
        """Seconds by a curve. A curve that was measured for large sizes alone gives small ones only
        a rate: there the step takes a launch at least, and perhaps twice as long."""
        cost = known.cost(size)
        if known.points[0].bytes <= LATENCY or size >= known.points[0].bytes:
            return cost
        if key.split()[0] in ALLOCATES or key.split()[1] == "cpu":
            return cost
        least = self.smallest_pass("gpu") or 0.0
        first = known.points[0]
        high = min(2 * max(cost.high, least), first.high)
        return Cost(max(cost.middle, min(least, first.seconds)), cost.low, max(cost.high, high))

    def smallest_pass(self, processor: str) -> float | None:
        """Seconds of the smallest measured pass, where its size is a latency (LATENCY); else
        None."""
        known = self.profile.curves.get(f"pass {processor}")
        return known.points[0].seconds if known and known.points[0].bytes <= LATENCY else None

    def launch(self, processor: str) -> float:
        """Seconds of a launch, at most."""
        known = self.smallest_pass(processor)
        return UNKNOWN_LAUNCH if known is None else known

    def step(self, step: Step) -> Cost:
        """Seconds of one operation."""
        if step.key.split()[0] in ALLOCATES and step.key not in self.profile.curves:
            if not step.key.endswith("device"):  # takes about a millisecond, whatever its size
                self.left_out[step.key] = None
            return NOTHING
        return self.shared(step.key, self.curve(step.key, step.bytes))

    def moved(self, item: Pass) -> Cost:
        """Seconds of a pass."""
        shared = f" {item.shared}" if item.shared else ""
        local, read, written = (
            self.priced(key, size / item.launches).times(item.launches)
            for key, size in (
                (f"pass {item.processor}{shared}", item.local),
                (f"read {item.processor} link", item.read),
                (f"write {item.processor} link", item.written),
            )
        )
        factor = self.profile.duplex
        ends = (factor, factor) if self.profile.duplex_known else (0.0, 1.0)
        link = Cost(
            max(read.middle, written.middle) + factor * min(read.middle, written.middle),
            max(read.low, written.low) + ends[0] * min(read.low, written.low),
            max(read.high, written.high) + ends[1] * min(read.high, written.high),
        )
        return Cost(
            max(local.middle, link.middle), max(local.low, link.low), max(local.high, link.high)
        )

    def priced(self, key: str, size: float) -> Cost:
        """Seconds of a part of a pass."""
        return self.shared(key, self.curve(key, size)) if size else NOTHING

    def shared(self, key: str, cost: Cost) -> Cost:
        """The cost of a step where several processes do it at once."""
        if self.processes == 1:
            return cost
        known = {c.processes: c.factor for c in self.profile.contention if c.key == key}
        if known:
            return cost.times(factor_of(self.processes, known))
        low, high = (part * self.processes for part in UNKNOWN_CONTENTION)
        self.assumed["contention"] = (
            f"{self.processes} processes: contention was not measured; they share what one has"
        )
        return Cost(cost.middle * self.processes, cost.low * low, cost.high * high)

    def work(self, items: Iterable[Step | Pass]) -> Cost:
        """Seconds of all of them, one after another."""
        total = NOTHING
        for item in items:
            total = total + (self.step(item) if isinstance(item, Step) else self.moved(item))
        return total
