"""Runs that are only timed: how their time divides, and what their log has."""

from __future__ import annotations

import tracing

from watari.attach import events
from watari.attach.start import Start, clocked, preloaded, run
from watari.attach.trace.clock import divided


def ran(monkeypatch, tmp_path, variables):
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tracing.built() / "fake_cuda"))
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


def test_a_timed_run_has_no_line_of_an_allocation(monkeypatch, tmp_path) -> None:
    _, log = ran(monkeypatch, tmp_path, clocked)
    assert not log.allocations
    assert log.processes[0].free_seconds == 0
    again = tmp_path / "again"
    again.mkdir()
    _, log = ran(monkeypatch, again, preloaded)
    assert log.allocations  # the same program, with its log
