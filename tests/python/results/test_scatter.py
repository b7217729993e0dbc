"""Variances moderated by those of other cases, compared with SciPy and on random variances."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

from watari.results import scatter


@pytest.mark.parametrize("x", [0.05, 0.5, 1.0, 3.7, 8.0, 100.0])
def test_digamma_and_trigamma(x: float) -> None:
    assert scatter.digamma(x) == pytest.approx(float(special.digamma(x)), rel=1e-7, abs=1e-7)
    assert scatter.trigamma(x) == pytest.approx(float(special.polygamma(1, x)), rel=1e-7)
    assert scatter.inverse_trigamma(scatter.trigamma(x)) == pytest.approx(x, rel=1e-6)


@pytest.mark.parametrize("freedom", [4.0, 20.0])
def test_the_prior_is_that_of_which_variances_were_drawn(freedom: float) -> None:
    """sigma^2 = s0^2 d0 / chi2(d0), s^2 = sigma^2 chi2(d) / d: s0 and d0 come back."""
    rng = np.random.default_rng(3)
    sigma = 1e-4 * freedom / rng.chisquare(freedom, 40000)
    drawn = sigma * rng.chisquare(4, 40000) / 4
    prior = scatter.prior([(float(v), 4) for v in drawn])
    assert prior
    assert prior.variance == pytest.approx(1e-4, rel=0.1)
    assert prior.freedom == pytest.approx(freedom, rel=0.25)


def test_equal_variances_are_worth_many_trials() -> None:
    rng = np.random.default_rng(4)
    prior = scatter.prior([(float(v), 4) for v in rng.chisquare(4, 5000) / 4])
    assert prior
    assert prior.freedom > 40
    variance, freedom = prior.moderated(4.0, 4)
    assert 1.0 < variance < 1.4
    assert freedom == prior.freedom + 4


def test_few_cases_say_nothing_of_each_other() -> None:
    assert scatter.prior([(1.0, 4)] * 4) is None
    assert scatter.prior([(1.0, 4)] * 5) is not None
    assert scatter.prior([(1.0, 0)] * 40) is None
    assert scatter.prior([(0.0, 4)] * 40) is not None
