"""The profile of a machine that was not measured: that of a measured one, scaled by their limits.

    seconds = latency + (measured seconds - latency) x measured machine's limit / this one's limit

`latency` is the seconds of a curve at no bytes. The limit is

    MEMORY   bandwidth of GPU memory: passes of the GPU, copies inside GPU memory
    CACHE    multiprocessors x clock: the same passes, where the GPU's cache holds their bytes.
             These sizes change with its capacity
    LINK     bandwidth of the link: copies of pinned memory, passes over the link
    PARTLY   prefetches, faults, copies of pageable memory. The time that the link needs at its
             limit is scaled. The rest is time of driver and CPU; it stays
    DRIVER   first touches, allocation: the time stays
    CPU      passes of the CPU, its pages: the time stays

Intervals become WIDER, since another machine may reach another share of its limits. If the other
machine has another CPU, all times of a CPU are known within a factor of ANOTHER_CPU only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from watari.common import reading
from watari.common.errors import FileError, UsageError
from watari.machine.record import GpuProcessor, Machine
from watari.model.files import checked
from watari.model.machine import LATENCY, Curve, MachineProfile, Point, Scaled
from watari.model.profiles import fit

MEMORY, CACHE, LINK, PARTLY = "GPU memory", "GPU cache", "link", "link in part"
DRIVER, CPU = "driver", "CPU"
WIDER = {MEMORY: 1.1, CACHE: 1.25, LINK: 1.1, PARTLY: 1.25, DRIVER: 1.25, CPU: 1.1}
ANOTHER_CPU = 2.0
ON_GPU, IN_PLACE = {"device", "managed"}, {"pageable", "pinned"}


@dataclass(frozen=True)
class Limits:
    """The limits that a machine records. Bytes per second; `cache` in multiprocessors x MHz."""

    memory: float
    cache: float
    link: float
    capacity: int  # of the GPU's cache, bytes
    kind: str  # of the link


def gpu_of(machine: Machine, name: str) -> GpuProcessor:
    """The first GPU. Raises UsageError."""
    found = next((p for p in machine.processors if isinstance(p, GpuProcessor)), None)
    if not found:
        raise UsageError(f"{name} has no GPU: only a machine with one is predicted from another")
    return found


def limits_of(machine: Machine, name: str, clock: int | None) -> Limits:
    """The limits of a machine; its multiprocessors run at `clock`. Raises UsageError."""
    gpu = gpu_of(machine, name)
    links = [each for each in machine.links if {each.from_, each.to} == {"cpu", gpu.id}]
    recorded = {
        "the bandwidth of its GPU memory": gpu.memory_bandwidth,
        "its number of multiprocessors": gpu.multiprocessors,
        "the bandwidth of the link between CPU and GPU": links[0].bandwidth if links else None,
        "the capacity of its GPU cache": gpu.l2_bytes,
    }
    lacking = [what for what, value in recorded.items() if not value]
    if lacking:
        raise UsageError(f"{name} does not record {lacking[0]}: nothing can be scaled by it")
    memory, count, link, _ = (float(value or 0) for value in recorded.values())
    return Limits(memory, count * (clock or 1), link, gpu.l2_bytes, links[0].kind)


def clocks(machines: Sequence[Machine]) -> list[int | None]:
    """The highest clock of each GPU; None for all, if one does not record it."""
    states = [p.state for m in machines for p in m.processors[1:2] if isinstance(p, GpuProcessor)]
    found = [state.sm_clock_most if state else None for state in states]
    return found if len(found) == len(machines) and all(found) else [None] * len(machines)


def same_cpu(one: Machine, other: Machine) -> bool:
    """Whether two machines have the same model of CPU, with as many cores."""
    ends = [m.processors[0].model_dump(include={"name", "cores"}) for m in (one, other)]
    return ends[0] == ends[1]


def limit_of(key: str, curve: Curve, link: float) -> str:
    """The resource that limits a step."""
    step, *words = key.split()
    if step == "pass":
        return MEMORY if words[0] == "gpu" else CPU
    if step in ("read", "write"):
        return LINK
    if step in ("prefetch", "fault"):
        return PARTLY
    if step != "transfer":
        return CPU if "pageable" in words else DRIVER
    ends, last = set(words), curve.points[-1]
    if ends <= ON_GPU:  # managed memory may have its pages on the CPU
        return MEMORY if last.bytes / last.seconds > link else PARTLY
    if "pageable" in ends:
        return DRIVER if ends <= IN_PLACE else PARTLY
    return LINK if ends & ON_GPU else PARTLY


def latency(points: Sequence[Point]) -> float:
    """Seconds of a curve at no bytes; 0 where it was measured for large sizes alone."""
    first, *rest = points
    if first.bytes > LATENCY:
        return 0.0
    if not rest or rest[0].bytes <= first.bytes:
        return first.seconds
    slope = (rest[0].seconds - first.seconds) / (rest[0].bytes - first.bytes)
    return max(0.0, first.seconds - slope * first.bytes)


def point(one: Point, start: float, limit: str, there: Limits, here: Limits) -> tuple[float, float]:
    """Bytes and seconds of a point on this machine; `start`: the latency of its curve."""
    rate = one.seconds - start
    if limit == MEMORY:
        return one.bytes, start + rate * there.memory / here.memory
    if limit == CACHE:
        size = one.bytes * (here.capacity / there.capacity if one.bytes > LATENCY else 1)
        return size, start + rate * (there.cache / here.cache) * (size / one.bytes)
    if limit == LINK:
        return one.bytes, start + rate * there.link / here.link
    if limit == PARTLY:
        crossing = min(rate, one.bytes / there.link)
        return one.bytes, one.seconds + crossing * (there.link / here.link - 1)
    return one.bytes, one.seconds


def scaled_curve(
    key: str, curve: Curve, there: Limits, here: Limits, another_cpu: bool = False
) -> Curve:
    """The curve of a step on this machine."""
    limit, start = limit_of(key, curve, there.link), latency(curve.points)
    rows: list[tuple[float, float, float, float]] = []
    for one in curve.points:
        held = limit == MEMORY and key.startswith("pass") and one.bytes <= there.capacity
        mine = CACHE if held else limit
        size, seconds = point(one, start, mine, there, here)
        of_cpu = another_cpu and mine in (PARTLY, DRIVER, CPU)
        wider = ANOTHER_CPU if of_cpu else WIDER[mine]
        changed = seconds / one.seconds
        rows.append((size, seconds, one.low * changed / wider, one.high * changed * wider))
    points: list[Point] = []
    for size, *ends in sorted(rows):
        if points:  # faster memory must not make more bytes faster than those that its cache holds
            last = points[-1]
            before = (last.seconds, last.low, last.high)
            ends = [max(a, b) for a, b in zip(ends, before, strict=True)]
        points.append(Point(bytes=size, seconds=ends[0], low=ends[1], high=ends[2]))
    how = "unchanged" if limit in (DRIVER, CPU) else f"scaled by {limit}"
    return Curve(points=points, source=f"{curve.source}; {how}")


def scaled(base: MachineProfile, probe: Machine, names: Sequence[str]) -> MachineProfile:
    """The profile of the probed machine, from that of a measured one. `names`: the files of both,
    that of the probe last. Raises UsageError."""
    if base.kind != "measured":
        raise UsageError(f"{base.name} was not measured itself: give results of a measured machine")
    machines = (base.machine, probe)
    titles = (base.name, f"{names[-1]}: {probe.name}")
    there, here = map(limits_of, machines, titles, clocks(machines))
    if there.kind != here.kind:
        raise UsageError(
            f"{base.name} has a link of kind {there.kind}, {probe.name} one of kind {here.kind}: "
            "steps over one say nothing about the other"
        )
    same = same_cpu(*machines)
    gpus = [gpu_of(m, m.name).name for m in machines]
    if probe.name == base.name and gpus[0] == gpus[1] and there == here and same:
        raise UsageError(
            f"{names[-1]} is a probe of {base.name} itself, which was measured: nothing to scale"
        )
    ratios = {
        MEMORY: here.memory / there.memory,
        CACHE: here.cache / there.cache,
        LINK: here.link / there.link,
    }
    curves = {
        key: scaled_curve(key, curve, there, here, not same) for key, curve in base.curves.items()
    }
    changed = {
        "name": probe.name,
        "title": fit.title_of(probe),
        "kind": "scaled",
        "sources": list(names),
        "machine": probe.model_copy(update={"hosts": []}),
        "curves": curves,
        "route": fit.route_of(probe),
        "scaled": Scaled(machine=base.name, ratios=ratios, same_cpu=same),
        "stores": [],  # a probe knows no disk, and no latency of a load
        "latencies": [],
    }
    return base.model_copy(update=changed)


def says(profile: MachineProfile) -> str:
    """A note that a machine was not measured, and how its numbers were made; empty for other
    profiles."""
    if not profile.scaled:
        return ""
    rates = ", ".join(f"{name} x {ratio:.3g}" for name, ratio in profile.scaled.ratios.items())
    kept = "CPU, page faults and driver take as long as there"
    if not profile.scaled.same_cpu:
        kept += f", within a factor of {ANOTHER_CPU:g}: the CPUs differ"
    return f"not measured: {profile.scaled.machine} with other rates ({rates}); {kept}"


def read_probe(path: Path) -> Machine:
    """Reads the output of `watari probe --json`. Raises FileError."""
    content = reading.content(path)
    value = reading.parsed(content, path)
    if isinstance(value, dict) and "schema" in value:
        raise FileError(f"{path} is not a probe: --for takes the output of `watari probe --json`")
    return checked(Machine, content, path, "probe")
