"""What would help, for made-up programs: the change is known, and what it saves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from synthetic.replays import FIRST, Call, copy, launch, traced, wait

from watari.model.profiles import choose
from watari.model.replay.answer import says
from watari.model.replay.fit import fitted
from watari.model.replay.graph import NONE, Graph, Role, Wait
from watari.model.replay.savings import savings, staging
from watari.model.replay.savings.savings import Found
from watari.model.replay.savings.staging import TO_CPU, TO_GPU, Rates
from watari.model.replay.simulate import replay

MS = 1_000_000.0  # ns
MIB = 2.0**20
US = 1_000.0
RATES = Rates({TO_GPU: 50e9, TO_CPU: 50e9})
NAMES = {
    "functions": ("call", "cudaMalloc_v3020", "cudaFree_v3020"),
    "sites": ("fill", "read"),
    "names": {1: "solve"},
}


def helped(*calls: Call, of: Rates = RATES, **more: object) -> Found:
    graph, links = fitted(replace(traced(*calls), **{**NAMES, **more}))
    return savings.of_graph(graph, links, replay(graph, links), of)


def changes(found: Found) -> dict[str, float]:
    """Milliseconds saved, by change."""
    return {one.change: one.saves.middle * 1e3 for one in found.savings}


def sent(takes: float, size: float, pair: int = NONE, pageable: bool = True) -> Call:
    """A synchronous copy to the GPU."""
    more = {"size": size, "detail": TO_GPU, "site": 0, "pair": pair, "pageable": pageable}
    return copy(takes, **more)


def back(takes: float, size: float, pageable: bool = False) -> Call:
    return copy(takes, size=size, detail=TO_CPU, site=1, pageable=pageable)


def test_a_pageable_buffer_is_staged_or_pinned() -> None:
    found = helped(*[sent(10 * MS, 64 * MIB)] * 40)
    saved = changes(found)
    pinned = 64 * MIB / 50e9 * 1e9
    assert saved["pin"] == pytest.approx((40 * (10 * MS - pinned) - 0.1 * 64 * MIB) / MS, rel=1e-3)
    once = staging.once(np.array([64 * MIB] * 39)) / MS  # the first copy is the driver's
    assert saved["staged"] == pytest.approx(39 * (10 - pinned / 0.76 / MS) - once, rel=1e-3)
    staged = next(one for one in found.savings if one.change == "staged")
    assert (staged.imposed, staged.site, staged.times) == ("staged", "fill", 39)
    assert staged.bytes == 39 * 64 * MIB
    assert staged.saves.low < staged.saves.middle < staged.saves.high


def test_a_staged_copy_may_save_as_much_less_as_the_drivers_copies_differ() -> None:
    """A copy that is hardly slower than a staged one may lose time: that is not sure."""
    found = helped(*[sent(10 * MS, 64 * MIB)] * 40).savings
    one = next(one for one in found if one.change == "staged")
    differs = staging.DIFFERS * 39 * 10e-3
    assert one.saves.middle - one.saves.low >= differs
    assert one.saves.high - one.saves.middle >= differs
    assert one.is_sure
    found = helped(*[sent(2.2 * MS, 64 * MIB)] * 40).savings
    assert not next(one for one in found if one.change == "staged").is_sure


def test_small_copies_are_not_staged() -> None:
    assert "staged" not in changes(helped(*[sent(10 * MS, 2 * MIB)] * 5))


@pytest.mark.parametrize(
    ("sizes", "staged"),
    [
        ([8] * 3, 0),
        ([8] * 13, 2),  # the twelfth makes it 96 MiB
        ([4, 2, 96, 16, 2], 2),  # a large one pays for the threads by itself
        ([2] * 100, 0),
    ],
)
def test_the_first_copies_stay_with_the_driver(sizes: list[int], staged: int) -> None:
    calls = [sent(10 * MS, size * MIB) for size in sizes]
    assert len(staging.staged(fitted(traced(*calls))[0], RATES)) == staged
    notes = [note for note in helped(*calls).notes if note.startswith("`staged` leaves")]
    assert len(notes) == (staged == 0 and max(sizes) > 2)


def test_a_copy_to_fresh_memory_starts_the_threads_sooner() -> None:
    usual = 4 * MIB / staging.DRIVER * 1e9
    for takes, count in ((usual, 0), (4 * usual, 1)):
        calls = [back(takes, 4 * MIB, pageable=True)] * 3  # each counts as one of 32 MiB
        assert len(staging.staged(fitted(traced(*calls))[0], RATES)) == count


def test_a_staged_copy_takes_as_long_as_measured_from_its_call_on() -> None:
    """The driver fills a buffer of its own before its copy begins."""
    calls = [sent(10 * MS, 64 * MIB)] * 40
    before = changes(helped(*calls))["staged"]
    graph, links = fitted(replace(traced(*calls), **NAMES))
    graph.operations["issue"] = 0.5 * MS
    graph.operations["takes"] -= 0.5 * MS
    later = savings.of_graph(graph, links, replay(graph, links), RATES)
    assert changes(later)["staged"] == pytest.approx(before, rel=0.01)


def test_threads_share_the_page_faults_of_fresh_memory() -> None:
    """The driver takes 64 MiB at 12 GB/s otherwise."""
    warm, fresh = (
        changes(helped(*[back(takes * MS, 64 * MIB, True)] * 40))["staged"] / count
        for takes, count in ((5.5, 39), (50, 40))
    )
    usual = 64 * MIB / staging.DRIVER * 1e3
    assert fresh - warm == pytest.approx(50 - 5.5 - (50 - usual) / 8, abs=0.1)
    sent_fresh = changes(helped(*[sent(50 * MS, 64 * MIB)] * 40))["staged"] / 39
    assert sent_fresh > fresh + 5


def test_without_a_rate_nothing_is_said_of_pinned_memory() -> None:
    found = helped(*[sent(10 * MS, 64 * MIB)] * 5, of=Rates())
    assert not {"staged", "pin"} & changes(found).keys()
    assert any("no rate" in note for note in found.notes)


def test_copies_of_the_same_bytes_are_made_once() -> None:
    calls = [sent(3 * MS, MIB, pair=7, pageable=False), launch(MS), wait()] * 4
    found = helped(*calls)
    one = next(one for one in found.savings if one.change == "copy once")
    assert one.times == 3
    assert one.saves.high == pytest.approx(9e-3, rel=0.01)
    assert one.saves.low == 0  # the CPU may change the data
    assert "copy once" not in changes(helped(sent(3 * MS, MIB, pair=1), sent(3 * MS, MIB, pair=2)))


def test_small_results_are_read_less_often() -> None:
    found = helped(*[launch(20 * US), back(10 * US, 8)] * 200)
    one = next(one for one in found.savings if one.change == "read less often")
    assert one.times == 180
    assert one.site == "read"
    assert 0.5 * 180 * 10e-6 < one.saves.middle < 180 * 50e-6
    assert "read less often" not in changes(helped(*[launch(20 * US), back(10 * US, 8)] * 20))


def allocations(count: int, size: float = 2.0**26) -> list[Call]:
    """Blocks of one size that are allocated and released with 100 us each."""
    one = Call(own=100 * US, role=Role.ALLOCATION, function=1, size=size, site=0)
    free = replace(one, function=2, wait=Wait.ALL, stream=0)
    return [one, launch(300 * US), free] * count


def test_blocks_of_a_size_are_kept_or_allocated_once() -> None:
    found = helped(*allocations(20))
    saved = changes(found)
    assert saved["pooled"] == pytest.approx(19 * (0.1 - 0.005), rel=0.1)  # releases wait as before
    pooled = next(one for one in found.savings if one.change == "pooled")
    assert (pooled.imposed, pooled.times) == ("pooled", 19)
    assert not helped(*allocations(1)).savings
    sizes = [replace(call, size=call.size + index) for index, call in enumerate(allocations(20))]
    assert "pooled" not in changes(helped(*sizes))


def test_short_launches_in_a_row_become_a_graph() -> None:
    calls = [launch(2 * US, name=1, own=5 * US)] * 100
    found = helped(*calls, wait())
    assert changes(found)["graph"] > 0.2
    assert "graph" not in changes(helped(*[launch(2 * MS, name=1)] * 100, wait()))


def test_waits_before_more_work_are_not_needed() -> None:
    found = helped(*[launch(50 * US), wait(), launch(50 * US, FIRST)] * 20, wait())
    one = next(one for one in found.savings if one.change == "no wait")
    assert one.saves.low == 0
    assert one.times >= 19
    assert "no wait" not in changes(helped(*[launch(MS), wait(), Call(gap=MS)] * 20, wait()))


def test_less_than_a_hundredth_is_not_said() -> None:
    few = [sent(10 * MS, 64 * MIB)] * 2
    assert "staged" in changes(helped(*few))
    assert not helped(*few, launch(3000 * MS), wait()).savings


def test_changes_to_one_thing_are_not_added_up() -> None:
    calls = [*[sent(10 * MS, 64 * MIB)] * 40, *allocations(100)]
    found = helped(*calls)
    assert found.left
    saved = changes(found)
    total = replay(*fitted(replace(traced(*calls), **NAMES))).total / MS
    assert {"staged", "pin", "pooled"} <= saved.keys()
    best = saved["pin"] + max(saved["pooled"], saved.get("allocate once", 0.0))
    left = found.left.seconds.middle * 1e3
    assert total - best <= left + 0.01 * total
    assert left < total - saved["pin"]
    assert len(found.left.changes) == 2
    assert found.left.seconds.low < found.left.seconds.middle < found.left.seconds.high


def test_a_saving_that_may_be_none_comes_last_and_is_not_sure() -> None:
    calls = [sent(30 * MS, MIB, pair=7, pageable=False), sent(10 * MS, 64 * MIB), launch(MS)] * 40
    found = helped(*calls).savings
    sure = [one.is_sure for one in found]
    assert sure == sorted(sure, reverse=True)
    assert {True, False} == set(sure)
    last = next(one for one in found if one.change == "copy once")
    assert last.saves.middle > found[0].saves.middle
    assert says.saved(last).startswith("not sure: up to ")


def test_a_change_from_outside_acts_on_all_of_the_program() -> None:
    sites = tuple(f"site {n}" for n in range(200))  # each of them saves less than a hundredth
    calls = [replace(sent(10 * MS, 64 * MIB), site=n) for n in range(200)]
    found = helped(*calls, *allocations(400), sites=sites)
    assert not [one for one in found.savings if one.change == "staged"]
    run = {one.style: one.seconds.middle for one in found.imposed if one.seconds}
    assert run.keys() == {"staged", "pooled", "staged+pooled"}
    total = replay(*fitted(replace(traced(*calls, *allocations(400)), **NAMES))).total
    staged = 64 * MIB / 50e9 / 0.76
    once = staging.once(np.array([64 * MIB] * 199)) / 1e9
    assert run["staged"] == pytest.approx(total / 1e9 - 199 * (10e-3 - staged) + once, rel=1e-3)
    assert run["staged+pooled"] < min(run["staged"], run["pooled"])


def test_the_rates_of_the_trace_come_first() -> None:
    graph = fitted(traced(*[sent(2 * MS, 64 * MIB, pageable=False)] * 3))[0]
    found = staging.of(graph, choose.by_text("mi300a"))
    assert found.seen == {TO_GPU: pytest.approx(64 * MIB / 2e-3)}
    assert not found.known(TO_CPU)
    assert found.pinned(TO_GPU, 64 * MIB).middle == pytest.approx(2e-3)
    assert found.staged(TO_GPU, 64 * MIB).middle > 2e-3


def test_a_program_of_many_calls_takes_few_replays(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = []

    def counted(graph: Graph, *rest: object) -> object:
        runs.append(graph)
        return replay(graph, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(savings, "replay", counted)
    monkeypatch.setattr(savings, "NODES", 0)
    sites = tuple(f"site {n}" for n in range(30))
    calls = [replace(sent(3 * MS, 64 * MIB), site=n) for n in range(30)] * 2
    found = helped(*calls, sites=sites)
    assert len(runs) <= savings.FEWEST + 1
    assert any("not replayed" in note for note in found.notes)
