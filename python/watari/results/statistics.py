"""Summaries of series of samples, with confidence intervals. Trials are as in a result file.

A trial is a fresh process, and its samples share its page tables, its memory and the clock of that
minute: they are not independent, a hundred of them are no better than one level measured well. So
a trial counts once, by its median, and every interval is over trials (Kalibera and Jones,
"Rigorous benchmarking in reasonable time", ISMM 2013; Hoefler and Belli, "Scientific benchmarking
of parallel computing systems", SC 2015). `change_point.py` finds where a series stops changing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Samples = Sequence[float] | Array
Trial = Mapping[str, Any]

WHOLE = "whole"  # the name of the part that is the whole series


@dataclass(frozen=True)
class Summary:
    """A quantity over trials, in its unit, except `spread`, which has none."""

    trials: int
    samples: int
    median: float  # of the trials' medians
    first_quartile: float  # of all samples, as are the next three
    third_quartile: float
    minimum: float
    maximum: float
    spread: float  # (largest - smallest) / median of the trials' medians
    interval: tuple[float, float] | None  # 95% confidence, of the location over trials
    medians: tuple[float, ...]  # of each trial, in order


def seconds(trial: Trial) -> list[float]:
    """Time of every sample: between device events if the trial has them, which leaves out the cost
    of enqueueing (as nvbandwidth and nvbench do), else by the host's clock."""
    return list(trial.get("device_s") or trial.get("host_s") or [])


def good(trials: Iterable[Trial]) -> list[Trial]:
    """The successful trials that have samples."""
    return [trial for trial in trials if trial["status"] == "ok" and trial.get("host_s")]


def parts(trial: Trial) -> dict[str, list[float]]:
    """Times by phase, in order; the whole series, under WHOLE, without phases."""
    times = seconds(trial)
    phases = trial.get("phases") or []
    named = {p["name"]: times[p["first"] : p["last"]] for p in phases}
    return {name: part for name, part in named.items() if part} or {WHOLE: times}


def summaries(trials: Iterable[Trial]) -> dict[str, Summary]:
    """A summary of the times of each phase, over the successful trials that have the phase."""
    gathered: dict[str, list[list[float]]] = {}
    for trial in good(trials):
        for name, times in parts(trial).items():
            gathered.setdefault(name, []).append(times)
    return {name: summary(series) for name, series in gathered.items()}


def summary(trials: Iterable[Samples]) -> Summary:
    """Summarise the samples of several trials. Raises ValueError if there is none."""
    series = [np.asarray(samples, dtype=np.float64) for samples in trials if len(samples)]
    if not series:
        raise ValueError("no samples to summarise")
    medians = np.array([np.median(samples) for samples in series])
    pooled = np.concatenate(series)
    quartiles = np.quantile(pooled, [0.25, 0.75])
    middle = float(np.median(medians))
    return Summary(
        trials=len(series),
        samples=len(pooled),
        median=middle,
        first_quartile=float(quartiles[0]),
        third_quartile=float(quartiles[1]),
        minimum=float(pooled.min()),
        maximum=float(pooled.max()),
        spread=float(np.ptp(medians) / abs(middle)) if middle else 0.0,
        interval=interval(medians),
        medians=tuple(float(m) for m in medians),
    )


def interval(medians: Samples, confidence: float = 0.95) -> tuple[float, float] | None:
    """Confidence interval of the location of positive trial medians; None for fewer than two.

    Enough trials (6 for 95%): the order-statistic interval of the median, which assumes only that
    trials are independent; symmetric ranks k and n+1-k cover with probability
    1 - 2 P(Binomial(n, 1/2) < k), the largest k that keeps `confidence` is taken (Le Boudec,
    "Performance Evaluation of Computer and Communication Systems", 2010, section 2.2; Hoefler and
    Belli 2015, section 3.1.3). Fewer: even the whole range covers too seldom (75% with three), so
    Student's t on the logarithms, which assumes that levels scatter log-normally (if they do so
    evenly between two bounds it covers 92%) and always holds the median too. One trial says
    nothing about the next: None.
    """
    values = np.sort(np.asarray(medians, dtype=np.float64))
    n = len(values)
    if n < 2 or values[0] <= 0:
        return None
    rank = order_rank(n, confidence)
    if rank:
        return float(values[rank - 1]), float(values[n - rank])
    logs = np.log(values)
    half = student_quantile((1 + confidence) / 2, n - 1) * float(logs.std(ddof=1)) / math.sqrt(n)
    centre = float(logs.mean())
    return math.exp(centre - half), math.exp(centre + half)


def order_rank(n: int, confidence: float) -> int:
    """The largest k with which the k-th smallest and largest of n enclose the median, or 0."""
    below, rank = 0.0, 0
    while rank < n // 2:
        log_count = math.lgamma(n + 1) - math.lgamma(rank + 1) - math.lgamma(n - rank + 1)
        below += math.exp(log_count - n * math.log(2))  # a binomial of thousands is slow
        if 1 - 2 * below < confidence:
            break
        rank += 1
    return rank


def student_tail(t: float, freedom: float) -> float:
    """P(T > t) for Student's t with at least one degree of freedom.

    A finite sum for whole degrees (Abramowitz and Stegun, Handbook of Mathematical Functions,
    26.7.3 and 26.7.4); between them linear, which errs to the larger tail.
    """
    whole = math.floor(freedom)
    if freedom > whole:
        part = freedom - whole
        return (1 - part) * student_tail(t, whole) + part * student_tail(t, whole + 1)
    angle = math.atan2(abs(t), math.sqrt(whole))
    sine, square = math.sin(angle), math.cos(angle) ** 2
    odd = whole % 2
    term = math.cos(angle) if odd else 1.0
    total = 0.0
    for k in range(1 + odd, whole, 2):
        total += term
        term *= square * k / (k + 1)
    within = (angle + sine * total) * 2 / math.pi if odd else sine * total
    tail = max(0.0, (1.0 - within) / 2)
    return tail if t >= 0 else 1.0 - tail


def student_density(t: float, freedom: float) -> float:
    """The density whose tail is `student_tail`."""
    whole = math.floor(freedom)
    part = freedom - whole
    if part:
        return (1 - part) * student_density(t, whole) + part * student_density(t, whole + 1)
    half = (whole + 1) / 2
    log_peak = math.lgamma(half) - math.lgamma(whole / 2) - math.log(whole * math.pi) / 2
    return math.exp(log_peak - half * math.log1p(t * t / whole))


@cache
def student_quantile(probability: float, freedom: float) -> float:
    """The t that P(T <= t) = probability, for probability from 0.5 to below 1: by Newton's method,
    which rises to t from 0, since the tail is convex."""
    t, step = 0.0, 1.0
    while step > 1e-12 * t:
        step = (student_tail(t, freedom) - (1 - probability)) / student_density(t, freedom)
        t += step
    return t


def rate(work: float, times: float | Samples) -> Any:
    """Bytes (or flops) per second for a time or for each of many; NaN for a time of 0."""
    taken = np.asarray(times, dtype=np.float64)
    rates = np.divide(work, taken, out=np.full(taken.shape, np.nan), where=taken > 0)
    return float(rates) if rates.ndim == 0 else rates
