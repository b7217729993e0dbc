"""The compiled replay gives what the plain one gives, for random programs."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest
from synthetic import plain_replay
from synthetic.replays import (
    BLOCKING,
    DEFAULT,
    FIRST,
    SECOND,
    Call,
    copy,
    follows,
    launch,
    recorded,
    traced,
    wait,
)

from watari.model.replay.fit import fitted
from watari.model.replay.graph import NONE, Graph, Join
from watari.model.replay.link import link
from watari.model.replay.simulate import Replay, replay

STREAMS = (DEFAULT, BLOCKING, FIRST, SECOND)


def program(seed: int) -> Graph:
    """Calls of three threads at random; engines have one or two rooms."""
    chance = np.random.default_rng(seed)
    calls: list[Call] = []
    for number in range(200):
        stream = int(chance.choice(STREAMS))
        takes = float(chance.integers(1_000, 60_000))
        kinds = [
            launch(takes, stream),
            copy(takes, stream),
            wait(stream if stream != DEFAULT else NONE),
            recorded(stream, number % 5),
            follows(stream, number % 5),
        ]
        one = kinds[int(chance.integers(len(kinds)))]
        calls.append(
            replace(one, thread=int(chance.integers(3)), gap=float(chance.integers(9_000)))
        )
    graph = traced(*calls)
    rows = graph.operations.copy()
    rows["engine"] = chance.integers(-1, 2, len(rows))
    return replace(graph, operations=rows)


def same(one: Replay, other: Replay) -> None:
    for field in fields(Replay):
        assert np.array_equal(getattr(one, field.name), getattr(other, field.name)), field.name


@pytest.mark.parametrize("seed", range(20))
def test_both_give_the_same(seed: int) -> None:
    graph, links = fitted(program(seed))
    same(replay(graph, links), plain_replay.replay(graph, links))
    rows = graph.operations.copy()
    rows["takes"] *= np.random.default_rng(seed).uniform(0, 3, len(rows))
    changed = replace(graph, operations=rows)
    same(replay(changed, links), plain_replay.replay(changed, links))


def test_a_call_waits_for_the_threads_that_it_joins() -> None:
    calls = [Call(), Call(thread=1, own=50_000.0), Call(thread=2, own=90_000.0), Call()]
    graph = traced(*calls)
    last = len(graph.calls) - 1
    others = [int(np.flatnonzero(graph.calls["thread"] == thread)[0]) for thread in (1, 2)]
    graph = replace(graph, joins=tuple(Join(last, other, 7.0) for other in others))
    links = link(graph)
    done = replay(graph, links)
    same(done, plain_replay.replay(graph, links))


def test_a_needless_wait_does_not_wait() -> None:
    graph, links = fitted(traced(launch(50_000.0), wait(), launch(1_000.0)))
    waiting = np.flatnonzero(graph.calls["wait"])
    done = replay(graph, links, waiting)
    assert done.awaited[waiting] == NONE
    assert done.ends[waiting] < replay(graph, links).ends[waiting]


def test_an_empty_program_takes_its_tail() -> None:
    graph = replace(traced(Call()), tail=5.0)
    nothing = replace(graph, calls=graph.calls[:0], operations=graph.operations[:0], last=NONE)
    assert replay(nothing, link(nothing)).total == 5.0
