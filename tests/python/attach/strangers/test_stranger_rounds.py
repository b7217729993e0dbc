"""Which runs of a test of strangers are repeated, and what tells two rows of runs apart."""

import math
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest
import stranger_changes
import stranger_noise
import stranger_pairs
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


def test_the_error_of_a_saving_is_that_of_a_median() -> None:
    numbers = np.random.default_rng(1)
    medians = [float(np.median(numbers.normal(0, 1, 15))) for _ in range(4000)]
    errors = [stranger_pairs.error(list(numbers.normal(0, 1, 15))) for _ in range(4000)]
    assert np.median(errors) == pytest.approx(np.std(medians), rel=0.15)
    assert stranger_pairs.error([1.0] * 3) == math.inf


def paired(seconds: dict[str, list[float]]) -> tuple[dict, list[str]]:
    """Pairs of runs of these seconds, of which half is the start of CUDA, and their order."""
    left = {name: list(values) for name, values in seconds.items()}
    order = []

    def run(name: str) -> SimpleNamespace | None:
        order.append(name)
        if not left[name]:
            return None
        took = left[name].pop(0)
        large = {"site": SimpleNamespace(large_seconds=took / 10)}
        process = SimpleNamespace(initialised=took / 4, context_seconds=took / 4, copies=large)
        events = SimpleNamespace(processes=[process])
        return SimpleNamespace(ending=SimpleNamespace(seconds=took), events=events)

    names = [name for name in seconds if name != "as-is"]
    return stranger_pairs.measured(names, run, "as-is", stranger_changes.allowed), order


def test_pairs_alternate_until_the_saving_is_known() -> None:
    found, order = paired({"as-is": [1.0] * 99, "staged": [0.8] * 99, "pooled": [1.0, 0.9] * 20})
    assert order[:6] == ["as-is", "staged", "pooled", "pooled", "staged", "as-is"]
    assert found["staged"] == [[1.0, 0.5, 0.8, 0.4, 0.1, 0.08]] * stranger_pairs.FEWEST
    assert stranger_pairs.of_copies(found["staged"]) == pytest.approx([0.02] * 6)
    assert stranger_pairs.differences(found["staged"], "staged") == pytest.approx([0.1] * 6)
    assert len(found["pooled"]) == stranger_pairs.MOST


def test_pairs_end_with_the_runs_of_the_program() -> None:
    found, _ = paired({"as-is": [1.0] * 3, "staged": [0.8] * 99})
    assert len(found["staged"]) == 3
    found, order = paired({"as-is": [1.0] * 9, "staged": []})
    assert (found["staged"], order) == ([], ["as-is", "staged"])
