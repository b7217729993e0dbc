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
OF_STEP = {
    Step.TAIL: START,
    Step.GAP: CPU,
    Step.ISSUE: CALLS,
    Step.AFTER: CALLS,
    Step.LATE: CALLS,
}
OF_ROLE = {Role.CALL: CALLS, Role.ALLOCATION: ALLOCATION, Role.START: START}


def shares(graph: Graph, done: Replay) -> dict[str, float]:
    """Nanoseconds of each share; their sum is the total."""
    found = dict.fromkeys(SHARES, 0.0)
    path = chain(graph, done)
    for step, share in OF_STEP.items():
        found[share] += float(path.of(step)[1].sum())
    for step, kinds, names in (
        (Step.TAKES, graph.operations["work"], OF_WORK),
        (Step.OWN, graph.calls["role"], OF_ROLE),
    ):
        indices, times = path.of(step)
        for kind, share in names.items():
            found[share] += float(times[kinds[indices] == kind].sum())
    of_start = min(graph.start_seconds * 1e9, found[CPU])
    found[CPU] -= of_start
    found[START] += of_start
    return found
