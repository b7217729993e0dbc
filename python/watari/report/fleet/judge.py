"""Each node beside the median of those with the same hardware, case by case.

x is the logarithm of a case's time on a node, the median over its trials. Over the nodes of a group
m is the median of x and MAD the median of |x - m|. A node is slower in a case if

    x - m  >  ln(1 + threshold)      and      t = (x - m) / s      passes the test below

s is 1.4826 (1 + 1.9 / n^2) MAD, the deviation of a normal distribution, and at least the scatter of
the trials within a node. The MAD of n nodes is as uncertain as a variance of 0.4 (n - 1) degrees of
freedom (both numbers by simulation; its efficiency is 0.37 for large n, Rousseeuw and Croux, J.
American Statistical Association 88, 1993). It is moderated by that of the other cases
(results/scatter.py); in a table of fewer than five cases by a deviation of half the threshold, with
two degrees of freedom. Among nodes x cases some t is large by chance, so the probabilities pass the
procedure of Benjamini and Hochberg, as those of `watari compare`: at most 2.5% of the alarms are
false.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from statistics import stdev

import numpy as np

from watari.machine.hosts import differences
from watari.report.fleet.node import Level, Node, parts_of, whole
from watari.results.scatter import LEAST_VARIANCE, Prior, prior
from watari.results.significance import FASTER, SAME, SLOWER, THRESHOLD, discoveries
from watari.results.statistics import Array, student_tail

LEAST_NODES = 3
OF_NORMAL = 1.4826  # deviation of a normal distribution over its MAD
EFFICIENCY = 0.4
FEW = 1.9  # the MAD of n nodes is too small by 1 + FEW / n^2
LOST, FAILED, UNKNOWN = "lost", "failed", "unknown"
GRAVITY = (LOST, FAILED, SLOWER, UNKNOWN, FASTER, SAME)
COUNTED = 0.5  # share of a group's nodes that must have measured a case for it to be lost elsewhere


@dataclass(frozen=True)
class Typical:
    """A part of a case over the nodes of a group: median time, and MAD of its logarithm."""

    level: Level  # of one of the nodes: case, axes, bytes
    seconds: float
    mad: float
    nodes: int


@dataclass(frozen=True)
class Ratio:
    """A node in one part of a case: its speed over the median's, below 1 is slower."""

    name: str
    level: Level
    typical: Typical
    verdict: str

    @property
    def ratio(self) -> float:
        """The node's speed over the median of the nodes."""
        return self.typical.seconds / self.level.median


@dataclass
class Judged:
    """A node with its verdict."""

    node: Node
    verdict: str
    ratios: list[Ratio] = field(default_factory=list)  # the slowest first
    says: list[str] = field(default_factory=list)
    differs: list[str] = field(default_factory=list)  # its machine from the typical one

    @property
    def worst(self) -> Ratio | None:
        """The case in which it is slowest beside the others."""
        return self.ratios[0] if self.ratios else None

    @property
    def slow(self) -> set[str]:
        """Keys of the cases in which it is slower."""
        return {ratio.name for ratio in self.ratios if ratio.verdict == SLOWER}


@dataclass(frozen=True)
class Group:
    """Nodes with the same hardware."""

    hardware: str
    nodes: list[Judged]
    typical: dict[str, Typical]


@dataclass(frozen=True)
class Fleet:
    """All nodes, and files that could not be read."""

    groups: list[Group]
    unread: list[str]
    threshold: float

    @cached_property
    def nodes(self) -> list[Judged]:
        """The nodes of all groups."""
        return [one for group in self.groups for one in group.nodes]

    @property
    def suspects(self) -> list[Judged]:
        """Nodes that are lost, failed or slower; the gravest and slowest last."""
        bad = [one for one in self.nodes if one.verdict in (LOST, FAILED, SLOWER)]
        return sorted(bad, key=gravity, reverse=True)


def gravity(one: Judged) -> tuple[int, float]:
    """An order: the gravest verdict first, the slowest of one verdict first."""
    return GRAVITY.index(one.verdict), one.worst.ratio if one.worst else 1.0


def judge(nodes: Sequence[Node], unread: Sequence[str] = (), threshold: float = THRESHOLD) -> Fleet:
    """Every node beside those with its hardware; `threshold` is the change of time that matters."""
    groups = [group(name, same, threshold) for name, same in alike(nodes).items()]
    return Fleet(groups, list(unread), threshold)


def alike(nodes: Sequence[Node]) -> dict[str, list[Node]]:
    """The nodes by hardware. A node without a GPU is taken for one that lost it, where most nodes
    with its CPU have one."""
    hardware = {id(node): parts_of(node) for node in nodes}
    counts = Counter(hardware.values())
    groups: dict[str, list[Node]] = {}
    for node in nodes:
        cpu, _ = own = hardware[id(node)]
        like = max((n, parts) for parts, n in counts.items() if parts[0] == cpu)[1]
        cpu, gpus = like if not own[1] else own
        groups.setdefault(", ".join([cpu, *gpus]), []).append(node)
    return dict(sorted(groups.items(), key=lambda item: -len(item[1])))


def group(hardware: str, nodes: Sequence[Node], threshold: float) -> Group:
    """The nodes of one kind of hardware, judged."""
    columns = list(dict.fromkeys(name for node in nodes for name in node.levels))
    logs = np.full((len(nodes), len(columns)), np.nan)
    within = np.full_like(logs, np.nan)
    place = {name: j for j, name in enumerate(columns)}
    for i, node in enumerate(nodes):
        for name, level in node.levels.items():
            logs[i, place[name]] = math.log(level.median)
            within[i, place[name]] = scatter(level.seconds)
    middle, mad, count = medians(logs)
    alarms = verdicts(logs, within, middle, mad, count, threshold)
    have = {name: next(n.levels[name] for n in nodes if name in n.levels) for name in columns}
    typical = {
        name: Typical(have[name], float(math.exp(middle[j])), float(mad[j]), int(count[j]))
        for j, name in enumerate(columns)
        if count[j] >= LEAST_NODES
    }
    judged = []
    for i, node in enumerate(nodes):
        known = [name for name in node.levels if name in typical]
        ratios = [
            Ratio(name, node.levels[name], typical[name], alarms.get((i, place[name]), SAME))
            for name in known
        ]
        judged.append(Judged(node, SAME, sorted(ratios, key=lambda ratio: ratio.ratio)))
    decide(judged, typical)
    compare_machines(judged)
    return Group(hardware, judged, typical)


def scatter(seconds: Sequence[float]) -> float:
    """The scatter of the median of a node's trials, in logarithms; NaN for one trial."""
    if len(seconds) < 2:
        return math.nan
    return stdev(map(math.log, seconds)) / math.sqrt(len(seconds))


def medians(logs: Array) -> tuple[Array, Array, Array]:
    """Median, MAD and number of the nodes, by column."""
    middle = np.nanmedian(logs, axis=0) if logs.size else np.zeros(logs.shape[1])
    mad = np.nanmedian(np.abs(logs - middle), axis=0) if logs.size else np.zeros(logs.shape[1])
    return middle, mad, np.sum(~np.isnan(logs), axis=0)


def verdicts(
    logs: Array, within: Array, middle: Array, mad: Array, count: Array, threshold: float
) -> dict[tuple[int, int], str]:
    """`slower` and `faster` by node and case, of cases that enough nodes have."""
    usual = np.array([np.median(c[~np.isnan(c)]) if (~np.isnan(c)).any() else 0 for c in within.T])
    between = OF_NORMAL * mad * (1 + FEW / np.maximum(count, 1) ** 2)
    variance = np.maximum(between**2, np.maximum(usual, 0) ** 2)
    variance = np.maximum(variance, LEAST_VARIANCE)
    freedom = np.maximum(1.0, EFFICIENCY * (count - 1))
    enough = np.flatnonzero(count >= LEAST_NODES)
    common = prior([(float(variance[j]), float(freedom[j])) for j in enough])
    common = common or Prior((threshold / 2) ** 2, 2.0)
    margin = math.log1p(threshold)
    found: dict[tuple[int, int], str] = {}
    for sign, word in ((1, SLOWER), (-1, FASTER)):
        places, probabilities = [], []
        for j in enough:
            v, f = common.moderated(float(variance[j]), float(freedom[j]))
            for i in np.flatnonzero(~np.isnan(logs[:, j])):
                distance = sign * float(logs[i, j] - middle[j])
                places.append((int(i), int(j)))
                far = distance > margin
                probabilities.append(student_tail(distance / math.sqrt(v), f) if far else 1.0)
        stand = discoveries(probabilities)
        found |= {place: word for place, alarm in zip(places, stand, strict=True) if alarm}
    return found


def decide(nodes: Sequence[Judged], typical: dict[str, Typical]) -> None:
    """The verdict of each node of a group, the gravest that holds, and its reasons."""
    usual = {whole(name) for name, t in typical.items() if t.nodes >= COUNTED * len(nodes)}
    gpus = [sum(p["kind"] == "gpu" for p in one.node.machine["processors"]) for one in nodes]
    most = Counter(gpus).most_common(1)[0][0]
    for one, here in zip(nodes, gpus, strict=True):
        node, words = one.node, {ratio.verdict for ratio in one.ratios}
        if here < most and len(nodes) >= LEAST_NODES:
            words.add(LOST)
            one.says.append(f"{here} GPU{'s'[: here != 1]} of {most}")
        gone = [name for name, why in node.bad.items() if why[0] == "unsupported" and name in usual]
        failed = [name for name, why in node.bad.items() if why[0] in ("wrong", "failed")]
        for word, cases in ((LOST, gone), (FAILED, failed)):
            if cases:
                words.add(word)
                one.says.append(counted(cases, node, word))
        absent = usual - {whole(name) for name in node.levels} - node.bad.keys()
        if absent:
            why = "not reached" if absent <= node.missing else "not in its plan"
            one.says.append(f"{plural(len(absent), 'case')} {why}")
        if not one.ratios:
            words.add(UNKNOWN)
            few = f"{plural(len(nodes), 'node')} with this hardware: {LEAST_NODES} are needed"
            one.says.append(few if len(nodes) < LEAST_NODES else "nothing measured to compare")
        one.verdict = next((word for word in GRAVITY if word in words), SAME)
        if slow := len(one.slow):
            one.says.append(f"slower in {slow} of {plural(len(one.ratios), 'case')}")


def plural(number: int, word: str) -> str:
    """`1 case`, `2 cases`."""
    return f"{number} {word}{'s'[: number != 1]}"


def counted(cases: Sequence[str], node: Node, word: str) -> str:
    """`12 cases lost: no GPU driver`, with the most frequent reason."""
    reasons = Counter(node.bad[name][1] for name in cases)
    reason = reasons.most_common(1)[0][0]
    return f"{plural(len(cases), 'case')} {word}" + (f": {reason}" if reason else "")


def compare_machines(nodes: Sequence[Judged]) -> None:
    """For nodes that are not like the others: what their machine has that the most typical one has
    not, in its record."""
    like = [one for one in nodes if one.verdict == SAME and one.worst]
    if not like:
        return
    usual = max(like, key=lambda one: one.worst.ratio if one.worst else 0)
    for one in nodes:
        if one.verdict != SAME:
            one.differs = differences(usual.node.machine, one.node.machine)


@dataclass(frozen=True)
class Pair:
    """Two suspects: the cases in which both are slower, and the speed of the first over that of the
    second in these, the median."""

    first: Judged
    second: Judged
    both: int
    ratio: float


def pairs(suspects: Sequence[Judged]) -> list[Pair]:
    """Suspects that are slower in the same cases may have one cause: each pair of them."""
    slow = [one for one in suspects if one.slow]
    found = []
    for n, first in enumerate(slow):
        for second in slow[n + 1 :]:
            if both := first.slow & second.slow:
                levels = (first.node.levels, second.node.levels)
                logs = [math.log(levels[1][k].median / levels[0][k].median) for k in both]
                found.append(Pair(first, second, len(both), math.exp(float(np.median(logs)))))
    return sorted(found, key=lambda pair: -pair.both)


def exit_code(fleet: Fleet) -> int:
    """4 if a node lost something; 3 if one is slower or failed, or a file is damaged; else 0."""
    words = {one.verdict for one in fleet.nodes}
    return 4 if LOST in words else 3 if words & {SLOWER, FAILED} or fleet.unread else 0
