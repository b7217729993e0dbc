"""First touches of the CPU's memory: what a trace says of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import tracing
from tracing import trace

from watari.attach import huge, near
from watari.attach.entry import loader
from watari.attach.start import Ending, Start
from watari.attach.trace import paged
from watari.model.trace_file import read

PLAIN = {"faults": 9_000.0, "small_page": 300.0, "huge_page": 100.0}
MADVISE = "always [madvise] never"


def facts(
    folder: Path,
    faults: int,
    words: Sequence[str] = (),
    seconds: float = 1.0,
    code: int = 0,
) -> dict[str, Any]:
    """Of a run of a test program with so many page faults, on the test driver."""
    start = Start((tracing.program("linked"), *words))
    plain = Ending(seconds, code, False, folder, folder, faults=faults)
    return paged.facts(start, folder, plain, PLAIN, 60.0)


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
    monkeypatch, tmp_path, switch: str, faults: int, pages: int | None
) -> None:
    monkeypatch.setattr(near, "read", lambda _: switch)
    monkeypatch.setattr(huge, "version", lambda: (2, 40))
    found = facts(tmp_path, faults)
    expected = {"pages": pages, "small_ns": 300.0, "huge_ns": 100.0}
    assert found == ({} if pages is None else {"first_touches": expected})


def test_a_program_with_another_c_library_gets_none(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(near, "read", lambda _: MADVISE)
    monkeypatch.setattr(huge, "version", lambda: (2, 34))
    assert facts(tmp_path, 10_000) == {}


@pytest.mark.parametrize(
    ("words", "seconds", "code", "is_counted"),
    [(["device", "4096"], 10.0, 0, True), (["device"], 10.0, 1, False), ([], 1e9, 0, False)],
)
def test_a_run_with_huge_pages_counts_the_faults_that_are_left(
    monkeypatch, tmp_path, words, seconds: float, code: int, is_counted: bool
) -> None:
    """A run that ends otherwise counts nothing, and there is none without time for it."""
    monkeypatch.setattr(near, "read", lambda _: MADVISE)
    monkeypatch.setattr(huge, "version", lambda: (2, 40))
    found = facts(tmp_path, 1_000_000, words, seconds, code)["first_touches"]
    assert ("left" in found) == is_counted
    assert found.get("left", 0) < found["pages"]


def test_a_trace_has_the_time_of_a_page(tmp_path) -> None:
    trace(tmp_path, "linked", "device", "4096", options=["--no-touches"], code=0)
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
