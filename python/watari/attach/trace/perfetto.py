"""The trace as Chrome's JSON, which ui.perfetto.dev opens (Trace Event Format).

Slices of one thread must lie one in another or apart: what overlaps gets a row, which is a thread
of its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from operator import itemgetter
from typing import Any

from watari.attach.trace.findings import Seen
from watari.attach.trace.records import Counter, Kind
from watari.attach.trace.transfers import Direction, How

Event = dict[str, Any]
# tracks, as threads of the traced process; the rows of a track have its number in their last digit
KERNELS, COPIES_IN, COPIES_OUT, COPIES_ON, MOVES_IN, MOVES_OUT, FAULTS, WAITS = range(1, 9)
TRACKS = {
    KERNELS: "GPU: kernels",
    COPIES_IN: "copies to GPU",
    COPIES_OUT: "copies to CPU",
    COPIES_ON: "copies on GPU",
    MOVES_IN: "managed memory to GPU",
    MOVES_OUT: "managed memory to CPU",
    FAULTS: "faults",
    WAITS: "CPU waits",
}
ROWS = 10  # numbers of threads from row to row
COPIES = {Direction.TO_GPU: COPIES_IN, Direction.TO_CPU: COPIES_OUT}


def microseconds(nanoseconds: float) -> float:
    """The unit of the format."""
    return float(nanoseconds) / 1e3


def slice_of(seen: Seen, row: Any, track: int, name: str, arguments: Event) -> Event:
    """Something with a beginning and an end, in nanoseconds."""
    begin, end = int(row["start"]), int(row["end"])
    return {
        "ph": "X",
        "name": name,
        "pid": seen.process.pid,
        "tid": track,
        "ts": begin,
        "dur": max(end - begin, 0),
        "args": arguments,
    }


def metadata(pid: int, name: str, threads: Iterable[int]) -> Iterator[Event]:
    """Names of the process and its threads."""
    base = {"ph": "M", "pid": pid}
    yield {**base, "name": "process_name", "tid": 0, "args": {"name": f"{name} (traced by watari)"}}
    for thread in threads:
        row, track = divmod(thread, ROWS)
        words = TRACKS[track] + (f" ({row + 1})" if row else "")
        order = track * 1000 + row
        yield {**base, "name": "thread_name", "tid": thread, "args": {"name": words}}
        yield {**base, "name": "thread_sort_index", "tid": thread, "args": {"sort_index": order}}


def apart(slices: Iterable[Event]) -> Iterator[Event]:
    """Slices in order of time, each in the first row of its track that is free."""
    free: dict[int, list[int]] = {}  # when the last slice of each row ends
    for event in sorted(slices, key=itemgetter("ts")):
        ends = free.setdefault(event["tid"], [])
        row = next((i for i, end in enumerate(ends) if end <= event["ts"]), len(ends))
        ends[row : row + 1] = [event["ts"] + event["dur"]]
        yield {**event, "tid": event["tid"] + ROWS * row}


def transfers(seen: Seen) -> Iterator[Event]:
    """Copies and migrations."""
    for row in seen.moved:
        direction = Direction(row["direction"])
        is_copy = row["how"] == How.COPY
        track = (
            COPIES.get(direction, COPIES_ON)
            if is_copy
            else (MOVES_OUT if direction == Direction.TO_CPU else MOVES_IN)
        )
        arguments: Event = {
            "bytes": int(row["bytes"]),
            "allocation": seen.label(int(row["allocation"])),
            "pageable": bool(row["pageable"]),
        }
        yield slice_of(seen, row, track, arguments["allocation"], arguments)


def faults(seen: Seen) -> Iterator[Event]:
    """Instants on one track."""
    for counter, name in ((Counter.GPU_FAULT, "GPU fault"), (Counter.CPU_FAULT, "CPU fault")):
        for row in seen.process.counters(counter):
            yield {
                "ph": "i",
                "s": "t",
                "name": name,
                "pid": seen.process.pid,
                "tid": FAULTS,
                "ts": int(row["start"]),
                "args": {"address": hex(int(row["address"]))},
            }


def allocated(seen: Seen) -> Iterator[Event]:
    """Bytes that are allocated, by kind, as a counter."""
    steps: list[tuple[float, str, int]] = []
    for allocation in seen.allocations:
        steps.append((allocation.begun, allocation.got, allocation.bytes))
        if allocation.ended is not None:
            steps.append((allocation.ended, allocation.got, -allocation.bytes))
    now: dict[str, int] = {}
    for time, kind, change in sorted(steps):
        now[kind] = now.get(kind, 0) + change
        yield {
            "ph": "C",
            "name": "allocated bytes",
            "pid": seen.process.pid,
            "tid": 0,
            "ts": round(time * 1e9),
            "args": dict(now),
        }


def slices(seen: Seen) -> Iterator[Event]:
    """Kernels, waits and transfers."""
    for row in seen.process.of(Kind.KERNEL):
        kernel = seen.process.names.get(int(row["name"]), "unnamed")
        arguments = {"blocks": int(row["address"]), "threads of a block": int(row["bytes"])}
        yield slice_of(seen, row, KERNELS, kernel, {**arguments, "stream": int(row["stream"])})
    for row in seen.process.of(Kind.WAIT):
        yield slice_of(seen, row, WAITS, "wait", {})
    yield from transfers(seen)


def events(seen: Seen, name: str) -> list[Event]:
    """Everything in order of time, from 0; what CUPTI has no time of (0) is left out."""
    every = [*apart(slices(seen)), *faults(seen), *allocated(seen)]
    timed = sorted((event for event in every if event["ts"] > 0), key=itemgetter("ts"))
    begin = timed[0]["ts"] if timed else 0
    for event in timed:
        event["ts"] = microseconds(event["ts"] - begin)
        if "dur" in event:
            event["dur"] = microseconds(event["dur"])
    threads = sorted({event["tid"] for event in timed} - {0})
    return [*metadata(seen.process.pid, name, threads), *timed]


def document(seen: Seen, name: str) -> str:
    """The file."""
    return json.dumps({"displayTimeUnit": "ns", "traceEvents": events(seen, name)})
