"""The interval of the difference that a change of a made-up program makes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from synthetic.replays import FIRST, SECOND, Call, launch, traced

from watari.model.replay import changes
from watari.model.replay.differences import LEAST, Base, difference, held_up
from watari.model.replay.fit import fitted
from watari.model.replay.graph import Machine, Wait

OWN = 6_000.0  # ns of a launch beside those of another thread
ALONE = 3_000.0  # of one alone


def test_launches_that_no_thread_holds_up_any_longer_may_take_less() -> None:
    """The first thread takes twice as long: then it launches half of its kernels alone."""
    rounds = [
        call
        for _ in range(20)
        for call in (
            launch(50_000, FIRST, own=OWN),
            launch(50_000, SECOND, own=OWN, thread=1),
            Call(stream=FIRST, wait=Wait.STREAM),
            Call(stream=SECOND, wait=Wait.STREAM, thread=1),
        )
    ]
    graph, links = fitted(traced(*rounds))
    longer = changes.scaled(graph, graph.operations["stream"] == FIRST, 2.0)
    machine = Machine(launch=ALONE)
    unknown, known = (
        difference(Base.of(replace(graph, machine=one), links), replace(longer, machine=one))
        for one in (Machine(), machine)
    )
    delta = 20 * 50_000e-9
    assert unknown.low == pytest.approx((1 - LEAST) * delta, rel=0.02)
    alone = unknown.low - known.low
    assert 7 * (OWN - ALONE) < alone * 1e9 < 11 * (OWN - ALONE)
    assert known.high == unknown.high
    base = Base.of(replace(graph, machine=machine), links)
    assert held_up(base.graph, base.done) == pytest.approx(
        dict.fromkeys((0, 1), 20 * 3_000), rel=0.1
    )
