"""Fits the cost of tracing to runs without it: the replay's total should be theirs.

A burst of calls gives each cost, within its uncertainty. With c the nanoseconds of each kind on the
longest chain, R = replay - measured, and u the uncertainties, the least change of all costs, in
units of their uncertainty, is

    change of a cost = u^2 c R / V      V = sum of (u c)^2 + (uncertainty of `once`)^2 + noise^2

What belongs to the noise of the program's runs stays as a difference. No change goes beyond `MOST`
uncertainties of the whole: where that is not enough, the replay misses something else.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from dataclasses import replace as changed

import numpy as np

from watari.model.replay.chain import Chain, Step, chain
from watari.model.replay.graph import Graph, Tracing
from watari.model.replay.link import Links
from watari.model.replay.simulate import Replay, replay
from watari.model.replay.tracing import KINDS, Taken, of_start, taken, untraced

UNCERTAIN = 0.5  # of each cost; `once`: of itself, and at least `LEAST`
LEAST = 10e6  # ns
MOST = 2.0  # uncertainties
ROUNDS = 3  # replays at most: another chain may become the longest one
CLOSE = 0.001  # of the measured time
SMALL = 0.01  # a factor
CLOSE_ENOUGH = 0.02  # of the measured time, for a prediction
ONE_RUN = 0.01  # of the time: the noise of a program that ran once
START = 15e6  # ns: the noise of the start of CUDA
OF_RANGE = 0.75  # of the range of three normal values: the deviation of a fourth from their median


@dataclass(frozen=True)
class Calibrated:
    """A graph with fitted costs, the same without tracing, and its replay. `factors`: each cost by
    that of the burst. `off`: replay by measured time, less 1."""

    graph: Graph
    plain: Graph
    done: Replay
    factors: dict[str, float]
    measured: float
    noise: float

    @property
    def off(self) -> float:
        return self.done.total / self.measured - 1

    @property
    def agrees(self) -> bool:
        """Whether the replay gives the measured time within 2% or the program's own noise."""
        return abs(self.off) <= max(CLOSE_ENOUGH, MOST * self.noise / self.measured)


def noise_of(seconds: list[float]) -> float:
    """The standard deviation of a run from the median of these, in seconds: from the range of a
    few runs, and at least that of the start of CUDA."""
    of_start, of_one = START * 1e-9, ONE_RUN * min(seconds)
    if len(seconds) == 1:
        return math.hypot(of_start, of_one)
    return max(OF_RANGE * (max(seconds) - min(seconds)), of_start, of_one / 2)


def on_chain(graph: Graph, less: Taken, path: Chain) -> dict[str, float]:
    """The nanoseconds of each cost on the longest chain."""
    calls = {step: path.of(step)[0] for step in Step}
    of_calls = np.zeros(len(graph.calls))  # ns taken there
    of_calls[calls[Step.GAP]] += less.gap[calls[Step.GAP]]
    of_calls[calls[Step.OWN]] += less.own[calls[Step.OWN]]
    issued = calls[Step.ISSUE]
    call_of = graph.operations["call"][issued]
    rest = np.minimum((less.cost - less.gap - less.own)[call_of], less.issue[issued])
    np.add.at(of_calls, call_of, rest)
    part = np.divide(of_calls, less.cost, out=np.zeros_like(of_calls), where=less.cost > 0)
    return {
        **{kind: float((part * each).sum()) for kind, each in less.of_calls.items()},
        "returns": float(less.late[calls[Step.LATE]].sum()),
        "behind": float(less.after[calls[Step.AFTER]].sum() + (less.issue[issued] - rest).sum()),
    }


def least_change(
    costs: dict[str, float], off: float, prior: Tracing, noise: float, room: float
) -> tuple[dict[str, float], float, float]:
    """The factors of all costs, the change of `once`, and the difference that is left. `costs`: ns
    on the chain by the burst; `off`: the difference with them; `room`: the most for `once`."""
    of_once = max(UNCERTAIN * prior.once, LEAST)
    of_once = min(of_once, max(prior.once if off < 0 else room - prior.once, 0.0) / MOST)
    variance = sum((UNCERTAIN * cost) ** 2 for cost in costs.values()) + of_once**2 + noise**2
    most = MOST / math.sqrt(variance)
    step = min(max(off / variance, -most), most)
    factors = {kind: 1 + UNCERTAIN**2 * float(cost) * step for kind, cost in costs.items()}
    once = of_once**2 * step
    left = off - sum(costs[kind] * (factors[kind] - 1) for kind in costs) - once
    return factors, once, left


def calibrated(graph: Graph, links: Links, seconds: list[float]) -> Calibrated:
    """Fits the costs of a fitted graph to runs without tracing."""
    prior = graph.tracing
    measured, noise = float(np.median(seconds)) * 1e9, noise_of(seconds) * 1e9
    factors, once = dict.fromkeys(KINDS, 1.0), 0.0
    plain = untraced(graph)
    done = replay(plain, links)
    room = sum(of_start(graph))
    for _ in range(ROUNDS):
        costs = on_chain(graph, taken(graph, graph.tracing), chain(plain, done))
        costs = {kind: costs[kind] / max(factors[kind], SMALL) for kind in KINDS}
        off = done.total - measured + once
        off += sum(costs[kind] * (factors[kind] - 1) for kind in KINDS)
        factors, once, left = least_change(costs, off, prior, noise, room)
        values = {kind: getattr(prior, kind) * factors[kind] for kind in KINDS}
        tracing = changed(prior, **values, once=prior.once + once, noise=noise)
        graph = changed(graph, tracing=tracing)
        plain = untraced(graph)
        done = replay(plain, links)
        if abs(done.total - measured - left) < CLOSE * measured:
            break
    return Calibrated(graph, plain, done, {**factors, "once": once}, measured, noise)
