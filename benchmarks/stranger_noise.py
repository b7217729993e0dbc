"""Whether two rows of runs differ by more than noise.

    told apart   their medians differ by more than DISTINCT, or by the Mann-Whitney test, exact and
                 one-sided, at CHANCE: of all ways to deal the runs to the two rows, at most
                 this part puts them as far apart
    known        the standard error of the difference of their means is below a bound

A test at 5% can tell 3 runs from 3 (1 way of 20), and 2 from 5 (1 of 21), if none overlap. It
never tells 2 runs from 2.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from statistics import median, variance

DISTINCT = 0.15  # of the faster one: starts of CUDA differ by less
CHANCE = 0.05
ENOUGH = 3  # runs of which a spread is known


@cache
def ways(of_one: int, of_other: int, pairs: int) -> int:
    """Ways to deal so many runs to two rows in which, in at most so many pairs of a run of each,
    that of the first row is slower."""
    if pairs < 0:
        return 0
    if not of_one or not of_other:
        return 1
    # the slowest of all runs belongs to the first row: slower than all of the other; or it does not
    return ways(of_one - 1, of_other, pairs - of_other) + ways(of_one, of_other - 1, pairs)


def chance(fast: Sequence[float], slow: Sequence[float]) -> float:
    """The part of all ways that puts the first row at least as far below the second."""
    pairs = sum((a > b) + (a == b) / 2 for a in fast for b in slow)
    count = ways(len(fast), len(slow), math.ceil(pairs))
    return count / math.comb(len(fast) + len(slow), len(fast))


def told_apart(one: Sequence[float], other: Sequence[float]) -> bool:
    """Whether two rows of runs differ by more than noise."""
    fast, slow = sorted((one, other), key=median)
    far = median(slow) > (1 + DISTINCT) * median(fast)
    return far or chance(fast, slow) <= CHANCE


def error(one: Sequence[float], other: Sequence[float]) -> float:
    """The standard error of the difference of their means; infinite for fewer than ENOUGH runs."""
    if min(len(one), len(other)) < ENOUGH:
        return math.inf
    return math.sqrt(variance(one) / len(one) + variance(other) / len(other))
