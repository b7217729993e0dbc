"""The end of a migration, in series whose change points are known."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from watari.results.change_point import settle
from watari.results.statistics import Array

Generator = np.random.Generator


def noisy(values: Array, noise: float, seed: int) -> Array:
    """The values with proportional noise."""
    return values * np.random.default_rng(seed).lognormal(0.0, noise, len(values))


GRADUAL = np.concatenate([np.linspace(0.4, 3.0, 56), np.full(144, 3.0)])  # TB/s, as on a GH200
LATER = np.concatenate([np.full(20, 0.4), np.linspace(0.4, 3.0, 36), np.full(144, 3.0)])
FIRST = np.concatenate([[0.4], np.full(49, 0.002)])  # s, as with faults over PCIe
DROP = np.concatenate([np.full(120, 90.0), np.full(80, 70.0)])


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("noise", [0.0, 0.01, 0.03])
def test_a_gradual_rise(noise: float, seed: int) -> None:
    rates = noisy(GRADUAL, noise, seed)
    change = settle(rates, times=1 / rates)
    assert change is not None
    assert change.end is not None
    assert 44 <= change.end <= 58
    assert change.start <= 12
    assert change.after == pytest.approx(3.0, rel=0.03)
    assert change.seconds == pytest.approx((1 / rates)[: change.end].sum())


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("noise", [0.0, 0.01, 0.03])
def test_a_plateau_before_the_rise(noise: float, seed: int) -> None:
    change = settle(noisy(LATER, noise, seed))
    assert change is not None
    assert change.end is not None
    assert 15 <= change.start <= 27
    assert 44 <= change.end <= 58
    assert change.before == pytest.approx(0.4, rel=0.1)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("noise", [0.0, 0.01, 0.05])
def test_one_slow_sample_then_a_plateau(noise: float, seed: int) -> None:
    series = noisy(FIRST, noise, seed)
    change = settle(series)
    assert change is not None
    assert (change.start, change.end) == (1, 1)
    assert (change.before, change.seconds) == (series[0], pytest.approx(series[0]))
    assert change.after == pytest.approx(0.002, rel=0.05)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("noise", [0.0, 0.01, 0.04])
def test_a_drop(noise: float, seed: int) -> None:
    change = settle(noisy(DROP, noise, seed))
    assert change is not None
    assert change.end is not None
    assert abs(change.end - 120) <= 3
    assert abs(change.start - 120) <= 8
    assert (change.before, change.after) == pytest.approx((90.0, 70.0), rel=0.03)


@pytest.mark.parametrize("seed", range(20))
def test_strays_after_the_end_do_not_move_it(seed: int) -> None:
    rates = noisy(GRADUAL, 0.01, seed)
    rates[150:154] = 1.5
    rates[90] = rates[120] = 0.5
    change = settle(rates)
    assert change is not None
    assert change.end is not None
    assert 46 <= change.end <= 58


@pytest.mark.parametrize("seed", range(20))
def test_what_never_settles(seed: int) -> None:
    change = settle(noisy(np.linspace(1.0, 3.0, 100), 0.01, seed))
    assert change is not None
    assert (change.end, change.seconds) == (None, None)
    assert change.after > 2.8


def test_a_change_at_the_very_end() -> None:
    change = settle(noisy(np.concatenate([np.full(190, 90.0), np.full(10, 70.0)]), 0.01, 1))
    assert change is not None
    assert (change.start, change.end) == (190, None)


NOTHING: dict[str, tuple[Callable[[Generator], Array], float]] = {
    "flat": (lambda rng: np.full(100, 2.0), 0.0),
    "1% noise": (lambda rng: 1 + rng.normal(0, 0.01, 200), 0.005),
    "5% noise": (lambda rng: 1 + rng.normal(0, 0.05, 100), 0.02),
    "ten samples": (lambda rng: 1 + rng.normal(0, 0.01, 10), 0.01),
    "late samples": (lambda rng: np.where(rng.random(50) < 0.02, 1.3, 1.0), 0.05),
    "drops": (lambda rng: np.where(rng.random(200) < 0.1, 250, 350) + rng.normal(0, 3, 200), 0.06),
    "heavy tails": (lambda rng: 1 + 0.01 * np.abs(rng.standard_t(2, 100)), 0.05),
    "slow drift": (lambda rng: 1 + np.cumsum(rng.normal(0, 0.001, 200)), 0.02),
}


@pytest.mark.parametrize("name", NOTHING)
def test_a_series_that_does_not_change(name: str) -> None:
    """The rate of detected changes in series without a change."""
    make, allowed = NOTHING[name]
    rng = np.random.default_rng(5)
    alarms = np.mean([settle(make(rng)) is not None for _ in range(500)])
    assert alarms <= allowed


def test_the_fraction_that_is_still_mapped() -> None:
    fraction = np.concatenate([np.ones(5), np.linspace(1.0, 0.0, 50), np.zeros(45)])
    change = settle(fraction, times=np.full(100, 0.01), floor=0.02)
    assert change is not None
    assert change.end is not None
    assert 52 <= change.end <= 55
    assert (change.before, change.after) == (1.0, 0.0)
    assert change.seconds == pytest.approx(0.01 * change.end)
    assert settle(np.zeros(100), floor=0.02) is None


def test_the_first_sample_is_of_the_start_even_if_it_lies_off_it() -> None:
    found = settle([20.0, 10.0, 4.0, 4.0, 4.0, 4.0, 4.0] + [1.0] * 20)
    assert found
    assert (found.start, found.end, found.before) == (1, 7, 20.0)


def test_too_few_samples_say_nothing() -> None:
    assert settle([1.0, 2.0, 3.0]) is None
    assert settle([]) is None


@given(st.lists(st.floats(1e-6, 1e3), max_size=60), st.floats(0.01, 100.0))
def test_any_series(samples: list[float], unit: float) -> None:
    change = settle(samples)
    if change and change.end is not None:
        assert 1 <= change.start <= change.end < len(samples)
        assert change.seconds == pytest.approx(sum(samples[: change.end]))
        assert min(samples) <= change.after <= max(samples)
