"""Figure and words of case latency, from made-up trials."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from asked import CPU, GPU, request, rows_for_vega

from watari import cases
from watari.cases.latency import figures, words
from watari.cases.latency.answer import answer
from watari.cases.latency.case import POINTER, STEPS
from watari.results import published
from watari.results.measured import Measured

(FIGURE,) = figures.FIGURES
rows = partial(rows_for_vega, FIGURE)


def measured(machine: dict[str, Any], ns: float, trials: int = 2, **given: Any) -> Measured:
    """A case whose loads take `ns`; each trial is a percent longer than the previous one."""
    times = [[ns * 1e-9 * STEPS * (1 + 0.01 * i)] * 3 for i in range(trials)]
    return Measured(
        run="here",
        machine=machine,
        case="latency",
        parameters=request("latency", machine, samples=3, **given).parameters,
        status="ok" if trials else "unsupported",
        reason="" if trials else "not here",
        flags=[],
        trials=[{"host_s": t, "device_s": None} for t in times],
        planned=trials,
        bytes_per_sample=POINTER * STEPS if trials else 0,
        flops_per_sample=0,
        file=0,
    )


@pytest.fixture
def chased() -> list[Measured]:
    cpu = {"processor": "cpu"}
    return [
        measured(CPU, 1.5, size="4KiB", **cpu),
        measured(CPU, 90, size="256MiB", **cpu),
        measured(CPU, 80, size="256MiB", thp="always", **cpu),
        measured(GPU, 20, size="16KiB"),
        measured(GPU, 350, size="256MiB"),
        measured(GPU, 1300, size="256MiB", memory="pinned"),
        measured(GPU, 0, trials=0, size="256MiB", memory="system"),
    ]


def test_a_processor_has_a_chart_with_a_line_a_memory(chased: list[Measured]) -> None:
    drawn = figures.over_size(chased)
    assert [title for title, _, _ in drawn] == ["One thread of CPU", "One thread of GPU"]
    cpu, gpu = (rows(chart) for _, chart, _ in drawn)
    assert {r["path"] for r in cpu if "path" in r} == {"pageable", "pageable, huge pages always"}
    assert {r["path"] for r in gpu if "path" in r} == {"device", "pinned"}


def test_a_point_is_nanoseconds_at_its_size(chased: list[Measured]) -> None:
    (_, chart, _), _ = figures.over_size(chased)
    (point,) = (r for r in rows(chart) if r.get("at") == 4096 and "label" not in r)
    assert point["low"] == pytest.approx(1.5)
    assert point["rate"] == pytest.approx(1.5 * 1.005, rel=1e-3)
    assert point["high"] == pytest.approx(1.5 * 1.01, rel=1e-3)


def test_the_caches_of_the_processor_are_marked(chased: list[Measured]) -> None:
    cpu, gpu = (rows(chart) for _, chart, _ in figures.over_size(chased))
    assert [r["at"] for r in cpu if r.get("name") == "L3 32 MiB"] == [2**25]
    l2 = GPU["processors"][1]["l2_bytes"]
    assert [r["at"] for r in gpu if str(r.get("name", "")).startswith("L2")] == [l2]


def test_published_values_stand_at_their_sizes(chased: list[Measured]) -> None:
    (_, cpu, _), (_, gpu, _) = figures.over_size(chased)
    ours = range(2**14, 2**28 + 1)
    entries = [e for e in published.values() if e.quantity == "latency-gpu-device"]
    wanted = {(e.size, e.low) for e in entries if e.size in ours}
    assert wanted
    assert {(r["at"], r["rate"]) for r in rows(gpu) if "source" in r} == wanted
    assert not [r for r in rows(cpu) if "source" in r]
    assert any("Cycles of GH200" in line for line in gpu.title.text)


def test_one_size_and_none_are_drawn_or_not() -> None:
    ((_, chart, _),) = figures.over_size([measured(CPU, 90, processor="cpu", size="1MiB")])
    assert rows(chart)
    assert figures.over_size([measured(CPU, 0, trials=0, processor="cpu")]) == []


def test_words_and_columns(chased: list[Measured]) -> None:
    texts = [cases.words("latency", m.parameters) for m in chased]
    assert texts[0] == "pageable memory, one thread of CPU"
    assert texts[2] == "pageable memory, one thread of CPU, huge pages always"
    strided = measured(GPU, 30, stride="256").parameters
    assert cases.words("latency", strided) == "device memory, one thread of GPU, stride 256 B"
    assert words.columns(chased[1], chased) == {"median": "90.5 ns", "spread": "1.0%"}
    (table,) = words.PRESENTATION.tables(chased)
    assert [row["A load"] for row in table.rows[:2]] == ["1.51 ns", "90.5 ns"]
    assert len(table.rows) == 6
    assert words.columns(chased[-1], chased) == {"median": "", "spread": ""}


def test_the_answer_names_where_a_load_becomes_slow() -> None:
    sizes = {"4KiB": 1.5, "1MiB": 44.0, "64MiB": 60.0, "256MiB": 90.0}
    chased = [measured(CPU, ns, size=size, processor="cpu") for size, ns in sizes.items()]
    (sentence,) = answer(chased)
    assert sentence.crossover.startswith("In 64 MiB to 256 MiB a load takes more than half")
