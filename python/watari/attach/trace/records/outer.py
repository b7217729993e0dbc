"""The outermost calls: a call of the runtime contains calls of the driver."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from watari.attach.trace.records.records import Array
from watari.model.replay.graph import NONE


@dataclass(frozen=True)
class Outer:
    """The outermost calls, by start. `inner`: the recorded calls of each, itself included;
    `of`: the call of each correlation, NONE where there is none."""

    rows: Array
    inner: Array
    of: Array

    def call(self, correlations: Array) -> Array:
        """The call of each correlation."""
        known = correlations < len(self.of)
        found: Array = np.where(known, self.of[np.where(known, correlations, 0)], NONE)
        return found


def outermost(calls: Array) -> Outer:
    """Leaves out calls inside calls of the same thread."""
    order = np.lexsort((-calls["end"].astype(np.int64), calls["start"], calls["thread"]))
    rows = calls[order]
    threads = np.flatnonzero(np.diff(rows["thread"], prepend=-1 if len(rows) else 0))
    latest = np.zeros(len(rows), np.uint64)
    for begin, end in zip(threads, [*threads[1:], len(rows)], strict=False):
        latest[begin + 1 : end] = np.maximum.accumulate(rows["end"][begin:end])[:-1]
    is_outer = rows["start"] >= latest
    group = np.cumsum(is_outer) - 1
    outer = rows[is_outer]
    by_start = np.argsort(outer["start"], kind="stable")
    place = np.empty(len(outer), np.int64)
    place[by_start] = np.arange(len(outer))
    of = np.full(int(rows["correlation"].max(initial=0)) + 1, NONE, np.int64)
    of[rows["correlation"]] = place[group]
    inner = np.bincount(place[group], minlength=len(outer))
    return Outer(outer[by_start], inner, of)
