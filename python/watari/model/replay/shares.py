"""Where the time of a program goes: the longest chain of a replay, cut into shares.

The chain begins at the end of the program and goes back through what each part waited for. Its
parts follow one another, so the shares add up to the total. Work that other work hides has none.
"""

from __future__ import annotations

from watari.model.replay.graph import NONE, Graph, Role, Work
from watari.model.replay.simulate import CALL, Replay

CPU, KERNELS, COPIES = "CPU alone", "kernels", "copies that nothing hides"
CALLS, ALLOCATION, START = "waits and launches", "allocation", "start of CUDA"
SHARES = (CPU, KERNELS, COPIES, CALLS, ALLOCATION, START)
OF_WORK = {Work.KERNEL: KERNELS, Work.COPY: COPIES, Work.FILL: KERNELS}
OF_ROLE = {Role.CALL: CALLS, Role.ALLOCATION: ALLOCATION, Role.START: START}


def shares(graph: Graph, done: Replay) -> dict[str, float]:
    """Nanoseconds of each share; their sum is the total."""
    found = dict.fromkeys(SHARES, 0.0)
    calls, operations = graph.calls, graph.operations
    before, roles = calls["before"].tolist(), calls["role"].tolist()
    call_of, works = operations["call"].tolist(), operations["work"].tolist()
    call, one = graph.last, done.last_operation
    at = done.total
    if one != NONE:
        call = NONE
    # the end of CUDA and of the process
    ended = done.finishes[one] if one != NONE else done.ends[call] if call != NONE else 0.0
    found[START] += at - ended
    at = ended
    while call != NONE or one != NONE:
        if one != NONE:  # an operation ends
            cause = done.causes[one]
            found[OF_WORK[Work(works[one])]] += at - done.starts[one]
            at = done.starts[one]
            if cause == CALL:
                call = call_of[one]
                found[CALLS] += at - done.begins[call]
                at = done.begins[call]
                one = NONE
            else:
                found[CALLS] += at - done.finishes[cause]
                at = done.finishes[cause]
                one = cause
                continue
        else:  # a call ends
            target = done.awaited.get(call, NONE)
            if target != NONE:
                found[CALLS] += at - done.finishes[target]
                at = done.finishes[target]
                one, call = target, NONE
                continue
            found[OF_ROLE[Role(roles[call])]] += at - done.begins[call]
            at = done.begins[call]
        previous = done.joined.get(call, before[call])  # a call begins
        found[CPU] += at - (done.ends[previous] if previous != NONE else 0.0)
        at = done.ends[previous] if previous != NONE else 0.0
        call = previous
    of_start = min(graph.start_seconds * 1e9, found[CPU])
    found[CPU] -= of_start
    found[START] += of_start
    return found
