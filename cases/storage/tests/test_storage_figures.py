"""Figures and tables of case storage: the cases that are drawn, and their labels."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import synthetic
from asked import rows_for_vega

from watari.cases.storage import figures as storage_figures
from watari.cases.storage import numbers, words
from watari.cli import summary
from watari.common.errors import UsageError
from watari.report import page
from watari.report.reproduce import commands
from watari.results import schema
from watari.results.measured import Measured, measurements


@pytest.fixture(scope="module")
def cases() -> list[Measured]:
    every = measurements([synthetic.results()])
    return [m for m in every if m.case == "storage"]


rows = partial(rows_for_vega, storage_figures.FIGURES[0])


def test_each_medium_has_a_chart_with_a_line_for_each_engine(cases: list[Measured]) -> None:
    drawn = storage_figures.bandwidth(cases)
    assert [title for title, _, _ in drawn] == [
        "Random, files on disk",
        "Random, memory: store ram, or a file in the page cache",
    ]
    disk, memory = ({r["path"] for r in rows(chart) if "path" in r} for _, chart, _ in drawn)
    assert disk == {"posix", "uring", "cufile", "gpu", "queue, CPU memory"}
    assert memory == {"posix", "uring", "gpu", "queue, CPU memory"}


def test_a_point_is_the_median_of_its_trials_at_its_block(cases: list[Measured]) -> None:
    _, chart, _ = storage_figures.bandwidth(cases)[0]
    points = [r for r in rows(chart) if r.get("path") == "uring" and "label" not in r]
    assert sorted(p["at"] for p in points) == [2**power for power in range(12, 19)]
    wanted = next(m for m in cases if m["engine"] == "uring" and m["block"] == 2**14)
    drawn = next(p for p in points if p["at"] == 2**14)
    assert drawn["rate"] == pytest.approx(wanted.median, rel=1e-3)
    assert drawn["low"] <= drawn["rate"] <= drawn["high"]


def test_of_several_depths_the_fastest_is_drawn(cases: list[Measured]) -> None:
    rng = np.random.default_rng(1)
    slow = synthetic.plain()
    slow["cases"] = [
        synthetic.storage_case(rng, "uring", block, 3, depth=depth)
        for block in (4096, 8192)
        for depth in (1, 32)
    ]
    for case in slow["cases"]:
        if case["parameters"]["depth"] == 1:
            for trial in case["trials"]:
                trial["host_s"] = [9 * s for s in trial["host_s"]]
    best = storage_figures.fastest(measurements([schema.Results.model_validate(slow)]))
    assert [(m["block"], m["depth"]) for m in best] == [(4096, 32), (8192, 32)]


def test_what_ran_with_faults_or_wrongly_is_not_drawn(cases: list[Measured]) -> None:
    one = next(m for m in cases if m.drawn)
    faulty = replace(one, parameters={**one.parameters, "fault": "delayed"})
    assert storage_figures.fastest([faulty, replace(one, status="wrong")]) == []


def test_latencies_are_reported_by_percentile_in_microseconds(cases: list[Measured]) -> None:
    _, chart, _ = storage_figures.latency(cases)[0]
    wanted = next(m for m in cases if m["engine"] == "gpu" and m["block"] == 4096)
    seconds = wanted.trials[0]["quantities"]["latency_p50"]["value"]
    points = [r for r in rows(chart) if r.get("path") == "gpu" and r["at"] == 4096]
    assert sorted(p["rate"] for p in points) == pytest.approx(
        [1e6 * seconds * factor for factor in (1, 2, 5)], rel=1e-3
    )


def test_the_reason_of_what_is_absent_and_the_published_ratio_stand_beside(
    cases: list[Measured],
) -> None:
    _, chart, same = storage_figures.bandwidth(cases)[0]
    assert storage_figures.absent(same) == ["not here: mmap (mmap goes through the page cache)"]
    ours = storage_figures.ratios(same)
    assert ours[0].startswith("gpu over cufile at 4 KiB: here 6.")
    assert ours[0].endswith("A100 80 GB, one SSD: 10.7 (Hanawa 2025)")
    assert ours[1].startswith("gpu over cufile at 128 KiB: here 1.")
    assert chart.to_dict()["title"]["text"] == [*storage_figures.absent(same), *ours]


def test_without_two_blocks_there_is_no_figure(cases: list[Measured]) -> None:
    alike = [m for m in cases if m["block"] == 4096]
    assert storage_figures.bandwidth(alike) == storage_figures.latency(alike) == []


def test_the_columns_are_those_of_fio(cases: list[Measured]) -> None:
    disk = next(m for m in cases if m["engine"] == "queue" and m["store"] == "file" and m.drawn)
    memory = next(m for m in cases if m["engine"] == "gpu" and m["store"] == "ram")
    texts, other = numbers.columns(disk), numbers.columns(memory)
    assert tuple(texts) == numbers.COLUMNS
    assert (texts["direct"], texts["GPU s/GB"], texts["p99"]) == ("yes", "n/a", "6.83 ms")
    assert (other["direct"], other["GPU s/GB"]) == ("n/a", "unknown")
    assert numbers.speed(disk.trials).direct is True


def test_direct_needs_every_trial(cases: list[Measured]) -> None:
    disk = next(m for m in cases if m["engine"] == "uring" and m["cache"] == "none")
    one, *others = [{**t, "quantities": dict(t["quantities"])} for t in disk.trials]
    one["quantities"]["direct"] = {"value": 0.0, "unit": "1"}
    assert numbers.speed([one, *others]).direct is False


def test_page_and_summary_have_a_table_for_storage() -> None:
    made = synthetic.results()
    measured = measurements([made])
    (table,) = words.PRESENTATION.tables(measured)
    assert len(table.rows) == sum(m.case == "storage" and m.drawn for m in measured)
    tables = [t for t in summary.render(made).renderables if hasattr(t, "columns")]
    assert [len(t.columns) for t in tables] == [5, 4 + len(numbers.COLUMNS)]


def test_blocks_of_one_size_are_in_the_page_if_in_no_chart(tmp_path: Path) -> None:
    made = synthetic.plain()
    made["cases"] = [synthetic.storage_case(np.random.default_rng(1), "uring", 4096, 3)]
    schema.write(tmp_path / "one.json", schema.Results.model_validate(made))
    page.write([tmp_path / "one.json"], tmp_path / "page.html")
    html = (tmp_path / "page.html").read_text()
    assert "Storage in numbers" in html
    assert all(column in html for column in numbers.COLUMNS)
    with pytest.raises(UsageError, match="nothing to draw"):
        page.write_drawn([tmp_path / "one.json"], tmp_path / "figures", "svg")
    assert not (tmp_path / "figures").exists()


def test_a_command_names_blocks_as_they_are_typed(cases: list[Measured]) -> None:
    (command,) = commands([m for m in cases if m["engine"] == "posix"][:2])
    assert "block=4KiB,8KiB" in command
