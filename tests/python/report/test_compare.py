"""Verdicts on synthetic runs with and without a shift, and how often chance makes one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import synthetic
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from watari.report import compare
from watari.report.compare import CHANGED, ONLY_BASE, ONLY_NEW, Comparison, Row, exit_code
from watari.results.schema import Results
from watari.results.significance import (
    FASTER,
    SAME,
    SLOWER,
    UNSURE,
    Judgement,
    holm,
    judge,
    verdict,
)

medians = st.lists(st.floats(1e-6, 1e3), min_size=1, max_size=10)


def run(**given: Any) -> Results:
    return synthetic.results(**given)


def verdicts(rows: Comparison, case: str) -> set[str]:
    return {row.verdict for row in rows if row.case == case and row.base}


def printed(rows: Comparison, width: int = 160) -> str:
    console = Console(width=width, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    console.print(compare.render(rows))
    return console.export_text()


def test_without_a_shift_all_is_the_same() -> None:
    rows = compare.compare(run(seed=1), run(seed=2))
    assert {row.verdict for row in rows if row.base} == {SAME}
    assert exit_code(rows) == 0


def test_shifts_are_detected() -> None:
    rows = compare.compare(run(seed=1), run(seed=2, slower={"copy": 1.15, "touch": 0.85}))
    assert verdicts(rows, "copy") == {SLOWER}
    assert verdicts(rows, "touch") == {FASTER}
    assert verdicts(rows, "access") == {SAME}
    assert exit_code(rows) == 3


def test_the_threshold_decides_what_matters() -> None:
    base, new = run(seed=1, trials=8), run(seed=2, trials=8, slower={"copy": 1.1})
    assert verdicts(compare.compare(base, new, threshold=0.02), "copy") == {SLOWER}
    assert verdicts(compare.compare(base, new, threshold=0.2), "copy") == {SAME}


def test_the_other_way_round() -> None:
    base, new = run(seed=1), run(seed=2, slower={"copy": 1.15})
    forth, back = compare.compare(base, new), compare.compare(new, base)
    opposite = {SLOWER: FASTER, FASTER: SLOWER}
    for row, other in zip(forth, back, strict=True):
        assert other.verdict == opposite.get(row.verdict, row.verdict)
        if row.ratio and other.ratio and row.interval and other.interval:
            assert row.ratio * other.ratio == pytest.approx(1)
            assert row.interval[0] * other.interval[1] == pytest.approx(1)


def test_every_phase_is_judged() -> None:
    base, new = run(seed=1), synthetic.plain(seed=2)
    migration = next(c for c in new["cases"] if c["case"] == "migration")
    for trial in migration["trials"]:
        trial["host_s"][100:200] = [1.3 * s for s in trial["host_s"][100:200]]
    rows = compare.compare(base, Results.model_validate(new))
    verdicts = {row.part: row.verdict for row in rows if row.case == "migration"}
    assert verdicts == {"gpu-1": SAME, "cpu": SLOWER, "gpu-2": SAME}


def test_one_trial_each_is_no_evidence() -> None:
    rows = compare.compare(run(trials=1), run(trials=1, seed=2, slower={"copy": 1.5}))
    judged = [row for row in rows if row.base]
    assert {row.verdict for row in judged} == {UNSURE}
    assert all(row.interval is None and "one trial each" in row.note for row in judged)


def test_one_trial_against_many_takes_their_scatter() -> None:
    judgement = judge([1.0, 1.01, 0.99, 1.0, 1.005], [1.5])
    assert verdict(judgement, slower=True, faster=False) == (SLOWER, "")
    noise = judge([1.0, 1.3, 0.8, 1.1, 0.9], [1.2])
    assert verdict(noise, slower=True, faster=True)[0] == UNSURE


def test_statuses() -> None:
    base, new = synthetic.plain(seed=1), synthetic.plain(seed=2)
    broken = new["cases"][0]
    broken["trials"][0] = synthetic.lost_trial("failed", "killed by SIGSEGV")
    broken |= {"status": "failed", "reason": "killed by SIGSEGV"}
    rows = compare.compare(Results.model_validate(base), Results.model_validate(new))
    assert (rows[0].verdict, rows[0].note) == (CHANGED, "ok, now failed: killed by SIGSEGV")
    assert exit_code(rows) == 1
    repaired = compare.compare(Results.model_validate(new), Results.model_validate(base))
    assert repaired[0].verdict == CHANGED
    assert exit_code(repaired) == 0
    assert {r.note: r.verdict for r in rows if r.note.endswith("in both")} == {
        "unsupported in both": SAME,
        "wrong in both": UNSURE,
        "failed in both": UNSURE,
    }


def test_another_machine() -> None:
    """Threads are the machine's own and are matched; what a machine lacks is named; so is it."""
    other = synthetic.plain(synthetic.cpu_machine(), seed=2)
    for case in other["cases"]:
        case["parameters"]["threads"] = 2
    rows = compare.compare(run(seed=1), Results.model_validate(other))
    measured = [row for row in rows if row.base]
    assert len(measured) == 3
    assert {row.note for row in measured} == {"threads 16, now 2"}
    assert {row.verdict for row in rows if not row.base} == {ONLY_BASE}
    back = compare.compare(Results.model_validate(other), run(seed=1))
    assert {row.verdict for row in back if not row.base} == {ONLY_NEW}
    text = printed(rows)
    assert "machine: h200-x86, now epyc-2core" in text
    assert "driver: 580.95.05, now none" in text


def test_the_same_case_twice_has_more_trials() -> None:
    base, new = synthetic.plain(seed=1, trials=1), synthetic.plain(seed=2, trials=1)
    for run_ in (base, new):
        run_["cases"] = run_["cases"][:1] + synthetic.plain(seed=3, trials=4)["cases"][:1]
    rows = compare.compare(Results.model_validate(base), Results.model_validate(new))
    assert [row.verdict for row in rows] == [SAME]


def test_what_the_table_says() -> None:
    text = printed(compare.compare(run(seed=1), run(seed=2, slower={"migration": 1.3})))
    assert "migration managed 1GiB, cpu" in text
    assert "GB/s" in text
    assert "3 slower" in text
    assert "machine:" not in text
    assert printed(Comparison()).strip().endswith("nothing to compare")
    assert printed(compare.compare(run(), run(seed=2)), width=80)


def test_a_case_of_another_version_is_shown_in_full() -> None:
    row = Row("himeno", {"grid": "XL", "beam": "wide"}, "", ONLY_BASE)
    assert compare.label(row) == "himeno grid=XL beam=wide"


def test_runs_with_nothing_in_them() -> None:
    empty = Results.model_validate(synthetic.plain() | {"cases": []})
    assert compare.compare(empty, empty) == []
    assert {row.verdict for row in compare.compare(empty, run())} == {ONLY_NEW}


# --- chance ---------------------------------------------------------------------------------


def alarm(base: Any, new: Any) -> tuple[str, ...]:
    """Verdicts on a table of trial medians, a row for each case."""
    judgements = [judge(a, b) for a, b in zip(base, new, strict=True)]
    slower, faster = holm([f.slower for f in judgements]), holm([f.faster for f in judgements])
    return tuple(verdict(f, s, q)[0] for f, s, q in zip(judgements, slower, faster, strict=True))


@pytest.mark.parametrize("trials", [2, 3, 5, 10])
@pytest.mark.parametrize("spread", [0.005, 0.02, 0.1, 0.3])
def test_noise_is_seldom_slower(trials: int, spread: float) -> None:
    """40 cases that do not change: in how many tables is any of them slower (or faster)?"""
    rng = np.random.default_rng(11)
    tables = [alarm(*np.exp(rng.normal(0, spread, (2, 40, trials)))) for _ in range(100)]
    assert np.mean([SLOWER in table for table in tables]) <= 0.025 + 0.047  # three errors
    assert np.mean([FASTER in table for table in tables]) <= 0.025 + 0.047


@pytest.mark.parametrize("trials", [3, 5, 10])
def test_drifting_levels_are_seldom_slower(trials: int) -> None:
    """Trials that follow each other resemble each other, as on a machine that warms up."""
    rng = np.random.default_rng(12)
    tables = [
        alarm(*([synthetic.levels(trials, rng, 0.02) for _ in range(40)] for _ in range(2)))
        for _ in range(100)
    ]
    assert np.mean([SLOWER in table for table in tables]) <= 0.025 + 0.047


@pytest.mark.parametrize("trials", [3, 5, 10])
def test_a_change_at_the_margin_is_seldom_called_the_same_or_slower(trials: int) -> None:
    """At the very threshold both verdicts are wrong in at most 2.5%."""
    rng = np.random.default_rng(13)
    judgements = [
        judge(np.exp(rng.normal(0, 0.02, trials)), 1.05 * np.exp(rng.normal(0, 0.02, trials)))
        for _ in range(3000)
    ]
    words = [verdict(f, slower=True, faster=True)[0] for f in judgements]
    assert words.count(SLOWER) / 3000 <= 0.025 + 0.009
    assert words.count(SAME) / 3000 <= 0.025 + 0.009


@pytest.mark.parametrize(("trials", "slower"), [(3, 1.3), (5, 1.12), (10, 1.09)])
def test_a_real_change_is_detected_among_forty(trials: int, slower: float) -> None:
    """With levels that scatter by 1%, the changes that each number of trials can detect."""
    rng = np.random.default_rng(14)
    times = np.exp(rng.normal(0, 0.01, (100, 2, 40, trials)))
    times[:, 1, 0] *= slower
    assert np.mean([alarm(*table)[0] == SLOWER for table in times]) > 0.8


@given(medians, medians)
def test_any_trials(base: list[float], new: list[float]) -> None:
    judgement = judge(base, new)
    assert judgement.ratio == pytest.approx(np.median(base) / np.median(new))
    if judgement.interval is None:
        assert len(base) == len(new) == 1
    else:
        low, high = judgement.interval
        assert low * (1 - 1e-9) <= judgement.ratio <= high * (1 + 1e-9)
    assert 0 <= judgement.slower <= 1
    assert 0 <= judgement.faster <= 1


def test_exact_data() -> None:
    assert judge([1.0, 1.0], [1.0, 1.0]) == Judgement(1.0, (1.0, 1.0), 1.0, 1.0)
    assert judge([1.0, 1.0], [2.0, 2.0]) == Judgement(0.5, (0.5, 0.5), 0.0, 1.0)


def test_holm() -> None:
    """The example of Holm 1979 in short: 0.05 over 4, 3, 2, 1."""
    assert holm([0.01, 0.04, 0.03, 0.005], 0.05) == [True, False, False, True]
    assert holm([0.0125, 0.016, 0.025, 0.05], 0.05) == [True] * 4
    assert holm([], 0.05) == []
