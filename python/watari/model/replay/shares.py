"""Where the time of a program goes: the longest chain of a replay, cut into shares.

The steps of the chain follow one another, so the shares add up to the total. Work that other work
hides has none.
"""

from __future__ import annotations

from watari.model.replay.chain import Step, chain
from watari.model.replay.graph import Graph, Role, Work
from watari.model.replay.simulate import Replay

CPU, KERNELS, COPIES = "CPU alone", "kernels", "copies that nothing hides"
CALLS, ALLOCATION, START = "waits and launches", "allocation", "start of CUDA"
SHARES = (CPU, KERNELS, COPIES, CALLS, ALLOCATION, START)
OF_WORK = {Work.KERNEL: KERNELS, Work.COPY: COPIES, Work.FILL: KERNELS}
OF_ROLE = {Role.CALL: CALLS, Role.ALLOCATION: ALLOCATION, Role.START: START}


def shares(graph: Graph, done: Replay) -> dict[str, float]:
    """Nanoseconds of each share; their sum is the total."""
    found = dict.fromkeys(SHARES, 0.0)
    roles, works = graph.calls["role"].tolist(), graph.operations["work"].tolist()
    for step, index, took in chain(graph, done):
        if step == Step.TAIL:
            found[START] += took
        elif step == Step.TAKES:
            found[OF_WORK[Work(works[index])]] += took
        elif step == Step.OWN:
            found[OF_ROLE[Role(roles[index])]] += took
        else:
            found[CPU if step == Step.GAP else CALLS] += took
    of_start = min(graph.start_seconds * 1e9, found[CPU])
    found[CPU] -= of_start
    found[START] += of_start
    return found
