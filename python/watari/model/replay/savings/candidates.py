"""A possible change of a program: the calls that it touches, and the changed graph."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from watari.model.replay.graph import NONE, Array, Graph

NO_CALLS: Array = np.zeros(0, np.int64)
LEAST = 0.01  # of the run: a smaller saving is not reported


@dataclass(frozen=True)
class Candidate:
    """A change. `bound`: ns that it saves at most; `low`, `high`: the ends of the interval, as
    parts of what the replay saves; `once`: ns that it costs; `waits`: calls that no longer wait.
    Two changes exclude each other if they have a call in common."""

    change: str
    text: str
    calls: Array
    bound: float
    apply: Callable[[Graph], Graph]
    low: float
    high: float
    site: str = ""
    times: int = 0
    bytes: int = 0
    imposed: str = ""
    once: float = 0.0
    most: float = np.inf  # ns
    waits: Array = field(default_factory=lambda: NO_CALLS)


def groups(keys: Array, rows: Array) -> Iterator[tuple[int, Array]]:
    """The rows of each key."""
    order = np.argsort(keys, kind="stable")
    found, firsts = np.unique(keys[order], return_index=True)
    for key, own in zip(found.tolist(), np.split(rows[order], firsts[1:]), strict=False):
        yield int(key), own


def named(graph: Graph, site: int) -> str:
    """A call site in words; empty where it is unknown."""
    return graph.sites[site] if site != NONE else ""


def following(graph: Graph) -> Array:
    """The next call of each call's thread, NONE for the last one."""
    before, threads = graph.calls["before"], graph.calls["thread"]
    found = np.full(len(before), NONE, np.int64)
    later = np.flatnonzero(before != NONE)
    later = later[threads[before[later]] == threads[later]]
    found[before[later]] = later
    return found


def mask(count: int, rows: Array) -> Array:
    """Whether each row is one of these."""
    found = np.zeros(count, bool)
    found[rows] = True
    return found
