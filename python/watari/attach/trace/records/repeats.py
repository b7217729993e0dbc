"""The sampled launch that another launch repeats.

Not every launch is sampled: between launches whose touches are looked at, others are timed. A
program that uses one allocation after another, each for some launches, repeats the sampled launch
before. One that uses its allocations in turn repeats one that is a multiple of the period away: the
least one for which launches of equal remainder touch the same allocations.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from itertools import groupby

import numpy as np

from watari.attach.trace.records.records import Array


def ordinals(names: Array) -> Array:
    """The ordinal (0, 1, ...) of each launch among those of the same kernel."""
    order = np.argsort(names, kind="stable")
    _, first, counts = np.unique(names[order], return_index=True, return_counts=True)
    found = np.zeros(len(names), np.int64)
    found[order] = np.arange(len(names)) - np.repeat(first, counts)
    return found


class Repeats:
    """`ordinals`: of the sampled launches among all launches of a kernel (0, 1, ...), ascending;
    `touched`: the allocations of each."""

    def __init__(self, ordinals: Sequence[int], touched: Sequence[AbstractSet[str]]) -> None:
        self.period = 0 if in_order(touched) else period(ordinals, touched)
        self.ordinals = list(ordinals)
        self.exact = {ordinal: i for i, ordinal in enumerate(ordinals)}
        self.alike: dict[int, list[int]] = {}
        for i, ordinal in enumerate(ordinals):
            self.alike.setdefault(ordinal % max(self.period, 1), []).append(i)

    def index(self, ordinal: int) -> int:
        """The number of the sampled launch whose touches this launch has."""
        if ordinal in self.exact:
            return self.exact[ordinal]
        if not self.period:
            return max(bisect_right(self.ordinals, ordinal) - 1, 0)
        turn, rest = divmod(ordinal, self.period)
        alike = self.alike.get(rest) or list(range(len(self.exact)))
        return alike[turn % len(alike)]


def in_order(touched: Sequence[AbstractSet[str]]) -> bool:
    """Whether launches touch sets of allocations one after another, and none of them again."""
    runs = [names for names, _ in groupby(touched)]
    return len(runs) > 1 and all(names not in runs[:i] for i, names in enumerate(runs))


def period(ordinals: Sequence[int], touched: Sequence[AbstractSet[str]]) -> int:
    """The least period in which launches of equal remainder touch the same allocations."""
    for length in range(1, max(ordinals) + 1):
        seen: dict[int, AbstractSet[str]] = {}
        pairs = zip(ordinals, touched, strict=True)
        if all(seen.setdefault(o % length, names) == names for o, names in pairs):
            return length
    return max(ordinals) + 1
