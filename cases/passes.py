"""Seconds of the passes of a case whose samples are passes over the same data."""

from __future__ import annotations

from statistics import median

from watari.results import statistics
from watari.results.measured import Measured


def passes(m: Measured) -> list[list[float]]:
    """Seconds of every pass, by trial."""
    return [list(statistics.seconds(trial)) for trial in m.trials]


def pass_seconds(m: Measured) -> float:
    """Seconds of a pass: the median over trials of their medians."""
    return median(median(each) for each in passes(m))


def first_seconds(m: Measured) -> float:
    """Seconds of the first pass, the median over trials."""
    return median(each[0] for each in passes(m))
