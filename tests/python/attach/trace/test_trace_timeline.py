"""The timeline of a trace, checked by a strict reader of its format (trace_event_format.py)."""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest
import trace_event_format
import tracing
from tracing import MIB, allocation, copy, counter, kernel, process, record

from watari.attach.trace.observed import observed, perfetto
from watari.attach.trace.observed.touched import Touches
from watari.attach.trace.records.records import Copy, Counter, Kind

A, B = 0x7F0000000000, 0x7F1000000000


def timeline(*parts: np.ndarray, name: str = "a.out", lives=(), pid: int = 1, kernels=None):
    """The events of a file that the strict reader accepts."""
    of = replace(process(*parts, pid=pid), names=kernels or {1: "first", 2: "second"})
    lives = [replace(one, process=pid) for one in lives or [allocation(A, MIB)]]
    seen, _ = observed.seen_of(of, tracing.events(*lives), Touches(), 1.0)
    return trace_event_format.check(perfetto.document(seen, name))


def slices(events, name):
    return [(e["ts"], e["dur"], e["tid"]) for e in events if e["ph"] == "X" and e["name"] == name]


def rows(events):
    """The number of each row, by its name."""
    return {e["args"]["name"]: e["tid"] for e in events if e["name"] == "thread_name"}


def test_times_are_microseconds_from_the_first_event() -> None:
    events = timeline(copy(1, 2, MIB, 5, A, 8), kernel(3, 4), copy(5, 6, MIB, 5, A, 9, Copy.TO_CPU))
    assert slices(events, "first") == [(2000, 1000, rows(events)["GPU: kernels"])]
    assert [e["ts"] for e in events if e["ph"] == "X"] == [0, 2000, 4000]


@pytest.mark.parametrize(("pid", "numbers"), [(3, [1, 2, 4, 5]), (4000, [1, 2, 3, 4])])
def test_kernels_of_several_streams_get_rows_beside_each_other(pid, numbers) -> None:
    """The UI sorts rows by number. The row with the number of the process is its main row."""
    kernels = (kernel(1, 5), kernel(2, 3), kernel(4, 8), kernel(6, 7), kernel(5, 9))
    events = timeline(*kernels, copy(1, 2, MIB, 5, A, 8), pid=pid)
    found = rows(events)
    assert found == dict(
        zip(("GPU: kernels", *(f"GPU: kernels ({n})" for n in (2, 3)), "copies to GPU"), numbers,
            strict=True)
    )  # fmt: skip
    first, second, third = numbers[:3]
    assert [tid for _, _, tid in slices(events, "first")] == [first, second, second, first, third]


def test_a_kernel_has_a_short_name_and_its_whole_one() -> None:
    name = "void at::native::fill<float>(float*, int)"
    (event,) = (e for e in timeline(kernel(1, 2), kernels={1: name}) if e["ph"] == "X")
    assert (event["name"], event["args"]["kernel"]) == ("fill<float>", name)


def test_a_fault_has_its_allocation() -> None:
    at = [counter(Counter.GPU_FAULT, 1, A, 1), counter(Counter.CPU_FAULT, 2, B, 1)]
    faults = [e for e in timeline(*at) if e["ph"] == "i"]
    assert [(e["name"], e["args"]["address"]) for e in faults] == [
        ("GPU fault", hex(A)), ("CPU fault", hex(B))
    ]  # fmt: skip
    owners = [e["args"]["allocation"] for e in faults]
    assert "(1 MiB)" in owners[0]
    assert owners[1] == "memory that CUDA did not allocate"


def test_every_kind_of_event_has_its_form() -> None:
    lives = [
        allocation(A, MIB, "aa", "managed", begun=1e-3, ended=8e-3),
        allocation(B, MIB, "bb", begun=2e-3),
    ]
    parts = (
        counter(Counter.GPU_FAULT, 3, A, 1),
        counter(Counter.TO_GPU, 3.1, A, 4096),
        counter(Counter.TO_CPU, 5, A, 4096),
        counter(Counter.CPU_FAULT, 5, A, 1),
        record(Kind.WAIT, 3, 6),
        copy(6, 7, MIB, 5, B, 8),
    )
    events = timeline(*parts, lives=lives)
    assert {e["ph"] for e in events} == {"X", "i", "C", "M"}
    series = [e["args"] for e in events if e["ph"] == "C"]
    assert series[-1] == {"managed": 0, "device": MIB}


def test_a_kernel_without_times_is_left_out() -> None:
    assert len(slices(timeline(kernel(0, 0), kernel(3, 4)), "first")) == 1
    assert timeline()[0]["name"] == "process_name"


def test_names_of_any_bytes_are_text() -> None:
    with pytest.raises(UnicodeEncodeError):
        timeline(kernel(1, 2), name="\udcff")
    assert timeline(kernel(1, 2), name='\ufffd "a"\n')


def good():
    """A file with an event of each phase, also of phases that Watari does not write."""
    base = {"pid": 1, "tid": 1, "ts": 1}
    return {
        "displayTimeUnit": "ns",
        "traceEvents": [
            {"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "args": {"name": "a"}},
            {"ph": "M", "name": "thread_name", "pid": 1, "tid": 1, "args": {"name": "b"}},
            {**base, "ph": "X", "name": "outer", "dur": 10, "args": {}},
            {**base, "ph": "s", "name": "flow", "id": 7, "cat": "c"},
            {**base, "ph": "X", "name": "inner", "ts": 2, "dur": 3, "args": {}},
            {**base, "ph": "f", "name": "flow", "ts": 2, "id": 7, "cat": "c", "bp": "e"},
            {**base, "ph": "i", "name": "now", "ts": 3, "s": "t", "args": {}},
            {**base, "ph": "C", "name": "bytes", "ts": 4, "args": {"device": 1}},
        ],
    }


@pytest.mark.parametrize(
    ("event", "change", "why"),
    [
        (2, {"dur": -1}, "below zero"),
        (2, {"ts": float("nan")}, "no JSON"),
        (2, {"ph": "Q"}, "unknown phase"),
        (2, {"dur": "10"}, "dur of"),
        (2, {"ts": 9}, "order of time"),
        (2, {"extra": 1}, "keys of another phase"),
        (2, {"tid": 2}, "without a name"),
        (2, {"pid": 2}, "without a name"),
        (4, {"dur": 30}, "overlaps"),
        (5, {"id": 8}, "begin or end"),
        (6, {"s": "thread"}, "scope"),
        (7, {"args": {}}, "series"),
        (7, {"args": {"device": "1"}}, "series"),
        (1, {"args": {}}, "name"),
    ],
)
def test_the_reader_refuses_what_the_format_does_not_have(event, change, why) -> None:
    trace_event_format.check(json.dumps(good()))
    document = deepcopy(good())
    document["traceEvents"][event] |= change
    with pytest.raises(ValueError, match=why):
        trace_event_format.check(json.dumps(document))
