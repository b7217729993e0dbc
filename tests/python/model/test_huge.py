"""The saving of huge pages, for made-up programs and their page faults."""

from __future__ import annotations

from dataclasses import replace

import pytest
from synthetic.replays import Call, launch
from synthetic.traced import graph

from watari.model.replay.savings import huge as huge_pages
from watari.model.replay.savings import savings
from watari.model.replay.savings.savings import Found
from watari.model.replay.savings.staging import Rates as NoRates
from watari.model.replay.simulate import replay
from watari.model.trace_observed import FirstTouches

MS = 1_000_000.0  # ns
SMALL, HUGE = 300.0, 100.0  # ns of a page


def helped(
    pages: int, small: float = SMALL, huge: float = HUGE, start: float = 0.0, alone: float = 100.0
) -> Found:
    """A program whose CPU works alone for so many milliseconds, `start` of them the start of CUDA,
    and then waits for a kernel of 50 ms."""
    made, links = graph([Call(gap=alone * MS), launch(50 * MS)])
    if start:
        made.calls["gap"][0] += start * MS
        made = replace(made, start_seconds=start * 1e-3)
    done = replay(made, links)
    touches = FirstTouches(pages=pages, small_ns=small, huge_ns=huge)
    more = list(huge_pages.candidates(made, done, touches))
    return savings.of_graph(made, links, done, NoRates(), more=more)


def test_each_page_saves_its_fault_or_none() -> None:
    found = helped(200_000)
    (one,) = found.savings
    assert (one.imposed, one.times, one.is_sure) == ("huge", 200_000, True)
    bound = 200_000 * (SMALL - HUGE) * 1e-9
    assert one.saves.high == pytest.approx(bound, rel=1e-3)
    assert one.saves.low == pytest.approx(huge_pages.LOW * bound, rel=1e-3)
    (run,) = found.imposed
    assert run.style == "huge"
    assert run.seconds
    assert run.seconds.middle == pytest.approx(0.15 - one.saves.middle, rel=0.01)


def test_what_may_save_less_than_a_hundredth_is_not_sure() -> None:
    (one,) = helped(20_000).savings
    assert one.saves.low == 0
    assert not one.is_sure
    assert one.saves.high == pytest.approx(4e-3, rel=1e-3)


def test_no_more_is_saved_than_the_cpu_works_alone() -> None:
    (one,) = helped(10_000_000, start=200).savings
    assert 0.09 < one.saves.high < 0.101


def test_kernels_and_the_start_of_cuda_stay() -> None:
    assert not helped(10_000_000, start=200, alone=0).savings


@pytest.mark.parametrize(
    ("pages", "small", "huge"),
    [(4_000, 3_000.0, HUGE), (200_000, HUGE, HUGE), (200_000, HUGE, SMALL)],
)
def test_without_many_faults_or_a_gain_there_is_no_row(
    pages: int, small: float, huge: float
) -> None:
    found = helped(pages, small, huge)
    assert not found.savings
    assert not found.imposed


def test_a_trace_without_the_facts_has_no_row() -> None:
    made, links = graph([Call(gap=100 * MS)])
    assert not list(huge_pages.candidates(made, replay(made, links), None))
