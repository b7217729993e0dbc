"""Replays against measured times: replay.py PROGRAM FOLDER [SECONDS]. PROGRAM: replay.cu.

The scene of each change and the changed one run in turn, ENOUGH times, and then those whose
difference is not KNOWN well, up to PAIRS times, as long as OF_PAIRS of SECONDS last. The first RUNS
of each have the clock of `watari trace`. Then each is traced once: the first table has its replay
beside these. The second table has the predicted interval of each change beside the median of the
paired differences. FOLDER gets every graph, and every time in times.json.
"""

from __future__ import annotations

import json
import math
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from watari.attach.start import Start, run
from watari.attach.trace import clock, cost
from watari.attach.trace.graph import replayed
from watari.attach.trace.records.records import Copy
from watari.attach.trace.runs import busiest, traced_run, variables
from watari.case.sentence import Cost
from watari.machine import cupti
from watari.model.replay import changes, files
from watari.model.replay.calibrate import Run
from watari.model.replay.differences import Base, difference
from watari.model.replay.graph import NONE, Array, Graph, Role, Work

ROUNDS = {"kernels": 500, "copies": 10, "allocated": 500, "beside": 200, "streams": 300,
          "direct": 2000, "graphs": 800, "threads": 1500, "queries": 1000, "managed": 60,
          "small": 10000}  # fmt: skip
PAIRS = 25  # of each change, at most
RUNS = 3
OF_PAIRS = 0.7
LATE = (0.5, 0.0, 1.0)  # of a launch and wait beyond the launch: the return of a wait
# launches that the launch of a graph of eight kernels takes; the part of the record of an empty
# kernel by which the next one in the graph starts earlier
OF_GRAPH = ((1.0, 0.25), (0.5, 0.5), (4.0, 0.0))
ENOUGH = 5  # pairs of each change, before only those run that are not known well
KNOWN = 0.03  # of the difference: its error


def kernels(graph: Graph, name: str) -> Array:
    """The launches of a kernel."""
    known = [number for number, text in graph.names.items() if name in text]
    rows = graph.operations
    found: Array = (rows["work"] == Work.KERNEL) & np.isin(rows["name"], known)
    return found


def launches(graph: Graph) -> Array:
    """Calls that launch a kernel."""
    found = np.zeros(len(graph.calls), bool)
    found[graph.operations["call"][graph.operations["work"] == Work.KERNEL]] = True
    return found


def copies(graph: Graph, direction: Copy) -> Array:
    """Calls that copy in a direction."""
    rows = graph.operations
    found = np.zeros(len(graph.calls), bool)
    found[rows["call"][(rows["work"] == Work.COPY) & (rows["detail"] == direction)]] = True
    return found


def doubled(graph: Graph) -> list[Graph]:
    """The second kernel takes twice its time."""
    return [changes.scaled(graph, kernels(graph, "second"), 2.0)]


def doubled_first(graph: Graph) -> list[Graph]:
    """The same in the first of several streams."""
    which = kernels(graph, "second")
    first = graph.operations["stream"][which].min()
    return [changes.scaled(graph, which & (graph.operations["stream"] == first), 2.0)]


def with_waits(graph: Graph) -> list[Graph]:
    """A wait for the device after each launch."""
    machine = graph.machine
    late = machine.launch_wait - machine.launch
    which = launches(graph)
    return [changes.waiting(graph, which, machine.wait, part * late) for part in LATE]


def rarely(graph: Graph) -> list[Graph]:
    """Only every tenth copy back."""
    gone = copies(graph, Copy.TO_CPU)
    gone[np.flatnonzero(gone)[::10]] = False
    return [changes.without_calls(graph, gone)]


def kept(graph: Graph) -> list[Graph]:
    """Without the copies back, and their calls."""
    return [changes.without_calls(graph, copies(graph, Copy.TO_CPU))]


def pinned(graph: Graph) -> list[Graph]:
    """All copies from and to pinned memory."""
    found = graph
    for direction, rate in (
        (Copy.TO_GPU, graph.machine.to_gpu),
        (Copy.TO_CPU, graph.machine.to_cpu),
    ):
        which = copies(graph, direction)[graph.operations["call"]]
        found = changes.pinned(found, which & (graph.operations["work"] == Work.COPY), rate)
    return [found]


def hoisted(graph: Graph) -> list[Graph]:
    """Without allocations after the first kernel, and the waits of releases."""
    begun = graph.operations["start"].min()
    calls = graph.calls
    which = (calls["role"] == Role.ALLOCATION) & (calls["start"] > begun - 1e5)
    return [changes.without_calls(graph, which)]


def merged(graph: Graph) -> list[Graph]:
    """The two streams that have kernels as one."""
    one, two, *_ = np.unique(graph.operations["stream"][kernels(graph, "second")]).tolist()
    return [changes.merged(graph, one, two)]


def as_graphs(graph: Graph) -> list[Graph]:
    """Eight launches as one graph."""
    which = np.flatnonzero(launches(graph))
    group = np.full(len(graph.calls), NONE)
    group[which] = np.arange(len(which)) // 8
    # what comes before each launch goes with it
    words = "CallConfiguration", "KernelGetName"
    pushes = [i for i, name in enumerate(graph.functions) if any(w in name for w in words)]
    found = changes.without_calls(graph, np.isin(graph.calls["function"], pushes))
    machine = graph.machine
    return [
        changes.as_graphs(found, group, own * machine.launch, early * machine.empty)
        for own, early in OF_GRAPH
    ]


Change = Callable[[Graph], list[Graph]]
CHANGES: tuple[tuple[str, str, Change], ...] = (
    ("kernels", "doubled", doubled), ("copies", "kept", kept), ("beside", "waits", with_waits),
    ("streams", "merged", merged), ("copies", "pinned", pinned), ("allocated", "hoisted", hoisted),
    ("direct", "graph", as_graphs), ("graphs", "doubled", doubled),
    ("threads", "doubled", doubled_first), ("queries", "doubled", doubled),
    ("managed", "doubled", doubled), ("small", "rare", rarely),
)  # fmt: skip


Words = tuple[str, ...]
Taken = tuple[float, float]  # seconds of a whole run, and of its rounds
Pair = tuple[Taken, Taken]


@dataclass
class Job:
    """The program, a folder for runs, one for results, and what tracing costs here."""

    program: str
    files: Path
    results: Path
    cupti: Path
    paid: cost.Measured
    times: dict[str, Any] = field(default_factory=dict)
    runs: dict[Words, list[Run]] = field(default_factory=dict)

    def plain(self, words: Words) -> Taken:
        """A run as it is: its seconds, and those of its rounds."""
        start, known = Start((self.program, *words)), self.runs.setdefault(words, [])
        if len(known) < RUNS:
            one = clock.as_it_is(start, self.folder())
            known.append(one.parts)
            ending = one.ending
        else:
            ending = run(start, {}, self.folder())
        if ending.reason:
            sys.exit(f"{words}: {ending.reason}")
        return ending.seconds, float(ending.output.read_text())

    def traced(self, name: str, words: Words) -> replayed.Replayed:
        """The replay of a traced run; its graph stays, with the costs of the burst."""
        ending, log, processes = traced_run(
            Start((self.program, *words)), self.folder(), self.cupti
        )
        process = busiest(processes)
        runs = self.runs[words]
        found = replayed.of_run(process, log, ending, runs, self.paid, len(processes))
        files.write(found.measured, self.results / f"{name}.graph")
        self.times.setdefault("traced", {})[name] = {
            **found.facts, "rounds": float(ending.output.read_text()), "whole": ending.seconds,
            "runs": [asdict(one) for one in runs],
            "run": asdict(clock.divided(ending, log, process.pid, process.collecting)),
        }  # fmt: skip
        return found

    def folder(self) -> Path:
        """A folder for one run."""
        return Path(tempfile.mkdtemp(dir=self.files))


def words_of(scene: str, change: str = "") -> Words:
    """The arguments of the program."""
    return (scene, str(ROUNDS[scene]), *([change] if change else []))


def traced(job: Job, words: Words) -> replayed.Replayed:
    """The replay of a traced run; prints a row."""
    name = "-".join((words[0], *words[2:]))
    made = job.traced(name, words)
    whole = [one.seconds for one in job.runs[words]]
    middle = [one.middle for one in job.runs[words]]
    one = made.facts
    met = ", ".join(one["word"] + ("!" if one["stops"] else "") for one in one["met"])
    factors = " ".join(f"{n}={f:.2f}" for n, f in one["cost"]["factors"].items() if f != 1)
    print(
        f"{name:17} {one['calls']:7} {median(whole):8.3f} {max(whole) - min(whole):7.3f} "
        f"{median(middle):7.3f} {max(middle) - min(middle):7.3f} {one['cost']['slower']:+6.2f} "
        f"{one['traced_seconds']:8.3f} {one['seconds']:8.3f} "
        f"{one['seconds'] / one['untraced_seconds'] - 1:+7.1%}  {met}  {factors}",
        flush=True,
    )
    return made


def predicted(of: replayed.Replayed, change: Change) -> Cost:
    """The difference that a change makes, in seconds."""
    return difference(Base.of(of.graph, of.links), *change(of.graph))


def error(measured: list[float]) -> float:
    """The standard error of the median, by the runs beside the middle one: a run of a busy machine
    may lie far out, and the others close together."""
    count = len(measured)
    ranks = [(count - 1) / 2 + sign * math.sqrt(count) / 2 for sign in (-1, 1)]
    low, high = np.interp(np.clip(ranks, 0, count - 1), range(count), sorted(measured))
    return float(high - low) / 2


def compared(measured: list[float], expected: Cost) -> str:
    """The median of the paired differences, its error, the predicted interval, and whether the
    median is inside, or would be but for two standard errors of it."""
    middle = median(measured)
    off = error(measured)
    inside = "yes" if expected.low <= middle <= expected.high else "NO"
    if inside == "NO" and expected.low - 2 * off <= middle <= expected.high + 2 * off:
        inside = "noise"
    return (
        f"{len(measured):5} {middle:+9.4f} {off:7.4f} {expected.middle:+10.4f} "
        f"[{expected.low:+.4f}, {expected.high:+.4f}] {inside:>5} "
        f"{expected.middle / (middle or 1) - 1:+8.1%}"
    )


def pairs(job: Job, until: float) -> dict[tuple[str, str], list[Pair]]:
    """Each scene as it is and changed, in turn, until a time."""
    found: dict[tuple[str, str], list[Pair]] = {c[:2]: [] for c in CHANGES}
    while left := [key for key, every in found.items() if not is_known(every)]:
        for name, change in left:
            if time.monotonic() > until and len(found[name, change]) > 2:
                return found
            one = job.plain(words_of(name)), job.plain(words_of(name, change))
            found[name, change].append(one)
    return found


def is_known(every: list[Pair]) -> bool:
    """Whether a change needs no more pairs."""
    measured = [after[1] - before[1] for before, after in every]
    few = len(every) < ENOUGH
    return not few and (len(every) >= PAIRS or error(measured) <= KNOWN * abs(median(measured)))


def main() -> None:
    """Prints both tables."""
    seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 110
    until = time.monotonic() + OF_PAIRS * seconds
    with tempfile.TemporaryDirectory() as folder:
        here, library = Path(folder), cupti.find()
        (here / "cost").mkdir()
        paid = cost.measured(variables(here / "cost", library), here / "cost")
        job = Job(sys.argv[1], here, Path(sys.argv[2]), library, paid)
        job.times["cost"] = asdict(paid)
        for title, values in (("tracing", paid.tracing), ("machine", paid.machine)):
            print(f"{title}: " + ", ".join(f"{n} {v:.4g}" for n, v in asdict(values).items()))
        found = pairs(job, until)
        print(
            "program             calls measured  spread  middle  spread slower   traced   replay"
            "     off  met, factors"
        )
        made = {}
        for name in ROUNDS:
            made[name] = traced(job, words_of(name))
        for name, change in found:
            traced(job, words_of(name, change))
        print("\nchange             pairs  measured   error  predicted  interval, inside, off")
        rows = {}
        for name, change, apply in CHANGES:
            measured = [after[1] - before[1] for before, after in found[name, change]]
            expected = predicted(made[name], apply)
            rows[f"{name} {change}"] = {"pairs": found[name, change], "predicted": vars(expected)}
            print(f"{name:9} {change:8} {compared(measured, expected)}", flush=True)
        job.times["changes"] = rows
        (job.results / "times.json").write_text(json.dumps(job.times))


if __name__ == "__main__":
    main()
