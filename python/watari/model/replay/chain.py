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
    codes = np.array(walked(graph, done), np.int64)
    steps, indices = codes % len(Step), codes // len(Step)
    following = np.append(indices[1:], NONE)
    ends = np.append(done.ends, 0.0)  # the program begins at 0
    until = np.zeros(len(codes))
    for step, values, index in (
        (Step.TAIL, np.array([last_end(graph, done)]), np.zeros_like(indices)),
        (Step.TAKES, done.starts, indices),
        (Step.ISSUE, done.begins[graph.operations["call"]], indices),
        (Step.AFTER, done.finishes, following),
        (Step.LATE, done.finishes, following),
        (Step.OWN, done.begins, indices),
        (Step.GAP, ends, following),
    ):
        own = steps == step
        until[own] = values[index[own]]
    return Chain(steps, indices, -np.diff(until, prepend=done.total))


def last_end(graph: Graph, done: Replay) -> float:
    """The end of the last operation or call."""
    if done.last_operation != NONE:
        return float(done.finishes[done.last_operation])
    return float(done.ends[graph.last]) if graph.last != NONE else 0.0


def walked(graph: Graph, done: Replay) -> list[int]:
    """The steps, each as its index times the number of kinds, and its kind: a list of numbers takes
    a fraction of the time of one of tuples."""
    before = graph.calls["before"].tolist()
    call_of = graph.operations["call"].tolist()
    causes, awaited = done.causes.tolist(), done.awaited.tolist()
    joined = {int(one): int(done.joined[one]) for one in np.flatnonzero(done.joined != NONE)}
    kinds = len(Step)
    takes, issue, after, late, own, gap = (int(step) for step in list(Step)[1:])
    found = [0]
    add = found.append
    one = done.last_operation
    call = graph.last if one == NONE else NONE
    while call != NONE or one != NONE:
        if one != NONE:  # an operation ends
            add(one * kinds + takes)
            cause = causes[one]
            if cause != CALL:
                add(one * kinds + after)
                one = cause
                continue
            add(one * kinds + issue)
            call, one = call_of[one], NONE
        elif awaited[call] != NONE:  # a call ends
            add(call * kinds + late)
            one, call = awaited[call], NONE
            continue
        else:
            add(call * kinds + own)
        add(call * kinds + gap)  # a call begins
        call = joined.get(call, before[call]) if joined else before[call]
    return found
