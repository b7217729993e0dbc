"""What would help: changes of a program, each with the seconds of the whole run that it saves.

    saves = replay as it is - replay of the changed graph - what the change itself costs

Candidates come with a bound that needs no replay. Those with the largest bounds are replayed: MOST
of them, and FEWEST in a program with a million calls. At last all changes that do not exclude each
other are replayed together: what is left. Only changes whose interval lies above 0 count there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from watari.case.sentence import Cost
from watari.model.replay.advice import Left, Saving, Styled
from watari.model.replay.graph import Array, Graph
from watari.model.replay.link import Links
from watari.model.replay.savings import calls, copies
from watari.model.replay.savings.candidates import LEAST, Candidate
from watari.model.replay.savings.staging import Rates
from watari.model.replay.shares import ALLOCATION, shares
from watari.model.replay.simulate import Replay, replay

MOST, FEWEST = 40, 8
IMPOSED = ("staged", "pooled", "prefetched", "huge")  # of `watari exec`, in the order of its table
TOGETHER = "+"  # between the changes of a run
NODES = 10_000_000  # of all replays together
NS = 1e-9


@dataclass(frozen=True)
class Found:
    """The savings, the sure ones first, and the run with the best of them together. `imposed`: the
    run with each change that can be imposed, and with all of them."""

    savings: tuple[Saving, ...]
    left: Left | None
    notes: tuple[str, ...]
    imposed: tuple[Styled, ...] = ()


def replayed(graph: Graph, links: Links, changes: Sequence[Candidate]) -> tuple[Graph, Replay]:
    """The graph with these changes, and its replay."""
    waits = np.concatenate([one.waits for one in changes]) if changes else np.zeros(0, np.int64)
    for one in changes:
        graph = one.apply(graph)
    return graph, replay(graph, links, waits)


def evaluated(
    one: Candidate, graph: Graph, links: Links, total: float, doubt: float = 0.0
) -> Saving:
    """A candidate with what it saves. `doubt`: seconds that the replay misses."""
    saved = min(total - replayed(graph, links, [one])[1].total, one.most)
    ends = sorted((saved * one.low - one.once, saved * one.high - one.once))
    middle = saved - one.once
    low, high = min(ends[0], middle) * NS - doubt, max(ends[1], middle) * NS + doubt
    saves = Cost(middle * NS, low, high)
    return Saving(one.change, one.text, saves, one.site, one.times, one.bytes, one.imposed)


def candidates(graph: Graph, rates: Rates, more: Sequence[Candidate]) -> list[Candidate]:
    """All changes that were thought of, the largest bound first."""
    every = [*copies.candidates(graph, rates), *calls.candidates(graph), *more]
    return sorted(every, key=lambda one: -one.bound)


def needless(
    one: Saving, others: Iterable[tuple[Candidate, Saving]], calls: Array, total: float
) -> bool:
    """Whether a change in the source saves hardly more than one that can be imposed."""
    return not one.imposed and any(
        other.imposed
        and one.saves.middle - other.saves.middle < LEAST * total * NS
        and one.saves.low <= other.saves.high
        and bool(np.isin(calls, of.calls).all())
        for of, other in others
    )


def compatible(
    found: Sequence[tuple[Candidate, Saving]], count: int
) -> list[tuple[Candidate, Saving]]:
    """The best changes of which no two have a call in common."""
    taken = np.zeros(count, bool)
    chosen = []
    for one, saving in found:
        if saving.saves.low > 0 and not taken[one.calls].any():
            taken[one.calls] = True
            chosen.append((one, saving))
    return chosen


def of_graph(
    graph: Graph,
    links: Links,
    done: Replay,
    rates: Rates,
    seconds: float | None = None,
    more: Sequence[Candidate] = (),
    doubt: float = 0.0,
) -> Found:
    """What would help a program, of which `done` is the replay as it is. `seconds`: of the run, if
    they differ from the replay's; `more`: changes beside those of copies and calls; `doubt`:
    seconds that the replay misses."""
    total = done.total
    every = candidates(graph, rates, more)
    asked = [one for one in every if one.bound >= LEAST * total]
    most = max(FEWEST, min(MOST, NODES // max(len(links.nodes), 1)))
    found = [(one, evaluated(one, graph, links, total, doubt)) for one in asked[:most]]
    found = [row for row in found if row[1].saves.middle >= LEAST * total * NS]
    found.sort(key=lambda row: (not row[1].is_sure, -row[1].saves.middle))
    found = [row for row in found if not needless(row[1], found, row[0].calls, total)]
    chosen = compatible(found, len(graph.calls))
    notes = list(copies.notes(graph, rates))
    if len(asked) > most:
        notes.append(f"{len(asked) - most} more changes were not replayed: each may save less")
    left = together(graph, links, total, chosen) if chosen else None
    run = total * NS if seconds is None else seconds
    outside = [doubted(one, doubt) for one in imposed(graph, links, total, every, run)]
    return Found(tuple(saving for _, saving in found), left, tuple(notes), tuple(outside))


def imposed(
    graph: Graph, links: Links, total: float, every: Sequence[Candidate], run: float
) -> tuple[Styled, ...]:
    """The run with each change that can be imposed, and with all. `run`: its seconds as it is."""
    by_name = {name: [one for one in every if one.imposed == name] for name in IMPOSED}
    matter = {
        name: rows
        for name, rows in by_name.items()
        if sum(one.bound for one in rows) >= LEAST * total
    }
    if len(matter) > 1:
        matter[TOGETHER.join(matter)] = [one for rows in matter.values() for one in rows]
    return tuple(
        Styled(name, given(rows, total - replayed(graph, links, rows)[1].total, run))
        for name, rows in matter.items()
    )


def given(rows: Sequence[Candidate], saved: float, run: float) -> Cost:
    """Seconds of a run that takes `run` without these changes."""
    bound = sum(one.bound for one in rows)
    low, high = (
        saved * sum(one.bound * getattr(one, end) for one in rows) / bound * NS
        for end in ("low", "high")
    )
    middle = saved * NS
    ends = (middle, max(high, middle), min(low, middle))
    return Cost(*(max(run - end, 0.0) for end in ends))


def doubted(one: Styled, doubt: float) -> Styled:
    """A change whose interval is so many seconds wider at either end."""
    cost = one.seconds
    if cost is None:
        return one
    return Styled(
        one.style, Cost(cost.middle, max(cost.low - doubt, 0.0), cost.high + doubt), one.reason
    )


def together(
    graph: Graph, links: Links, total: float, chosen: Sequence[tuple[Candidate, Saving]]
) -> Left:
    """The run with all of these changes."""
    after, done = replayed(graph, links, [one for one, _ in chosen])
    once = sum(one.once for one, _ in chosen)
    saved = max(total - done.total - once, max(s.saves.middle for _, s in chosen) / NS) * NS
    sums = [sum(getattr(s.saves, end) for _, s in chosen) for end in ("low", "middle", "high")]
    low, high = (saved * end / sums[1] for end in (sums[0], sums[2]))
    seconds = total * NS
    parts = shares(after, done)
    parts[ALLOCATION] += once
    return Left(
        Cost(seconds - saved, max(seconds - high, 0.0), seconds - low),
        {name: value * NS for name, value in parts.items()},
        tuple(saving.text for _, saving in chosen),
    )
