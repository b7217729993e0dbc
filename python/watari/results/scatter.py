"""The scatter of trials in the cases of a table, estimated for one case with help of the others.

Three trials show a level well and its scatter badly. The cases of a table were measured by one
program on one machine in turn, so their variances resemble each other. A variance s^2 with d
degrees of freedom is moderated towards the table's (Smyth, Statistical Applications in Genetics
and Molecular Biology 3, 2004, the method of limma):

    s~^2 = (d0 s0^2 + d s^2) / (d0 + d)      with d0 + d degrees of freedom

s0^2 and d0 follow from mean and variance of log s^2 over the cases. If cases scatter alike, d0 is
large, and three trials each say as much as one case with many trials. If they do not, d0 is small,
and each case stands alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

LEAST_CASES = 5  # with fewer, the scatter of variances is not known
MOST_FREEDOM = 200.0  # beyond, Student's t is the normal distribution
LEAST_VARIANCE = 1e-16  # of a logarithm: a clock that shows the same time twice


@dataclass(frozen=True)
class Prior:
    """The table's variance s0^2 of a trial, and its degrees of freedom d0."""

    variance: float
    freedom: float

    def moderated(self, variance: float, freedom: float) -> tuple[float, float]:
        """A case's own variance with the table's, and the degrees of freedom of both."""
        total = self.freedom + freedom
        return (self.freedom * self.variance + freedom * variance) / total, total


def prior(variances: Sequence[tuple[float, float]]) -> Prior | None:
    """The prior from (variance, degrees of freedom) of each case; None if there are too few."""
    known = [(max(v, LEAST_VARIANCE), d) for v, d in variances if d >= 1]
    if len(known) < LEAST_CASES:
        return None
    logs = np.array([math.log(v) - digamma(d / 2) + math.log(d / 2) for v, d in known])
    expected = float(np.mean([trigamma(d / 2) for _, d in known]))
    beyond_chance = float(logs.var(ddof=1)) - expected
    half = inverse_trigamma(beyond_chance) if beyond_chance > 0 else MOST_FREEDOM / 2
    half = min(half, MOST_FREEDOM / 2)
    return Prior(math.exp(float(logs.mean()) + digamma(half) - math.log(half)), 2 * half)


def digamma(x: float) -> float:
    """Derivative of log gamma: recurrence, then the asymptotic series (Abramowitz and Stegun
    6.3.5, 6.3.18)."""
    below = 0.0
    while x < 6:
        below -= 1 / x
        x += 1
    return below + math.log(x) - 1 / (2 * x) - 1 / (12 * x**2) + 1 / (120 * x**4) - 1 / (252 * x**6)


def trigamma(x: float) -> float:
    """Derivative of digamma (6.4.6, 6.4.12)."""
    below = 0.0
    while x < 6:
        below += 1 / x**2
        x += 1
    return below + 1 / x + 1 / (2 * x**2) + 1 / (6 * x**3) - 1 / (30 * x**5) + 1 / (42 * x**7)


def inverse_trigamma(y: float) -> float:
    """The positive x with trigamma(x) = y, by bisection; trigamma falls from infinity to 0."""
    low, high = 1e-4, 1e6
    for _ in range(80):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if trigamma(middle) > y else (low, middle)
    return low
