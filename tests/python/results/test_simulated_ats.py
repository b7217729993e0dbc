"""Settling, figures and report of a machine that migrates by access counters.

No such machine was available: the series are simulated (synthetic/ats.py states the facts). A real
machine changes only numbers.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import synthetic
from synthetic import ats

from watari import cases
from watari.cases.memory import figures as memory_figures
from watari.cases.memory import maps, series
from watari.charts import figure
from watari.report import beside, page
from watari.results.measured import FIRST, SETTLED, Measured, measurements, settled
from watari.results.schema import Results

TRIALS = 2


@pytest.fixture(scope="module")
def simulated() -> Results:
    rng = np.random.default_rng(1)
    whole = synthetic.plain(ats.ats_machine()) | {"cases": ats.ats_cases(rng, TRIALS)}
    whole["plan"] = {"name": "simulated", "description": "no machine", "source": None}
    return Results.model_validate(whole)


@pytest.fixture(scope="module")
def measured(simulated: Results) -> list[Measured]:
    return measurements([simulated])


def pattern(measured: list[Measured], who: str, source: str, destination: str) -> Measured:
    wanted = {"processor": who, "source": source, "destination": destination}
    (found,) = (
        m for m in measured if m.case == "access" and wanted.items() <= m.parameters.items()
    )
    return found


@pytest.mark.parametrize(
    ("source", "destination"), [("cpu", "cpu"), ("cpu", "gpu"), ("gpu", "cpu")]
)
def test_gpu_patterns_rise_and_settle_after_some_fifty_samples(
    measured: list[Measured], source: str, destination: str
) -> None:
    m = pattern(measured, "gpu", source, destination)
    assert m.part(FIRST) < 700  # at the link's rate, each byte counted twice
    assert 3000 < m.part(SETTLED) < 3300
    (change,) = settled(m)
    both = (source, destination) == ("cpu", "cpu")
    assert (45 if both else 20) <= change.end <= 62


def test_patterns_of_the_cpu_and_local_ones_never_change(measured: list[Measured]) -> None:
    for source in ("cpu", "gpu"):
        for destination in ("cpu", "gpu"):
            m = pattern(measured, "cpu", source, destination)
            assert settled(m) == []
            assert m.part(FIRST) == pytest.approx(m.part(SETTLED), rel=0.05)
    assert settled(pattern(measured, "gpu", "gpu", "gpu")) == []
    remote = pattern(measured, "cpu", "gpu", "gpu")
    assert 550 < remote.part(SETTLED) < 620  # both ways of the link at once, each byte twice


def test_only_the_gpus_first_phase_changes(measured: list[Measured]) -> None:
    (m,) = (m for m in measured if m.case == "migration")
    assert [s.phase for s in settled(m)] == ["GPU"]
    assert settled(m)[0].first == 0
    assert m.part("gpu-2") == pytest.approx(m.part("gpu-1"), rel=0.02)
    assert m.part("cpu") < 0.3 * m.part("gpu-1")


def test_no_page_comes_back(simulated: Results) -> None:
    (case,) = (c for c in simulated.cases if c.case == "migration")
    for trial in case.trials:
        source = np.array(trial.series["cpu_mapped_fraction.source"])
        assert source[0] > 0.9
        assert np.all(np.diff(source) <= 0)
        assert source[-1] == 0
        assert np.all(np.array(trial.series["cpu_mapped_fraction.destination"]) == 0)


def test_the_map_shows_which_part_moves_when(measured: list[Measured]) -> None:
    (m,) = (m for m in measured if m.case == "migration")
    found = maps.parts(m, "source")
    assert len(found) == ats.MAP
    drawn = list(maps.rectangles(found))
    for number, row in enumerate(found):
        own = [r for r in drawn if r["low"] == 100 * number / ats.MAP]
        assert own[0]["first"] == 0.5
        assert own[-1]["last"] == len(row) + 0.5
        assert [a["last"] for a in own[:-1]] == [b["first"] for b in own[1:]]
        assert own[-1]["mapped"] == 0
    ((title, _, _),) = maps.residency(measured)
    assert title == "System, GPU, CPU, GPU, 4 GB"
    assert maps.residency([m for m in measured if m.case == "access"]) == []


def test_a_part_moves_only_when_its_counter_says_so() -> None:
    rng = np.random.default_rng(0)
    array = ats.Memory.touched(16 * ats.PART, "cpu")
    ats.count([array], rng, 3)
    assert array.on_gpu.sum() == 3  # 512 accesses a pass: all wait, three are served
    assert array.counted[array.on_gpu].sum() == 0
    few = ats.Memory.touched(4 * ats.PART, "cpu")
    few.counted -= ats.PART // ats.LINE  # as if read for the first time after this pass
    ats.count([few], rng, 3)
    assert not few.on_gpu.any()


def test_figures_and_published_values_stand_beside_it(measured: list[Measured]) -> None:
    drawings = figure.draw(memory_figures.FIGURES, measured)
    assert {"patterns", "migration"} & {d.name.split("-")[0] for d in drawings}
    ((_, _, shown),) = series.migration(measured)
    assert shown[0]["memory"] == "system"
    ((_, chart, used),) = beside.beside(measured)
    assert len(used) == 9  # eight patterns, and the migration
    titles = [panel.title.text for panel in chart.vconcat]
    assert [t for t in titles if t.startswith("(4) DM Read, DM Write by CPU")]
    assert [t for t in titles if "second phase" in t]


def test_every_page_says_that_it_is_simulated(
    simulated: Results, measured: list[Measured], tmp_path: Path
) -> None:
    assert simulated.machine.name.startswith("simulated")
    assert all(m.run.startswith("simulated") for m in measured)
    assert all(ats.NOTE in trial.notes for case in simulated.cases for trial in case.trials)
    file, html = tmp_path / "simulated.json", tmp_path / "report.html"
    few = simulated.model_copy(update={"cases": simulated.cases[-1:]})
    file.write_text(few.model_dump_json(by_alias=True))
    page.write([file], html)
    text = html.read_text()
    assert text.count("simulated-gh200") > 3  # no heading, table or figure without its machine


def test_the_cases_are_those_of_the_registry(simulated: Results) -> None:
    known: dict[str, Any] = {name: cases.find(name).axes for name in ("access", "migration")}
    for case in simulated.cases:
        assert set(case.parameters) <= set(known[case.case])
