"""Programs with streams of threads, pools, host functions and several processes, on the driver
without a GPU."""

from __future__ import annotations

import numpy as np
import pytest
import replaying
from replaying import ROUNDS, US, unexplained

play = replaying.play


def test_the_default_stream_of_a_thread_is_not_the_legacy_one(play) -> None:
    """Blocking streams would wait for it, and it for them."""
    played = play("own")
    assert len(played.graph.streams) == 4
    assert not any(stream.default for stream in played.graph.streams)
    assert unexplained(played) == []
    stream_of = played.graph.operations["stream"]
    for one, before in enumerate(played.links.follows):
        assert all(stream_of[other] == stream_of[one] for other in before)


def test_streams_order_the_memory_of_a_pool(play) -> None:
    played = play("pooled")
    assert unexplained(played) == []
    assert len(played.graph.operations) == 3 * ROUNDS
    named = np.array(played.graph.functions)[played.graph.calls["function"]]
    own = np.isin(named, ["cuMemAllocAsync", "cuMemFreeAsync"])
    assert own.sum() == 2 * ROUNDS
    assert not played.graph.calls["wait"][own].any()
    takes = played.graph.operations["takes"].round(-4)
    for one, before in enumerate(played.links.follows):
        if takes[one] == 300 * US:  # it follows the first kernel of its round, not the second
            assert [takes[other] for other in before if other > one - 3] == [200 * US]


def test_host_functions_are_recognised(play) -> None:
    played = play("callbacks")
    assert "callbacks" in played.met
    assert not played.stops


@pytest.mark.parametrize("scene", ["forked", "started"])
def test_several_processes_stop(play, scene: str) -> None:
    """Both compute: the replay is of one."""
    played = play(scene)
    assert "processes" in played.met
    assert played.stops
    assert len(played.graph.operations) == ROUNDS
