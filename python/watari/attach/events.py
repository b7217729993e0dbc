"""Reads the event log of the preloaded library (format: src/attach/preload/log/event_log.hpp).

A run has one file per process, and one more for each program that a process starts by exec. The
file of a killed process ends in a partial line or in zeros: only whole lines count.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

NO_ROOM = "no room for it on its disk, or under the limit on file sizes (ulimit -f)"
REFUSED = b": the event log cannot be written: "  # event_log.cpp


@dataclass(frozen=True)
class Frame:
    """A return address: its module, offset in it, and the dynamic symbol before it if any."""

    module: str
    offset: int
    symbol: str = ""


@dataclass
class Allocation:
    """One allocation. Times are seconds of CLOCK_MONOTONIC."""

    process: int
    site: str
    ordinal: int
    api: str
    pointer: int
    bytes: int
    kind: str  # the kind that the program requested
    got: str  # the kind that it got: the same one, or the style's
    device: int
    begun: float
    seconds: float
    code: int  # CUresult
    ended: float | None = None  # when its release began
    shared: str = ""  # the call that shared it: it must stay GPU memory
    context: int = 0
    pool: int = 0  # 0: the call named no pool
    parts: tuple[Allocation, ...] = ()  # allocations that count as this one, if there are several

    @property
    def lives(self) -> tuple[Allocation, ...]:
        """The allocations that count as this one, in order of time."""
        return self.parts or (self,)

    @property
    def name(self) -> str:
        """Call site and ordinal: the same name in every run."""
        return f"{self.site}#{self.ordinal}"


@dataclass
class Device:
    """Properties that a GPU reports."""

    memory: int
    managed: bool
    pageable: bool
    concurrent: bool


@dataclass(frozen=True)
class Copies:
    """Copies of pageable memory by one call site; `large`: of 4 MiB or more."""

    times: int
    bytes: int
    seconds: float
    large_bytes: int
    large_seconds: float


@dataclass(frozen=True)
class Changed:
    """What a change did in a process. `saved`: seconds, an estimate."""

    times: int
    bytes: int
    saved: float


@dataclass
class Process:
    """One program in one process."""

    pid: int
    program: str
    style: str
    begun: float
    initialised: float | None = None  # seconds that cuInit took, None: never called
    init_code: int = 0
    context_seconds: float = 0.0  # that the first context took
    started: float | None = None  # when the first context was made, or cuInit ended
    ended: float | None = None  # None: by _exit, a crash, a signal
    allocations: list[Allocation] = field(default_factory=list)
    free_seconds: float = 0.0
    left_bytes: int = 0  # of cuMemCreate, which no style replaces
    hints: int = 0
    failed_hints: int = 0
    first_failed_hint: tuple[str, int] = ("", 0)
    devices: dict[int, Device] = field(default_factory=dict)
    shared_pools: dict[int, str] = field(default_factory=dict)  # pool: the call that shared it
    copies: dict[tuple[str, str], Copies] = field(default_factory=dict)  # by site and direction
    changed: dict[str, Changed] = field(default_factory=dict)


@dataclass
class Events:
    """The events of all processes of a run."""

    processes: list[Process]
    sites: dict[str, tuple[Frame, ...]]
    cut: list[str] = field(default_factory=list)  # why a log lacks events or was never begun

    @property
    def allocations(self) -> list[Allocation]:
        """All successful allocations, in order of time."""
        every = [a for p in self.processes for a in p.allocations if a.code == 0]
        return sorted(every, key=lambda allocation: allocation.begun)

    @property
    def failed(self) -> list[Allocation]:
        """The allocations that the driver refused."""
        return [a for p in self.processes for a in p.allocations if a.code != 0]

    @property
    def allocation_seconds(self) -> float:
        """Seconds of allocation and release in the process that spent most on them."""
        return max(
            (sum(a.seconds for a in p.allocations) + p.free_seconds for p in self.processes),
            default=0.0,
        )

    @property
    def uses_cuda(self) -> bool:
        """Whether any process initialised CUDA."""
        return any(p.initialised is not None for p in self.processes)


def lines(path: Path) -> Iterator[dict[str, Any]]:
    """The whole lines of a log."""
    for line in path.read_bytes().rstrip(b"\0").split(b"\n"):
        try:
            event = json.loads(line.decode(errors="replace"))
        except ValueError:  # a partial line, or the end after the last newline
            continue
        if isinstance(event, dict) and "op" in event:
            yield event


def seconds(event: dict[str, Any]) -> float:
    """When an event began."""
    return float(event["t"]) * 1e-9


def allocation(pid: int, event: dict[str, Any]) -> Allocation:
    """The allocation that an event is about."""
    return Allocation(
        pid,
        event["site"],
        event["n"],
        event["api"],
        int(event["ptr"], 16),
        event["bytes"],
        event["kind"],
        event["as"],
        event["device"],
        seconds(event),
        event["s"],
        event["rc"],
        context=int(event["context"], 16),
        pool=int(event.get("pool", "0"), 16),
    )


def read_process(path: Path, into: Events) -> None:
    """Reads one log."""
    process: Process | None = None
    modules: dict[int, str] = {}
    alive: dict[int, Allocation] = {}
    if not path.stat().st_size:
        into.cut.append(NO_ROOM)
    for number, event in enumerate(lines(path)):
        op = event["op"]
        if op == "start":
            process = Process(event["pid"], event["program"], event["style"], seconds(event))
            into.processes.append(process)
        elif process is None:
            continue
        elif op == "module":
            modules[event["id"]] = event["path"]
        elif op == "site":
            frames = (Frame(modules.get(f[0], ""), f[1], *f[2:3]) for f in event["frames"])
            into.sites[event["site"]] = tuple(frames)
        elif op == "cut":
            into.cut.append(os.strerror(event["errno"]))
        elif op == "end":
            process.ended = seconds(event)
            if number != event["events"]:
                into.cut.append(
                    f"another process changed it, {number} of {event['events']} events are left"
                )
        elif op == "alloc":
            one = allocation(process.pid, event)
            one.shared = process.shared_pools.get(one.pool, "")
            process.allocations.append(one)
            if one.code == 0:
                alive[one.pointer] = one
        else:
            take(process, event, alive)


def take(process: Process, event: dict[str, Any], alive: dict[int, Allocation]) -> None:
    """Applies an event to a process, its devices or its live allocations."""
    match event["op"]:
        case "init":
            process.initialised, process.init_code = event["s"], event["rc"]
            process.started = seconds(event) + event["s"]
        case "context":
            process.context_seconds = event["s"]
            process.started = seconds(event) + event["s"]
        case "device":
            facts = (bool(event[name]) for name in ("managed", "pageable", "concurrent"))
            process.devices[event["device"]] = Device(event["memory"], *facts)
        case "free":
            process.free_seconds += event["s"]
            freed = alive.pop(int(event["ptr"], 16), None) if event["rc"] == 0 else None
            if freed:
                freed.ended = seconds(event)
        case "hint":
            process.hints += 1
            if event["rc"] != 0:
                process.failed_hints += 1
                process.first_failed_hint = (event["api"], event["rc"])
        case "share":
            for shared in handed_on(event, process, alive):
                shared.shared = event["api"]
        case "destroy":
            context = int(event["context"], 16)
            for pointer in [p for p, a in alive.items() if a.context == context]:
                alive.pop(pointer).ended = seconds(event)
        case "copies":
            process.copies[event["site"], event["to"]] = Copies(
                event["times"], event["bytes"], event["s"], event["large_bytes"], event["large_s"]
            )
        case "changed":
            saved = event["saved_ns"] * 1e-9
            process.changed[event["change"]] = Changed(event["times"], event["bytes"], saved)
        case "left":
            process.left_bytes += event["bytes"] if event["rc"] == 0 else 0


def handed_on(
    event: dict[str, Any], process: Process, alive: dict[int, Allocation]
) -> Iterable[Allocation]:
    """The allocations that a call shares: one, or all of a pool. Later ones of this pool are
    shared, too."""
    if "ptr" in event:
        one = alive.get(int(event["ptr"], 16))
        return [one] if one else []
    process.shared_pools[int(event["pool"], 16)] = event["api"]
    return (a for a in process.allocations if a.pool == int(event["pool"], 16))


def read(folder: Path) -> Events:
    """Reads all logs of a run. Raises KeyError where an event lacks a key: a bug of Watari's."""
    found = Events([], {})
    for path in sorted(folder.glob("*.jsonl")):
        read_process(path, found)
    return found


def complaint(errors: Path) -> list[str]:
    """Why the preloaded library could not begin its log, from a run's standard error."""
    with errors.open("rb") as file:
        found = (line.partition(REFUSED) for line in file if line.startswith(b"watari: "))
        return [why.decode(errors="replace").strip() for _, refused, why in found if refused][:1]


def peak(allocations: list[Allocation], kind: str) -> int:
    """Most bytes of a kind that were allocated at once, over all processes."""
    steps = [(a.begun, a.bytes) for a in allocations if a.got == kind]
    steps += [(a.ended, -a.bytes) for a in allocations if a.got == kind and a.ended is not None]
    most = now = 0
    for _, change in sorted(steps):
        now += change
        most = max(most, now)
    return most
