"""Runs that are only timed: how their time divides, and what their log has."""

from __future__ import annotations

import emulator
import numpy as np
import tracing

from watari.attach import events
from watari.attach.start import Start, clocked, preloaded, run
from watari.attach.trace.clock import divided
from watari.attach.trace.graph.host import with_migrations
from watari.attach.trace.records.records import Counter
from watari.attach.trace.runs import traced_run
from watari.model.replay.graph import CALLS, NONE, OPERATIONS


def ran(monkeypatch, tmp_path, variables):
    monkeypatch.setenv("LD_LIBRARY_PATH", str(emulator.driver()))
    ending = run(Start((tracing.program("replayed"), "copies", "3")), variables(tmp_path), tmp_path)
    assert ending.code == 0
    return ending, events.read(tmp_path / "events")


def test_a_run_divides_at_its_first_context_and_at_its_end(monkeypatch, tmp_path) -> None:
    ending, log = ran(monkeypatch, tmp_path, clocked)
    parts = divided(ending, log)
    assert 0 < parts.start < ending.seconds
    assert parts.middle > 0
    assert parts.end > 0
    assert abs(parts.seconds - ending.seconds) < 1e-9
    assert divided(ending, log, log.processes[0].pid) == parts
    other = divided(ending, log, -1)
    assert (other.start, other.end) == (0, 0)  # unknown: all is in the middle


def test_the_wait_for_late_records_belongs_to_the_end(monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("LD_LIBRARY_PATH", str(emulator.driver()))
    cupti = emulator.cupti()
    start = Start((tracing.program("replayed"), "copies", "3"))
    ending, log, (process,) = traced_run(start, tmp_path, cupti)
    begin, end = process.collecting
    assert end - begin >= 0.03  # three times 10 ms
    assert ending.begun < begin < end < ending.begun + ending.seconds
    assert divided(ending, log, process.pid, process.collecting).end > end - begin


def test_a_timed_run_has_no_line_of_an_allocation(monkeypatch, tmp_path) -> None:
    _, log = ran(monkeypatch, tmp_path, clocked)
    assert not log.allocations
    assert log.processes[0].free_seconds == 0
    again = tmp_path / "again"
    again.mkdir()
    _, log = ran(monkeypatch, again, preloaded)
    assert log.allocations  # the same program, with its log


def test_faults_mark_the_gap_or_the_kernel_in_which_they_lie() -> None:
    ms = 1e6
    calls, operations = np.zeros(3, CALLS), np.zeros(2, OPERATIONS)
    calls["before"] = [NONE, 0, 1]
    calls["start"], calls["end"] = [1 * ms, 5 * ms, 9 * ms], [2 * ms, 6 * ms, 10 * ms]
    operations["start"], operations["end"] = [2 * ms, 6 * ms], [4 * ms, 8 * ms]
    faults = [(Counter.CPU_FAULT, 3.0), (Counter.GPU_FAULT, 7.0)]
    seen = tracing.process(*(tracing.counter(what, at, 0x1000, 1) for what, at in faults))
    with_migrations(calls, operations, seen, 0.0)
    assert calls["migrates"].tolist() == [False, True, False]
    assert operations["migrates"].tolist() == [False, True]
