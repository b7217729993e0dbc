"""Allocations by address and time: one address may belong to several allocations in turn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from watari.attach.events import Allocation
from watari.attach.trace.records import Array

NOBODY = -1
SLACK = 1e-3  # seconds of tolerance: a transfer before a release is recorded with the GPU's clock


def owners(allocations: Sequence[Allocation], addresses: Array, times: Array) -> Array:
    """The index of the allocation at each address and time (ns), NOBODY where there was none. An
    allocation alive at that time is preferred to one alive shortly before or after it."""
    order = np.argsort(addresses, kind="stable")
    ascending = addresses[order]
    at = times.astype(np.float64)[order] * 1e-9
    begins = np.array([a.pointer for a in allocations], np.uint64)
    ends = begins + np.array([a.bytes for a in allocations], np.uint64)
    low, high = np.searchsorted(ascending, [begins, ends])
    found = np.full(len(addresses), NOBODY, dtype=np.int64)
    for slack in (SLACK, 0.0):
        for index in np.flatnonzero(low < high).tolist():
            allocation, here = allocations[index], slice(low[index], high[index])
            until = np.inf if allocation.ended is None else allocation.ended + slack
            alive = (at[here] >= allocation.begun - slack) & (at[here] <= until)
            found[here][alive] = index
    by_record = np.empty_like(found)
    by_record[order] = found
    return by_record
