"""The longest chain of a replay: from the end of the program back through what each part waited
for. Its steps follow one another, so their times add up to the total."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from watari.model.replay.graph import NONE, Array, Graph
from watari.model.replay.simulate import CALL, Replay


class Step(IntEnum):
    """A part of the chain, of an operation or a call."""

    TAIL = 0  # the end of CUDA and of the process
    TAKES = 1
    ISSUE = 2
    AFTER = 3  # or its turn
    LATE = 4
    OWN = 5
    GAP = 6


@dataclass(frozen=True)
class Chain:
    """The steps, the last one first: their kind, operation or call, and nanoseconds."""

    steps: Array
    indices: Array
    times: Array

    def of(self, step: Step) -> tuple[Array, Array]:
        """The operations or calls of the steps of a kind, and their nanoseconds."""
        own = self.steps == step
        return self.indices[own], self.times[own]


def chain(graph: Graph, done: Replay) -> Chain:
    """The longest chain."""
    before = graph.calls["before"].tolist()
    call_of = graph.operations["call"].tolist()
    begins, ends, starts, finishes = done.begins, done.ends, done.starts, done.finishes
    causes, awaited, joined = done.causes, done.awaited, done.joined
    call, one = graph.last, done.last_operation
    last = finishes[one] if one != NONE else ends[call] if call != NONE else 0.0
    found: list[tuple[int, int, float]] = [(0, NONE, last)]  # the time of each begin
    add = found.append
    if one != NONE:
        call = NONE
    while call != NONE or one != NONE:
        if one != NONE:  # an operation ends
            add((1, one, starts[one]))
            cause = causes[one]
            if cause == CALL:
                call = call_of[one]
                add((2, one, begins[call]))
                one = NONE
            else:
                add((3, one, finishes[cause]))
                one = cause
                continue
        else:  # a call ends
            target = awaited.get(call, NONE)
            if target != NONE:
                add((4, call, finishes[target]))
                one, call = target, NONE
                continue
            add((5, call, begins[call]))
        previous = joined.get(call, before[call]) if joined else before[call]  # a call begins
        add((6, call, ends[previous] if previous != NONE else 0.0))
        call = previous
    steps, indices, until = zip(*found, strict=True)
    times = -np.diff(np.array(until), prepend=done.total)
    return Chain(np.array(steps, np.uint8), np.array(indices), times)
