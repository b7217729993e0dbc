"""The answer: figures, confidence and crossovers are those of the results, and nothing else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import synthetic

from watari.case.sentence import (
    NOTHING,
    TOPICS,
    Cost,
    Option,
    Sentence,
    from_pass,
    ordinal,
    pays_from,
)
from watari.model.answer import answer
from watari.results import schema
from watari.results.schema import Results

RESULTS = Path(__file__).parents[3] / "results"


def option(setup: float, each: float, unsure: float = 0.0) -> Option:
    """An option with these seconds per GB, each uncertain by the fraction `unsure`."""

    def around(value: float) -> Cost:
        return Cost(value, value * (1 - unsure), value * (1 + unsure))

    return Option("", around(setup) if setup else NOTHING, around(each), 3)


@pytest.mark.parametrize(("number", "text"), [(1, "1st"), (2, "2nd"), (11, "11th"), (23, "23rd")])
def test_ordinals(number: int, text: str) -> None:
    assert ordinal(number) == text


@pytest.mark.parametrize(
    ("setup", "each", "slow", "expected"),
    [(0.5, 0.1, 1.0, 1), (1.0, 0.1, 1.0, 2), (3.0, 0.5, 1.0, 7), (1.0, 1.0, 0.9, None)],
)
def test_a_crossover_is_the_first_pass_that_wins(
    setup: float, each: float, slow: float, expected: int | None
) -> None:
    in_place, ahead = option(0, slow), option(setup, each)
    found = pays_from(in_place, ahead)
    assert (found and found[0]) == expected
    if expected:
        assert ahead.total(expected).middle < in_place.total(expected).middle
        assert (
            expected == 1 or ahead.total(expected - 1).middle >= in_place.total(expected - 1).middle
        )


def test_an_unsure_crossover_is_a_range() -> None:
    assert from_pass(option(0, 1.0), option(1.2, 0.5)) == "from the 3rd pass on"
    wide = from_pass(option(0, 1.0, 0.1), option(1.2, 0.5, 0.1))
    assert wide == "from the 2nd to 4th pass on"
    assert from_pass(option(0, 1.0, 0.4), option(1.2, 0.7, 0.4)).endswith("but this is not certain")
    assert from_pass(option(0, 1.0), option(1.2, 1.5)) == ""


def by_topic(results: Results) -> dict[str, Sentence]:
    return {sentence.topic: sentence for sentence in answer([results])}


def with_in_place(rate: float) -> Results:
    """A GPU machine whose GPU reads pinned memory in place at this rate."""
    made = synthetic.plain()
    rng = np.random.default_rng(1)
    made["cases"].append(
        synthetic.copy_case(rng, "pinned", "device", synthetic.GIB, rate, 5, means="kernel")
    )
    return Results.model_validate(made)


@pytest.mark.parametrize(("rate", "moment"), [(50e9, "2nd"), (20e9, "1st")])
def test_the_crossover_of_a_prefetch_follows_the_measured_rates(rate: float, moment: str) -> None:
    said = by_topic(with_in_place(rate))["again"]
    assert said.figure in ("4.25 TB/s", "4.26 TB/s")  # 4.25e12 and noise
    assert f"a prefetch of managed memory (48.9 GB/s) pays from the {moment} pass on" in (
        said.crossover
    )
    assert "5 trials" in said.confidence


def test_data_that_are_used_once_stay_where_the_single_pass_is_fastest() -> None:
    assert by_topic(with_in_place(60e9))["once"].text.startswith("pinned memory, read in place")
    assert by_topic(with_in_place(20e9))["once"].text.startswith("GPU memory, copied")


def test_a_flagged_or_wrong_rate_is_no_figure() -> None:
    made = with_in_place(5e12).as_dict()
    made["cases"][-1]["flags"] = ["above-limit"]
    said = by_topic(Results.model_validate(made))
    assert "read in place" not in said["once"].text


def test_a_single_trial_is_named() -> None:
    made = synthetic.plain(trials=1)
    said = by_topic(Results.model_validate(made))
    assert {said[t].confidence for t in ("once", "turns", "larger", "files")} == {"a single trial"}


def test_trials_that_scatter_too_much_are_too_few() -> None:
    made = synthetic.plain(synthetic.cpu_machine(), trials=2)
    for i, trial in enumerate(made["cases"][-1]["trials"]):
        trial["host_s"] = [(1 + i) * s for s in trial["host_s"]]
    said = by_topic(Results.model_validate(made))
    assert said["cpu-again"].confidence == "2 trials are too few for an interval"


def test_a_machine_without_a_gpu_answers_for_its_cpu_and_says_why_no_more() -> None:
    lines = [s.line() for s in answer([synthetic.results(synthetic.cpu_machine())])]
    assert lines[0].startswith("Used again and again by the CPU: parts that fit its caches")
    assert any("memories of a GPU: no GPU driver" in line for line in lines)
    assert not any("GPU memory," in line for line in lines)


def test_what_was_not_measured_is_named_with_its_command() -> None:
    made = synthetic.plain()
    made["cases"] = [c for c in made["cases"] if c["case"] == "copy"]
    *said, last = answer([Results.model_validate(made)])
    assert said
    assert last.title == "Not measured here"
    assert "used by both processors in turn" in last.text
    assert "`watari run`" in last.text


def test_nothing_measured_says_nothing() -> None:
    made: dict[str, Any] = synthetic.plain()
    made["cases"] = [c for c in made["cases"] if c["status"] == "unsupported"]
    assert answer([Results.model_validate(made)]) == []
    assert answer([Results.model_validate(made | {"cases": []})]) == []


def test_a_stored_run_of_a_gpu_machine_gives_four_to_six_sentences() -> None:
    stored = schema.read(sorted(RESULTS.glob("nvidia-h200-*/*-standard.json"))[-1])
    said = by_topic(stored)
    assert 4 <= len(said) <= 7
    assert said["again"].figure == "4.25 TB/s"
    assert "a prefetch of managed memory (47.7 GB/s) pays from the 2nd pass on" in (
        said["again"].crossover
    )
    assert "7.4 times slower than from pinned memory" in said["slow"].text


def test_needs_no_more_than_running_does() -> None:
    code = (
        "import sys; import watari.cli.summary, watari.model.answer; "
        "from watari.model.answer import answer; "
        f"from watari.results import schema; answer([schema.read({str(newest())!r})]); "
        "print([m for m in ('pandas', 'altair', 'jinja2', 'vl_convert') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def newest() -> Path:
    return sorted(RESULTS.glob("nvidia-h200-*/*-standard.json"))[-1]


def test_several_runs_answer_from_cases_with_an_interval() -> None:
    files = ("standard", "gh200-sam", "miyabi-memory")  # the last two have single trials of 8 GB
    runs = [schema.read(RESULTS / "nvidia-h200-x86_64" / f"20261121-{f}.json") for f in files]
    said = [sentence.line() for sentence in answer(runs)]
    assert len(said) >= 5
    assert not [line for line in said if "single trial" in line]


def test_ways_whose_names_have_commas_are_told_apart() -> None:
    said = {s.topic: s for s in answer([schema.read(newest())])}
    assert (
        "pinned memory, read in place (50.6 GB/s); managed memory, prefetched ("
        in said["once"].text
    )


def test_a_cpu_is_answered_for_before_its_disk() -> None:
    order = list(TOPICS)
    assert order.index("cpu-again") < order.index("cpu-once") < order.index("files")


def test_the_place_is_not_followed_by_another_colon() -> None:
    """`Used once by the CPU: memory that ..., where a pass runs at ...`"""
    lines = [s.line() for s in answer([synthetic.results(synthetic.cpu_machine())])]
    of_cpu = [line for line in lines if "by the CPU: " in line]
    assert of_cpu
    assert not [line for line in of_cpu if line.partition(" (arrays")[0].count(": ") > 1]
