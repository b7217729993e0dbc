"""Allocations by address and time: the same address may belong to several, one after the other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from watari.attach.events import Allocation
from watari.attach.trace.records import Array

NOBODY = -1
SLACK = 1e-3  # seconds: transfers that a release waited for are recorded with the GPU's clock


def owners(allocations: Sequence[Allocation], addresses: Array, times: Array) -> Array:
    """The index of the allocation at each address and time (ns), NOBODY where there was none."""
    order = np.argsort(addresses, kind="stable")
    ascending = addresses[order]
    found = np.full(len(addresses), NOBODY, dtype=np.int64)
    at = times.astype(np.float64) * 1e-9
    for index, allocation in enumerate(allocations):
        ends = np.array([allocation.pointer, allocation.pointer + allocation.bytes], np.uint64)
        low, high = np.searchsorted(ascending, ends)
        inside = order[low:high]
        until = np.inf if allocation.ended is None else allocation.ended + SLACK
        alive = (at[inside] >= allocation.begun - SLACK) & (at[inside] <= until)
        found[inside[alive]] = index
    return found
