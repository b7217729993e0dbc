"""Styles of programs that were traced and tried on an H200, against the tried seconds.

Their traces are older than the graph and than placements: the graph is made of the traced kernels
and copies, with a gap that gives the measured seconds, and a kernel over the link takes what the
machine's link takes for the bytes that it touches.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from statistics import median

import pytest
from synthetic.replays import Call, copy, launch, traced, wait
from synthetic.traced import placements

from watari.model import trace_file
from watari.model.machine import MachineProfile
from watari.model.profiles import choose
from watari.model.replay.advice import Styled
from watari.model.replay.fit import fitted
from watari.model.replay.graph import Graph, Role
from watari.model.replay.link import Links
from watari.model.replay.styles.groups import groups
from watari.model.replay.styles.placed import styled
from watari.model.trace_file import Trace
from watari.model.trace_observed import Kernel

RESULTS = Path(__file__).parents[4] / "results" / "nvidia-h200-x86_64"
TO_GPU, TO_CPU = 1, 2


@cache
def machine() -> MachineProfile:
    return choose.by_text(str(RESULTS / "20261121-standard.json"))


def tried(name: str) -> dict[str, float]:
    """Median seconds by style."""
    cases = json.loads((RESULTS / name).read_text())["cases"]
    rows = {c["parameters"]["style"]: [t["host_s"][0] for t in c["trials"]] for c in cases}
    return {style: median(seconds) for style, seconds in rows.items() if seconds}


def shrunk(trace: Trace, size: float, times: float) -> Trace:
    """The trace of a smaller problem, with `size` times the bytes and `times` times the passes."""
    assert trace.observed
    for row in trace.observed.allocations:
        row.bytes = int(row.bytes * size)
        row.moved = {word: int(count * size * times) for word, count in row.moved.items()}
    for kernel in trace.observed.kernels:
        kernel.launches = max(1, round(kernel.launches * times))
        kernel.traced_seconds *= size * times
        for touch in kernel.touched:
            touch.bytes = int(touch.bytes * size)
    return trace


def graph(trace: Trace, seconds: float) -> tuple[Graph, Links]:
    """Allocations, copies in, kernels and copies out, one after another."""
    assert trace.observed
    calls = [Call(own=300_000.0) for _ in trace.observed.allocations]
    words: list[str | int] = []
    moved = {TO_GPU: 0, TO_CPU: 0}
    for row in trace.observed.allocations:
        moved[TO_GPU] += row.moved.get("copied to GPU", 0)
        moved[TO_CPU] += row.moved.get("copied to CPU", 0)
    for way, rate in ((TO_GPU, 7.4), (TO_CPU, 17.0)):
        if moved[way]:
            calls.append(copy(moved[way] / rate, size=moved[way]))
            words.append(way)
        for kernel in trace.observed.kernels if way == TO_GPU else ():
            each = kernel.traced_seconds / kernel.launches * 1e9
            calls += [launch(each)] * kernel.launches
            words += [kernel.name] * kernel.launches
    gap = seconds * 1e9 - traced(*calls, wait()).span
    calls[0] = replace(calls[0], gap=gap)
    made = traced(*calls, wait())
    numbers = {kernel.name: n for n, kernel in enumerate(trace.observed.kernels, 1)}
    for row, word in zip(made.operations, words, strict=True):
        if isinstance(word, str):
            row["name"] = numbers[word]
        else:
            row["detail"], row["pageable"] = word, True
    made.calls["role"][: len(trace.observed.allocations)] = Role.ALLOCATION
    return fitted(replace(made, names={n: name for name, n in numbers.items()}))


def over_link(kernel: Kernel) -> float:
    """Seconds of the bytes that a launch touches, on the link."""
    curves = machine().curves
    ends = [
        curves[f"{way} gpu link"].cost(sum(t.bytes for t in kernel.touched if flag(t))).middle
        for way, flag in (("read", lambda t: t.reads), ("write", lambda t: t.writes))
    ]
    return max(ends) + machine().duplex * min(ends)


def predicted(
    trace: Trace, seconds: float, ends: Callable[[Kernel, float], tuple[float, float, float]]
) -> tuple[Styled, ...]:
    """The imposed styles. `ends`: of a kernel, seconds local, mapped, faulting."""
    assert trace.observed
    for kernel in trace.observed.kernels:
        each = kernel.traced_seconds / kernel.launches
        size = sum(touch.bytes for touch in kernel.touched)
        kernel.placements = placements(*ends(kernel, each), size)
    trace.observed.untraced_seconds = seconds
    return styled(*graph(trace, seconds), trace, machine())[0]


def middles(found: tuple[Styled, ...]) -> dict[str, float]:
    return {one.style: one.seconds.middle for one in found if one.seconds}


def test_loops_over_large_arrays() -> None:
    measured = tried("20261125-try-stream.json")
    trace = shrunk(trace_file.read(RESULTS / "20261125-trace-stream.json"), 1 / 8, 1 / 10)
    found = predicted(
        trace, measured["as-is"], lambda k, local: (local, over_link(k), local + over_link(k) * 5)
    )
    seconds = middles(found)
    assert seconds["mapped"] == pytest.approx(measured["mapped"], rel=0.1)
    assert seconds["pinned"] == pytest.approx(measured["pinned"], rel=0.1)
    assert seconds["managed-prefetch"] == pytest.approx(measured["managed-prefetch"], rel=0.05)
    assert seconds["managed"] == pytest.approx(measured["managed"], rel=0.1)
    assert groups(found) == (("as-is", "managed-prefetch"), ("managed",), ("mapped", "pinned"))


def test_products_of_matrices() -> None:
    """The kernels over the link are those of the tried run, so `mapped` shows nothing: `pinned`
    and managed memory do."""
    measured = tried("20261125-try-gemm.json")
    trace = shrunk(trace_file.read(RESULTS / "20261125-trace-gemm.json"), 1, 0.4)
    assert trace.observed
    for row in trace.observed.allocations:
        row.moved = dict.fromkeys(row.moved, row.bytes)
    far = (measured["mapped"] - measured["as-is"] - 0.04) / 4
    found = middles(predicted(trace, measured["as-is"], lambda _, s: (s, far, s + 0.03)))
    for style in ("pinned", "managed", "managed-prefetch"):
        assert found[style] == pytest.approx(measured[style], rel=0.06), style


def test_memory_that_both_processors_use_in_turn() -> None:
    measured = tried("20261124-try-alternating.json")
    trace = shrunk(trace_file.read(RESULTS / "20261125-trace-alternating.json"), 4, 1)
    local = 2 * 2**28 / 4e12
    ends = predicted(trace, measured["as-is"], lambda k, faulting: (local, over_link(k), faulting))
    found = middles(ends)
    for style in ("mapped", "accessed-by", "preferred-gpu", "managed-prefetch"):
        assert found[style] == pytest.approx(measured[style], rel=0.06), style
    assert groups(ends)[0] == ("mapped", "accessed-by")
