"""Replays of made-up programs: their times are known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from synthetic.replays import (
    BLOCKING,
    DEFAULT,
    FIRST,
    LATE,
    SECOND,
    Call,
    copy,
    follows,
    launch,
    measured,
    planned,
    recorded,
    traced,
    wait,
)

from watari.model.replay import changes
from watari.model.replay.fit import fitted
from watari.model.replay.graph import NONE, Graph, Role, Tracing, Wait, Work
from watari.model.replay.link import link
from watari.model.replay.shares import COPIES, KERNELS, shares
from watari.model.replay.simulate import replay
from watari.model.replay.tracing import untraced

MS = 1_000_000.0  # ns


def total(graph: Graph) -> float:
    return replay(graph, link(graph)).total


def which(graph: Graph, *indices: int) -> np.ndarray:
    return np.isin(np.arange(len(graph.operations)), indices)


STREAM = st.sampled_from([DEFAULT, BLOCKING, FIRST, SECOND])
TIME = st.floats(1_000, 2 * MS)
CALL = st.one_of(
    st.builds(launch, TIME, STREAM),
    st.builds(copy, TIME, STREAM),
    st.builds(wait, st.one_of(STREAM, st.just(NONE))),
    st.builds(recorded, STREAM, st.integers(0, 2)),
    st.builds(follows, STREAM, st.integers(0, 2)),
    st.builds(Call, gap=TIME),
)
THREADS = st.lists(st.tuples(CALL, st.integers(0, 1)), min_size=1, max_size=30)


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """A fitted graph of one or two threads; each thread has streams of its own, or events in one
    thread would depend on the other's times."""
    calls = [replace(call, thread=thread) for call, thread in draw(THREADS)]
    return fitted(measured(planned(calls)))[0]


@given(graphs())
def test_a_replay_gives_the_measured_times(graph: Graph) -> None:
    done = replay(graph, link(graph))
    assert done.total == pytest.approx(graph.span, rel=2e-3)
    assert done.ends == pytest.approx(graph.calls["end"].tolist(), rel=1e-9)
    assert done.finishes == pytest.approx(graph.operations["end"].tolist(), rel=1e-9)


@given(graphs(), st.data())
def test_less_work_never_takes_longer(graph: Graph, data: st.DataObject) -> None:
    before = total(graph)
    mask = st.lists(st.booleans(), min_size=1, max_size=1)
    operations = np.array([data.draw(mask)[0] for _ in graph.operations], bool)
    calls = np.array([data.draw(mask)[0] for _ in graph.calls], bool)
    factor = data.draw(st.floats(0, 1))
    for less in (
        changes.scaled(graph, operations, factor),
        changes.dropped(graph, operations),
        changes.without_calls(graph, calls),
        changes.pinned(graph, operations, 1e9),
    ):
        assert total(less) <= before * (1 + 1e-12)
    assert total(changes.scaled(graph, operations, 1 + factor)) >= before * (1 - 1e-12)


@given(graphs(), TIME, STREAM, st.data())
def test_more_work_never_takes_less_time(
    graph: Graph, takes: float, stream: int, data: st.DataObject
) -> None:
    call = data.draw(st.integers(0, len(graph.calls) - 1))
    assert total(changes.added(graph, call, takes, stream)) >= total(graph) * (1 - 1e-12)


@given(graphs(), st.floats(1, 10))
def test_more_bytes_never_take_less_time(graph: Graph, factor: float) -> None:
    more = graph.operations.copy()
    more["bytes"] *= factor
    every = np.ones(len(more), bool)
    larger = Graph(**{**vars(graph), "operations": more})
    assert total(changes.pinned(larger, every, 2e9)) >= total(changes.pinned(graph, every, 2e9))


@given(graphs())
def test_shares_add_up_to_the_total(graph: Graph) -> None:
    done = replay(graph, link(graph))
    found = shares(graph, done)
    assert sum(found.values()) == pytest.approx(done.total, rel=1e-9)
    assert min(found.values()) >= -1e-6 * done.total


def test_a_hidden_kernel_has_no_share() -> None:
    graph = fitted(traced(launch(1 * MS), Call(gap=3 * MS), wait()))[0]
    found = shares(graph, replay(graph, link(graph)))
    assert found[KERNELS] == 0
    assert found["CPU alone"] == pytest.approx(3 * MS, rel=0.01)
    graph = fitted(traced(launch(5 * MS), Call(gap=3 * MS), wait()))[0]
    found = shares(graph, replay(graph, link(graph)))
    assert found[KERNELS] == pytest.approx(5 * MS)
    assert found["CPU alone"] < 0.01 * MS


def test_a_kernel_twice_as_long_counts_as_far_as_the_program_waits() -> None:
    graph = fitted(traced(launch(2 * MS), Call(gap=3 * MS), launch(1 * MS), wait()))[0]
    before = total(graph)
    assert total(changes.scaled(graph, which(graph, 1), 2)) - before == pytest.approx(1 * MS)
    # 2 ms hidden by the CPU become 4: 1 ms more than the CPU and the launch hide
    longer = total(changes.scaled(graph, which(graph, 0), 2)) - before
    assert longer == pytest.approx(1 * MS, rel=0.02)


def test_a_kernel_that_is_added_takes_its_time() -> None:
    graph = fitted(traced(launch(2 * MS), wait(), launch(1 * MS), wait()))[0]
    longer = changes.added(graph, 0, 3 * MS, DEFAULT)
    assert total(longer) - total(graph) == pytest.approx(3 * MS)


def test_two_streams_as_one_take_the_sum() -> None:
    pair = (launch(2 * MS, FIRST), launch(3 * MS, SECOND), wait())
    graph = fitted(traced(*pair, *pair))[0]
    merged = total(changes.merged(graph, FIRST, SECOND)) - total(graph)
    assert merged == pytest.approx(2 * 2 * MS, rel=0.01)


@pytest.mark.parametrize(
    ("streams", "gain"),
    [
        ((DEFAULT, BLOCKING), 2),
        ((BLOCKING, DEFAULT), 2),
        ((FIRST, DEFAULT), 0),
        ((FIRST, SECOND), 0),
    ],
)
def test_the_default_stream_waits_for_blocking_ones(streams: tuple[int, int], gain: float) -> None:
    """The first kernel, of 2 ms, delays the second one, of 3 ms, or does not."""
    graph = fitted(traced(launch(2 * MS, streams[0]), launch(3 * MS, streams[1]), wait()))[0]
    before = total(graph)
    saved = before - total(changes.dropped(graph, which(graph, 0)))
    assert saved == pytest.approx(gain * MS, abs=0.01 * MS)


def test_an_event_orders_two_streams() -> None:
    calls = [
        launch(2 * MS, FIRST),
        recorded(FIRST),
        follows(SECOND),
        launch(3 * MS, SECOND),
        wait(),
    ]
    graph = fitted(traced(*calls))[0]
    assert total(graph) == pytest.approx(5 * MS, rel=0.01)
    assert total(changes.scaled(graph, which(graph, 0), 0.5)) == pytest.approx(4 * MS, rel=0.01)


def test_a_wait_that_is_added_takes_what_was_hidden() -> None:
    graph = fitted(traced(launch(2 * MS), Call(gap=2 * MS), wait()))[0]
    first = np.arange(len(graph.calls)) == 0
    waits = changes.waiting(graph, first, 0, LATE)
    assert total(waits) - total(graph) == pytest.approx(2 * MS, rel=0.02)


def test_a_copy_takes_the_rate_of_pinned_memory_if_that_is_faster() -> None:
    graph = fitted(traced(copy(4 * MS, size=8e6), launch(1 * MS), wait()))[0]
    every = graph.operations["work"] == Work.COPY
    assert total(graph) - total(changes.pinned(graph, every, 4e9)) == pytest.approx(2 * MS)
    assert total(changes.pinned(graph, every, 1e9)) == total(graph)
    found = shares(graph, replay(graph, link(graph)))
    assert found[COPIES] == pytest.approx(4 * MS)


def test_the_time_of_tracing_is_taken_out_where_it_counts() -> None:
    graph = traced(*[Call(gap=5_000.0)] * 10, launch(1 * MS), Call(gap=0.0), wait())
    graph.calls["records"] = 2
    graph = replace(fitted(graph)[0], tracing=Tracing(call=500.0))
    # the GPU hides that of the last call
    assert total(graph) - total(untraced(graph)) == pytest.approx(11_000)


def test_an_allocation_made_once_saves_its_time_and_its_wait() -> None:
    graph = fitted(traced(launch(1 * MS), Call(own=50_000.0, wait=Wait.ALL), Call(gap=1 * MS)))[0]
    graph.calls["role"][1] = Role.ALLOCATION
    saved = total(graph) - total(
        changes.without_calls(graph, graph.calls["role"] == Role.ALLOCATION)
    )
    assert saved == pytest.approx(1 * MS, rel=0.05)


def test_kernels_run_side_by_side_as_far_as_was_seen() -> None:
    """Both streams' kernels fill the GPU: none was seen beside another."""
    alone = traced(launch(2 * MS, FIRST), wait(FIRST), launch(2 * MS, SECOND), wait(SECOND))
    alone.operations["engine"] = 0
    graph = fitted(alone)[0]
    assert graph.engines == (1,)
    unwaited = changes.without_calls(graph, np.arange(len(graph.calls)) == 1)
    assert total(unwaited) == pytest.approx(4 * MS, rel=0.01)
    beside = traced(launch(2 * MS, FIRST), launch(2 * MS, SECOND), wait())
    beside.operations["engine"] = 0
    assert fitted(beside)[0].engines == (2,)


def test_a_longer_kernel_does_not_hold_up_the_stream_of_another_thread() -> None:
    """Each thread launches and waits, 20 times; kernels of both run side by side."""
    rounds = [
        call
        for _ in range(20)
        for call in (
            launch(50_000, FIRST),
            launch(50_000, SECOND, thread=1),
            Call(stream=FIRST, wait=Wait.STREAM),
            Call(stream=SECOND, wait=Wait.STREAM, thread=1),
        )
    ]
    seen = traced(*rounds)
    seen.operations["engine"] = 0
    graph, links = fitted(seen)
    of_first = graph.operations["stream"] == FIRST
    before = replay(graph, links)
    after = replay(changes.scaled(graph, of_first, 2.0), links)
    assert after.total == pytest.approx(before.total + 20 * 50_000, rel=1e-6)
    assert after.finishes[~of_first] == pytest.approx(before.finishes[~of_first])


def test_a_stream_that_does_not_keep_the_order_is_not_blocking() -> None:
    """A stream whose creation was not seen counts as blocking, until times contradict."""
    graph = traced(launch(2 * MS, DEFAULT), launch(2 * MS, FIRST), wait())
    as_blocking = Graph(**{**vars(graph), "streams": tuple(
        type(s)(s.device, s.number, True, s.default) for s in graph.streams
    )})  # fmt: skip
    found = fitted(as_blocking)[0]
    assert found.ignored == {(0, 1)}
    assert total(found) == pytest.approx(total(fitted(graph)[0]))


def test_a_copy_from_pageable_memory_ends_after_its_call() -> None:
    """The call returns when it has read the source, and is as long as the copy all the same."""
    graph = traced(copy(4 * MS, size=8e6), Call(gap=5 * MS))
    graph.calls["end"][0] -= 0.1 * MS
    graph = fitted(graph)[0]
    assert replay(graph, link(graph)).ends[0] == pytest.approx(graph.calls["end"][0])
    every = np.ones(1, bool)
    assert total(graph) - total(changes.pinned(graph, every, 4e9)) == pytest.approx(2 * MS)
