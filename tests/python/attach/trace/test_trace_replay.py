"""Graphs of programs that the driver without a GPU ran: it keeps the rules of streams, and says
when each operation began."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import emulator
import numpy as np
import pytest
import replaying
from replaying import ROUNDS, TIMES, US, unexplained
from tracing import trace, watari

from watari.attach.trace import cost, runs
from watari.attach.trace.graph import functions, waits
from watari.model.replay import changes, files
from watari.model.replay.graph import Graph, Role, Tracing, Wait, Work
from watari.model.replay.link import link
from watari.model.replay.simulate import replay
from watari.model.replay.tracing import untraced

play = replaying.play
SCENES = ["copies", "streams", "default", "graphs", "threads", "queries", "small", "launches"]


@pytest.mark.parametrize("scene", SCENES)
def test_the_rules_of_streams_explain_each_start(play, scene: str) -> None:
    played = play(scene)
    assert played.host.lost == 0
    assert not played.graph.ignored
    assert unexplained(played) == []
    done = replay(played.graph, played.links)
    assert done.total == pytest.approx(played.graph.span, rel=2e-3)
    assert done.finishes == pytest.approx(played.graph.operations["end"].tolist(), rel=1e-9)


def test_without_the_order_of_events_some_starts_are_unexplained(play) -> None:
    """The test above can fail."""
    played = play("streams")
    played.graph.calls["order"] = 0
    played.links = link(played.graph)
    assert unexplained(played)


def test_waits_are_for_what_they_name(play) -> None:
    played = play("streams")
    rows = played.graph.calls
    named = played.graph.functions
    waits = {named[f] for f in rows["function"][rows["wait"] == Wait.STREAM]}
    assert waits == {"cuStreamSynchronize"}
    assert (rows["wait"] == Wait.STREAM).sum() == 2 * ROUNDS
    streams = {s.number: s for s in played.graph.streams}
    assert not streams[8].blocking
    assert not streams[9].blocking
    copies = play("copies").graph.calls
    assert (copies["wait"] == Wait.OWN).sum() == 2 * ROUNDS


def test_a_loop_of_queries_becomes_a_wait(play) -> None:
    played = play("queries")
    # A kernel can end before the first query where the machine has other work: no wait then.
    polls = played.host.polls
    assert 0.9 * ROUNDS <= polls <= ROUNDS
    assert "queries" in played.met
    assert not played.stops
    rows = played.graph.calls
    waits = rows["on"][rows["wait"] == Wait.OPERATION].tolist()
    assert len(waits) == polls
    assert waits == sorted(set(waits))
    every = np.ones(len(played.graph.operations), bool)
    longer = changes.scaled(played.graph, every, 2.0)
    before = replay(played.graph, played.links).total
    added = replay(longer, played.links).total - before
    waited = played.graph.operations["takes"][waits].sum()
    least = waited - 1000 * US  # the CPU's own work of 50 us a round hides at most that
    assert least <= added <= played.graph.operations["takes"].sum() * 1.01


def test_the_first_thread_waits_for_the_others(play) -> None:
    played = play("threads")
    assert "threads" in played.met
    threads = played.graph.calls["thread"]
    assert len(np.unique(threads)) == 5
    # On a busy machine a whole short thread can also lie between two calls of another one.
    joins = [join for join in played.graph.joins if threads[join.call] == threads[0]]
    assert len(joins) == 1
    others = np.where(threads != threads[0], played.graph.calls["end"], 0)
    assert joins[0].other == np.argmax(others)
    half = changes.scaled(played.graph, np.ones(len(played.graph.operations), bool), 0.5)
    assert replay(half, played.links).total < replay(played.graph, played.links).total


def test_nodes_of_graphs_belong_to_their_launch(play) -> None:
    played = play("graphs")
    assert played.graph.operations["inside"].all()
    assert np.bincount(played.graph.operations["call"]).max() == 4
    assert len(played.graph.operations) == 4 * ROUNDS


def test_the_cost_of_tracing_is_measured_and_taken_out(play, tmp_path, monkeypatch) -> None:
    """Recording takes 2 x 20 us a call, mostly while the CPU alone works."""
    monkeypatch.setenv("FAKE_CUPTI_CALL_NS", "20000")
    library = emulator.cupti()
    files = Path(runs.fresh(tmp_path, "cost"))
    paid = cost.measured(runs.variables(files, library), files)
    assert 0.9 < paid.tracing.call / 40_000 < 3  # more on a busy machine
    played = play("small", paid=Tracing(call=40_000.0))
    took = replay(played.graph, played.links).total
    least = untraced(played.graph)
    saved = took - replay(least, played.links).total
    assert 0.5 < saved / (40_000 * len(played.graph.calls)) <= 1


def test_a_trace_says_where_the_time_goes(tmp_path) -> None:
    ended, content = trace(
        tmp_path, "replayed", "copies", str(ROUNDS), options=["--no-touches"], **TIMES, code=0
    )
    found = content["observed"]["replay"]
    assert sum(found["shares"].values()) == pytest.approx(found["seconds"])
    assert found["shares"]["kernels"] > 0.9 * ROUNDS * 500e-6
    assert "where the time goes" in ended.stdout
    for name in found["shares"]:
        assert name in ended.stdout
    advice = watari(tmp_path, "advise", "trace.json", "--machine", "gh200")
    assert "where the time goes" in advice.stdout, advice.stderr
    graph = files.read(tmp_path / found["graph"])
    assert len(graph.calls) == found["calls"]
    assert "Where the time goes" in (tmp_path / "trace.html").read_text()


@pytest.mark.parametrize("off", [-40_000.0, 30_000.0])
def test_a_clock_of_the_gpu_that_is_off_is_shifted(play, off: float) -> None:
    rows = play("copies", "waits").graph
    operations, calls = rows.operations.copy(), rows.calls
    before = operations["start"].copy()
    operations["start"] += off
    operations["end"] += off
    shift = waits.aligned(calls, operations)
    assert shift * off < 0
    assert abs(operations["start"] - before).max() < abs(off)
    begun = calls["start"][operations["call"]]
    assert np.mean(operations["start"] >= begun - 1) > 0.97


def normal(graph: Graph) -> float:
    """Nanoseconds of a replay in which the CPU takes the same time in each run of a program."""
    rows, operations = graph.calls.copy(), graph.operations.copy()
    rows["gap"], rows["own"] = 0, 2 * US
    rows["own"][rows["wait"] == Wait.OWN] = 0
    rows["late"][rows["wait"] > 0] = 2 * US
    operations["issue"], operations["after"], operations["turn"] = US, 0, 0
    same = replace(graph, calls=rows, operations=operations)
    return replay(same, link(same)).total - graph.tail


def blocks(graph: Graph, microseconds: float) -> np.ndarray:
    """Kernels of this length."""
    rows = graph.operations
    return (rows["work"] == Work.KERNEL) & (abs(rows["takes"] - microseconds * US) < US)


CHANGES = {
    ("copies", "doubled"): lambda g: changes.scaled(g, blocks(g, 300), 2.0),
    ("copies", "waits"): lambda g: changes.waiting(
        g, np.isin(np.arange(len(g.calls)), g.operations["call"][g.operations["work"] == 0]), 0, 0
    ),
    ("streams", "merged"): lambda g: changes.merged(g, 0, 1),
    ("streams", "doubled"): lambda g: changes.scaled(g, blocks(g, 300), 2.0),
    ("queries", "doubled"): lambda g: changes.scaled(g, blocks(g, 2000), 2.0),
}


@pytest.mark.parametrize(("scene", "change"), list(CHANGES))
def test_a_change_is_replayed_as_the_changed_program(play, scene: str, change: str) -> None:
    """With the CPU's time left out: it varies from run to run."""
    before, after = play(scene).graph, play(scene, change).graph
    measured = normal(after) - normal(before)
    assert measured > 0
    predicted = normal(CHANGES[scene, change](before)) - normal(before)
    assert predicted == pytest.approx(measured, rel=0.1)


@pytest.mark.parametrize(
    ("function", "role", "frees", "asks"),
    [
        ("cudaMalloc_v3020", Role.ALLOCATION, False, False),
        ("cudaFree_v3020", Role.ALLOCATION, True, False),
        ("cuMemFree_v2", Role.ALLOCATION, True, False),
        ("cudaFreeHost_v3020", Role.ALLOCATION, True, False),
        ("cudaFreeAsync_v11020", Role.ALLOCATION, False, False),
        ("cudaHostRegister_v4000", Role.ALLOCATION, False, False),
        ("cuMemAllocAsync_ptsz", Role.ALLOCATION, False, False),
        ("cuDevicePrimaryCtxRetain", Role.START, False, False),
        ("cuLibraryLoadData", Role.START, False, False),
        ("cuModuleLoadDataEx", Role.START, False, False),
        ("cudaMemcpy_v3020", Role.CALL, False, False),
        ("cudaLaunchKernel_v7000", Role.CALL, False, False),
        ("cudaEventQuery_v3020", Role.CALL, False, True),
        ("cudaStreamQuery_ptsz_v7000", Role.CALL, False, True),
    ],
)
def test_functions_have_the_names_of_cupti(
    function: str, role: Role, frees: bool, asks: bool
) -> None:
    one = np.zeros(1, np.int64)
    assert functions.roles([function], one) == [role]
    assert functions.matching([function], one, functions.FREES) == [frees]
    assert functions.matching([function], one, functions.QUERIES) == [asks]


def test_the_default_stream_is_the_one_that_no_program_created(play) -> None:
    streams = play("default").graph.streams
    assert [s.number for s in streams if s.default] == [7]
    assert all(s.blocking for s in streams)
    assert not any(s.default for s in play("streams").graph.streams)


def test_calls_have_their_sites(tmp_path) -> None:
    _, content = trace(
        tmp_path, "replayed", "copies", str(ROUNDS), options=["--no-touches"], **TIMES, code=0
    )
    graph = files.read(tmp_path / content["observed"]["replay"]["graph"])
    copies = graph.operations[graph.operations["work"] == Work.COPY]
    by_site = np.unique(graph.calls["site"][copies["call"]], return_counts=True)
    assert by_site[1].tolist() == [ROUNDS, ROUNDS]
    assert all("copies" in graph.sites[site] for site in by_site[0])
    assert np.unique(copies["pair"], return_counts=True)[1].tolist() == [ROUNDS, ROUNDS]
    made = graph.calls[graph.calls["bytes"] > 0]
    assert made["role"].tolist() == [Role.ALLOCATION] * len(made)
    assert (1 << 20) in made["bytes"].tolist()
    assert "main" in graph.sites[made["site"][made["bytes"] == 1 << 20][0]]
