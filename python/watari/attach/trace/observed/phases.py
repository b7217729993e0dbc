"""Phases of a program: stretches in which one processor works, and the data that it accesses.

The GPU works from the start of a kernel to the end of the last one that follows within 50 µs. The
CPU works where a copy or a fault of the CPU begins outside these stretches. A copy to the GPU
counts as a write of its bytes by the CPU, a copy back as a read. A phase ends where a phase of the
other processor begins.

Bytes of a GPU phase are those that its kernels touch (touched.py). Without samples, they are the
bytes that came to the GPU since the previous phase (read) and that leave it in the next one
(written), once: the phase is then `assumed`, and the model does not use it.
"""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from watari.attach.events import Allocation
from watari.attach.trace.observed.touched import Touches
from watari.attach.trace.records.lives import NOBODY, owners
from watari.attach.trace.records.records import WRITES, Array, Counter, Kind, Recorded, columns
from watari.attach.trace.records.repeats import ordinals
from watari.attach.trace.records.transfers import Direction, How

TOGETHER = 50_000  # ns between kernels of one stretch
MOST = 1000  # phases; later work belongs to the last two


@dataclass
class Use:
    """Accesses to an allocation in a phase: bytes of one pass, and bytes of all passes."""

    read: float = 0
    written: float = 0
    read_in_all: float = 0
    written_in_all: float = 0

    def add(self, read: float, written: float, passes: int = 1) -> None:
        """Adds passes over the same bytes as before or more."""
        self.read = max(self.read, read)
        self.written = max(self.written, written)
        self.read_in_all += read * passes
        self.written_in_all += written * passes

    @property
    def passes(self) -> float:
        """Number of accesses to the bytes of one pass."""
        once = self.read + self.written
        return (self.read_in_all + self.written_in_all) / once if once else 1.0


@dataclass
class Stretch:
    """A phase."""

    processor: str
    start: int
    end: int
    kernels: dict[str, int] = field(default_factory=dict)
    uses: dict[int, Use] = field(default_factory=dict)
    to_gpu: int = 0
    to_cpu: int = 0

    def use(self, allocation: int) -> Use:
        """The accesses of this phase to an allocation."""
        return self.uses.setdefault(allocation, Use())


def busy(starts: Array, ends: Array) -> tuple[Array, Array]:
    """Stretches of work, from kernels in order of their start."""
    if not len(starts):
        return starts, ends
    latest = np.maximum.accumulate(ends)
    breaks = np.flatnonzero(starts[1:] > latest[:-1] + TOGETHER) + 1
    return starts[np.r_[0, breaks]], latest[np.r_[breaks - 1, len(ends) - 1]]


def inside(times: Array, starts: Array, ends: Array) -> Array:
    """Whether each time is in one of these stretches."""
    at = np.searchsorted(starts, times, side="right") - 1
    found = at >= 0
    found[found] = times[found] < ends[at[found]]
    return found


def find(process: Recorded, moved: Array, allocations: Sequence[Allocation]) -> list[Stretch]:
    """The phases, without their accesses."""
    kernels = process.of(Kind.KERNEL)
    fills = process.of(Kind.FILL)
    work = np.concatenate([kernels, fills])
    work = work[np.argsort(work["start"], kind="stable")]
    starts, ends = busy(work["start"], work["end"])
    link = moved[np.isin(moved["direction"], (Direction.TO_GPU, Direction.TO_CPU))]
    by_cpu = [
        link["start"][link["how"] == How.COPY],
        process.counters(Counter.CPU_FAULT)["start"],
    ]
    cpu = np.sort(np.concatenate(by_cpu))
    cpu = cpu[~inside(cpu, starts, ends)]
    times = np.concatenate([starts, cpu])
    sides = np.concatenate([np.ones(len(starts), bool), np.zeros(len(cpu), bool)])
    order = np.argsort(times, kind="stable")
    times, sides = times[order], sides[order]
    if not len(times):
        return []
    first = np.flatnonzero(np.r_[True, np.diff(sides.astype(int)) != 0])[:MOST]
    last = max(int(ends.max(initial=0)), int(moved["end"].max(initial=0)), int(times[-1]))
    edges = [int(times[i]) for i in first] + [last + 1]
    return [
        Stretch("gpu" if sides[i] else "cpu", begin, end)
        for i, begin, end in zip(first, edges[:-1], edges[1:], strict=True)
    ]


def index_of(stretches: Sequence[Stretch], times: Array) -> Array:
    """The phase of each time; a time before the first phase belongs to the first."""
    starts = np.array([s.start for s in stretches], np.uint64)
    return np.maximum(np.searchsorted(starts, times, side="right") - 1, 0)


def with_uses(
    process: Recorded, moved: Array, allocations: Sequence[Allocation], touches: Touches
) -> list[Stretch]:
    """The phases with their accesses."""
    stretches = find(process, moved, allocations)
    if not stretches:
        return []
    by_name: dict[str, int] = {}
    for index, allocation in enumerate(allocations):
        by_name.setdefault(allocation.name, index)
    add_copies(stretches, moved)
    add_kernels(stretches, process, touches, by_name)
    add_migrations(stretches, moved, allocations, bool(touches))
    add_first_writes(stretches, process, allocations, touches.cpu_writes)
    return stretches


def add_copies(stretches: list[Stretch], moved: Array) -> None:
    """Adds the accesses that copies show: of the CPU, or of the GPU for copies on it."""
    copies = moved[moved["how"] == How.COPY]
    rows = columns(copies, "direction", "allocation", "source", "bytes")
    phases = index_of(stretches, copies["start"]).tolist()
    for phase, (direction, owner, source, size) in zip(phases, rows, strict=True):
        stretch = stretches[phase]
        if direction == Direction.TO_GPU:
            stretch.to_gpu += size
        elif direction == Direction.TO_CPU:
            stretch.to_cpu += size
        if owner == NOBODY:
            continue
        if direction == Direction.TO_GPU:
            on_cpu(stretches, phase).use(owner).add(0, size)
        elif direction == Direction.TO_CPU:
            on_cpu(stretches, phase).use(owner).add(size, 0)
        elif stretch.processor == "gpu":
            stretch.use(owner).add(0, size)
            if source != NOBODY:
                stretch.use(source).add(size, 0)


def on_cpu(stretches: list[Stretch], phase: int) -> Stretch:
    """The phase itself, or the CPU phase before it if a copy ran beside kernels."""
    before = max(phase - 1, 0)
    is_cpu = stretches[phase].processor == "cpu"
    return stretches[phase if is_cpu or stretches[before].processor != "cpu" else before]


def add_kernels(
    stretches: list[Stretch], process: Recorded, touches: Touches, by_name: dict[str, int]
) -> None:
    """Adds the launches of each phase, and the accesses of these launches."""
    kernels = process.of(Kind.KERNEL)
    phases = index_of(stretches, kernels["start"]).tolist()
    each = zip(phases, kernels["name"].tolist(), ordinals(kernels["name"]).tolist(), strict=True)
    launches: Tally[tuple[int, str, int]] = Tally()
    for phase, identifier, ordinal in each:
        name = process.names.get(identifier, "unnamed")
        launches[phase, name, touches.index(name, ordinal)] += 1
    for (phase, name, index), count in launches.items():
        stretch = stretches[phase]
        stretch.kernels[name] = stretch.kernels.get(name, 0) + count
        for allocation, touch in touches.sampled(name, index).items():
            if allocation in by_name:
                read, written = touch.bytes * touch.reads, touch.bytes * touch.writes
                stretch.use(by_name[allocation]).add(read, written, count)


def add_migrations(
    stretches: list[Stretch], moved: Array, allocations: Sequence[Allocation], sampled: bool
) -> None:
    """Adds the accesses that migrations show: a processor reads the managed memory that moves to
    it. The GPU's count only without samples."""
    rows = moved[moved["how"] != How.COPY]
    phases = index_of(stretches, rows["start"]).tolist()
    sums: dict[tuple[int, int, int], float] = {}
    for phase, (*which, size) in zip(
        phases, columns(rows, "allocation", "direction", "bytes"), strict=True
    ):
        key = (phase, *which)
        sums[key] = sums.get(key, 0.0) + size
    for (phase, owner, direction), size in sums.items():
        stretch = stretches[phase]
        to_gpu, to_cpu = direction == Direction.TO_GPU, direction == Direction.TO_CPU
        stretch.to_gpu += int(size) if to_gpu else 0
        stretch.to_cpu += int(size) if to_cpu else 0
        if owner == NOBODY:
            continue
        once = min(size, float(allocations[owner].bytes))
        if (to_gpu and stretch.processor == "gpu" and not sampled) or (
            to_cpu and stretch.processor == "cpu"
        ):
            stretch.use(owner).add(once, 0)
    if not sampled:
        add_guesses(stretches)


def add_guesses(stretches: list[Stretch]) -> None:
    """Guesses accesses of GPU phases without samples: kernels read the data that the CPU wrote in
    the phase before, and write the data that are read in the phase after."""
    for i, stretch in enumerate(stretches):
        if stretch.processor != "gpu":
            continue
        for owner, use in stretches[i - 1].uses.items() if i else ():
            if use.written and stretches[i - 1].processor == "cpu":
                stretch.use(owner).add(use.written, 0)
        for owner, use in stretches[i + 1].uses.items() if i + 1 < len(stretches) else ():
            if use.read:
                stretch.use(owner).add(0, use.read)


def add_first_writes(
    stretches: list[Stretch],
    process: Recorded,
    allocations: Sequence[Allocation],
    written: frozenset[str],
) -> None:
    """Adds writes of the CPU to managed memory: as many bytes as the next phase uses of it. A page
    that is read first shows a read fault only: `written` names allocations whose writes were
    detected separately."""
    faults = process.counters(Counter.CPU_FAULT)
    if not len(faults):
        return
    writing = owners(allocations, faults["address"], faults["start"])
    known = np.array([a.name in written for a in allocations] + [False])  # the last entry: NOBODY
    is_write = np.isin(faults["flags"], WRITES) | known[writing]
    phases = index_of(stretches, faults["start"])
    pairs = set(zip(phases[is_write].tolist(), writing[is_write].tolist(), strict=True))
    for phase, owner in sorted(pairs):
        if owner == NOBODY or stretches[phase].processor != "cpu":
            continue
        following = (s.uses[owner] for s in stretches[phase + 1 :] if owner in s.uses)
        first = next(following, Use())
        used = max(first.read, first.written)
        stretches[phase].use(owner).add(0, max(used, stretches[phase].use(owner).read))


def rows(stretches: Sequence[Stretch], names: Sequence[str], sampled: bool) -> list[dict[str, Any]]:
    """Phases as a trace file has them; phases without an access are left out, except those of
    kernels whose accesses are unknown."""
    found = []
    for number, stretch in enumerate(stretches, 1):
        accesses = [
            {
                "allocation": names[owner],
                "processor": stretch.processor,
                "read": round(use.read),
                "written": round(use.written),
                "passes": max(use.passes, 1e-6),
            }
            for owner, use in stretch.uses.items()
            if use.read or use.written
        ]
        assumed = {"assumed": True} if stretch.kernels and not sampled else {}
        if accesses or assumed:
            name = f"{stretch.processor}-{number}"
            found.append({"name": name, "accesses": accesses, **assumed})
    return found or [{"name": "nothing", "accesses": []}]
