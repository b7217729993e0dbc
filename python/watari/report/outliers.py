"""Runs that deviate from the others, case by case.

x is the logarithm of a case's time in one of three or more runs. The run is an outlier if its
modified z-score (Iglewicz and Hoaglin, "How to Detect and Correct Outliers", 1993) is large,

    0.6745 |x - median| / MAD  >  3.5

and its deviation is beyond the threshold. MAD is at least the scatter of the trials within runs.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from watari.report.compare import Row
from watari.results.key import key
from watari.results.significance import THRESHOLD

LEAST_RUNS = 3
MODIFIED_Z = 3.5
OF_NORMAL = 0.6745  # MAD of a normal distribution of deviation 1


@dataclass(frozen=True)
class Outlier:
    """A run that is not like the others in one phase of a case. Times are in seconds."""

    run: str
    row: Row
    seconds: float
    typical: float  # median of all runs

    @property
    def ratio(self) -> float:
        """The run's speed over the typical one: below 1 is slower."""
        return self.typical / self.seconds


def outliers(
    comparisons: Mapping[str, Sequence[Row]], threshold: float = THRESHOLD
) -> list[Outlier]:
    """The outliers of runs that were compared with one base; the slowest first."""
    cases: dict[str, list[tuple[str, Row, float]]] = {}
    for run, rows in comparisons.items():
        for row in rows:
            if row.new:
                same = {n: v for n, v in row.parameters.items() if n != "threads"}
                cases.setdefault(key(row.case, {**same, "": row.part}), []).append(
                    (run, row, row.new)
                )
    found = [
        o for runs in cases.values() if len(runs) >= LEAST_RUNS for o in among(runs, threshold)
    ]
    return sorted(found, key=lambda outlier: outlier.ratio)


def among(runs: Sequence[tuple[str, Row, float]], threshold: float) -> list[Outlier]:
    """The runs of one case that deviate from the median of all."""
    logs = [math.log(seconds) for _, _, seconds in runs]
    middle = statistics.median(logs)
    deviation = statistics.median(abs(x - middle) for x in logs)
    within = statistics.median(row.scatter for _, row, _ in runs) * OF_NORMAL
    least = max(math.log1p(threshold), MODIFIED_Z * max(deviation, within) / OF_NORMAL)
    return [
        Outlier(run, row, seconds, math.exp(middle))
        for (run, row, seconds), x in zip(runs, logs, strict=True)
        if abs(x - middle) > least
    ]
