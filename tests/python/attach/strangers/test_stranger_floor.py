"""What noise allows, and whether intervals hold, in the test of strangers."""

import math

import pytest
import stranger_floor
import stranger_judge
from stranger_changes import Change
from stranger_judge import Pair


def row(as_is: list[float], **styles: list[float]) -> dict:
    ran = {name: {"seconds": runs, "status": "ok"} for name, runs in styles.items()}
    return {"name": "one", "status": "ok", "as_is": as_is, "styles": ran, "trace": {}}


def test_a_right_answer_is_judged_wrong_where_runs_differ() -> None:
    quiet = row([1.0, 1.01, 1.0, 0.99], managed=[1.0], mapped=[4.0])
    assert stranger_floor.best_style([quiet]) == 1
    loud = row([1.0, 1.3, 1.0, 0.8, 1.25], managed=[1.0], pinned=[0.9])
    assert 0.3 < stranger_floor.best_style([loud]) < 0.9
    assert stranger_floor.best_style([loud]) == stranger_floor.best_style([loud])
    assert math.isnan(stranger_floor.best_style([row([1.0], managed=[1.0])]))


def test_runs_beside_the_trace_count_without_the_noise_of_their_start() -> None:
    runs = {"untraced": [2.0, 2.3, 2.1]}
    found = row([1.0, 1.0]) | {"trace": {"replay": runs}}
    assert stranger_floor.own_runs(found) == pytest.approx([1, 1, 2 / 2.1, 2.3 / 2.1, 1])
    found["start"] = 0.4  # of an older trace, which does not state starts
    assert stranger_floor.own_runs(found) == [1, 1]
    runs["untraced_starts"] = [0.5, 0.8, 0.5]
    assert stranger_floor.own_runs(found) == pytest.approx([1, 1, 1, 1, 2.1 / 2])


def test_a_right_saving_may_be_judged_wrong() -> None:
    def chance(error: float, spread: float = 0.0) -> float:
        return stranger_floor.chance(Change("one", "staged", 0.1, 0.1, 1.0, spread, error=error))

    assert chance(0.0) == 1  # nothing is known of the noise
    assert chance(0.02) == pytest.approx(0.6827, abs=1e-3)  # as much as is allowed
    assert chance(0.01) == pytest.approx(0.9545, abs=1e-3)
    assert chance(0.0, spread=0.02) == chance(0.02)


def test_measured_seconds_are_inside_an_interval_or_its_middle() -> None:
    found = [Pair("one", "managed", 1.0, seconds, 0.9, 1.2) for seconds in (0.92, 1.08, 1.3)]
    assert stranger_floor.inside(found) == 2
    assert stranger_floor.inside(found, stranger_floor.MIDDLE) == 1


def said(*best: str, **seconds: float) -> dict:
    rows = [{"style": name.replace("_", "-"), "seconds": s} for name, s in seconds.items()]
    return {"styles": {"imposed": rows}, "best": {"imposed": list(best)}, "stops": []}


def test_one_of_the_group_may_be_the_best() -> None:
    given = row([1.0, 1.0, 1.0], managed=[0.9], pinned=[0.7])
    given["trace"] = {"untraced_seconds": 1.0}
    answers = {"managed": False, "pinned": True}
    for name, right in answers.items():
        given["advice"] = said("as-is", name, as_is=1, managed=1, pinned=1)
        judged = stranger_judge.judged(given)
        assert (judged.said, judged.named, judged.grouped) == ("as-is", False, right)
    given["advice"] = said(as_is=1, managed=1, pinned=1)
    judged = stranger_judge.judged(given)
    assert (judged.said, judged.grouped) == (stranger_judge.NOTHING, False)
