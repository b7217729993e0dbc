"""Case atomic as it is run: small trials on this machine, words and its figure."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from asked import CPU, GPU, request, rows_for_vega

from watari import cases
from watari.cases.atomic import case as row
from watari.cases.atomic import words
from watari.cases.atomic.answer import answer
from watari.common.errors import UnsupportedError, UsageError
from watari.plan.request import describe
from watari.results.measured import Measured

native = pytest.importorskip("watari._native")

one = partial(request, "atomic", samples=3, updates=10_000)


def run(**given: Any) -> dict[str, Any]:
    trial = cases.CASES["atomic"].run(one(**given).parameters)
    assert trial["verified"] is True
    assert len(trial["host_s"]) == 3
    return trial


@pytest.mark.parametrize("contention", ["counter", "histogram", "none"])
@pytest.mark.parametrize("threads", ["1", "2", "3"])
def test_updates_of_the_cpu(contention: str, threads: str) -> None:
    trial = run(processor="cpu", contention=contention, threads=threads)
    each = trial["quantities"]["update_s"]["value"]
    assert each == pytest.approx(np.median(trial["host_s"]) / 10_000)
    counters = {"counter": 8, "histogram": 8 * 256, "none": 128 * int(threads)}[contention]
    assert trial["residency_after"]["counters"]["bytes"] == counters
    assert row.profile(one(contention=contention, threads=threads).parameters).footprint == {
        "pageable": counters
    }


@pytest.mark.skipif(bool(native.gpus()["gpus"]), reason="there is a GPU")
@pytest.mark.parametrize("memory", ["pinned", "managed", "system"])
def test_without_a_gpu_both_processors_are_unsupported(memory: str) -> None:
    with pytest.raises(UnsupportedError, match=r"GPU|CUDA"):
        run(processor="gpu", together=True, memory=memory)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"together": "yes"}, "add processor=gpu"),
        ({"bins": "3"}, "not a power of two"),
        ({"updates": "0"}, "not a whole number from 1"),
        ({"contention": "histgram"}, "did you mean 'histogram'"),
    ],
)
def test_what_cannot_be_meant_is_refused(given: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        one(**given)


def test_what_is_given_settles_the_rest() -> None:
    assert one(bins="64").parameters["contention"] == "histogram"
    assert one(GPU, together="yes").parameters["memory"] == "managed"
    assert one(GPU).parameters["memory"] == "device"
    assert one(CPU).parameters["memory"] == "pageable"
    assert describe(one(GPU, together="yes")) == (
        "atomic gpu managed counter together=yes updates=10000"
    )


def test_both_processors_make_their_updates() -> None:
    both = one(GPU, together="yes", contention="none").parameters
    threads = both["threads"]
    assert row.profile(both).bytes_per_sample == 2 * 8 * 10_000
    assert row.profile(both).footprint == {"managed": 128 * (10_000 + threads)}
    assert [a.processor for a in row.profile(both).phases[0].accesses] == ["gpu", "cpu"]


def measured(machine: dict[str, Any], million: float, **given: Any) -> Measured:
    """A case of `million` million updates a second. Beside a GPU the CPU takes half as long."""
    parameters = one(machine, **given).parameters
    moved = row.profile(parameters).bytes_per_sample
    seconds = moved / row.COUNTER / million / 1e6
    series = {"cpu_s": [seconds / 2] * 3, "gpu_s": [seconds] * 3}
    trial = {"host_s": [seconds] * 3, "device_s": None}
    return Measured(
        run="here",
        machine=machine,
        case="atomic",
        parameters=parameters,
        status="ok",
        reason="",
        flags=[],
        trials=[{**trial, **({"series": series} if parameters["together"] else {})}] * 2,
        planned=2,
        bytes_per_sample=moved,
        flops_per_sample=0,
        file=0,
    )


@pytest.fixture
def counted() -> list[Measured]:
    return [
        measured(CPU, 30),
        measured(CPU, 200, contention="histogram"),
        measured(CPU, 900, contention="none"),
        measured(GPU, 2000),
        measured(GPU, 1, together="yes"),
    ]


def test_numbers_are_updates_a_second(counted: list[Measured]) -> None:
    (table,) = words.PRESENTATION.tables(counted)
    assert [r["Updates a second"] for r in table.rows] == ["30M", "200M", "900M", "2G", "1M"]
    both = table.rows[-1]
    assert (both["of the CPU"], both["of the GPU"]) == ("1M", "500k")
    assert table.rows[0]["of the CPU"] == ""
    texts = [words.words(m.case, m.parameters) for m in counted]
    assert texts[0] == "CPU adds to one counter"
    assert texts[1] == "CPU adds to 256 bins"
    assert texts[4] == "GPU adds to one counter, with the CPU at once, managed memory"
    assert words.million(1e-3, 8 * 10_000) == pytest.approx(10)


def test_the_answer_is_a_counter_each_where_one_is_clearly_slower(
    counted: list[Measured],
) -> None:
    (said,) = answer(counted[:3])
    assert said.line() == (
        "Counted by many threads: a counter for each thread, added up at the end: 2 threads of "
        "the CPU then make 900M updates a second, and 30M with one counter for all. "
        "(95%: 30M–30M updates/s, 2 trials)"
    )
    assert said.figure == "30M updates/s"
    (said,) = answer([measured(CPU, 30), measured(CPU, 31, contention="none")])
    assert said.text.startswith("one counter for all costs little")


def test_the_answer_names_what_both_processors_reach_at_once(counted: list[Measured]) -> None:
    pinned = measured(GPU, 12, together="yes", memory="pinned")
    (said,) = answer([*counted, pinned, measured(GPU, 2500, contention="none")])
    assert "threads of the GPU make 2G updates a second of it, and 2.5G" in said.text
    assert said.crossover == (
        "Both processors at once, with 10016 threads, update one counter 12M times a second in "
        "pinned memory, 1M times a second in managed memory."
    )
    (said,) = answer([pinned])
    assert (said.figure, said.crossover) == ("12M updates/s", "")
    assert answer([measured(CPU, 200, contention="histogram")]) == []


def test_a_dot_is_a_case_in_the_row_of_its_processor(counted: list[Measured]) -> None:
    figures = pytest.importorskip("watari.cases.atomic.figures")  # with the extra `report`
    ((_, chart, _),) = figures.by_contention(counted)
    rows = rows_for_vega(figures.FIGURES[0], chart)
    assert {r["who"] for r in rows} == {"CPU, pageable", "GPU, device", "GPU + CPU, managed"}
    assert {r["rate"] for r in rows if r["who"] == "CPU, pageable"} == {30, 200, 900}


@pytest.mark.gpu
@pytest.mark.parametrize("contention", ["counter", "histogram", "none"])
@pytest.mark.parametrize("memory", ["device", "pinned", "managed", "system"])
@pytest.mark.parametrize("together", [False, True])
def test_on_a_gpu(memory: str, contention: str, together: bool) -> None:
    try:
        trial = run(processor="gpu", memory=memory, contention=contention, together=together)
    except UnsupportedError as error:
        pytest.skip(str(error))
    assert (trial["device_s"] is None) is together
    assert ("cpu_s" in (trial["series"] or {})) is together
