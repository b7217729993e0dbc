"""First touches of the CPU's memory: what a trace says of them."""

from __future__ import annotations

import pytest
import tracing
from tracing import trace

from watari.attach import huge, near
from watari.attach.entry import loader
from watari.attach.start import Start
from watari.attach.trace import paged
from watari.model.trace_file import read

PLAIN = {"faults": 9_000.0, "small_page": 300.0, "huge_page": 100.0}
MADVISE = "always [madvise] never"


@pytest.mark.parametrize(
    ("switch", "faults", "pages"),
    [
        (MADVISE, 10_000, 1_000),
        (MADVISE, 8_000, 0),
        ("always madvise [never]", 10_000, None),
        ("[always] madvise never", 10_000, None),
        ("", 10_000, None),
    ],
)
def test_faults_beyond_the_start_count_where_memory_can_ask(
    monkeypatch, switch: str, faults: int, pages: int | None
) -> None:
    monkeypatch.setattr(near, "read", lambda _: switch)
    monkeypatch.setattr(huge, "version", lambda: (2, 40))
    found = paged.facts(Start((tracing.program("linked"),)), faults, PLAIN)
    expected = {"pages": pages, "small_ns": 300.0, "huge_ns": 100.0}
    assert found == ({} if pages is None else {"first_touches": expected})


def test_a_program_with_another_c_library_gets_none(monkeypatch) -> None:
    monkeypatch.setattr(near, "read", lambda _: MADVISE)
    monkeypatch.setattr(huge, "version", lambda: (2, 34))
    assert paged.facts(Start((tracing.program("linked"),)), 10_000, PLAIN) == {}


def test_a_trace_has_the_time_of_a_page(tmp_path) -> None:
    ended, _ = trace(tmp_path, "linked", "device", "4096", options=["--no-touches"])
    assert ended.returncode == 0, ended.stderr
    observed = read(tmp_path / "trace.json").observed
    assert observed
    assert observed.replay
    found = observed.replay.first_touches
    linker = loader(tracing.program("linked"))
    switch = near.read(huge.SWITCH)
    if huge.lacking(linker, huge.version(), switch) or not huge.asks(switch):
        assert found is None
        return
    assert found
    assert found.pages < 100_000  # the program itself touches little
    assert 0 < found.huge_ns < 100_000
    assert 10 < found.small_ns < 100_000
