"""Statistics against distributions whose answers are known."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from watari.results import statistics
from watari.results.statistics import (
    interval,
    order_rank,
    rate,
    student_quantile,
    student_tail,
    summaries,
    summary,
)

times = st.floats(1e-7, 1e3)
series = st.lists(st.lists(times, min_size=1, max_size=20), min_size=1, max_size=8)


def test_a_small_example() -> None:
    s = summary([[1.0, 2.0, 9.0], [4.0, 4.0, 4.0], [3.0, 5.0, 1.0]])
    assert (s.trials, s.samples, s.medians) == (3, 9, (2.0, 4.0, 3.0))
    assert (s.median, s.minimum, s.maximum) == (3.0, 1.0, 9.0)
    assert (s.first_quartile, s.third_quartile) == (2.0, 4.0)
    assert s.spread == pytest.approx(2 / 3)


@given(series)
def test_order_of_the_numbers(trials: list[list[float]]) -> None:
    s = summary(trials)
    assert s.minimum <= s.first_quartile <= s.third_quartile <= s.maximum
    assert s.minimum <= s.median <= s.maximum
    assert s.spread >= 0
    if s.interval is None:
        assert len(trials) == 1
    else:
        assert s.interval[0] <= s.median * (1 + 1e-12)
        assert s.interval[1] >= s.median * (1 - 1e-12)


@given(series, st.floats(1e-3, 1e3))
def test_units_do_not_matter(trials: list[list[float]], unit: float) -> None:
    s, scaled = summary(trials), summary([[unit * t for t in trial] for trial in trials])
    assert scaled.median == pytest.approx(unit * s.median)
    assert scaled.spread == pytest.approx(s.spread, rel=1e-6, abs=1e-9)
    if s.interval and scaled.interval:
        assert scaled.interval == pytest.approx([unit * t for t in s.interval])


def test_one_trial_has_no_interval() -> None:
    assert summary([[1.0, 1.1, 0.9] * 100]).interval is None


def test_no_samples() -> None:
    with pytest.raises(ValueError, match="no samples"):
        summary([[], []])


def test_nothing_is_invented_where_the_clock_saw_nothing() -> None:
    assert interval([0.0, 1.0, 1.0]) is None


DISTRIBUTIONS = {
    "log-normal": lambda rng, shape: np.exp(rng.normal(0, 0.05, shape)),
    "normal": lambda rng, shape: 1 + rng.normal(0, 0.01, shape),
    "uniform": lambda rng, shape: rng.uniform(0.9, 1.1, shape),
    "heavy tails": lambda rng, shape: np.exp(0.01 * rng.standard_t(3, shape)),
}


@pytest.mark.parametrize("trials", [2, 3, 4, 5, 6, 7, 8, 10])
@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_the_interval_covers(name: str, trials: int) -> None:
    """The true median, 1, lies in 95% of the intervals (less three errors of this simulation).

    Student's t, for fewer than six trials, is known to cover less where there are no tails.
    """
    promised = 0.925 if name == "uniform" and trials < 6 else 0.95
    repetitions = 4000
    drawn = DISTRIBUTIONS[name](np.random.default_rng(7), (repetitions, trials))
    intervals = [interval(medians) for medians in drawn]
    covered = np.mean([low <= 1 <= high for low, high in filter(None, intervals)])
    assert len(intervals) == repetitions
    assert covered > promised - 3 * math.sqrt(0.95 * 0.05 / repetitions)


@pytest.mark.parametrize("trials", [6, 8, 10])
def test_the_interval_covers_the_usual_of_two_levels(trials: int) -> None:
    """One trial in five settles lower, as some copies do: the median is the usual level."""
    rng = np.random.default_rng(8)
    level = np.where(rng.random((4000, trials)) < 0.2, 1.25, 1.0)
    drawn = level * np.exp(rng.normal(0, 0.002, level.shape))
    middle = float(np.exp(0.002 * 0.3186))  # median of the mixture: quantile 0.625 of the usual
    intervals = [interval(medians) for medians in drawn]
    assert np.mean([low <= middle <= high for low, high in filter(None, intervals)]) > 0.94


def test_ranks_of_the_order_statistics() -> None:
    """Table A.1 of Le Boudec 2010."""
    published = {5: 0, 6: 1, 7: 1, 8: 1, 9: 2, 10: 2, 11: 2, 12: 3, 15: 4, 20: 6, 30: 10, 50: 18}
    assert {n: order_rank(n, 0.95) for n in published} == published


@pytest.mark.parametrize(
    ("freedom", "quantile"),
    [(1, 12.7062), (2, 4.3027), (3, 3.1824), (4, 2.7764), (5, 2.5706), (9, 2.2622), (30, 2.0423)],
)
def test_quantiles_of_student(freedom: int, quantile: float) -> None:
    """Compared with published tables."""
    assert student_quantile(0.975, freedom) == pytest.approx(quantile, abs=1e-4)


@given(st.floats(0.5, 1 - 1e-6), st.floats(1, 200))
def test_quantile_and_tail_are_inverse(probability: float, freedom: int) -> None:
    t = student_quantile(probability, freedom)
    assert student_tail(t, freedom) == pytest.approx(1 - probability, rel=1e-6, abs=1e-9)


@given(st.floats(-50, 50), st.integers(1, 100))
def test_tail_of_student_is_symmetric(t: float, freedom: int) -> None:
    assert student_tail(t, freedom) + student_tail(-t, freedom) == pytest.approx(1)


def test_rates() -> None:
    assert rate(100, 4.0) == 25.0
    assert rate(100, [1.0, 4.0]).tolist() == [100.0, 25.0]
    assert math.isnan(rate(100, 0.0))


def trial(status: str = "ok", phases: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    host_s = [1.0] * 3 + [5.0] * 3
    return {"status": status, "host_s": host_s, "phases": phases or []}


def test_summaries_by_phase() -> None:
    phases = [{"name": "gpu-1", "first": 0, "last": 3}, {"name": "cpu", "first": 3, "last": 6}]
    by_phase = summaries([trial(phases=phases), trial(phases=phases), trial("failed", phases)])
    assert {name: (s.median, s.trials) for name, s in by_phase.items()} == {
        "gpu-1": (1.0, 2),
        "cpu": (5.0, 2),
    }
    assert list(summaries([trial()])) == [statistics.WHOLE]
    assert summaries([trial("failed")]) == {}


def test_ranks_of_thousands_of_trials_take_no_time() -> None:
    start = time.process_time()
    assert statistics.order_rank(10_000, 0.95) == 4902  # (n - 1.96 sqrt(n)) / 2, at most
    assert time.process_time() - start < 2.0
