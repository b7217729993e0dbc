"""Changes of a program, as functions on its graph. Each returns a new graph."""

from __future__ import annotations

from dataclasses import replace as changed

import numpy as np

from watari.model.replay.graph import NONE, OPERATIONS, Array, Graph, Order, Wait, Work


def scaled(graph: Graph, which: Array, factor: float) -> Graph:
    """These operations do `factor` times as much. The record of a kernel that does nothing has some
    time, which stays."""
    rows = graph.operations.copy()
    stays = np.where(rows["work"] == Work.KERNEL, graph.machine.empty, 0.0)
    stays = np.minimum(stays, rows["takes"])
    takes = stays + (rows["takes"] - stays) * factor
    rows["takes"] = np.where(which, takes, rows["takes"])
    return changed(graph, operations=rows)


def dropped(graph: Graph, which: Array) -> Graph:
    """Without these operations. A call that did nothing else takes no time of its own."""
    rows = graph.operations.copy()
    for name in ("takes", "issue", "after", "turn"):
        rows[name] = np.where(which, np.minimum(rows[name], 0.0), rows[name])
    rows["engine"] = np.where(which, NONE, rows["engine"])
    calls = graph.calls.copy()
    kept = np.bincount(rows["call"][~which], minlength=len(calls))
    gone = np.bincount(rows["call"][which], minlength=len(calls))
    empty = (kept == 0) & (gone > 0)
    calls["own"] = np.where(empty, 0.0, calls["own"])
    calls["late"] = np.where(empty, np.minimum(calls["late"], 0.0), calls["late"])
    return changed(graph, operations=rows, calls=calls)


def without_calls(graph: Graph, which: Array) -> Graph:
    """Without these calls and their operations: an allocation that is made once, a wait that is not
    needed."""
    calls = graph.calls.copy()
    for name in ("own", "late"):
        calls[name] = np.where(which, np.minimum(calls[name], 0.0), calls[name])
    calls["wait"] = np.where(which, Wait.NOTHING, calls["wait"])
    return dropped(changed(graph, calls=calls), which[graph.operations["call"]])


def pinned(graph: Graph, which: Array, rate: float) -> Graph:
    """These copies go from or to pinned memory, at `rate` bytes per second; none gets slower."""
    rows = graph.operations.copy()
    takes = np.minimum(rows["takes"], rows["bytes"] / rate * 1e9)
    rows["takes"] = np.where(which, takes, rows["takes"])
    return changed(graph, operations=rows)


def waiting(graph: Graph, which: Array, own: float, late: float) -> Graph:
    """A wait for all work of the device after each of these calls, which adds `own` ns where there
    is nothing to wait for, and returns `late` ns after the end of the work."""
    calls = graph.calls.copy()
    device = np.array([s.device for s in graph.streams] or [0])
    which = which & (calls["wait"] == Wait.NOTHING)
    calls["wait"] = np.where(which, Wait.ALL, calls["wait"])
    calls["on"] = np.where(which, int(device[0]), calls["on"])
    calls["own"] += np.where(which, own, 0.0)
    calls["late"] = np.where(which, late, calls["late"])
    return changed(graph, calls=calls)


def merged(graph: Graph, kept: int, gone: int) -> Graph:
    """All work of stream `gone` goes to stream `kept`."""
    rows, calls = graph.operations.copy(), graph.calls.copy()
    rows["stream"] = np.where(rows["stream"] == gone, kept, rows["stream"])
    ordered = (calls["order"] != Order.NOTHING) & (calls["stream"] == gone)
    calls["stream"] = np.where(ordered, kept, calls["stream"])
    waits = (calls["wait"] == Wait.STREAM) & (calls["on"] == gone)
    calls["on"] = np.where(waits, kept, calls["on"])
    return changed(graph, operations=rows, calls=calls)


def added(
    graph: Graph, call: int, takes: float, stream: int, work: Work = Work.KERNEL, issue: float = 0.0
) -> Graph:
    """One more operation, which this call adds after its others, `issue` ns after its begin."""
    rows = graph.operations
    place = int(np.searchsorted(rows["call"], call, side="right"))
    one = np.zeros(1, OPERATIONS)
    one["call"], one["stream"], one["work"] = call, stream, work
    one["engine"] = one["pair"] = NONE
    begun = float(graph.calls["start"][call])
    if place and rows["call"][place - 1] == call:
        begun = float(rows["start"][place - 1])
    one["start"] = one["end"] = begun  # its place in the order; it was not measured
    one["takes"], one["issue"] = takes, issue
    calls = graph.calls.copy()
    later = (calls["wait"] == Wait.OPERATION) & (calls["on"] >= place)
    calls["on"] += later
    ignored = frozenset((a + (a >= place), b + (b >= place)) for a, b in graph.ignored)
    operations = np.insert(rows, place, one)
    return changed(graph, calls=calls, operations=operations, ignored=ignored)


def as_graphs(graph: Graph, group: Array, own: float, early: float = 0.0) -> Graph:
    """The launches of a group are one call, its first, which takes `own` ns. `group`: by call, its
    group, or NONE. The gaps between the launches stay; those between the kernels go, and each
    kernel starts `early` ns before the one before it has ended, by its record."""
    rows, calls = graph.operations.copy(), graph.calls.copy()
    inside = np.flatnonzero(group != NONE)
    _, at, inverse = np.unique(group[inside], return_index=True, return_inverse=True)
    leader = np.arange(len(calls))
    leader[inside] = inside[at][inverse]
    is_first = leader == np.arange(len(calls))
    rows["call"] = leader[rows["call"]]
    calls["own"] = np.where(group == NONE, calls["own"], np.where(is_first, own, 0.0))
    order = np.lexsort((rows["start"], rows["call"]))
    follows = order[1:][np.diff(rows["call"][order]) == 0]
    follows = follows[group[rows["call"][follows]] != NONE]
    for name in ("after", "turn"):
        rows[name][follows] = np.minimum(rows[name][follows], 0.0) - early
    new = np.empty(len(order), np.int64)
    new[order] = np.arange(len(order))
    named = calls["wait"] == Wait.OPERATION
    calls["on"][named] = new[calls["on"][named]]
    ignored = frozenset((int(new[a]), int(new[b])) for a, b in graph.ignored)
    return changed(graph, calls=calls, operations=rows[order], ignored=ignored)


def shorter(graph: Graph, own: Array, takes: Array) -> Graph:
    """These operations take as long, or less."""
    rows = graph.operations.copy()
    rows["takes"][own] = np.minimum(rows["takes"][own], takes)
    return changed(graph, operations=rows)
