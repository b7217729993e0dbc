"""What a replay cannot know: recognised in a trace, and named.

Some of it is taken out (loops of queries become waits) or leaves the total right; where a replay of
a change would be wrong, `stops` is true.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from watari.attach.trace.graph.functions import NOT_READY, QUERIES
from watari.attach.trace.graph.host import Host
from watari.attach.trace.records.records import Recorded
from watari.common.units import format_count, format_duration
from watari.model.replay.calibrate import FAR_OFF, Calibrated
from watari.model.replay.graph import NONE, Array, Graph, Work

CALLBACKS = re.compile(r"(cuda|cu)(LaunchHostFunc|StreamAddCallback)")
COOPERATIVE = re.compile(r"(cuda|cu)LaunchCooperativeKernel")
COMMUNICATION = re.compile(r"(nccl(Dev)?Kernel|nvshmem)")
MUCH = 0.02  # of the run
LONG, SOON = 20_000.0, 3_000.0  # ns: of an operation or gap; after the end of an operation
FATAL = (700, 702, 710, *range(714, 720))  # CUresult after which a context does no more work
OFTEN, MOSTLY = 10, 0.9  # gaps that end so soon, and their share


@dataclass(frozen=True)
class Met:
    """One thing that a replay met. `stops`: no change can be predicted."""

    word: str
    text: str
    stops: bool


def times(graph: Graph, pattern: re.Pattern[str]) -> int:
    """Number of calls of these functions."""
    known = np.array([bool(pattern.match(name)) for name in graph.functions] or [False])
    return int(known[graph.calls["function"]].sum()) if len(graph.calls) else 0


def of_queries(host: Host, process: Recorded) -> Iterator[Met]:
    """Loops of queries, and queries outside of such a loop that found the GPU busy."""
    if host.polls:
        text = f"{format_count(host.polls)} loops of queries: replayed as waits"
        yield Met("queries", text, False)
    names = {f for f, name in process.functions.items() if QUERIES.match(name)}
    busy = process.calls[process.calls["result"] == NOT_READY]
    busy = busy[np.isin(busy["function"], list(names))]
    starts, ends = (host.graph.calls[name] for name in ("start", "end"))
    left = times(host.graph, QUERIES)
    if not left or not len(busy):
        return
    known = np.array([bool(QUERIES.match(n)) for n in host.graph.functions])
    own = known[host.graph.calls["function"]] & (host.graph.calls["wait"] == 0)
    seconds = float((ends - starts)[own].sum())
    if seconds > MUCH * host.graph.span:
        text = f"{format_count(left)} queries between other work: what they led to is unknown"
        yield Met("queries", text, True)


def unseen_waits(graph: Graph) -> tuple[int, float]:
    """Gaps of the CPU that end as soon as a long operation ends, where nearly all do: the program
    may read memory until the GPU has written a value there. Their number and seconds."""
    rows = graph.operations[graph.operations["end"] - graph.operations["start"] > LONG]
    ends = np.sort(rows["end"])
    known = graph.calls["before"] != NONE
    begin = graph.calls["end"][graph.calls["before"][known]]
    end = graph.calls["start"][known]
    if not len(ends) or not len(end):
        return 0, 0.0
    last = ends[np.maximum(np.searchsorted(ends, end, side="right") - 1, 0)]
    over = (last > begin) & (last <= end) & (end - begin > LONG)
    soon: Array = over & (end - last < SOON)
    count, seconds = int(soon.sum()), float((end - begin)[soon].sum()) * 1e-9
    is_so = count >= OFTEN and count >= MOSTLY * int(over.sum())
    return (count, seconds) if is_so and seconds > MUCH * graph.span * 1e-9 else (0, 0.0)


def of_others(others: Sequence[int]) -> Iterator[Met]:
    """Other programs on the GPUs that the program can see; one such GPU is the program's own."""
    if sum(others):
        text = f"{sum(others)} other processes compute on GPUs that this program can see"
        yield Met("others", text, len(others) == 1)


def of_errors(process: Recorded) -> Iterator[Met]:
    """An error of a kernel: no later kernel or copy runs, so the seconds are not those of the
    program's work."""
    failed = process.calls[np.isin(process.calls["result"], FATAL)]
    if len(failed):
        code = int(failed["result"][np.argmin(failed["end"])])
        text = f"a kernel failed (error {code}): no kernel or copy ran after it"
        yield Met("errors", text, True)


def of_total(fit: Calibrated) -> Iterator[Met]:
    """A replay that does not give the measured time, with any plausible cost of tracing. What it
    misses widens the intervals of the answer."""
    if not fit.agrees:
        text = (
            f"the replay differs by {fit.off:+.1%} from the runs without tracing, which differ by "
            f"{fit.spread / fit.measured:.1%}"
        )
        yield Met("total", text, abs(fit.off) > FAR_OFF)


def all_of(host: Host, process: Recorded, processes: int, others: Sequence[int] = ()) -> list[Met]:
    """Everything that was met."""
    graph = host.graph
    found = [*of_errors(process), *of_queries(host, process), *of_others(others)]
    if processes > 1:
        found.append(Met("processes", f"{processes} processes use CUDA: one is replayed", True))
    if host.lost:
        text = f"{format_count(host.lost)} kernels and copies without a recorded call"
        found.append(Met("lost", text, True))
    kernels = graph.operations["name"][graph.operations["work"] == Work.KERNEL]
    talks = [n for n in np.unique(kernels).tolist() if COMMUNICATION.search(graph.names.get(n, ""))]
    if talks:
        text = f"{len(talks)} kernels communicate: they wait for other processes"
        found.append(Met("communication", text, True))
    if count := times(graph, CALLBACKS):
        text = f"{format_count(count)} host functions in streams: their time is not recorded"
        found.append(Met("callbacks", text, False))
    if count := times(graph, COOPERATIVE):
        found.append(Met("cooperative", f"{format_count(count)} cooperative launches", False))
    if (count := len(np.unique(graph.calls["thread"]))) > 1:
        text = f"{count} threads call CUDA: how they wait for one another is not recorded"
        found.append(Met("threads", text, False))
    count, seconds = unseen_waits(graph)
    if count:
        text = (
            f"{format_count(count)} gaps of the CPU ({format_duration(seconds)}) end with a kernel "
            "or copy: it may wait by reading memory"
        )
        found.append(Met("unseen waits", text, True))
    return found
