"""What compare says of what is lost, and the order of its rows."""

from __future__ import annotations

import re

import pytest
import synthetic
from comparing import printed

from watari.report import compare, verdicts
from watari.report.compare import (
    LOST,
    ONLY_NEW,
    exit_code,
)
from watari.results.schema import Results
from watari.results.significance import (
    SAME,
    SLOWER,
)


def test_what_was_ok_and_is_not_measured_is_lost() -> None:
    base, new = synthetic.plain(seed=1), synthetic.plain(seed=2, slower={"copy": 2.0})
    touched = [case for case in new["cases"] if case["case"] == "touch"]
    new["cases"] = [case for case in new["cases"] if case["case"] != "touch"]
    rows = compare.compare(Results.model_validate(base), Results.model_validate(new))
    lost = [row for row in rows if row.verdict == LOST]
    assert {row.case for row in lost} == {"touch"}
    assert {row.note for row in lost} == {"ok in base, not in new"}
    assert SLOWER in {row.verdict for row in rows}
    assert exit_code(rows) == 4  # though something is slower too
    new["missing"] = [
        {"case": c["case"], "parameters": c["parameters"], "trials": 5} for c in touched
    ]
    rows = compare.compare(Results.model_validate(base), Results.model_validate(new))
    assert {row.note for row in rows if row.verdict == LOST} == {
        "ok in base, its run ended before this case"
    }


@pytest.mark.parametrize("status", ["unsupported", "failed", "wrong"])
def test_any_end_but_ok_is_a_loss(status: str) -> None:
    base, new = synthetic.plain(seed=1), synthetic.plain(seed=2)
    new["cases"][0] |= {"status": status, "reason": "gone"}
    new["cases"][0]["trials"] = [synthetic.lost_trial(status, "gone")]
    rows = compare.compare(Results.model_validate(base), Results.model_validate(new))
    assert (rows[0].verdict, rows[0].note) == (LOST, f"ok, now {status}: gone")
    assert exit_code(rows) == 4


def test_unsure_fails_where_that_is_asked_for() -> None:
    rows = compare.compare(synthetic.results(trials=1), synthetic.results(trials=1, seed=2))
    assert exit_code(rows) == 0
    assert exit_code(rows, fail_on_unsure=True) == 3


def test_a_note_of_many_rows_is_printed_once() -> None:
    base, new = synthetic.plain(seed=1), synthetic.plain(seed=2)
    for case in new["cases"][:3]:
        case |= {"status": "unsupported", "reason": "the driver is not loaded"}
        case["trials"] = [synthetic.lost_trial("unsupported", "the driver is not loaded")]
    rows = compare.compare(Results.model_validate(base), Results.model_validate(new))
    assert printed(rows).count("the driver is not loaded") == 1


def test_a_shorter_run_is_compared_and_noted() -> None:
    """A case with fewer samples is compared. If two cases differ only in samples, neither is."""
    base, new = synthetic.results(seed=1), synthetic.plain(seed=2)
    first = new["cases"][0]
    before, first["parameters"]["samples"] = first["parameters"]["samples"], 7
    rows = compare.compare(base, Results.model_validate(new))
    (row,) = (row for row in rows if row.parameters.get("samples") == 7)
    assert (row.verdict, row.note) == (SAME, f"samples {before}, now 7")
    new["cases"].append({**first, "parameters": {**first["parameters"], "samples": 9}})
    doubtful = compare.compare(base, Results.model_validate(new))
    verdicts = [row.verdict for row in doubtful if row.verdict in (LOST, ONLY_NEW)]
    assert verdicts == [LOST, ONLY_NEW, ONLY_NEW]


def test_a_phase_that_new_lacks_is_lost() -> None:
    base, new = synthetic.plain(seed=1), synthetic.plain(seed=2)
    migration = next(c for c in new["cases"] if c["case"] == "migration")
    for trial in migration["trials"]:
        trial["phases"] = trial["phases"][:2]
    rows = compare.compare(Results.model_validate(base), Results.model_validate(new))
    assert [row.part for row in rows if row.verdict == LOST] == ["gpu-2"]


def test_rows_of_a_sweep_name_the_axis_that_was_swept() -> None:
    plain = next(c for c in synthetic.plain()["cases"] if c["case"] == "copy")["parameters"]
    rows = [compare.Row("copy", {**plain, "threads": n}, "", "same") for n in (1, 2)]
    one, two = verdicts.labels(rows)
    assert one.endswith(" threads=1")
    assert two.endswith(" threads=2")
    assert "threads" not in verdicts.labels(rows[:1])[0]
    assert verdicts.labels(rows[:1], among=rows) == [one]


def test_what_alarms_comes_last() -> None:
    """On a terminal the last lines stay visible."""
    new = synthetic.results(seed=2, slower={"copy": 1.6})
    new.cases.remove(next(c for c in new.cases if c.case == "touch" and c.status == "ok"))
    text = printed(compare.compare(synthetic.results(seed=1), new))
    lines = text.strip().splitlines()
    at = {
        word: [i for i, line in enumerate(lines[:-1]) if re.search(rf" {word}( |$)", line)]
        for word in ("same", "slower", "lost")
    }
    assert max(at["same"]) < min(at["slower"])
    assert max(at["slower"]) < min(at["lost"])
    assert re.fullmatch(r"1 lost, \d+ slower, .*", lines[-1])


def test_a_ratio_beyond_reading_is_bounded() -> None:
    assert [verdicts.ratio_text(r) for r in (1e-9, 0.5, 5e20)] == ["<0.001", "0.500", ">1000"]
