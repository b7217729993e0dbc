"""Allocations by address and time: one address may belong to several allocations in turn."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from watari.attach.events import Allocation
from watari.attach.trace.records.records import Array

NOBODY = -1
SLACK = 1e-3  # seconds of tolerance: a transfer before a release is recorded with the GPU's clock
MANY = 1000  # allocations, beyond which those of one call site count as one


def grouped(allocations: Sequence[Allocation]) -> list[Allocation]:
    """The allocations, in order of time. Of more than MANY those of one call site that live one
    after another count as one, of the largest size: programs may allocate in every step."""
    if len(allocations) <= MANY:
        return list(allocations)
    groups: list[list[Allocation]] = []
    ended: dict[tuple[str, ...], list[tuple[float, int]]] = {}  # groups by their last end
    for one in allocations:
        key = (one.site, one.api, one.kind, one.got, str(one.device))
        free = ended.setdefault(key, [])
        if free and free[0][0] <= one.begun:
            _, group = heapq.heappop(free)
            groups[group].append(one)
        else:
            group = len(groups)
            groups.append([one])
        heapq.heappush(free, (np.inf if one.ended is None else one.ended, group))
    return [
        replace(group[0], bytes=max(one.bytes for one in group), parts=tuple(group))
        for group in groups
    ]


def owners(allocations: Sequence[Allocation], addresses: Array, times: Array) -> Array:
    """The index of the allocation at each address and time (ns), NOBODY where there was none. An
    allocation alive at that time is preferred to one alive shortly before or after it."""
    if not len(addresses):
        return np.zeros(0, np.int64)
    order = np.argsort(addresses, kind="stable")
    ascending = addresses[order]
    at = times.astype(np.float64)[order] * 1e-9
    lives = [(one, index) for index, group in enumerate(allocations) for one in group.lives]
    begins = np.array([one.pointer for one, _ in lives], np.uint64)
    sizes = np.array([one.bytes for one, _ in lives], np.uint64)
    begun = np.array([one.begun for one, _ in lives], float)
    ended = np.array([np.inf if one.ended is None else one.ended for one, _ in lives], float)
    index = np.array([index for _, index in lives], np.int64)
    # those at one address, in order of time
    by_address = np.lexsort((begun, begins))
    first = np.flatnonzero(np.diff(begins[by_address], prepend=np.uint64(2**64 - 1)) != 0)
    found = np.full(len(addresses), NOBODY, dtype=np.int64)
    for slack in (SLACK, 0.0):
        for own in np.split(by_address, first[1:]):
            if not len(own):
                continue
            low, high = np.searchsorted(
                ascending, [begins[own[0]], begins[own[0]] + sizes[own].max()]
            )
            if low == high:
                continue
            here = slice(low, high)
            place = np.searchsorted(begun[own] - slack, at[here], side="right") - 1
            last = own[np.maximum(place, 0)]
            inside = ascending[here] - begins[last] < sizes[last]
            alive = (place >= 0) & (at[here] <= ended[last] + slack) & inside
            found[here][alive] = index[last[alive]]
    by_record = np.empty_like(found)
    by_record[order] = found
    return by_record
