"""Logs of the preloaded library, by made-up lines."""

import json

import pytest

from watari.attach import events

START = {"op": "start", "t": 0, "pid": 7, "parent": 1, "style": "as-is", "program": "/a.out"}
ALLOC = {
    "op": "alloc", "t": 1, "api": "cuMemAlloc", "site": "0a1b2c3d", "n": 0, "ptr": "0x10",
    "bytes": 8, "kind": "device", "as": "device", "device": 0, "context": "0x1", "s": 1e-5, "rc": 0,
}  # fmt: skip
FREE = {"op": "free", "t": 2, "api": "cuMemFree", "ptr": "0x10", "s": 1e-5, "rc": 0}


def read(folder, *rows, rest=b""):
    lines = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
    (folder / "7.0.jsonl").write_bytes(lines + rest)
    return events.read(folder)


def test_what_is_whole_counts_wherever_a_log_is_cut_off(tmp_path):
    lines = [json.dumps(row).encode() for row in (START, ALLOC, FREE)]
    whole = b"\n".join(lines)
    ends = [len(b"\n".join(lines[:count])) for count in (1, 2, 3)]
    for length in range(len(whole) + 1):
        found = read(tmp_path, rest=whole[:length] + bytes(100))
        expected = ([], [], [(8, None)], [(8, 2e-9)])[sum(end <= length for end in ends)]
        assert [(a.bytes, a.ended) for a in found.allocations] == expected
        assert len(found.processes) == (length >= ends[0])
    assert found.allocation_seconds == pytest.approx(2e-5)


def test_the_peak_counts_what_is_there_at_once(tmp_path):
    second = {**ALLOC, "ptr": "0x20", "bytes": 20, "t": FREE["t"]}
    third = {**ALLOC, "ptr": "0x30", "bytes": 1, "t": 5}
    found = read(tmp_path, START, ALLOC, second, FREE, third, {**FREE, "ptr": "0x20", "t": 9})
    assert events.peak(found.allocations, "device") == 21
    assert events.peak(found.allocations, "managed") == 0


def test_memory_that_the_driver_would_not_free_is_still_there(tmp_path):
    assert read(tmp_path, START, ALLOC, {**FREE, "rc": 719}).allocations[0].ended is None
    assert read(tmp_path, START, ALLOC, FREE).allocations[0].ended == 2e-9


def test_memory_ends_with_its_context(tmp_path):
    other = {**ALLOC, "ptr": "0x20", "context": "0x2"}
    rows = (START, ALLOC, other, {"op": "destroy", "t": 5, "context": "0x1"})
    assert [a.ended for a in read(tmp_path, *rows).allocations] == [5e-9, None]


def test_events_that_another_process_destroyed_are_counted(tmp_path):
    end = {"op": "end", "t": 5, "events": 3}
    assert read(tmp_path, START, ALLOC, FREE, end).cut == []
    whole = (tmp_path / "7.0.jsonl").read_bytes()
    at = whole.index(b'{"op": "free"')
    for damage in (whole[:at] + bytes(9) + whole[at + 9 :], whole.replace(b'"free"', b'"free ')):
        (tmp_path / "7.0.jsonl").write_bytes(damage)
        found = events.read(tmp_path)
        assert found.cut == ["another process changed it, 2 of 3 events are left"]
        assert found.processes[0].ended == 5e-9


def test_a_path_may_have_bytes_that_are_no_text(tmp_path):
    start = json.dumps({**START, "program": "/X"}).encode().replace(b"X", b"\xff")
    found = read(tmp_path, rest=start + b"\n" + json.dumps(ALLOC).encode() + b"\n")
    assert len(found.allocations) == 1
