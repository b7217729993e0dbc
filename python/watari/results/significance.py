"""Whether two sets of trials are the same, or one is faster, with a known chance of error.

A trial counts once, by its median. Let x and y be the logarithms of the trials' median times in
base and new: the interval of the speed ratio is Welch's for the difference of means, 95%,

    exp( mean(x) - mean(y)  -+  t(0.975, f) sqrt(var(x)/n + var(y)/m) )

(Welch, Biometrika 34, 1947; f by Satterthwaite). Noise is no change and a change may
be too small to matter, hence a test of equivalence with a margin (Schuirmann, J. Pharmacokinetics
and Biopharmaceutics 15, 1987): `slower` or `faster` if the whole interval lies beyond 1 by more
than the threshold, `same` if the whole interval lies within it, `unsure` in between: more trials
would decide. Among many cases some interval errs by chance; `slower` and `faster` therefore also
have to pass Holm's procedure (Scandinavian J. of Statistics 6, 1979): the chance of even one false
`slower` in the whole table is at most 2.5%, and as much for `faster`.

With 40 cases and trial levels that scatter by 1%, a change of 30% is detected with 3 trials in each
run, of 12% with 5, and of 9% with 10.

Two files do not show what differed between the two occasions as a whole (a neighbour on the node,
the temperature of the room). The threshold is there for that too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from watari.results.statistics import Array, student_quantile, student_tail

THRESHOLD = 0.05
ERROR = 0.025  # chance of a false alarm in one direction

SAME, FASTER, SLOWER, UNSURE = "same", "faster", "slower", "unsure"


@dataclass(frozen=True)
class Judgement:
    """What two sets of trial medians say of the ratio of speeds."""

    ratio: float
    interval: tuple[float, float] | None
    slower: float  # probability of such data if the speed had not changed beyond the threshold
    faster: float


def judge(base: Sequence[float], new: Sequence[float], threshold: float = THRESHOLD) -> Judgement:
    """Judge positive times, one a trial. With one trial on a side, the other's scatter is taken
    for both; with one on each there is no interval, and nothing is probable."""
    ratio = float(np.median(base) / np.median(new))
    x, y = np.log(np.asarray(base)), np.log(np.asarray(new))
    if len(x) + len(y) < 3:
        return Judgement(ratio, None, 1.0, 1.0)
    error, freedom = standard_error(x, y)
    difference = float(x.mean() - y.mean())
    half = student_quantile(1 - ERROR, freedom) * error
    # the interval is of the means; medians are what is shown, and must lie in it
    low, high = min(difference - half, math.log(ratio)), max(difference + half, math.log(ratio))
    margin = math.log1p(threshold)
    return Judgement(
        ratio,
        (math.exp(low), math.exp(high)),
        slower=tail(-difference - margin, error, freedom),
        faster=tail(difference - margin, error, freedom),
    )


def standard_error(x: Array, y: Array) -> tuple[float, float]:
    """Of the difference of the means, with its degrees of freedom."""
    if min(len(x), len(y)) == 1:
        many = x if len(x) > 1 else y
        return float(many.std(ddof=1)) * math.sqrt(1 + 1 / len(many)), len(many) - 1
    a, b = float(x.var(ddof=1)) / len(x), float(y.var(ddof=1)) / len(y)
    if a + b == 0:
        return 0.0, len(x) + len(y) - 2
    freedom = (a + b) ** 2 / (a**2 / (len(x) - 1) + b**2 / (len(y) - 1))
    return math.sqrt(a + b), max(1.0, freedom)


def tail(distance: float, error: float, freedom: float) -> float:
    """One-sided probability of a distance beyond the margin; exact data need no probability."""
    if error == 0:
        return 0.0 if distance > 0 else 1.0
    return student_tail(distance / error, freedom)


def holm(probabilities: Sequence[float], error: float = ERROR) -> list[bool]:
    """Which hypotheses are rejected with a chance of at most `error` of any false rejection."""
    rejected = [False] * len(probabilities)
    ordered = sorted(range(len(probabilities)), key=lambda i: probabilities[i])
    for rank, i in enumerate(ordered):
        if probabilities[i] > error / (len(ordered) - rank):
            break
        rejected[i] = True
    return rejected


def verdict(
    judgement: Judgement, slower: bool, faster: bool, threshold: float = THRESHOLD
) -> tuple[str, str]:
    """The verdict, and why if that cannot be seen from the interval.

    `slower` and `faster` say whether Holm's procedure lets such an alarm stand.
    """
    if judgement.interval is None:
        return UNSURE, "one trial each: no interval"
    low, high = judgement.interval
    small, large = 1 / (1 + threshold), 1 + threshold
    if small <= low and high <= large:
        return SAME, ""
    if small <= high and low <= large:
        return UNSURE, ""
    word, stands = (SLOWER, slower) if high < small else (FASTER, faster)
    return (word, "") if stands else (UNSURE, f"likely {word}; may be chance in so many cases")
