"""The longest chain of a replay: from the end of the program back through what each part waited
for. Its steps follow one another, so their times add up to the total."""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum

from watari.model.replay.graph import NONE, Graph
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


def chain(graph: Graph, done: Replay) -> Iterator[tuple[Step, int, float]]:
    """Each step with its operation or call, and its nanoseconds; the last step first."""
    before = graph.calls["before"].tolist()
    call_of = graph.operations["call"].tolist()
    call, one = graph.last, done.last_operation
    at = done.finishes[one] if one != NONE else done.ends[call] if call != NONE else 0.0
    yield Step.TAIL, NONE, done.total - at
    if one != NONE:
        call = NONE
    while call != NONE or one != NONE:
        if one != NONE:  # an operation ends
            start, cause = done.starts[one], done.causes[one]
            yield Step.TAKES, one, at - start
            at = done.begins[call_of[one]] if cause == CALL else done.finishes[cause]
            yield Step.ISSUE if cause == CALL else Step.AFTER, one, start - at
            if cause != CALL:
                one = cause
                continue
            call, one = call_of[one], NONE
        else:  # a call ends
            target = done.awaited.get(call, NONE)
            if target != NONE:
                yield Step.LATE, call, at - done.finishes[target]
                at, one, call = done.finishes[target], target, NONE
                continue
            yield Step.OWN, call, at - done.begins[call]
            at = done.begins[call]
        previous = done.joined.get(call, before[call])  # a call begins
        until = done.ends[previous] if previous != NONE else 0.0
        yield Step.GAP, call, at - until
        at, call = until, previous
