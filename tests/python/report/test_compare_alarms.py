"""The rate of wrong verdicts of compare, and the smallest change that it detects, by simulation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import synthetic

from watari.results.significance import (
    FASTER,
    SAME,
    SLOWER,
    discoveries,
    judge,
    judge_all,
    verdict,
)


def alarm(base: Any, new: Any) -> tuple[str, ...]:
    """Verdicts on a table of trial medians, a row for each case."""
    judgements = judge_all(list(zip(base, new, strict=True)))
    slower = discoveries([f.slower for f in judgements])
    faster = discoveries([f.faster for f in judgements])
    return tuple(verdict(f, s, q)[0] for f, s, q in zip(judgements, slower, faster, strict=True))


@pytest.mark.parametrize("trials", [2, 3, 5, 10])
@pytest.mark.parametrize("spread", [0.005, 0.02, 0.1, 0.3])
def test_noise_is_seldom_slower(trials: int, spread: float) -> None:
    """40 cases without a change: the share of tables with a slower (or faster) case."""
    rng = np.random.default_rng(11)
    tables = [alarm(*np.exp(rng.normal(0, spread, (2, 40, trials)))) for _ in range(100)]
    assert np.mean([SLOWER in table for table in tables]) <= 0.025 + 0.047  # three errors
    assert np.mean([FASTER in table for table in tables]) <= 0.025 + 0.047


@pytest.mark.parametrize("trials", [3, 5, 10])
def test_drifting_levels_are_seldom_slower(trials: int) -> None:
    """Trials that follow each other resemble each other, as on a machine that warms up."""
    rng = np.random.default_rng(12)
    tables = [
        alarm(*([synthetic.levels(trials, rng, 0.02) for _ in range(40)] for _ in range(2)))
        for _ in range(100)
    ]
    assert np.mean([SLOWER in table for table in tables]) <= 0.025 + 0.047


@pytest.mark.parametrize("trials", [3, 5, 10])
def test_a_change_at_the_margin_is_seldom_called_the_same_or_slower(trials: int) -> None:
    """At the very threshold both verdicts are wrong in at most 2.5%."""
    rng = np.random.default_rng(13)
    judgements = [
        judge(np.exp(rng.normal(0, 0.02, trials)), 1.05 * np.exp(rng.normal(0, 0.02, trials)))
        for _ in range(3000)
    ]
    words = [verdict(f, slower=True, faster=True)[0] for f in judgements]
    assert words.count(SLOWER) / 3000 <= 0.025 + 0.009
    assert words.count(SAME) / 3000 <= 0.025 + 0.009


def of_two_kinds(rng: np.random.Generator) -> Any:
    """Most cases scatter by 1%, a few by 30%."""
    return np.repeat([0.01, 0.3], [36, 4])


SPREADS = {
    "any": lambda rng: 0.03 * np.exp(rng.normal(0, 1, 40)),
    "two kinds": of_two_kinds,
    "halves": lambda rng: np.repeat([0.01, 0.2], 20),
}


@pytest.mark.parametrize("kind", SPREADS)
@pytest.mark.parametrize("trials", [3, 5])
def test_cases_that_scatter_differently_are_seldom_slower(kind: str, trials: int) -> None:
    """The variances of one table need not be alike for alarms to be rare."""
    rng = np.random.default_rng(15)
    tables = []
    for _ in range(100):
        spread = SPREADS[kind](rng)[:, None]
        tables.append(alarm(*np.exp(spread * rng.normal(0, 1, (2, 40, trials)))))
    assert np.mean([SLOWER in table for table in tables]) <= 0.025 + 0.047


@pytest.mark.parametrize(("spread", "cases"), [(0.02, 13), (0.1, 13), (0.1, 40)])
def test_a_slowdown_of_every_case_is_slower_in_every_case(spread: float, cases: int) -> None:
    """A slowdown by 1.6 is detected with three trials, even if levels scatter by 10%."""
    rng = np.random.default_rng(16)
    times = np.exp(rng.normal(0, spread, (100, 2, cases, 3)))
    times[:, 1] *= 1.6
    assert np.mean([set(alarm(*table)) == {SLOWER} for table in times]) > 0.9


def test_where_half_is_slower_little_else_is_called_so() -> None:
    """At most 2.5% of the cases that are called slower are not slower."""
    rng = np.random.default_rng(17)
    times = np.exp(rng.normal(0, 0.05, (100, 2, 40, 3)))
    times[:, 1, :20] *= 1.6
    called = np.array([[word == SLOWER for word in alarm(*table)] for table in times])
    assert called[:, :20].mean() > 0.95
    assert called[:, 20:].sum() / called.sum() <= 0.025


@pytest.mark.parametrize(("trials", "slower"), [(3, 1.09), (5, 1.08), (10, 1.07)])
def test_a_real_change_is_detected_among_forty(trials: int, slower: float) -> None:
    """With levels that scatter by 1%, the changes that each number of trials can detect."""
    rng = np.random.default_rng(14)
    times = np.exp(rng.normal(0, 0.01, (100, 2, 40, trials)))
    times[:, 1, 0] *= slower
    assert np.mean([alarm(*table)[0] == SLOWER for table in times]) > 0.8
