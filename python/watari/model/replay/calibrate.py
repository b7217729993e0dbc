"""Fits the cost of tracing to runs without it: the replay's total should be the measured one.

A clock divides every run at the making of its first context and at its end. The start of CUDA and
the end of the process differ most from run to run: the replay takes their medians in the runs
without tracing. The calls between them are replayed, and the costs are fitted to it.

A burst of calls gives each cost. With c the nanoseconds of each kind on the longest chain, R =
replay - measured, and u the uncertainties, the least change of all costs, in units of their
uncertainty, is

    change of a cost = u^2 c R / V      V = sum of (u c)^2 + (uncertainty of `once`)^2 + noise^2

What belongs to the noise of the program's runs stays as a difference, not more than it is. A cost
is at least 0 and at most `MOST` times the burst's; calls, migrations and pageable copies took
longer by a part of their time, within `LONGER`. Where that is not enough, the replay misses
something else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import replace as changed
from statistics import median

import numpy as np

from watari.model.replay.chain import Chain, Step, chain
from watari.model.replay.graph import Graph, Tracing
from watari.model.replay.link import Links
from watari.model.replay.simulate import Replay, replay
from watari.model.replay.tracing import KINDS, OF_CALLS, SHARES, Taken, of_start, taken, untraced

MOST = 3.0  # times the cost of the burst
# parts of measured times: the uncertainty, the least, the most. Chosen for 23 runs on an H100:
# there calls took up to 0.3 longer, migrations 0.6, and pageable copies of two runs differ by 0.15
LONGER = {
    "slower": (0.15, -0.15, 0.4),
    "migrating": (0.3, -0.3, 0.7),
    "pageable": (0.1, -0.2, 0.2),
}
ONCE = 5e6  # ns, the uncertainty
ROUNDS = 4  # replays at most: another chain may become the longest one
CLOSE = 0.0005  # of the measured time
CLOSE_ENOUGH = 0.02  # of the measured time, for a prediction
FAR_OFF = 0.25  # of the measured time: a replay that is off by more explains nothing
ONE_RUN = 0.01  # of the time: the noise of a program that ran once
OF_RANGE = 0.75  # of the range of three normal values: the deviation of a fourth from their median
FEW = 4  # runs
LEAST = 0.002  # of the time: the noise of several runs


@dataclass(frozen=True)
class Run:
    """Seconds of a run: until its first context was made, until its end, and of its end."""

    start: float
    middle: float
    end: float

    @property
    def seconds(self) -> float:
        return self.start + self.middle + self.end


@dataclass(frozen=True)
class Calibrated:
    """A graph with fitted costs, the same without tracing, and its replay. `factors`: each cost by
    that of the burst. `spread`: the range of the runs. `off`: replay by measured time, less 1."""

    graph: Graph
    plain: Graph
    done: Replay
    factors: dict[str, float]
    measured: float
    spread: float

    @property
    def off(self) -> float:
        return self.done.total / self.measured - 1

    @property
    def agrees(self) -> bool:
        """Whether the replay gives the measured time within 2% or the range of the runs."""
        return abs(self.off) <= max(CLOSE_ENOUGH, self.spread / self.measured)


def noise_of(seconds: Sequence[float]) -> float:
    """The standard deviation of a run from the median of these, in seconds: from the range of a
    few runs, without the extremes of many."""
    if len(seconds) == 1:
        return ONE_RUN * seconds[0]
    low, high = np.percentile(seconds, [16, 84])
    few = OF_RANGE * (max(seconds) - min(seconds))
    return max(few if len(seconds) <= FEW else float(high - low) / 2, LEAST * min(seconds))


def on_chain(graph: Graph, less: Taken, path: Chain) -> dict[str, float]:
    """The nanoseconds of each cost on the longest chain."""
    calls = {step: path.of(step)[0] for step in Step}
    of_calls = np.zeros(len(graph.calls))  # ns taken there
    of_calls[calls[Step.GAP]] += less.gap[calls[Step.GAP]]
    of_calls[calls[Step.OWN]] += less.own[calls[Step.OWN]]
    issued = calls[Step.ISSUE]
    call_of = graph.operations["call"][issued]
    np.add.at(of_calls, call_of, less.begun[issued])
    part = np.divide(of_calls, less.cost, out=np.zeros_like(of_calls), where=less.cost > 0)
    slower = less.slower_own[calls[Step.OWN]].sum() + less.slower_late[calls[Step.LATE]].sum()
    slower += less.slower_issue[issued].sum()
    migrating = less.migrating_gap[calls[Step.GAP]].sum()
    migrating += less.migrating_takes[calls[Step.TAKES]].sum()
    behind = np.zeros(len(graph.operations))
    behind[calls[Step.AFTER]] += less.after[calls[Step.AFTER]]
    behind[issued] += (less.issue - less.begun)[issued]
    is_inside = graph.operations["inside"]
    pageable = less.pageable_takes[calls[Step.TAKES]].sum()
    return {
        **{kind: float((part * each).sum()) for kind, each in less.of_calls.items()},
        "returns": float(less.late[calls[Step.LATE]].sum()),
        "behind": float(behind[~is_inside].sum()),
        "inside": float(behind[is_inside].sum()),
        "slower": float(slower),
        "migrating": float(migrating),
        "pageable": float(pageable),
    }


Limits = tuple[float, float]


def least_change(
    off: float, uncertain: dict[str, float], limits: dict[str, Limits]
) -> dict[str, float]:
    """The change of each part, in ns, within its limits, that together take `off` away."""
    found = dict.fromkeys(uncertain, 0.0)
    free = {name for name, one in uncertain.items() if one > 0}
    while free:
        variance = sum(uncertain[name] ** 2 for name in free)
        asked = {name: uncertain[name] ** 2 * off / variance for name in free}
        beyond = {n for n in free if not limits[n][0] <= asked[n] <= limits[n][1]}
        for name in beyond or free:
            low, high = limits[name]
            found[name] = min(max(asked[name], low), high)
            off -= found[name] if beyond else 0.0
        free = free - beyond if beyond else set()
    return found


def calibrated(graph: Graph, links: Links, runs: Sequence[Run], traced: Run) -> Calibrated:
    """Fits the costs of a fitted graph to runs without tracing."""
    seconds = [one.seconds for one in runs]
    start, middle, end = (median(getattr(r, n) for r in runs) for n in ("start", "middle", "end"))
    noise = noise_of([one.middle for one in runs]) * 1e9
    aim = (start + middle + end) * 1e9
    prior = changed(
        graph.tracing, once=0.0, noise=noise, start=(traced.start - start) * 1e9,
        end=(traced.end - end) * 1e9,
    )  # fmt: skip
    tracing = prior
    room = max(of_start(graph) - max(prior.start, 0.0), 0.0)
    for _ in range(ROUNDS):
        graph = changed(graph, tracing=tracing)
        plain = untraced(graph)
        done = replay(plain, links)
        if abs(done.total - aim) < CLOSE * aim:
            break
        tracing = closer(graph, prior, chain(plain, done), done.total - aim, room)
    factors = {
        kind: getattr(graph.tracing, kind) / (getattr(prior, kind) or 1.0) for kind in OF_CALLS
    }
    return Calibrated(
        graph, plain, done, factors, median(seconds) * 1e9, (max(seconds) - min(seconds)) * 1e9
    )


def closer(graph: Graph, prior: Tracing, path: Chain, off: float, room: float) -> Tracing:
    """Costs with which the replay is closer to the measured time, by the least change from
    `prior`. `off`: the difference with those of the graph; `room`: the most for `once`."""
    now = graph.tracing
    part = 0.1  # any, to see how much of the chain it is
    at = on_chain(graph, taken(graph, changed(now, **dict.fromkeys(SHARES, part))), path)
    each = {
        kind: at[kind] / getattr(now, kind) if getattr(now, kind) > 0 else 0.0 for kind in KINDS
    }
    each |= {kind: at[kind] / part for kind in SHARES}
    off += sum(each[kind] * (getattr(now, kind) - getattr(prior, kind)) for kind in KINDS)
    off += now.once
    costs = {kind: each[kind] * getattr(prior, kind) for kind in KINDS}
    shares = {kind: LONGER[kind][0] * each[kind] for kind in SHARES}
    uncertain = {**costs, **shares, "once": ONCE, "noise": prior.noise}
    limits = {kind: (-cost, (MOST - 1) * cost) for kind, cost in costs.items()}
    limits |= {k: (LONGER[k][1] * each[k], LONGER[k][2] * each[k]) for k in SHARES}
    limits |= {"once": (0.0, room), "noise": (-prior.noise, prior.noise)}
    moved = least_change(off, uncertain, limits)
    values = {
        kind: max(  # rounding may lead below the limit
            getattr(prior, kind) + (moved[kind] / each[kind] if each[kind] > 0 else 0.0), 0.0
        )
        for kind in KINDS
    }
    return changed(prior, **values, once=moved["once"])
