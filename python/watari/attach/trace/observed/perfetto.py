"""The trace as Chrome's JSON, which ui.perfetto.dev opens (Trace Event Format).

Slices of one thread must be nested or disjoint: overlapping slices go to several rows, each a
thread of its own. The UI shows threads by their number. No thread may have the number of the
process: the UI takes it for the main thread.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from operator import itemgetter
from typing import Any

from watari.attach.trace.observed.findings import Seen
from watari.attach.trace.records.lives import owners
from watari.attach.trace.records.records import Counter, Kind, columns
from watari.attach.trace.records.transfers import Direction, How
from watari.common.kernels import short

Event = dict[str, Any]
# tracks, as threads of the traced process; before `numbered`, the last digit of a row's number is
# its track
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
ROWS = 10  # added to the number of a thread for each further row
COPIES: dict[int, int] = {Direction.TO_GPU: COPIES_IN, Direction.TO_CPU: COPIES_OUT}


def microseconds(nanoseconds: float) -> float:
    """Nanoseconds in the unit of the format."""
    return float(nanoseconds) / 1e3


def slice_of(pid: int, track: int, name: str, start: int, end: int, arguments: Event) -> Event:
    """An event with start and end, in nanoseconds."""
    return {
        "ph": "X",
        "name": name,
        "pid": pid,
        "tid": track,
        "ts": start,
        "dur": max(end - start, 0),
        "args": arguments,
    }


def numbered(threads: Iterable[int], pid: int) -> dict[int, int]:
    """The final number of each thread: the rows of a track follow each other, and none is `pid`."""
    order = sorted(threads, key=lambda thread: (thread % ROWS, thread))
    return {thread: n + (n >= pid) for n, thread in enumerate(order, 1)}


def metadata(pid: int, name: str, threads: dict[int, int]) -> Iterator[Event]:
    """Names of the process and its threads."""
    base = {"ph": "M", "pid": pid}
    yield {**base, "name": "process_name", "tid": 0, "args": {"name": f"{name} (traced by watari)"}}
    for thread, number in threads.items():
        row, track = divmod(thread, ROWS)
        words = TRACKS[track] + (f" ({row + 1})" if row else "")
        yield {**base, "name": "thread_name", "tid": number, "args": {"name": words}}
        yield {**base, "name": "thread_sort_index", "tid": number, "args": {"sort_index": number}}


def apart(slices: Iterable[Event]) -> Iterator[Event]:
    """Slices in order of time, each in the first row of its track that is free."""
    free: dict[int, list[int]] = {}  # when the last slice of each row ends
    for event in sorted(slices, key=itemgetter("ts")):
        ends = free.setdefault(event["tid"], [])
        row = next((i for i, end in enumerate(ends) if end <= event["ts"]), len(ends))
        ends[row : row + 1] = [event["ts"] + event["dur"]]
        event["tid"] += ROWS * row
        yield event


def transfers(seen: Seen) -> Iterator[Event]:
    """Copies and migrations."""
    fields = ("start", "end", "bytes", "how", "direction", "allocation", "pageable")
    for start, end, size, how, direction, owner, is_pageable in columns(seen.moved, *fields):
        if how == How.COPY:
            track = COPIES.get(direction, COPIES_ON)
        else:
            track = MOVES_OUT if direction == Direction.TO_CPU else MOVES_IN
        name = seen.label(owner)
        arguments = {"bytes": size, "allocation": name, "pageable": is_pageable}
        yield slice_of(seen.process.pid, track, name, start, end, arguments)


def faults(seen: Seen) -> Iterator[Event]:
    """Faults as instants on one track."""
    for counter, name in ((Counter.GPU_FAULT, "GPU fault"), (Counter.CPU_FAULT, "CPU fault")):
        rows = seen.process.counters(counter)
        of = owners(seen.allocations, rows["address"], rows["start"]).tolist()
        for owner, (start, address) in zip(of, columns(rows, "start", "address"), strict=True):
            yield {
                "ph": "i",
                "s": "t",
                "name": name,
                "pid": seen.process.pid,
                "tid": FAULTS,
                "ts": start,
                "args": {"allocation": seen.label(owner), "address": hex(address)},
            }


def allocated(seen: Seen) -> Iterator[Event]:
    """Bytes that are allocated, by kind, as a counter."""
    steps: list[tuple[float, str, int]] = []
    for allocation in (one for group in seen.allocations for one in group.lives):
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
    pid = seen.process.pid
    kernels = seen.process.of(Kind.KERNEL)
    fields = ("name", "start", "end", "address", "bytes", "stream")
    for identifier, start, end, blocks, threads, stream in columns(kernels, *fields):
        kernel = seen.process.names.get(identifier, "unnamed")
        arguments = {"blocks": blocks, "threads of a block": threads, "stream": stream}
        arguments["kernel"] = kernel
        yield slice_of(pid, KERNELS, short(kernel), start, end, arguments)
    for start, end in columns(seen.process.of(Kind.WAIT), "start", "end"):
        yield slice_of(pid, WAITS, "wait", start, end, {})
    yield from transfers(seen)


def events(seen: Seen, name: str) -> list[Event]:
    """All events in order of time, from 0; records without a time (0) are left out."""
    every = [*apart(slices(seen)), *faults(seen), *allocated(seen)]
    timed = sorted((event for event in every if event["ts"] > 0), key=itemgetter("ts"))
    begin = timed[0]["ts"] if timed else 0
    for event in timed:
        event["ts"] = microseconds(event["ts"] - begin)
        if "dur" in event:
            event["dur"] = microseconds(event["dur"])
    threads = numbered({event["tid"] for event in timed} - {0}, seen.process.pid)
    for event in timed:
        event["tid"] = threads.get(event["tid"], 0)
    return [*metadata(seen.process.pid, name, threads), *timed]


def document(seen: Seen, name: str) -> str:
    """The content of the file."""
    return json.dumps({"displayTimeUnit": "ns", "traceEvents": events(seen, name)})
