"""Which runs of a test of strangers are repeated, and what tells two rows of runs apart."""

import math
from itertools import combinations

import pytest
import stranger_noise
import stranger_rounds


def test_the_chance_is_that_of_all_ways() -> None:
    """Counted one by one, for 3 runs and 4."""
    values = range(7)
    fast = (0, 1, 4)
    slow = tuple(set(values) - set(fast))

    def pairs(one) -> int:
        return sum(a > b for a in one for b in set(values) - set(one))

    as_far = [one for one in combinations(values, 3) if pairs(one) <= pairs(fast)]
    assert stranger_noise.chance(fast, slow) == pytest.approx(len(as_far) / math.comb(7, 3))


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        ([1.0, 1.01, 1.02], [1.03, 1.04, 1.05], True),
        ([1.0, 1.01, 1.04], [1.03, 1.035, 1.05], False),
        ([1.0, 1.01], [1.03, 1.04], False),
        ([1.0, 1.01], [1.03, 1.04, 1.05, 1.06, 1.07], True),
        ([1.03, 1.04, 1.05], [1.0, 1.01, 1.02], True),
        ([1.0], [1.16], True),
        ([1.0, 1.0, 1.0], [1.0, 1.0, 1.0], False),
    ],
)
def test_rows_are_told_apart(one, other, apart: bool) -> None:
    assert stranger_noise.told_apart(one, other) == apart


def unsettled(most: int = 7, changes: dict | None = None, **styles: list[float]) -> list[str]:
    return stranger_rounds.unsettled(
        {name.replace("_", "-"): runs for name, runs in styles.items()}, changes or {}, most
    )


def test_after_the_first_pass_what_is_near_the_fastest_runs_again() -> None:
    found = unsettled(as_is=[1.0, 1.02], managed=[1.05], mapped=[1.4], pinned=[0.99])
    assert found == ["as-is", "managed", "pinned"]


def test_what_is_told_apart_or_known_does_not_run_again() -> None:
    apart = [1.05, 1.051, 1.052]
    assert unsettled(as_is=[1.0, 1.01, 1.02], managed=apart) == []
    assert unsettled(as_is=[1.0, 1.06, 1.02], managed=apart) == ["as-is", "managed"]
    assert unsettled(as_is=[1.0, 1.001, 1.002], managed=[1.0, 1.001, 1.003]) == []


def test_nothing_runs_more_often_than_that() -> None:
    runs = [1.0, 1.2] * 3
    assert unsettled(as_is=runs, managed=runs) == ["as-is", "managed"]
    assert unsettled(most=6, as_is=runs, managed=runs) == []


def test_a_change_runs_until_its_saving_is_known() -> None:
    as_is = [1.0, 1.04, 1.0, 1.04]
    far = {"staged": [0.5]}
    assert unsettled(as_is=as_is, changes=far) == ["as-is", "staged"]
    known = {"staged": [0.5, 0.51, 0.52]}  # within 0.02 of a saving of 0.5
    assert unsettled(as_is=as_is, changes=known) == []
    small = {"staged": [0.99, 1.0, 1.01]}  # not within 0.005 of none
    assert unsettled(as_is=as_is, changes=small) == ["as-is", "staged"]
