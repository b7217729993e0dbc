"""What a replay cannot know, in graphs made by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from synthetic.replays import Call, launch, traced, wait
from tracing import process

from watari.attach.trace.graph import host, met, waits
from watari.attach.trace.records.records import CALL
from watari.model.replay.graph import CALLS, NONE, OPERATIONS, Graph, Wait

MS, US = 1_000_000.0, 1_000.0  # ns


def words(graph: Graph, *, polls: int = 0, lost: int = 0, processes: int = 1, others=(), of=None):
    """Each word that was met, and whether it stops."""
    found = met.all_of(host.Host(graph, polls, lost), of or process(), processes, others)
    return {one.word: one.stops for one in found}


@pytest.fixture
def plain() -> Graph:
    return traced(launch(1 * MS), Call(gap=2 * MS), launch(3 * MS), wait())


def test_a_plain_program_meets_nothing(plain: Graph) -> None:
    assert words(plain) == {}


def test_what_is_counted_is_named(plain: Graph) -> None:
    assert words(plain, polls=3) == {"queries": False}
    assert words(plain, lost=1) == {"lost": True}
    assert words(plain, processes=2) == {"processes": True}
    assert words(plain, others=[1]) == {"others": True}
    assert words(plain, others=[0, 1]) == {"others": False}


def test_communication_is_known_by_the_kernel(plain: Graph) -> None:
    assert words(replace(plain, names={0: "ncclDevKernel_AllReduce_Sum_f32"})) == {
        "communication": True
    }
    assert words(replace(plain, names={0: "stencil"})) == {}


def test_host_functions_and_cooperative_launches_are_known_by_their_call(plain: Graph) -> None:
    assert words(replace(plain, functions=("cudaLaunchHostFunc_v10000",))) == {"callbacks": False}
    named = replace(plain, functions=("cuLaunchCooperativeKernel",))
    assert words(named) == {"cooperative": False}


def test_threads_are_named() -> None:
    assert words(traced(launch(1 * MS), launch(1 * MS, thread=1), wait())) == {"threads": False}


@pytest.mark.parametrize(("after", "expected"), [(1 * US, True), (200 * US, False)])
def test_gaps_that_end_with_a_kernel_may_wait_for_it(after: float, expected: bool) -> None:
    """The CPU goes on shortly after each kernel's end, without a call that waits."""
    took = 0.5 * MS
    graph = traced(*[launch(took, gap=took + after) for _ in range(20)])
    assert words(graph) == ({"unseen waits": True} if expected else {})


def test_a_failed_kernel_stops(plain: Graph) -> None:
    failed = process()
    failed.calls = np.zeros(3, CALL)
    failed.calls["result"] = [0, 1, 2]  # of arguments and memory: work goes on
    assert words(plain, of=failed) == {}
    failed.calls["result"] = [0, 700, 700]
    assert words(plain, of=failed) == {"errors": True}


def test_queries_between_other_work_stop() -> None:
    graph = replace(
        traced(*[Call(own=50 * US)] * 10, launch(1 * MS), wait()), functions=("cudaEventQuery",)
    )
    asked = process()
    asked.calls = np.zeros(10, CALL)
    asked.calls["result"] = 600
    asked.functions = {0: "cudaEventQuery"}
    assert words(graph, of=asked) == {"queries": True}
    asked.calls["result"] = 0
    assert words(graph, of=asked) == {}


def test_a_launch_waits_for_room_in_a_full_queue() -> None:
    """A queue of 200: the launch after them returns when a kernel has ended."""
    count, depth, each = 2000, 200, 20 * US
    rows, operations = np.zeros(count, CALLS), np.zeros(count, OPERATIONS)
    operations["call"] = np.arange(count)
    operations["start"] = 5 * US + each * np.arange(count)
    operations["end"] = operations["start"] + each
    time = 0.0
    for call in range(count):
        room = operations["end"][call - depth] if call >= depth else 0.0
        rows["start"][call] = time
        time = max(time + 2 * US, room + 1 * US)
        rows["end"][call] = time
    rows["on"] = NONE
    waits.with_full_queues(rows, operations)
    assert (rows["wait"][: depth - 1] == Wait.NOTHING).all()
    waiting = np.flatnonzero(rows["wait"] == Wait.OPERATION)
    assert len(waiting) > count - depth - 30
    assert (rows["on"][waiting] == waiting - depth).all()
