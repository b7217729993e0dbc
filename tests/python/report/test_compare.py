"""Verdicts on synthetic runs with and without a shift, and how often chance causes one."""

from __future__ import annotations

import numpy as np
import pytest
import synthetic
from comparing import printed, words
from hypothesis import given
from hypothesis import strategies as st

from watari.report import compare, verdicts
from watari.report.compare import (
    CHANGED,
    LOST,
    ONLY_BASE,
    ONLY_NEW,
    Comparison,
    Row,
    exit_code,
)
from watari.results.schema import Results
from watari.results.significance import (
    FASTER,
    SAME,
    SLOWER,
    UNSURE,
    Judgement,
    discoveries,
    judge,
    trials_needed,
    verdict,
)

medians = st.lists(st.floats(1e-6, 1e3), min_size=1, max_size=10)


def test_the_run_with_fewer_trials_says_whether_more_would_decide() -> None:
    row = compare.compare(synthetic.results(seed=1), synthetic.results(seed=2))[0]
    unsure = Judgement(1.0, (0.9, 1.1), 1.0, 1.0, 0.02)  # three trials would do
    for levels in (([1.0] * 2, [1.0] * 9), ([1.0] * 9, [1.0] * 2)):
        found = compare.settled(row, levels, unsure, False, False, 0.05)
        assert "2 trials are too few: trials=3 may decide" in found.note
    assert "too few" not in compare.settled(row, ([1.0] * 3,) * 2, unsure, False, False, 0.05).note


def test_without_a_shift_all_is_the_same() -> None:
    rows = compare.compare(synthetic.results(seed=1), synthetic.results(seed=2))
    assert {row.verdict for row in rows if row.base} == {SAME}
    assert exit_code(rows) == 0


def test_shifts_are_detected() -> None:
    rows = compare.compare(
        synthetic.results(seed=1), synthetic.results(seed=2, slower={"copy": 1.15, "touch": 0.85})
    )
    assert words(rows, "copy") == {SLOWER}
    assert words(rows, "touch") == {FASTER}
    assert words(rows, "access") == {SAME}
    assert exit_code(rows) == 3


def test_the_threshold_decides_what_matters() -> None:
    base, new = (
        synthetic.results(seed=1, trials=8),
        synthetic.results(seed=2, trials=8, slower={"copy": 1.1}),
    )
    assert words(compare.compare(base, new, threshold=0.02), "copy") == {SLOWER}
    assert words(compare.compare(base, new, threshold=0.2), "copy") == {SAME}


def test_the_other_way_round() -> None:
    base, new = synthetic.results(seed=1), synthetic.results(seed=2, slower={"copy": 1.15})
    forth, back = compare.compare(base, new), compare.compare(new, base)
    opposite = {SLOWER: FASTER, FASTER: SLOWER}
    for row, other in zip(forth, back, strict=True):
        assert other.verdict == opposite.get(row.verdict, row.verdict)
        if row.ratio and other.ratio and row.interval and other.interval:
            assert row.ratio * other.ratio == pytest.approx(1)
            assert row.interval[0] * other.interval[1] == pytest.approx(1)


def test_every_phase_is_judged() -> None:
    base, new = synthetic.results(seed=1), synthetic.plain(seed=2)
    migration = next(c for c in new["cases"] if c["case"] == "migration")
    for trial in migration["trials"]:
        trial["host_s"][100:200] = [1.3 * s for s in trial["host_s"][100:200]]
    rows = compare.compare(base, Results.model_validate(new))
    by_part = {row.part: row.verdict for row in rows if row.case == "migration"}
    assert by_part == {"gpu-1": SAME, "cpu": SLOWER, "gpu-2": SAME}


def test_one_trial_each_is_no_evidence() -> None:
    rows = compare.compare(
        synthetic.results(trials=1), synthetic.results(trials=1, seed=2, slower={"copy": 1.5})
    )
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
    assert (rows[0].verdict, rows[0].note) == (LOST, "ok, now failed: killed by SIGSEGV")
    assert exit_code(rows) == 4
    repaired = compare.compare(Results.model_validate(new), Results.model_validate(base))
    assert repaired[0].verdict == CHANGED
    assert exit_code(repaired) == 0
    assert {r.note: r.verdict for r in rows if r.note.endswith("in both")} == {
        "unsupported in both": SAME,
        "wrong in both": UNSURE,
        "failed in both": UNSURE,
    }


def test_another_machine() -> None:
    """Threads depend on the machine and are matched. The machine and missing cases are named."""
    other = synthetic.plain(synthetic.cpu_machine(), seed=2)
    for case in other["cases"]:
        case["parameters"]["threads"] = 2
    rows = compare.compare(synthetic.results(seed=1), Results.model_validate(other))
    measured = [row for row in rows if row.base]
    assert len(measured) == 3
    assert {row.note for row in measured} == {"threads 16, now 2"}
    assert {row.verdict for row in rows if not row.base} == {LOST, ONLY_BASE}
    assert exit_code(rows) == 4
    back = compare.compare(Results.model_validate(other), synthetic.results(seed=1))
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
    text = printed(
        compare.compare(
            synthetic.results(seed=1), synthetic.results(seed=2, slower={"migration": 1.3})
        )
    )
    assert "migration managed 1GiB, cpu" in text
    assert "GB/s" in text
    assert "3 slower" in text
    assert "machine:" not in text
    assert printed(Comparison()).strip().endswith("nothing to compare")
    assert printed(compare.compare(synthetic.results(), synthetic.results(seed=2)), width=80)


def test_each_sample_has_the_unit_of_its_case() -> None:
    chase = Row("latency", {}, "", SAME, bytes_per_sample=8 * 10**6)
    assert verdicts.speed(chase, 0.1) == "100 ns"
    assert verdicts.speed(Row("touch", {}, "", SAME), 0.25) == "0.25 s"


def test_a_case_of_another_version_is_shown_in_full() -> None:
    row = Row("himeno", {"grid": "XL", "beam": "wide"}, "", ONLY_BASE)
    assert verdicts.labels([row])[0] == "himeno grid=XL beam=wide"


def test_runs_with_nothing_in_them() -> None:
    empty = Results.model_validate(synthetic.plain() | {"cases": []})
    assert compare.compare(empty, empty) == []
    assert {row.verdict for row in compare.compare(empty, synthetic.results())} == {ONLY_NEW}


# --- chance ---------------------------------------------------------------------------------


def test_too_few_trials_say_how_many_may_decide() -> None:
    """With the advised number of trials most tables decide."""
    judgement = judge([0.9, 1.0, 1.1], [1.08, 1.2, 1.32])
    assert verdict(judgement, slower=True, faster=True)[0] == UNSURE
    needed = trials_needed(judgement)
    assert needed
    assert 5 < needed < 50
    rng = np.random.default_rng(18)
    times = np.exp(rng.normal(0, judgement.scatter, (200, 2, needed)))
    words = [verdict(judge(a, 1.2 * b), slower=True, faster=True)[0] for a, b in times]
    assert np.mean([word != UNSURE for word in words]) > 0.7
    rows = compare.compare(synthetic.results(trials=1), synthetic.results(trials=2, seed=2))
    assert not any("one trial each" in row.note for row in rows)
    assert trials_needed(Judgement(1 / 1.05, (0.9, 1.0), 0.5, 1.0, 0.1)) is None  # at the threshold
    assert trials_needed(Judgement(1.0, None, 1.0, 1.0)) is None


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


def test_discoveries() -> None:
    """The example of Benjamini and Hochberg 1995, section 3.2: four of fifteen at 5%."""
    example = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240]
    example += [0.4262, 0.5719, 0.6528, 0.7590, 1.0000]
    assert sum(discoveries(example, 0.05)) == 4
    assert discoveries(example[::-1], 0.05)[-4:] == [True] * 4
    assert discoveries([0.02] * 13) == [True] * 13  # all alike: all or none
    assert discoveries([]) == []
