"""The saving of huge pages, for made-up programs and their page faults."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from synthetic.replays import Call, copy, launch
from synthetic.traced import graph

from watari.model.replay.advice import Saving
from watari.model.replay.savings import huge as huge_pages
from watari.model.replay.savings import savings, staging
from watari.model.replay.savings.savings import Found
from watari.model.replay.savings.staging import Rates as NoRates
from watari.model.replay.simulate import replay
from watari.model.trace_observed import FirstTouches

MS = 1_000_000.0  # ns
SMALL, HUGE = 300.0, 100.0  # ns of a page


def helped(
    pages: int,
    small: float = SMALL,
    huge: float = HUGE,
    start: float = 0.0,
    alone: float = 100.0,
    copies: Sequence[Call] = (),
    to_cpu: bool = False,
    left: int | None = None,
) -> Found:
    """A program whose CPU works alone for so many milliseconds, `start` of them the start of CUDA,
    makes these copies of pageable memory, and waits for a kernel of 50 ms."""
    made, links = graph([Call(gap=alone * MS), *copies, launch(50 * MS)], to_cpu=to_cpu)
    if start:
        made.calls["gap"][0] += start * MS
        made = replace(made, start_seconds=start * 1e-3)
    done = replay(made, links)
    touches = FirstTouches(pages=pages, left=left, small_ns=small, huge_ns=huge)
    more = list(huge_pages.candidates(made, done, touches, NoRates()))
    return savings.of_graph(made, links, done, NoRates(), more=more)


def huge_saving(found: Found) -> Saving:
    (one,) = [one for one in found.savings if one.imposed == "huge"]
    return one


def test_each_page_saves_its_fault_or_none() -> None:
    one = huge_saving(helped(200_000))
    assert (one.times, one.is_sure) == (200_000, False)
    bound = 200_000 * (SMALL - HUGE) * 1e-9
    assert one.saves.high == pytest.approx(bound, rel=1e-3)
    assert one.saves.middle == pytest.approx(huge_pages.REST * bound, rel=1e-3)
    assert one.saves.low == 0


def test_pages_of_copied_buffers_are_those_of_malloc() -> None:
    size = 150_000 * huge_pages.PAGE + huge_pages.HUGE  # its ends fill no huge page
    found = helped(200_000, copies=[copy(MS, size=size)] * 3)  # of one buffer, or of three
    one = huge_saving(found)
    assert one.is_sure
    bound = 200_000 * (SMALL - HUGE) * 1e-9
    assert one.saves.low == pytest.approx(0.9 * bound, rel=1e-3)
    once = replace(copy(MS, size=size), pair=5)
    one = huge_saving(helped(200_000, copies=[once] * 3))
    assert one.saves.low == pytest.approx(0.9 * 0.75 * bound, rel=1e-3)
    middle = 0.75 + 0.25 * huge_pages.REST
    assert one.saves.middle == pytest.approx(middle * bound, rel=1e-3)


def test_faults_that_are_gone_in_a_run_with_huge_pages_are_those_that_count() -> None:
    one = huge_saving(helped(200_000, left=120_000, copies=[copy(MS, size=1e9)]))
    assert (one.times, one.is_sure) == (88_000, True)
    assert one.saves.middle == pytest.approx(80_000 * (SMALL - HUGE) * 1e-9, rel=1e-3)
    assert one.saves.low == pytest.approx(0.9 * one.saves.middle, rel=1e-3)
    assert not helped(200_000, left=199_000).imposed
    assert not helped(200_000, left=300_000).imposed  # the runs differ


def test_a_block_begins_anywhere_so_that_one_huge_page_less_fits() -> None:
    made, _ = graph([copy(MS, size=huge_pages.LARGE)] * 50)
    assert huge_pages.buffers(made) == 50 * (huge_pages.LARGE - huge_pages.HUGE)


def test_copies_to_fresh_memory_wait_for_faults_too() -> None:
    """200,000 faults, all in a copy that takes 118 ms, 68 ms of them at 12 GB/s."""
    size = 200_000 * huge_pages.PAGE
    usual = size / staging.DRIVER * 1e9
    own = [copy(usual + 50 * MS, size=size)]
    one = huge_saving(helped(200_000, copies=own, to_cpu=True))
    inside = 50 * (1 - HUGE / SMALL)
    assert one.saves.middle * 1e3 == pytest.approx(inside, abs=0.3)  # and no more in gaps
    none = helped(200_000, copies=own, alone=1.0).imposed  # the program wrote that memory before
    assert not [run for run in none if run.style == "huge"]


def test_threads_of_staged_share_the_faults_that_huge_pages_leave() -> None:
    """All of 50 ms of waits, in a copy back to fresh memory: staged leaves an eighth of them, and
    both together a third of that."""
    size = 200_000 * huge_pages.PAGE
    usual = size / staging.DRIVER * 1e9
    rates = replace(NoRates(), seen={staging.TO_CPU: 50e9})
    made, links = graph([copy(usual + 50 * MS, size=size)], to_cpu=True)
    done, touches = (
        replay(made, links),
        FirstTouches(pages=200_000, left=0, small_ns=300, huge_ns=100),
    )
    more = list(huge_pages.candidates(made, done, touches, rates))
    run = {
        one.style: one.seconds
        for one in savings.of_graph(made, links, done, rates, more=more).imposed
    }
    both, staged = run["staged+huge"], run["staged"]
    assert both
    assert staged
    assert (staged.middle - both.middle) * 1e3 == pytest.approx(50 / 8 * 2 / 3, rel=0.05)


def test_pages_of_pinned_memory_stay_small() -> None:
    made, links = graph([Call(gap=100 * MS), launch(50 * MS)])
    done, touches = replay(made, links), FirstTouches(pages=200_000, small_ns=300, huge_ns=100)
    pinned = 150_000.0 * huge_pages.PAGE
    (one,) = huge_pages.candidates(made, done, touches, NoRates(), pinned)
    assert one.times == 50_000
    (whole,) = huge_pages.candidates(made, done, touches, NoRates())
    assert one.bound == pytest.approx(whole.bound / 4)
    assert not list(huge_pages.candidates(made, done, touches, NoRates(), 4 * pinned))


def test_pages_may_be_those_of_libraries() -> None:
    made, links = graph([Call(gap=100 * MS), launch(50 * MS)])
    done, touches = replay(made, links), FirstTouches(pages=200_000, small_ns=300, huge_ns=100)
    (own,) = huge_pages.candidates(made, done, touches, NoRates())
    named = replace(made, names={1: "void cutlass::Kernel2<...>"})
    (other,) = huge_pages.candidates(named, done, touches, NoRates())
    part = huge_pages.OF_LIBRARIES / huge_pages.REST
    assert other.bound == pytest.approx(own.bound * part)
    assert other.bound * other.high == pytest.approx(own.bound * own.high)


def test_what_may_save_nothing_is_not_sure() -> None:
    one = huge_saving(helped(80_000))
    assert one.saves.low == 0
    assert not one.is_sure
    assert one.saves.high == pytest.approx(16e-3, rel=1e-3)


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
    assert not list(huge_pages.candidates(made, replay(made, links), None, NoRates()))
