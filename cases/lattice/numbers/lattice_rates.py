"""Steps and rates of a trial, for the parts of cases/lattice/EVIDENCE.md."""

from __future__ import annotations

from watari.results.statistics import seconds


def steps(m):
    """ms of each step of the first trial."""
    return [1e3 * s for s in seconds(m.trials[0])]


def tflops(m, name="flops_per_s"):
    return m.quantity(name) / 1e12
