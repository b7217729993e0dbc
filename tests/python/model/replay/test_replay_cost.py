"""The cost of tracing, fitted to runs without it, and the intervals of differences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from synthetic.replays import FIRST, SECOND, Call, copy, launch, traced, wait

from watari.model.replay import changes
from watari.model.replay.calibrate import LONGER, MOST, Calibrated, Run, calibrated
from watari.model.replay.differences import (
    LEAST,
    NEIGHBOURS,
    Base,
    difference,
    of_tracing,
    relative,
)
from watari.model.replay.differences import MOST as MOST_UNCERTAIN
from watari.model.replay.fit import fitted
from watari.model.replay.graph import Graph, Machine, Tracing, Wait, Work
from watari.model.replay.link import link
from watari.model.replay.simulate import replay
from watari.model.replay.tracing import untraced

MS, US = 1e6, 1e3  # ns
CALLS = 4_000
PRIOR = Tracing(call=10_000.0, launch=500.0, wait=2_000.0, returns=3_000.0)


def program(calls: int = CALLS) -> Graph:
    """Calls in a row with gaps, which tracing makes longer, and one kernel at the end."""
    graph = traced(*[Call(gap=200 * US)] * calls, launch(1 * MS), wait())
    graph.calls["records"] = 2
    return replace(graph, tracing=PRIOR)


def fit(graph: Graph, *seconds: float) -> Calibrated:
    """The fit to runs that have no start and no end of their own."""
    traced = Run(0.0, graph.span * 1e-9, 0.0)
    return calibrated(*fitted(graph), [Run(0.0, one, 0.0) for one in seconds], traced)


def without(graph: Graph, factor: float) -> float:
    """Seconds of the program if each call costs `factor` times what the burst says."""
    scaled = replace(graph, tracing=Tracing(call=factor * PRIOR.call))
    found, links = fitted(scaled)
    return replay(untraced(found), links).total * 1e-9


@pytest.mark.parametrize("factor", [0.6, 1.0, 1.5])
def test_costs_are_fitted_to_the_runs_without_tracing(factor: float) -> None:
    graph = program()
    expected = without(graph, factor)
    found = fit(graph, expected, 1.001 * expected, 0.999 * expected)
    assert found.agrees
    assert found.done.total == pytest.approx(expected * 1e9, rel=0.01)
    # that calls are slower takes a part
    assert abs(found.factors["call"] - factor) < 0.5 * abs(1 - factor) + 0.05


def test_a_difference_that_tracing_cannot_explain_stays() -> None:
    graph = program()
    found = fit(graph, 0.5 * without(graph, 1.0))
    assert not found.agrees
    assert found.off > 0.5
    assert all(0 <= f <= MOST for f in found.factors.values())


def test_the_noise_of_the_program_is_not_attributed_to_tracing() -> None:
    graph = program()
    expected = without(graph, 1.0)
    found = fit(graph, 0.7 * expected, 1.03 * expected, 1.3 * expected)
    assert found.agrees
    assert found.factors["call"] == pytest.approx(1, abs=0.1)


def test_the_return_of_a_wait_costs_where_the_program_waits() -> None:
    graph = traced(*[launch(100 * US), wait()] * 50)
    found, links = fitted(replace(graph, tracing=Tracing(returns=2_000.0)))
    saved = replay(found, links).total - replay(untraced(found), links).total
    assert saved == pytest.approx(50 * 2_000, rel=0.05)
    hidden = traced(launch(100 * US), *[Call(gap=10 * US)] * 50, wait())
    found, links = fitted(replace(hidden, tracing=Tracing(returns=2_000.0)))
    assert replay(found, links).total - replay(untraced(found), links).total < 2_100


def graphs(launches: int, nodes: int, lag: float) -> Graph:
    """Launches of a graph of kernels in a row, each `lag` behind the one before it, and waits."""
    graph = traced(*[launch(10 * US)] * (launches * nodes), *[wait()])
    rows, calls = graph.operations.copy(), graph.calls.copy()
    rows["inside"] = True
    rows["call"] = np.repeat(np.arange(launches) * nodes, nodes)
    rows["start"] = np.arange(len(rows)) * (10 * US + lag) + 5 * US
    rows["end"] = rows["start"] + 10 * US
    calls["end"][-1] = rows["end"][-1] + US
    return replace(graph, operations=rows, calls=calls)


def test_nodes_of_a_graph_have_costs_of_their_own() -> None:
    graph = replace(graphs(4, 50, 2 * US), tracing=Tracing(inside=2 * US, behind=500.0))
    found, links = fitted(graph)
    saved = replay(found, links).total - replay(untraced(found), links).total
    assert saved == pytest.approx(199 * 2 * US, rel=0.05)
    calls = traced(Call(own=200 * US), launch(10 * US), wait())
    calls.operations["inside"] = True
    calls.operations["call"] = 0
    found, links = fitted(replace(calls, tracing=Tracing(node=30 * US)))
    saved = replay(found, links).total - replay(untraced(found), links).total
    assert saved == pytest.approx(30 * US, rel=0.1)


def test_a_graph_whose_nodes_cost_more_is_not_called_slower() -> None:
    graph = replace(graphs(4, 50, 2 * US), tracing=Tracing(inside=1.5 * US))
    expected = graph.span * 1e-9 - 199 * 1.8e-6
    found = fit(graph, expected)
    assert found.agrees
    assert abs(found.graph.tracing.slower) < 0.02
    assert found.graph.tracing.inside == pytest.approx(1.8 * US, rel=0.1)


@given(st.floats(0.2, 3.0), st.floats(1e-4, 0.1))
def test_a_fit_never_leaves_its_limits(part: float, noise: float) -> None:
    graph = program(50)
    seconds = part * without(graph, 1.0)
    found = fit(graph, seconds, seconds * (1 + noise))
    costs = vars(found.graph.tracing)
    assert all(
        value >= 0 for name, value in costs.items() if name not in ("slower", "start", "end")
    )
    assert abs(costs["slower"]) <= LONGER["slower"][2]
    assert all(f <= MOST * (1 + 1e-9) for f in found.factors.values())


def base_of(graph: Graph) -> Base:
    return Base.of(*fitted(graph))


def test_a_kernel_twice_as_long_has_a_narrow_interval() -> None:
    base = base_of(traced(*[launch(1 * MS), wait()] * 10))
    every = np.ones(10, bool)
    found = difference(base, changes.scaled(base.graph, every, 2.0))
    assert found.middle == pytest.approx(10e-3, rel=0.01)
    assert found.low < 10e-3 < found.high
    assert found.high - found.low < 2e-3


def pageable(*takes: float) -> Graph:
    graph = traced(*[copy(t, size=8e6) for t in takes], wait())
    graph.operations["pageable"] = True
    return graph


def test_copies_that_differ_make_the_interval_wider() -> None:
    every = np.ones(8, bool)
    wide = []
    for takes in ([4 * MS] * 8, [2 * MS, 6 * MS] * 4):
        base = base_of(pageable(*takes))
        found = difference(base, changes.pinned(base.graph, every, 8e9))
        assert found.low <= found.middle <= found.high
        wide.append(found.high - found.low)
    assert wide[1] > 2 * wide[0]


def test_copies_that_stay_may_get_faster_when_others_go() -> None:
    base = base_of(pageable(*[4 * MS] * 8))
    gone = np.arange(len(base.graph.calls)) % 2 == 1
    gone[-1] = False
    found = difference(base, changes.without_calls(base.graph, gone))
    assert found.middle == pytest.approx(-16e-3, rel=0.01)
    assert found.low == pytest.approx(-16e-3 - NEIGHBOURS * 16e-3, rel=0.1)


def test_variants_of_a_change_are_all_in_its_interval() -> None:
    base = base_of(traced(*[launch(1 * MS)] * 10, wait()))
    every = base.graph.operations["work"] == Work.KERNEL
    factors = (2.0, 1.5, 4.0)
    found = difference(base, *(changes.scaled(base.graph, every, f) for f in factors))
    assert found.middle == pytest.approx(10e-3, rel=0.01)
    assert found.low < 5.1e-3
    assert found.high > 29e-3


def test_launches_as_one_graph_save_the_other_launches() -> None:
    graph = fitted(traced(*[launch(0.1 * US, own=5 * US)] * 8, wait()))[0]
    group = np.where(np.arange(len(graph.calls)) < 8, 0, -1)
    found = changes.as_graphs(graph, group, 8 * US)
    assert np.bincount(found.operations["call"])[0] == 8
    saved = replay(graph, link(graph)).total - replay(found, link(found)).total
    assert saved == pytest.approx(8 * 5 * US - 8 * US, rel=0.2)


def test_kernels_of_a_graph_may_overlap_by_their_records() -> None:
    graph = fitted(traced(*[launch(10 * US)] * 8, wait()))[0]
    group = np.where(np.arange(len(graph.calls)) < 8, 0, -1)
    totals = []
    for early in (0.0, 1 * US):
        found = changes.as_graphs(graph, group, 2 * US, early)
        totals.append(replay(found, link(found)).total)
    assert totals[0] - totals[1] == pytest.approx(7 * US)


def test_the_start_and_the_end_are_those_of_the_runs_without_tracing() -> None:
    graph = program()
    middle = without(graph, 1.0)
    graph = replace(graph, tail=80 * MS)
    found, links = fitted(graph)
    found.calls["gap"][0] += 100 * MS
    runs = [Run(0.05 + one, middle, 0.02) for one in (0.0, 0.04, -0.03)]
    fit = calibrated(found, links, runs, Run(0.1, graph.span * 1e-9 - 0.08, 0.08))
    assert fit.done.total == pytest.approx((0.05 + middle + 0.02) * 1e9, rel=0.002)
    assert fit.factors["call"] == pytest.approx(1, abs=0.02)  # their spread is not in the middle
    assert fit.spread == pytest.approx(0.07e9)


def test_calls_that_all_took_longer_are_slower_without_a_cost_of_each() -> None:
    graph = replace(traced(*[Call(own=50 * US)] * 500, wait()), tracing=Tracing(call=100.0))
    found = fit(graph, 0.7 * graph.span * 1e-9)
    assert found.agrees
    assert found.graph.tracing.slower == pytest.approx(0.3, abs=0.03)
    assert not fit(graph, 0.5 * graph.span * 1e-9).agrees  # more than the limit


def test_what_is_taken_out_as_a_whole_is_known_better_than_its_parts() -> None:
    whole, half, more = (of_tracing(10 * MS, has, 1 * MS) for has in (0.0, 5 * MS, 20 * MS))
    assert whole <= 1.01 * MS
    assert half > 1.5 * whole
    assert more == pytest.approx(5 * MS)


def test_operations_that_no_longer_run_beside_others_may_get_faster() -> None:
    base = base_of(traced(*[launch(1 * MS, FIRST), launch(1 * MS, SECOND)] * 5, wait()))
    found = difference(base, changes.merged(base.graph, FIRST, SECOND))
    assert found.middle == pytest.approx(5e-3, rel=0.05)
    assert found.middle - found.low > 2 * (found.high - found.middle)


def test_twice_the_work_of_a_kernel_is_not_twice_its_record() -> None:
    graph = base_of(traced(*[launch(10 * US), wait()] * 10)).graph
    graph = replace(graph, machine=Machine(empty=1 * US))
    twice = changes.scaled(graph, np.ones(10, bool), 2.0)
    assert twice.operations["takes"] == pytest.approx(np.full(10, 19 * US))


def test_pageable_copies_may_have_taken_longer() -> None:
    graph = traced(*[copy(10 * MS, pageable=True), launch(10 * US), wait()] * 20)
    found = fit(graph, 0.88 * graph.span * 1e-9)
    assert found.agrees
    assert found.graph.tracing.pageable == pytest.approx(0.12, abs=0.02)
    graph.operations["pageable"] = False
    assert not fit(graph, 0.88 * graph.span * 1e-9).agrees


def test_a_difference_is_less_certain_where_the_runs_differ() -> None:
    assert relative(10 * MS, 0.0, 100 * MS) == LEAST
    assert relative(10 * MS, 4 * MS, 100 * MS) == pytest.approx(4 / 1000**0.5)
    assert relative(0.1 * MS, 4 * MS, 100 * MS) == MOST_UNCERTAIN
    assert relative(0.0, 4 * MS, 100 * MS) == MOST_UNCERTAIN


@pytest.mark.parametrize("many", [1, 4])
def test_a_single_slow_call_says_nothing_of_waits_for_nothing(many: int) -> None:
    slow = replace(wait(), own=20 * US)
    graph = traced(launch(1 * MS), wait(), *[slow] * many, *[launch(1 * MS), wait()] * 20)
    waited = fitted(graph)[0].calls[many + 3 :: 2]
    assert (waited["wait"] == Wait.ALL).all()
    expected = 2 * US if many == 1 else 20 * US
    assert waited["own"].max() == pytest.approx(expected, rel=0.01)


def test_migrations_that_were_recorded_took_longer() -> None:
    graph = traced(*[Call(10 * MS, gap=10 * MS), wait()] * 20)
    graph.calls["migrates"] = np.arange(40) % 2 == 0
    graph.operations["migrates"] = True
    found = fit(graph, 0.65 * graph.span * 1e-9)
    assert found.agrees
    assert found.graph.tracing.migrating == pytest.approx(0.35, abs=0.03)
    graph.calls["migrates"] = graph.operations["migrates"] = False
    assert not fit(graph, 0.65 * graph.span * 1e-9).agrees
