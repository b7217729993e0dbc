"""Predictions for several ranks, from measurements of one and of two."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
import synthetic
from command_line import printed, refused

from watari.cases import CASES
from watari.model import ranks
from watari.plan.request import resolve
from watari.results import schema
from watari.results.measured import Measured, measurements

RESULTS = Path(__file__).parents[3] / "results"
FOUR = RESULTS / "4x-nvidia-h200-x86_64"
HIMENO = [FOUR / f"20261121-{name}.json" for name in ("himeno-strong", "copy-between-gpus")]
POINT = {"form": "fused", "init": "cpu", "processor": "gpu", "rehearsal": 0, "style": "explicit"}
WORK, WAIT = 8e-3, 1e-4  # s of a sample on one rank, and of an exchange


def of(split: str, seconds: float, grid: str = "XL", halo: str = "peer", **more: Any) -> Measured:
    count = math.prod(map(int, split.split("x")))
    parameters = {**POINT, "iterations": 4, "grid": grid, "ranks": count, "split": split}
    parameters |= {"halo": "none" if count == 1 else halo, "overlap": False} | more
    trial = {"host_s": [1.0] + 3 * [seconds], "quantities": {}}
    return Measured("run", {}, "himeno", parameters, "ok", "", [], [trial], 1, 0, 0, 0)


def foretold(split: str, *measured: Measured, **more: Any) -> ranks.Foretold:
    return ranks.foretell(ranks.as_request(of(split, 0.0, **more)), ranks.Known(measured))


def copy(rate: float) -> Measured:
    trial = {"host_s": [1.0, 1.0], "quantities": {}}
    words = {"processor": "gpu", "from": "device", "to": "device:1", "size": "1GiB"}
    (request,) = resolve("copy", words, synthetic.gpu_machine())
    given = request.parameters
    return Measured("run", {}, "copy", given, "ok", "", [], [trial], 1, int(rate), 0, 0)


def test_work_is_divided_and_what_two_ranks_took_more_is_added() -> None:
    found = foretold("4x1x1", of("1x1x1", WORK), of("2x1x1", WORK / 2 + WAIT))
    assert found.seconds == pytest.approx(WORK / 4 + WAIT)
    assert found.perfect == pytest.approx(WORK / 4)
    assert found.efficiency == pytest.approx(WORK / 4 / (WORK / 4 + WAIT))
    assert found.low <= found.seconds <= found.high
    assert "cost nothing" in found.assumed[0]


def test_bytes_of_a_second_neighbour_take_their_time_on_the_link() -> None:
    plane = 512 * 1024 * 4
    found = foretold("4x1x1", of("1x1x1", WORK), of("2x1x1", WORK / 2 + WAIT), copy(1e9))
    assert found.seconds == pytest.approx(WORK / 4 + WAIT + plane / 1e9)
    assert not found.assumed


def test_an_exchange_through_the_host_grows_with_its_bytes() -> None:
    few = of("2x1x1", WORK / 2 + WAIT, halo="staged")
    found = foretold("4x1x1", of("1x1x1", WORK), few, copy(1e9), halo="staged")
    assert found.seconds == pytest.approx(WORK / 4 + 2 * WAIT)


def test_overlap_hides_an_exchange_until_the_work_is_shorter() -> None:
    hidden, fixed = 1.5e-3, 1e-5
    both = [
        of("2x1x1", WORK / 2 + hidden, halo="staged"),
        of("2x1x1", WORK / 2 + fixed, halo="staged", overlap=True),
    ]
    given = {"halo": "staged", "overlap": True}
    four = foretold("4x1x1", of("1x1x1", WORK), *both, **given)
    assert four.seconds == pytest.approx(2 * hidden + fixed)  # above WORK / 4
    three = foretold("3x1x1", of("1x1x1", WORK), *both, **given)
    assert three.seconds == pytest.approx(2 * hidden + fixed)


def test_overlap_that_hides_little_is_never_worse_than_none() -> None:
    measured = (
        of("1x1x1", WORK),
        of("2x1x1", WORK / 2 + 3e-3),
        of("2x1x1", WORK / 2 + 2.9e-3, overlap=True),
    )
    four, bare = (foretold("4x1x1", *measured, copy(1e12), overlap=o) for o in (True, False))
    assert four.seconds <= bare.seconds


def test_each_axis_has_its_exchange_and_the_rest_counts_once() -> None:
    def two(split: str, exchange: float) -> Measured:
        m = of(split, WORK / 2 + exchange + WAIT)
        m.trials[0]["quantities"]["exchange_s"] = {"value": exchange, "unit": "s"}
        return m

    measured = of("1x1x1", WORK), two("2x1x1", 2e-4), two("1x2x1", 3e-4)
    assert foretold("2x2x1", *measured).seconds == pytest.approx(WORK / 4 + 5e-4 + WAIT)


def test_a_grid_that_grows_takes_the_measurements_whose_parts_are_nearest() -> None:
    measured = (
        of("1x1x1", WORK / 8, grid="L"),
        of("1x1x1", WORK),
        of("2x1x1", WORK / 2 + 5 * WAIT),
        of("2x1x1", WORK + WAIT, grid="1022x512x1024"),
    )
    found = foretold("4x1x1", *measured, grid="2042x512x1024")
    assert found.seconds == pytest.approx(WORK + WAIT, rel=0.01)
    assert found.efficiency == pytest.approx(WORK / (WORK + WAIT), rel=0.01)


def test_without_a_measurement_there_is_a_reason() -> None:
    assert "one rank" in foretold("4x1x1", of("2x1x1", WORK)).reason
    assert "two ranks" in foretold("4x1x1", of("1x1x1", WORK)).reason
    other = of("2x1x1", WORK, halo="staged")
    assert "two ranks" in foretold("4x1x1", of("1x1x1", WORK), other).reason


@pytest.mark.parametrize("halo", ["peer", "nccl", "staged"])
@pytest.mark.parametrize("overlap", [False, True])
def test_four_gpus_as_they_were_measured_follow_from_one_and_two(halo: str, overlap: bool) -> None:
    """Four H200s: the largest difference is 4.9%, of `staged` overlapped."""
    measured = measurements([schema.read(path) for path in HIMENO])
    (four,) = [m for m in measured if (m["ranks"], m["halo"], m["overlap"]) == (4, halo, overlap)]
    found = ranks.foretell(ranks.as_request(four), ranks.Known(measured))
    assert found.seconds == pytest.approx(ranks.seconds(four), rel=0.06)
    assert found.low <= ranks.seconds(four) <= found.high


@pytest.mark.parametrize(
    ("case", "given", "counted"),
    [
        ("himeno", {"grid": "XL", "split": "2x1x1"}, {"i": (512 * 1024 * 4, 1)}),
        ("himeno", {"grid": "XL", "split": "4x1x1"}, {"i": (512 * 1024 * 4, 2)}),
        # 96 B of half a spinor for the sites of one parity, in four hops
        ("lattice", {"lattice": "class2", "split": "1x1x2x1"}, {"z": (4 * 96 * 32**3 // 2, 2)}),
        ("lattice", {"lattice": "class2", "split": "1x1x2x2"},
         {"z": (4 * 96 * 32**2 * 16 // 2, 2), "t": (4 * 96 * 32**2 * 16 // 2, 2)}),
        ("hmatrix", {"mesh": "bumpy:71", "ranks": 4}, {"rows": (8 * 20 * 71**2 // 4, 3)}),
    ],
)  # fmt: skip
def test_exchanges_as_counted_by_hand(
    case: str, given: dict[str, Any], counted: dict[str, tuple[int, int]]
) -> None:
    (request,) = resolve(case, {"processor": "gpu", **given}, synthetic.gpu_machine())
    found = CASES[case].profile(request.parameters).exchanges
    assert {e.axis: (e.bytes, e.faces) for e in found} == counted


@pytest.mark.parametrize("case", [name for name in CASES if "ranks" in CASES[name].axes])
def test_one_rank_exchanges_nothing(case: str) -> None:
    (request,) = resolve(case, {"processor": "gpu"}, synthetic.gpu_machine())
    assert CASES[case].profile(request.parameters).exchanges == ()


WORDS = ("himeno", "grid=XL", "ranks=4", "halo=peer", "overlap=yes")


def test_the_command_prints_predicted_beside_measured(capsys: pytest.CaptureFixture[str]) -> None:
    files = [str(path) for path in HIMENO]
    (row,) = json.loads(printed(capsys, "predict", *WORDS, *files, "--beside", files[0], "--json"))
    assert row["seconds"] == pytest.approx(886e-6, rel=1e-3)
    assert row["measured"] == pytest.approx(902e-6, rel=1e-3)
    assert "-1.8%" in printed(capsys, "predict", *WORDS, *files, "--beside", files[0])


def test_a_plan_has_each_case_of_more_than_two_ranks(capsys: pytest.CaptureFixture[str]) -> None:
    rows = json.loads(printed(capsys, "predict", "--plan", "scaling", *HIMENO, "--json"))
    assert {row["parameters"]["ranks"] for row in rows} == {4, 8}
    assert any("reason" in row for row in rows)
    assert any("seconds" in row for row in rows)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["himeno", "ranks=4"], "name result files"),
        (["himeno", "ranks=4", "--machine", "gh200"], "are for one rank"),
        (["himeno", "ranks=2", str(HIMENO[0])], "more than two"),
        (["himeno", "--plan", "scaling", str(HIMENO[0])], "not both"),
    ],
)
def test_bad_words_are_refused_in_one_line(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert said in " ".join(refused(capsys, "predict", *words).split())
