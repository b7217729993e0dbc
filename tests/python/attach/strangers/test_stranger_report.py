"""Predicted beside measured: the statistics of the test of strangers."""

import subprocess
import sys
import time
from types import SimpleNamespace

import builds
import pytest
import stranger_judge
import stranger_report
import stranger_result
import stranger_run
import stranger_table

from watari.common.errors import UsageError


def style(*seconds: float, status: str = "ok") -> dict:
    return {"seconds": list(seconds), "status": status, "reason": ""}


def said(**seconds: float) -> list[dict]:
    return [
        {"style": name.replace("_", "-"), "reason": "", "seconds": s, "low": s, "high": s}
        for name, s in seconds.items()
    ]


def row(name: str = "one", replayed: float = 1.0, gpu: str = "H100", **imposed: float) -> dict:
    """A program of a second, whose styles `managed` and `mapped` take 1 and 4."""
    return {
        "name": name,
        "gpu": gpu,
        "watari": "abc",
        "status": "ok",
        "as_is": [0.999, 1.0, 1.001],
        "spent": 9.0,
        "styles": {"managed": style(1.0, 1.0), "mapped": style(4.0, 4.0)},
        "trace": {"untraced_seconds": 1.0, "replay": {"seconds": replayed, "met": []}},
        "advice": {"styles": {"imposed": said(**imposed)}, "savings": [], "stops": []},
        "today": {"seconds": {"as-is": 0.01, "managed": 0.02, "mapped": 0.03}},
    }


def test_whole_seconds_are_compared_by_where_the_data_stay() -> None:
    one = stranger_judge.judged(row(as_is=1.0, managed=1.1, mapped=3.0))
    assert {pair.group: round(pair.off, 6) for pair in one.pairs} == {"local": 0.1, "link": -0.25}
    before = stranger_judge.baseline(row(), 1.0)
    assert before["mapped"] == pytest.approx(1.02)


@pytest.mark.parametrize(("replayed", "right"), [(1.019, True), (0.97, False)])
def test_a_replay_is_right_within_two_percent(replayed: float, right: bool) -> None:
    assert stranger_judge.judged(row(replayed=replayed)).replay_right == right


@pytest.mark.parametrize(("replayed", "right"), [(1.05, True), (0.96, True), (1.07, False)])
def test_a_replay_may_lie_between_the_runs(replayed: float, right: bool) -> None:
    wide = row(replayed=replayed)
    wide["trace"]["replay"]["untraced"] = [0.95, 1.0, 1.0, 1.0, 1.06]
    assert stranger_judge.judged(wide).replay_right == right


def test_a_program_without_a_measured_style_is_not_compared() -> None:
    """There was no time for any, or none acts on it."""
    given = row(as_is=1.0, managed=1.1)
    given["styles"] = {"managed": style(status="unmeasured")}
    assert not stranger_judge.judged(given).is_compared
    alone = row(as_is=1.0)
    alone["styles"], alone["advice"]["styles"] = {}, {"imposed": []}
    assert stranger_judge.judged(alone).named
    both = [stranger_judge.judged(one) for one in (given, row(as_is=1.0, managed=1.2))]
    assert stranger_report.statistics(both)["best style named, or none matters"] == "1 of 1 (100%)"


def test_could_save_counts_what_copies_take_beyond_earlier_work() -> None:
    given = row()
    given["changes"] = {"staged": style(0.9)}
    given["counts"] = {"pageable_copies": 99.0, "large_pageable_s": 0.5}
    given["copied"] = {"count": 1, "bytes": 2.0**30, "seconds": 0.2}
    (staged,) = stranger_judge.judged(given).changes
    assert staged.could == pytest.approx(0.2 - 2**30 / 46e9)
    given["copied"]["seconds"] = 0.04  # the call waits for a kernel
    assert not stranger_judge.judged(given).changes[0].could


def test_a_replay_may_say_what_stops_it() -> None:
    stopped = row(replayed=2.0)
    stopped["advice"]["stops"] = ["polls mapped memory"]
    assert stranger_judge.judged(stopped).replay_right


@pytest.mark.parametrize(
    ("imposed", "called", "right"),
    [
        ({"as_is": 1.0, "managed": 1.2, "mapped": 3.0}, "as-is", True),
        ({"as_is": 1.0, "managed": 1.2, "mapped": 0.5}, "mapped", False),
        ({"as_is": 1.0, "managed": 1.01, "mapped": 1.02}, "none matters", False),
        ({"as_is": 1.0, "managed": 1.01}, "none matters", True),
        ({}, "not named", False),
    ],
)
def test_the_best_style_is_named(imposed: dict, called: str, right: bool) -> None:
    one = stranger_judge.judged(row(**imposed))
    assert (one.said, one.named) == (called, right)


def test_a_style_of_which_nothing_is_said_may_be_the_best() -> None:
    given = row(as_is=1.0, managed=1.01)
    given["styles"]["mapped"] = style(0.5)
    assert not stranger_judge.judged(given).named


def test_a_style_that_ended_at_its_limit_is_no_pair_and_no_proof() -> None:
    given = row(as_is=1.0, managed=1.0, mapped=1.0)
    given["styles"]["mapped"] = style(status="timeout")
    one = stranger_judge.judged(given)
    assert [pair.style for pair in one.pairs] == ["managed"]
    assert not one.named


def test_a_style_that_ended_at_its_limit_is_slower() -> None:
    given = row(as_is=1.0, managed=1.0, mapped=5.0)
    given["styles"]["mapped"] = style(status="timeout")
    one = stranger_judge.judged(given)
    assert (one.said, one.named) == ("as-is", True)
    del given["styles"]["managed"]
    assert stranger_judge.judged(given).named


@pytest.mark.parametrize(
    ("as_is", "managed", "right"),
    [
        ([0.92, 1.0, 1.1], [0.93, 0.94, 1.05], True),  # 6% apart: 2 ways of 20 at least
        ([0.99, 1.0, 1.1], [0.93, 0.94, 0.95], False),  # 1 way of 20
        ([0.99, 1.0, 1.1], [0.98, 0.97, 0.975], True),  # told apart, but within 3%
        ([0.92, 1.0, 1.1], [0.80, 0.86], False),  # too far apart for noise
    ],
)
def test_styles_that_noise_may_order_are_as_fast(as_is, managed, right: bool) -> None:
    given = row(as_is=1.0, managed=1.2, mapped=3.0)
    given["as_is"] = as_is
    given["styles"]["managed"] = style(*managed)
    assert stranger_judge.judged(given).named == right


def test_the_strict_criterion_has_no_noise() -> None:
    given = row(as_is=1.0, managed=1.2, mapped=3.0)
    given["styles"]["managed"] = style(0.975, 1.1, 0.9)
    one = stranger_judge.judged(given)
    assert (one.named, one.strictly) == (True, False)
    given["styles"]["managed"] = style(0.985, 1.1, 0.9)
    assert stranger_judge.judged(given).strictly


def test_a_saving_may_be_off_by_the_noise_of_its_measurement() -> None:
    given = row()
    given["changes"] = {"staged": style(0.85, 0.9, 0.95)}  # standard error 0.029
    given["advice"] |= {"measured": 1.0, "changes": said(staged=0.95)}
    (staged,) = stranger_judge.judged(given).changes
    assert (staged.right, staged.likely) == (False, True)
    given["advice"]["changes"] = said(staged=0.97)
    assert not stranger_judge.judged(given).changes[0].likely


def test_a_style_that_may_be_slower_matters() -> None:
    given = row(as_is=1.0, managed=1.01)
    given["advice"]["styles"]["imposed"][1]["high"] = 1.5
    assert stranger_judge.judged(given).said == "as-is"


def test_what_is_said_to_be_faster_must_be() -> None:
    assert stranger_judge.judged(row(as_is=1.0, mapped=0.9)).faster_wrong == ["mapped"]
    assert stranger_judge.judged(row(as_is=1.0, mapped=1.1)).faster_wrong == []


def test_savings_of_changes() -> None:
    given = row()
    given["changes"] = {"staged": style(0.8, 0.8), "pooled": style(1.1, 1.1)}
    given["changes"]["staged+pooled"] = style(0.9)
    given["advice"] |= {"measured": 1.0, "changes": said(staged=0.83)}
    given["advice"]["changes"] += [{"style": "staged+pooled", "reason": "", "seconds": 0.5}]
    staged, pooled, both = stranger_judge.judged(given).changes
    assert staged.predicted == pytest.approx(0.17)
    assert staged.right
    assert not staged.loses
    assert pooled.loses
    assert pooled.predicted is None
    assert not both.right


def test_a_slower_change_is_judged_by_its_pairs() -> None:
    given = row()
    given["changes"] = {"staged": style(1.1), "pooled": style(1.1)}
    given["pairs"] = {
        "staged": [[1.1, 0.2, 1.1, 0.2], [1.2, 0.3, 1.0, 0.1], [1.15, 0.25, 1.15, 0.25]] * 2,
        "pooled": [[1.0, 0.2, 1.1, 0.2]] * 6,
    }
    staged, pooled = stranger_judge.judged(given).changes
    assert staged.measured == pytest.approx(0)  # beyond the start of CUDA
    assert not staged.loses
    assert pooled.loses
    assert pooled.error == 0
    given["pairs"] = {"huge": [[1.0, 0.2, 0.9, 0.1]] * 6}  # acts on the start, too
    assert stranger_judge.judged(given).changes[-1].measured == pytest.approx(0.1)


def test_a_change_saves_most_of_what_it_could() -> None:
    """Of a GiB that took 0.2 s: 2^30 / 46e9 s have to stay."""
    given = row()
    given["changes"] = {"staged": style(0.89), "pooled": style(0.95)}
    given["repeated_s"] = 0.04  # less than 5% of the run
    given["counts"] = {
        "pageable_copies": 1.0,
        "large_pageable_bytes": 2.0**30,
        "large_pageable_s": 0.2,
    }
    staged, pooled = stranger_judge.judged(given).changes
    assert staged.could == pytest.approx(0.2 - 2**30 / 46e9)
    assert not staged.is_short
    assert pooled.could == 0
    given["changes"]["staged"] = style(0.91)
    assert stranger_judge.judged(given).changes[0].is_short
    given["pairs"] = {"staged": [[1.0, 0.2, 0.91, 0.2, 0.2, 0.09]] * 6}  # copies alone save enough
    assert not stranger_judge.judged(given).changes[0].is_short


def test_styles_and_trace_of_two_runs_are_one_row() -> None:
    """The trace's run was half as fast: its predictions are ratios."""
    old = row() | {"advice": {}, "trace": {"error": "none"}}
    trace = row(replayed=2.0, as_is=2.0, managed=3.0) | {"as_is": [2.0], "styles": {}}
    trace["trace"]["untraced_seconds"] = trace["advice"]["measured"] = 2.0
    for both in (stranger_table.merged(old, trace), stranger_table.merged(trace, old)):
        one = stranger_judge.judged(both)
        assert one.seconds == pytest.approx(1.0)
        assert one.replayed == pytest.approx(0.0)
        assert [pair.off for pair in one.pairs] == pytest.approx([0.5])


def test_rows_of_several_cards_are_not_merged() -> None:
    with pytest.raises(UsageError, match="H100, H200"):
        stranger_report.report([row(), row(gpu="H200")], None)


def test_the_report_has_both_models_and_a_figure(tmp_path, capsys) -> None:
    rows = [row(f"p{n}", as_is=1.0, managed=1.0 + n / 100, mapped=4.0) for n in range(20)]
    figure = tmp_path / "strangers.svg"
    stranger_report.report(rows, figure)
    printed = capsys.readouterr().out
    assert "9.5%, 17.0% (20 styles)" in printed  # managed: 0 to 19% off
    assert "20 of 20 (100%)" in printed
    assert "H100; watari abc; 20 programs" in printed
    assert "Predicted by watari advise" in figure.read_text()


def test_a_result_file_has_what_the_report_reads(tmp_path, capsys) -> None:
    rows = [
        row(f"p{n}", as_is=1.0, managed=1.0 + n / 100, mapped=4.0)
        | {"machine": "h100", "source": "Toys", "revision": "1", "arguments": "", "edited": "main"}
        for n in range(3)
    ]
    rows[0]["changes"] = {"staged": style(0.8)}
    rows.append(rows[0] | {"name": "no styles", "as_is": [1.0]})
    path = tmp_path / "20261126-strangers.json"
    stranger_result.write(rows, path)
    again = stranger_result.read(path)
    assert [one["name"] for one in again] == ["p0", "p1", "p2"]
    stranger_report.report(rows[:3], None)
    before = capsys.readouterr().out
    stranger_report.report(again, None)
    assert capsys.readouterr().out == before


def test_a_report_needs_rows_of_its_schema(tmp_path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"schema": "other"}\n')
    command = [sys.executable, str(builds.ROOT / "benchmarks" / "strangers.py"), "--report"]
    ended = subprocess.run([*command, str(path)], capture_output=True, text=True)
    assert ended.returncode == 1
    assert "no row of schema" in ended.stderr


def test_a_program_that_takes_longer_has_more_time() -> None:
    clock = stranger_run.Clock(end=140.0, latest=300.0)
    assert clock.of(1.0) == clock
    assert clock.of(13.0).end == 200.0  # a trace of it takes 67 s
    assert clock.of(100.0).end == 300.0


def test_a_run_that_would_end_with_the_time_is_not_begun(monkeypatch) -> None:
    begun: list[list[str]] = []
    monkeypatch.setattr(
        stranger_run.measure, "all_runs", lambda measured, *rest: begun.append(measured.styles)
    )
    learned = SimpleNamespace(ending=SimpleNamespace(seconds=1.0))
    for left, runs in ((1.9, 0), (100.0, 1)):
        end = time.monotonic() + left
        start = stranger_run.Start(("./a.out",), 9.0)
        measured = stranger_run.Measured(start, [], [], learned)
        begun.clear()
        stranger_run.one_round(measured, ["managed"], stranger_run.Clock(end, end), [])
        assert len(begun) == runs
