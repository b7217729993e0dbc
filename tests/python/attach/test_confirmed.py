"""Predictions beside the runs that confirm them."""

from __future__ import annotations

import pytest

from watari.attach import confirmed
from watari.attach.confirmed import Row, chosen, lines, verdict
from watari.case.sentence import Cost
from watari.model.replay.advice import Answer, Styled

BASE = Row("as-is", Cost(1.0, 1.0, 1.0), (1.0, 1.02, 1.01))
STAGED = Cost(0.8, 0.75, 0.85)


@pytest.mark.parametrize(
    ("base", "runs", "says"),
    [
        ((1.0, 1.02), (0.81, 0.8), "as predicted"),
        ((1.0, 1.02), (0.95, 0.94), "135 ms more than predicted"),
        ((1.2, 1.21), (1.0, 1.01), "as predicted"),  # the machine became slower
        ((1.2, 1.21), (0.8, 0.81), "200 ms less than predicted"),
        ((1.0, 1.3), (0.8, 1.1), "not sure: the runs differ by more"),
    ],
)
def test_a_prediction_holds_as_a_difference(base, runs, says) -> None:
    as_is = Row("as-is", Cost(1.0, 1.0, 1.0), base)
    assert verdict(Row("staged", STAGED, runs), as_is) == says


def test_a_style_that_changes_nothing_is_as_predicted() -> None:
    assert verdict(Row("managed", Cost(1.0, 0.99, 1.01), (1.0, 1.01)), BASE) == "as predicted"


def test_each_row_has_a_line_with_its_verdict() -> None:
    rows = [
        BASE,
        Row("staged", STAGED, (0.8, 0.82)),
        Row("pooled", STAGED, (0.95, 0.96)),
        Row("mapped", STAGED, reason="the GPU has no managed memory"),
    ]
    found = list(lines(rows))[2:]
    assert found[0].endswith("1.01 s (1 s to 1.02 s)")
    assert found[1].endswith("as predicted")
    assert found[2].endswith("145 ms more than predicted")
    assert found[3].endswith("the GPU has no managed memory")
    assert all("times" not in line for line in found)


def test_the_best_changes_and_two_styles_are_run() -> None:
    changes = (Styled("staged", STAGED), Styled("pooled", Cost(0.999, 0.99, 1.0)))
    names = ("as-is", "managed", "mapped", "pinned", "system")
    styles = tuple(Styled(name, Cost(1.0 + i / 10, 1.0, 2.0)) for i, name in enumerate(names))
    answer = Answer(
        "a.out", 1.0, 1.0, {}, changes=changes, imposed=(*styles, Styled("x", None, "no"))
    )
    assert [one.style for one in chosen(answer)] == ["staged", "managed", "mapped"]


def test_runs_are_plain_values() -> None:
    (one,) = confirmed.values([Row("staged", STAGED, (0.8,))])
    assert one == {
        "name": "staged",
        "predicted": {"seconds": 0.8, "low": 0.75, "high": 0.85},
        "measured": [0.8],
        "reason": "",
    }
