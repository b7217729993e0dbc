"""Whether two sets of trials are the same, or one is faster, with a known chance of error.

A trial counts once, by its median. Let x and y be the logarithms of the trials' median times in
base and new, n and m of them. The 95% interval of the speed ratio is

    exp( mean(x) - mean(y)  -+  t(0.975, f) sqrt(s^2 (1/n + 1/m)) )

with the scatter s of a trial, moderated by that of the other cases (scatter.py); in a table of few
cases Welch's (Biometrika 34, 1947; f by Satterthwaite). Noise is no change and a change may be too
small to matter, hence a test of equivalence with a margin (Schuirmann, J. Pharmacokinetics and
Biopharmaceutics 15, 1987): `slower` or `faster` if the whole interval lies beyond 1 by more than
the threshold, `same` if the whole interval lies within it, `unsure` in between: more trials would
decide, and `trials_needed` estimates how many.

Among many cases some interval errs by chance. `slower` and `faster` therefore also have to pass the
procedure of Benjamini and Hochberg (J. Royal Statistical Society B 57, 1995). If nothing changed, a
table has a false `slower` with a chance of at most 2.5%; if much changed, at most 2.5% of the
`slower` verdicts are false. The same holds for `faster`. Holm's procedure, which bounds the chance
of a single error in any table, missed most of a slowdown of 1.6 in every case with three trials.

With trial levels that scatter by 1%, three trials in each run detect a change of 9% in one of 40
cases, five one of 8%. With levels that scatter by 10%, three trials detect 60% in every case.

Two files do not show what differed between the two occasions as a whole (a neighbour on the node,
the temperature of the room). The threshold is there for that too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median

from watari.results.scatter import Prior, prior
from watari.results.statistics import student_quantile, student_tail

THRESHOLD = 0.05
ERROR = 0.025  # chance of a false alarm in one direction
MOST_TRIALS = 100  # largest number that a user may be advised to run

SAME, FASTER, SLOWER, UNSURE = "same", "faster", "slower", "unsure"


@dataclass(frozen=True)
class Judgement:
    """The ratio of speeds from two sets of trial medians, with its uncertainty."""

    ratio: float
    interval: tuple[float, float] | None
    # probability of such data without a change beyond the threshold; 1 if the ratio is within it
    slower: float
    faster: float
    scatter: float = 0.0  # of a trial, in logarithms: 0.01 is 1%


Levels = Sequence[float]


def judge_all(
    pairs: Sequence[tuple[Levels, Levels]], threshold: float = THRESHOLD
) -> list[Judgement]:
    """Judge the cases of one table, (base, new) of each."""
    common = prior([pooled_variance(*logarithms(*pair)) for pair in pairs])
    return [judge(base, new, threshold, common) for base, new in pairs]


def judge(
    base: Levels, new: Levels, threshold: float = THRESHOLD, common: Prior | None = None
) -> Judgement:
    """Judge positive times, one a trial. With one trial on a side, the other's scatter is taken
    for both; with one on each there is no interval, and both probabilities are 1."""
    ratio = median(base) / median(new)
    x, y = logarithms(base, new)
    if len(x) + len(y) < 3:
        return Judgement(ratio, None, 1.0, 1.0)
    error, freedom = standard_error(x, y, common)
    difference = fmean(x) - fmean(y)
    half = quantile(freedom) * error
    # the interval is of the means; the ratio of medians, which is shown, must lie in it
    low, high = min(difference - half, math.log(ratio)), max(difference + half, math.log(ratio))
    margin = math.log1p(threshold)
    return Judgement(
        ratio,
        (math.exp(low), math.exp(high)),
        slower=tail(-difference - margin, error, freedom),
        faster=tail(difference - margin, error, freedom),
        scatter=error / math.sqrt(1 / len(x) + 1 / len(y)),
    )


def logarithms(base: Levels, new: Levels) -> tuple[Levels, Levels]:
    """Logarithms of the times of base and new. A few numbers are slower in NumPy."""
    return [math.log(time) for time in base], [math.log(time) for time in new]


def quantile(freedom: float) -> float:
    """Quantile of Student's t, for the 95% interval."""
    return student_quantile(1 - ERROR, freedom)


def squares(x: Levels) -> float:
    """The sum of the squared distances from the mean."""
    middle = fmean(x)
    return math.fsum((value - middle) ** 2 for value in x)


def pooled_variance(x: Levels, y: Levels) -> tuple[float, float]:
    """Variance of one trial, over both sides, with its degrees of freedom."""
    freedom = len(x) + len(y) - 2
    return ((squares(x) + squares(y)) / freedom if freedom else 0.0), freedom


def standard_error(x: Levels, y: Levels, common: Prior | None = None) -> tuple[float, float]:
    """Standard error of the difference of the means, with its degrees of freedom."""
    if common:
        variance, freedom = common.moderated(*pooled_variance(x, y))
        return math.sqrt(variance * (1 / len(x) + 1 / len(y))), freedom
    if min(len(x), len(y)) == 1:
        many = x if len(x) > 1 else y
        freedom = len(many) - 1
        return math.sqrt(squares(many) / freedom * (1 + 1 / len(many))), freedom
    a, b = (squares(side) / (len(side) - 1) / len(side) for side in (x, y))
    if a + b == 0:
        return 0.0, len(x) + len(y) - 2
    freedom = (a + b) ** 2 / (a**2 / (len(x) - 1) + b**2 / (len(y) - 1))
    return math.sqrt(a + b), max(1.0, freedom)


def tail(distance: float, error: float, freedom: float) -> float:
    """One-sided probability of a distance beyond the margin; exact data need no probability, nor
    do data within the margin, of which no alarm is made."""
    if distance <= 0:
        return 1.0
    return student_tail(distance / error, freedom) if error else 0.0


def discoveries(probabilities: Sequence[float], error: float = ERROR) -> list[bool]:
    """Whether each hypothesis is rejected, such that the expected share of false rejections is at
    most `error` (Benjamini and Hochberg): the k smallest probabilities, with the largest k for
    which p(k) <= error k / all."""
    ordered = sorted(probabilities)
    limits = (error * rank / len(ordered) for rank in range(1, len(ordered) + 1))
    accepted = [p for p, most in zip(ordered, limits, strict=True) if p <= most]
    return [bool(accepted) and p <= accepted[-1] for p in probabilities]


def trials_needed(judgement: Judgement, threshold: float = THRESHOLD) -> int | None:
    """Trials in each run that would likely decide an unsure case, if levels stay the same; None if
    the ratio lies too near the threshold for any number up to MOST_TRIALS."""
    if judgement.interval is None or not judgement.scatter:
        return None
    distance = abs(abs(math.log(judgement.ratio)) - math.log1p(threshold))
    wanted = 2 * (2.8 * judgement.scatter / distance) ** 2 if distance else math.inf
    return math.ceil(wanted) if wanted <= MOST_TRIALS else None


def verdict(
    judgement: Judgement, slower: bool, faster: bool, threshold: float = THRESHOLD
) -> tuple[str, str]:
    """The verdict, and the reason if the interval does not show it.

    `slower` and `faster`: whether such an alarm passes the test over all cases (`discoveries`).
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
