"""Figures of the lattice: every number that is drawn is that of its case."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from asked import rows_of as rows_drawn

from watari.cases.lattice import figures
from watari.charts.figure import Drawing, draw
from watari.results import schema
from watari.results.measured import Measured, measurements

STORED = Path(__file__).parents[3] / "results/nvidia-h200-x86_64/20261123-lattice.json"


@pytest.fixture(scope="module")
def plain() -> dict[str, Any]:
    """One GPU, three lattices, the styles of CUDA."""
    return dict(json.loads(STORED.read_text()))


def measured(plain: dict[str, Any]) -> list[Measured]:
    return measurements([schema.Results.model_validate(plain)])


def drawn(name: str, cases: list[Measured]) -> list[Drawing]:
    return [d for d in draw(figures.FIGURES, cases) if d.figure.name == name]


def rows_of(drawing: Drawing) -> dict[tuple[str, int], dict[str, Any]]:
    return {(row["name"], row["ranks"]): row for row in rows_drawn(drawing)}


def test_each_lattice_has_a_chart_with_the_speed_of_each_style(plain: dict[str, Any]) -> None:
    cases = measured(plain)
    charts = drawn("lattice-speed", cases)
    assert [chart.heading for chart in charts] == ["Class 1", "Class 2", "Class 3"]
    rows = rows_of(charts[1])
    for m in cases:
        if m.case != "lattice" or m["lattice"] != "class2" or figures.program(m):
            continue
        row = rows[m["style"], 1]
        if m.drawn:
            solves = [trial["quantities"]["flops_per_s"]["value"] for trial in m.trials]
            assert row["solve"] == pytest.approx(median(solves) / 1e9, rel=1e-3)
        else:
            assert (m["style"], row["text"]) == ("system", "unsupported")
    assert rows["managed", 1]["solve"] < 0.95 * rows["managed", 1]["steady"]  # it migrates first
    assert rows["explicit, mixed, links of 12", 1]["solve"] > rows["explicit", 1]["solve"]


def test_one_rank_alone_has_no_chart_of_ranks(plain: dict[str, Any]) -> None:
    assert drawn("lattice-gpus", measured(plain)) == []


def test_several_ranks_stand_beside_one_with_perfect_scaling(plain: dict[str, Any]) -> None:
    two = copy.deepcopy(plain)
    for case in plain["cases"]:
        parameters = case["parameters"]
        if case["case"] != "lattice" or parameters["lattice"] != "class2":
            continue
        more = copy.deepcopy(case)
        more["parameters"] |= {"ranks": 2, "split": "1x1x2x1", "halo": "peer", "overlap": False}
        for trial in more["trials"]:
            trial["ranks"] = 2
            if "quantities" in trial and "flops_per_s" in trial["quantities"]:
                trial["quantities"]["flops_per_s"]["value"] *= 1.5
        two["cases"].append(more)
    (chart, *others) = drawn("lattice-gpus", measured(two))
    assert chart.heading == "Class 2"
    assert {other.heading for other in others} >= {"Class 2, mixed", "Class 2, links of 12"}
    rows = rows_of(chart)
    for style in ("explicit", "managed"):
        assert rows[style, 2]["solve"] == pytest.approx(1.5 * rows[style, 1]["solve"], rel=1e-3)
        assert rows[style, 2]["ideal"] == pytest.approx(2 * rows[style, 1]["solve"], rel=1e-3)
    assert rows["system", 2]["text"] == "unsupported"


def test_overlap_and_each_path_of_the_halo_have_bars_of_their_own(plain: dict[str, Any]) -> None:
    two = copy.deepcopy(plain)
    usual = {"lattice": "class2", "style": "explicit", "precision": "double", "links": 18, "rhs": 1}
    cases = (case for case in plain["cases"] if case["case"] == "lattice")
    (one,) = (case for case in cases if usual.items() <= case["parameters"].items())
    for halo in ("peer", "staged"):
        for overlap in (False, True):
            more = copy.deepcopy(one)
            more["parameters"] |= {"ranks": 2, "split": "1x1x2x1", "halo": halo, "overlap": overlap}
            for trial in more["trials"]:
                trial["ranks"] = 2
            two["cases"].append(more)
    chart = next(d for d in drawn("lattice-gpus", measured(two)) if d.heading == "Class 2")
    ways = {name for name, ranks in rows_of(chart) if ranks == 2}
    paths = {f"explicit, halo {halo}" for halo in ("peer", "staged")}
    assert ways == paths | {f"{path}, overlapped" for path in paths}


def test_splits_have_the_axes_that_they_divide_and_colours_of_their_own(
    plain: dict[str, Any],
) -> None:
    several = copy.deepcopy(plain)
    usual = {"lattice": "class2", "style": "explicit", "precision": "double", "links": 18, "rhs": 1}
    cases = (case for case in plain["cases"] if case["case"] == "lattice")
    (one,) = (case for case in cases if usual.items() <= case["parameters"].items())
    several["cases"] = [one]
    splits = {"1x1x2x1": 2, "1x2x1x1": 2, "1x1x4x1": 4, "1x2x2x1": 4, "1x2x4x1": 8, "1x4x2x1": 8}
    for split, ranks in splits.items():
        more = copy.deepcopy(one)
        more["parameters"] |= {"ranks": ranks, "split": split, "halo": "peer", "overlap": True}
        for trial in more["trials"]:
            trial["ranks"] = ranks
        several["cases"].append(more)
    (chart,) = drawn("lattice-gpus", measured(several))
    assert {key for key in rows_of(chart) if key[1] > 1} == {
        ("explicit, along z", 2),
        ("explicit, along y", 2),
        ("explicit, along z", 4),
        ("explicit, along y and z", 4),
        ("explicit, split 1x2x4x1", 8),
        ("explicit, split 1x4x2x1", 8),
    }
    colours = figures.shades(figures.bars(measured(several)))
    assert len(set(colours.values())) == len(colours)
