"""The interval of a speed ratio, against SciPy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from watari.results import significance

MANY = [1.0, 1.1, 1.25, 1.02]


def test_one_trial_is_judged_by_the_scatter_of_the_other_side() -> None:
    """The interval of a further observation: Student's t, with the scatter of both of them."""
    found = significance.judge([1.3], MANY)
    logs = np.log(MANY)
    middle = math.log(1.3) - logs.mean()
    half = stats.t.ppf(0.975, 3) * logs.std(ddof=1) * math.sqrt(1 + 1 / 4)
    assert found.interval == pytest.approx((math.exp(middle - half), math.exp(middle + half)))


def test_two_sides_are_judged_as_by_welch() -> None:
    other = [1.3, 1.5, 1.2]
    found = significance.judge(other, MANY)
    low, high = stats.ttest_ind(np.log(other), np.log(MANY), equal_var=False).confidence_interval()
    assert found.interval == pytest.approx((math.exp(low), math.exp(high)), rel=1e-3)
