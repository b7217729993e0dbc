"""The streams of a traced process, and their operations."""

from __future__ import annotations

import re

import numpy as np

from watari.attach.trace.records.outer import Outer
from watari.attach.trace.records.records import PAGEABLE, Array, Copy, Kind, Recorded, columns
from watari.attach.trace.records.sites import pairs
from watari.attach.trace.records.transfers import with_calls
from watari.model.replay.graph import NONE, OPERATIONS, Stream, Work

NON_BLOCKING, NULL = 2, 3  # CUpti_ActivityStreamFlag
OF_THREAD = re.compile(r"_pt(sz|ds)(_v\d+)?$")  # functions whose stream 0 is that of the thread


class Streams:
    """Numbers the streams of all devices."""

    def __init__(self, process: Recorded) -> None:
        contexts = process.of(Kind.CONTEXT)
        self.devices = dict(columns(contexts, "flags", "device"))
        made = columns(process.of(Kind.STREAM), "flags", "stream", "detail")
        self.made = {
            (self.device(context), number): flag for context, number, flag in made if flag != NULL
        }
        self.index: dict[tuple[int, int], int] = {}
        self.of_threads: set[int] = set()

    def device(self, context: int) -> int:
        """The device of a context."""
        return int(self.devices.get(context, 0))

    def of(self, device: int, number: int) -> int:
        """The index of a stream."""
        return self.index.setdefault((device, number), len(self.index))

    def default(self, device: int) -> int:
        """The number of the legacy default stream: the first one that no program created, and that
        is not the stream of a thread."""
        others = (key for key, index in self.index.items() if index not in self.of_threads)
        return min(
            (n for of, n in others if of == device and (of, n) not in self.made), default=NONE
        )

    def with_threads(self, operations: Array, functions: Array, names: dict[int, str]) -> None:
        """Notes the streams of threads: all their operations come from functions for these."""
        known = [one for one, name in names.items() if OF_THREAD.search(name)]
        own = np.isin(functions[operations["call"]], known)
        found = [set(operations["stream"][which].tolist()) for which in (own, ~own)]
        self.of_threads = found[0] - found[1]

    def all(self) -> tuple[Stream, ...]:
        """All streams seen so far."""
        defaults = {device: self.default(device) for device, _ in self.index}
        return tuple(
            Stream(
                device,
                number,
                self.made.get((device, number)) != NON_BLOCKING,
                defaults[device] == number,
            )
            for device, number in self.index
        )


def operations_of(process: Recorded, outer: Outer, streams: Streams) -> Array:
    """Kernels, copies and fills, by call; without those whose call is unknown."""
    parts = []
    for kind, work in ((Kind.KERNEL, Work.KERNEL), (Kind.COPY, Work.COPY), (Kind.FILL, Work.FILL)):
        found = process.of(kind)
        rows = np.zeros(len(found), OPERATIONS)
        rows["call"] = outer.call(found["correlation"])
        rows["work"] = work
        rows["start"], rows["end"] = found["start"], found["end"]
        keys, inverse = np.unique(found[["device", "stream"]], return_inverse=True)
        numbers = [streams.of(int(device), int(stream)) for device, stream in keys]
        rows["stream"] = np.array(numbers or [0], np.int32)[inverse] if len(found) else 0
        rows["engine"], rows["pair"] = engines(found, work), NONE
        if work == Work.COPY:
            rows["detail"], rows["bytes"] = found["detail"], found["bytes"]
            calls = with_calls(found, process.of(Kind.CALL))
            known = calls["correlation"] == found["correlation"]
            places = (calls["address"], calls["end"], calls["bytes"])
            rows["pair"] = pairs(*places, found["start"], known & (calls["bytes"] > 0))
            flags = found["flags"]
            rows["pageable"] = ((flags & 0xFF) == PAGEABLE) | ((flags >> 8 & 0xFF) == PAGEABLE)
        elif work == Work.FILL:
            rows["bytes"] = found["bytes"]
        else:
            rows["name"] = found["name"]
        parts.append(rows)
    every = np.concatenate(parts)
    every = every[every["call"] != NONE]
    streams.with_threads(every, outer.rows["function"], process.functions)
    by_call: Array = every[np.lexsort((every["start"], every["call"]))]
    return by_call


def engines(found: Array, work: Work) -> Array:
    """The engine of each operation: a device has one for kernels, and one for copies each way."""
    if work == Work.FILL:
        return np.full(len(found), NONE)
    base = found["device"].astype(np.int64) * 3
    if work == Work.KERNEL:
        return base
    to_gpu = np.isin(found["detail"], [Copy.TO_GPU, Copy.TO_ARRAY])
    to_cpu = np.isin(found["detail"], [Copy.TO_CPU, Copy.FROM_ARRAY])
    found_at: Array = np.where(to_gpu, base + 1, np.where(to_cpu, base + 2, NONE))
    return found_at
