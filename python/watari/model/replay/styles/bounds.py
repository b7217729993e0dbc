"""A graph whose times are known within bounds, and the seconds of its replays.

Every time has a row of three: middle, low, high. A replay of each gives a Cost, since a replay
never gets shorter where a time gets longer.
"""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import replace as changed

import numpy as np

from watari.case.sentence import Cost
from watari.model.replay.graph import Array, Graph, Wait, Work
from watari.model.replay.link import Links
from watari.model.replay.simulate import replay

NS = 1e9
MANY = 200_000  # calls and operations that are replayed in less than a second
TO_GPU, TO_CPU = (1, 3), (2, 4)  # CUpti_ActivityMemcpyKind: from and to memory, and arrays
EXACT = Cost(1.0, 1.0, 1.0)


def column(cost: Cost) -> Array:
    """Middle, low, high, as rows."""
    return np.array([[cost.middle], [cost.low], [cost.high]])


def cost_of(rows: Array) -> Cost:
    """The sums of three rows."""
    middle, low, high = (float(row.sum()) for row in rows)
    return Cost(middle, low, high)


def clipped(factor: Cost, least: float) -> Cost:
    """A cost whose parts are at least `least`."""
    return Cost(max(factor.middle, least), max(factor.low, least), max(factor.high, least))


@dataclass(frozen=True)
class Bounds:
    """`takes` and `issue` of operations, `own`, `gap` and `late` of calls: three rows of ns."""

    graph: Graph
    links: Links
    takes: Array
    issue: Array
    own: Array
    gap: Array
    late: Array

    @property
    def works(self) -> Array:
        """The kind of each operation."""
        found: Array = self.graph.operations["work"]
        return found

    def slower(self, which: Array, factor: Array) -> Bounds:
        """Operations `which` take `factor` times as long; three rows."""
        return changed(self, takes=np.where(which, self.takes * factor, self.takes))

    def instead(self, which: Array, takes: Array) -> Bounds:
        """Operations `which` take so many ns; three rows."""
        return changed(self, takes=np.where(which, takes, self.takes))

    def spread(self, which: Array, seconds: Cost) -> Bounds:
        """Adds seconds to operations `which`, by their length, or to gaps where there are none."""
        weight = np.where(which, self.graph.operations["takes"], 0.0)
        if not weight.sum():
            return self.later(seconds)
        more = column(seconds) * NS * weight / weight.sum()
        return changed(self, takes=np.maximum(self.takes + more, 0.0))

    def later(self, seconds: Cost) -> Bounds:
        """Adds seconds to the first gap of the program."""
        gap = self.gap.copy()
        gap[:, :1] += column(seconds) * NS
        return changed(self, gap=gap)

    def calls(self, which: Array, seconds: Cost) -> Bounds:
        """Adds seconds to calls `which`, as much to each, or to the first gap. A call that waits
        for what it adds spends more before that begins, which earlier work may hide; less after
        its end, and then before. A call may end before what it adds: `late` is below 0 there."""
        if not which.any():
            return self.later(seconds)
        more = column(seconds) * NS * which / which.sum()
        waits = self.graph.calls["wait"] == Wait.OWN
        after = np.maximum(np.minimum(more * waits, 0.0), -np.maximum(self.late, 0.0))
        before = (more * waits - after)[:, self.graph.operations["call"]]
        own = np.maximum(self.own + more * ~waits, 0.0)
        issue = np.where(before > 0, self.issue + before, np.maximum(self.issue + before, 0.0))
        return changed(self, own=own, late=self.late + after, issue=issue)

    def idle(self, seconds: Cost) -> Bounds:
        """Takes seconds of work of the CPU from the gaps between calls, by their length."""
        total = max(float(np.maximum(self.graph.calls["gap"], 0.0).sum()), 1.0)
        part = np.clip(column(seconds) * NS / total, 0.0, 1.0)
        part = part[[0, 2, 1]]  # what saves most is the low end
        return changed(self, gap=np.where(self.gap > 0, self.gap * (1 - part), self.gap))

    def seconds(self) -> Cost:
        """The seconds of the three replays; of large graphs, of the middle one alone, since a
        total changes by no more than the sum of what its times change by."""
        middle = self.replayed(0)
        parts = (self.takes, self.issue, self.own, self.gap, self.late)
        if len(self.graph.calls) + len(self.graph.operations) > MANY:
            less, more = (sum(float((p[0] - p[e]).sum()) / NS for p in parts) for e in (1, 2))
            return Cost(middle, max(middle - less, 0.0), middle - more)
        low, high = (
            middle if all(np.array_equal(p[0], p[e]) for p in parts) else self.replayed(e)
            for e in (1, 2)
        )
        return Cost(middle, min(low, middle), max(high, middle))

    def replayed(self, end: int) -> float:
        """The seconds of one replay."""
        names = ("takes", "issue", "own", "gap", "late")
        rows = {name: getattr(self, name)[end] for name in names}
        return replay(self.graph, self.links, instead=rows).total / NS


def of_graph(graph: Graph, links: Links) -> Bounds:
    """A graph whose times are known."""
    rows = [graph.operations[name] for name in ("takes", "issue")]
    rows += [graph.calls[name] for name in ("own", "gap", "late")]
    return Bounds(graph, links, *(np.tile(np.asarray(row, float), (3, 1)) for row in rows))


def is_work(graph: Graph, work: Work) -> Array:
    """The operations of a kind."""
    found: Array = graph.operations["work"] == work
    return found


def copies(graph: Graph, way: str) -> Array:
    """Copies `to gpu`, `to cpu` or `on gpu`."""
    rows = graph.operations
    to_gpu, to_cpu = (np.isin(rows["detail"], numbers) for numbers in (TO_GPU, TO_CPU))
    sides = {"to gpu": to_gpu, "to cpu": to_cpu, "on gpu": ~to_gpu & ~to_cpu}
    found: Array = (rows["work"] == Work.COPY) & sides[way]
    return found
