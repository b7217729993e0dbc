"""The nodes of a fleet, from result files: of each case the median time of every trial.

A node is a host. Where several files are of one host, the newest one that has a case counts.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from watari.cases import presentation
from watari.common import reading
from watari.common.errors import FileError, UsageError
from watari.report.compare import LOOSE
from watari.results import schema, statistics
from watari.results.consistency import remembered
from watari.results.key import key
from watari.results.schema import Case, Missing, Results
from watari.results.statistics import WHOLE
from watari.results.trial import Trial

PART = ""  # of a key: the phase, beside the names of axes, which are never empty
ALONE = 32  # files that one process reads as fast as several
OF_FORKS: list[Callable[[Any], Any]] = []  # the work of processes that are forked now


@dataclass(frozen=True)
class Level:
    """One part of a case on one node."""

    case: str
    parameters: dict[str, Any]
    part: str
    bytes_per_sample: int
    seconds: tuple[float, ...]  # of each trial the median sample

    @property
    def median(self) -> float:
        """Median over the trials, in seconds."""
        return median(self.seconds)


@dataclass
class Node:
    """A host, with the newest result of each case. Keys have a case, its axes and a part."""

    host: str
    named: bool  # by a host, not by its file
    files: list[str]  # the newest first
    started: str
    machine: dict[str, Any]
    levels: dict[str, Level] = field(default_factory=dict)
    bad: dict[str, tuple[str, str]] = field(default_factory=dict)  # status and reason, by case
    missing: set[str] = field(default_factory=set)  # planned and not measured, by case

    def also(self, older: Node) -> None:
        """Takes cases that this run does not have from an older one."""
        mine = {whole(name) for name in self.levels} | self.bad.keys()
        self.files += older.files
        self.levels |= {n: level for n, level in older.levels.items() if whole(n) not in mine}
        self.bad |= {name: why for name, why in older.bad.items() if name not in mine}
        have = {whole(name) for name in self.levels} | self.bad.keys()
        self.missing = (self.missing | older.missing) - have


def whole(name: str) -> str:
    """The key of a case, from that of one of its parts."""
    return name.partition("\n")[0]


def names(cases: Sequence[Case | Missing]) -> list[str]:
    """A key for each case, without numbers that may differ between nodes (their cores, say), where
    the rest still distinguishes the cases of a file."""
    rest = [key(c.case, {n: v for n, v in c.parameters.items() if n not in LOOSE}) for c in cases]
    often = Counter(rest)
    return [
        name if often[name] == 1 else key(c.case, c.parameters)
        for name, c in zip(rest, cases, strict=True)
    ]


def parts(case: str, trials: Sequence[Trial]) -> dict[str, list[float]]:
    """The median time of each trial, by the parts that `watari compare` judges."""
    compared = presentation(case).compared
    if compared is not statistics.summaries:
        found = compared([trial.model_dump() for trial in trials])
        return {name: list(part.medians) for name, part in found.items()}
    gathered: dict[str, list[float]] = {}
    for trial in trials:
        times = trial.device_s or trial.host_s
        phases = [(p.name, times[p.first : p.last]) for p in trial.phases]
        for name, inside in [p for p in phases if p[1]] or [(WHOLE, times)]:
            gathered.setdefault(name, []).append(median(inside))
    return gathered


def node(results: Results, file: str) -> Node:
    """The node of one file. Without a host in the file it has the name of the file."""
    machine = results.machine.model_dump(mode="json", by_alias=True)
    hosts = [] if results.program.anonymous else list(dict.fromkeys(machine["hosts"]))
    name, started = ", ".join(hosts) or Path(file).stem, results.program.started
    found = Node(name, bool(hosts), [file], started, machine)
    listed: list[Case | Missing] = [*results.cases, *results.missing]
    for name, c in zip(names(listed), listed, strict=True):
        if isinstance(c, Missing):
            found.missing.add(name)
        elif c.status != "ok":
            found.bad[name] = c.status, c.reason or ""
        else:
            good = [trial for trial in c.trials if trial.status == "ok" and trial.host_s]
            for part, seconds in parts(c.case, good).items():
                shown = f"{name}\n{part}"
                found.levels[shown] = Level(
                    c.case, c.parameters, part, c.bytes_per_sample, tuple(seconds)
                )
    found.missing -= {whole(name) for name in found.levels} | found.bad.keys()
    return found


@dataclass(frozen=True)
class Unread:
    """A file that is no valid result, and why; `other` has no schema of results at all."""

    file: str
    why: str
    other: bool


def read(file: str) -> Node | Unread:
    """The node of a file, or why it has none."""
    other = False
    try:
        data = reading.json(file)
        other = not isinstance(data, dict) or type(data.get("schema")) is not int
        return node(schema.parse(data, file), file)
    except FileError as error:
        return Unread(file, str(error), other)


def files(paths: Iterable[Path]) -> list[str]:
    """The files, and those of each folder and its subfolders. Raises UsageError without any."""
    found: list[str] = []
    for path in paths:
        inside = sorted(path.rglob("*.json")) if path.is_dir() else [path]
        if not inside:
            raise UsageError(f"{path}: this folder has no result files (*.json)")
        found += map(str, inside)
    return list(dict.fromkeys(found))


def read_all(paths: Sequence[str]) -> tuple[list[Node], list[Unread]]:
    """The nodes by host, and the files that were left out."""
    found = spread(read, paths)
    nodes = by_host([one for one in found if isinstance(one, Node)])
    return nodes, [one for one in found if isinstance(one, Unread)]


def spread(work: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
    """`work` of each item, by several processes where there are many. They are forks: they have
    what `work` refers to, and only an item and its result are copied."""
    processes = min(len(os.sched_getaffinity(0)), len(items) // ALONE, 16)
    with remembered():
        if processes < 2:
            return [work(item) for item in items]
        OF_FORKS.append(work)
        try:
            with multiprocessing.get_context("fork").Pool(processes, begin) as pool:
                return pool.map(in_fork, items, chunksize=8)
        finally:
            OF_FORKS.pop()


def begin() -> None:
    """The start of a forked process: its parent handles Ctrl-C, and ends it by SIGTERM. Collections
    of cycles took a third of the time; results have none."""
    gc.disable()
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def in_fork(item: Any) -> Any:
    """The work of a forked process."""
    return OF_FORKS[-1](item)


def parts_of(node: Node) -> tuple[str, tuple[str, ...]]:
    """The CPU's name and the names of its GPUs, each once: their number may have fallen."""
    processors = node.machine["processors"]
    gpus = {p["name"] for p in processors if p["kind"] == "gpu"}
    return f"{node.machine['architecture']}, {processors[0]['name']}", tuple(sorted(gpus))


def is_same(one: Node, other: Node) -> bool:
    """Whether two runs on hosts of one name are of one machine: it may have lost its GPUs. Virtual
    machines often share a name."""
    (cpu, gpus), (other_cpu, other_gpus) = parts_of(one), parts_of(other)
    return cpu == other_cpu and (gpus == other_gpus or not gpus or not other_gpus)


def by_host(read: Iterable[Node]) -> list[Node]:
    """One node a host, by name; its newest run first."""
    hosts: dict[str, list[Node]] = {}
    for one in sorted(read, key=lambda one: one.started, reverse=True):
        known = hosts.setdefault(one.host, [])
        same = next((node for node in known if is_same(node, one)), None)
        if same:
            same.also(one)
        else:
            known.append(one)
    for host, nodes in hosts.items():
        for node in nodes if len(nodes) > 1 else ():
            cpu, gpus = parts_of(node)
            node.host = f"{host} ({', '.join(gpus) or cpu})"
    every = [node for nodes in hosts.values() for node in nodes]
    return sorted(every, key=lambda node: natural(node.host))


def natural(name: str) -> list[tuple[int, str]]:
    """An order in which node2 comes before node10."""
    words = "".join(c if c.isdigit() else f" {c} " for c in name).split()
    return [(int(word), "") if word.isdecimal() else (-1, word) for word in words]
