"""Figures of Himeno: every number is that of its case, with the right name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import synthetic
from asked import rows_of

from watari.cases import effort
from watari.cases.himeno import iterations, scaling, speed, spending, styles
from watari.charts import style
from watari.charts.figure import Drawing, draw
from watari.cli.asked import given
from watari.plan.request import resolve
from watari.report import figures
from watari.report.reproduce import commands
from watari.results.key import key
from watari.results.measured import Measured, measurements

RNG = np.random.default_rng(5)


def himeno(style: str, **more: Any) -> dict[str, Any]:
    return synthetic.himeno_case(RNG, style, 3, **more)


def drawn(name: str, cases: list[Measured]) -> list[Drawing]:
    return [d for d in draw(figures.figures(), cases) if d.figure.name == name]


def test_yoshida_is_drawn_with_its_difference_and_published_values_apart() -> None:
    protocol = {"iterations": 300, "form": "two-kernel", "kernel": "shared"}
    cases = synthetic.measured(*(himeno(s, **protocol) for s in ("explicit", "managed", "system")))
    (drawing,) = drawn("himeno-speed", cases)
    rows = {row["name"]: row for row in rows_of(drawing) if "name" in row}
    for m in cases:
        performance = speed.of(m)
        row = rows[m["style"]]
        assert row["steady"] == pytest.approx(performance.steady, rel=1e-3)
        assert row["benchmark"] == pytest.approx(performance.benchmark, rel=1e-3)
        assert row["whole"] == pytest.approx(performance.whole, rel=1e-3)
        assert row["whole"] < row["benchmark"] < row["steady"]
    rates = {m["style"]: speed.of(m).benchmark for m in cases}
    difference = rates["explicit"] - rates["system"]
    assert f"system is {difference:.0f} GFLOPS behind explicit" in styles.behind(cases)
    assert rows["explicit · A100 80 GB"]["value"] == 690
    assert "gpu-himeno" in rows["explicit · A100 80 GB"]["source"]
    assert rows["explicit · A100 80 GB"]["text"].startswith("steady 690 ")  # its copies are untimed
    assert "100 GFLOPS behind explicit-struct by benchmark" in str(drawing.spec())
    assert "80 GFLOPS behind managed-struct by benchmark" in str(drawing.spec())


def test_other_grids_have_no_published_values_of_xl() -> None:
    (drawing,) = drawn("himeno-speed", synthetic.measured(himeno("explicit", grid="L")))
    assert not any("A100" in str(row) for row in rows_of(drawing))


def test_the_floor_is_drawn_only_where_its_copy_was_measured() -> None:
    copy = synthetic.copy_case(RNG, "device", "device", 4 * synthetic.GIB, 4.25e12, 3)
    with_copy, without = (
        synthetic.measured(himeno("explicit"), copy),
        synthetic.measured(himeno("explicit")),
    )
    (drawing,) = drawn("himeno-speed", with_copy)
    floors = [row["floor"] for row in rows_of(drawing) if "floor" in row]
    assert floors == [pytest.approx(4250 * 34 / 56, rel=0.02)]
    (drawing,) = drawn("himeno-speed", without)
    assert not any("floor" in row for row in rows_of(drawing))


def test_a_style_that_is_not_here_keeps_its_row_and_reason() -> None:
    (drawing,) = [
        d for d in drawn("himeno-speed", measurements([synthetic.results()])) if "XL" in d.heading
    ]
    (row,) = [row for row in rows_of(drawing) if row.get("name") == "system"]
    assert row["text"] == "unsupported"
    assert "pageableMemoryAccess" in row["why"]


def test_a_rate_above_the_limit_is_hollow_and_says_so() -> None:
    case = himeno("explicit") | {"flags": ["above-limit"]}
    (drawing,) = drawn("himeno-speed", synthetic.measured(case))
    (row,) = [row for row in rows_of(drawing) if row.get("name") == "explicit"]
    assert row["flagged"]
    assert row["text"].endswith("above the limit")


def test_iterations_keep_every_sample_in_a_line_or_its_band() -> None:
    m = synthetic.measured(himeno("system", iterations=3000))[0]
    points = iterations.points(m.trials[0])
    times = [1e3 * s for s in m.trials[0]["device_s"]]
    assert points["sample"][:60] == list(range(1, 61))
    assert points["ms"][:60] == pytest.approx(times[:60], rel=1e-3)
    parts = iterations.bins(3000)
    assert [first for first, _ in parts][1:] == [last for _, last in parts][:-1]
    assert parts[-1][1] == 3000
    assert len(parts) < 200
    for (first, last), low, high in zip(parts, points["low"], points["high"], strict=True):
        assert low == pytest.approx(min(times[first:last]), rel=1e-3)
        assert high == pytest.approx(max(times[first:last]), rel=1e-3)


def test_iterations_mark_where_the_steady_state_begins() -> None:
    (drawing,) = drawn(
        "himeno-iterations", synthetic.measured(himeno("system"), himeno("explicit"))
    )
    marks = [row["sample"] for row in rows_of(drawing) if row.get("text") == "steady"]
    assert len(marks) == 1
    assert 45 <= marks[0] <= 52


def test_time_adds_up_to_the_whole_run() -> None:
    cases = synthetic.measured(himeno("explicit"), himeno("acc-data", ranks=2, halo="staged"))
    for m in cases:
        rows = spending.spent_rows(m)
        assert sum(row["seconds"] for row in rows) == pytest.approx(rows[0]["total"], rel=1e-3)
        assert {row["part"] for row in rows} <= set(style.SPENT)
        assert ("halo" in {row["part"] for row in rows}) == (m.ranks > 1)
    assert len(drawn("himeno-time", cases)) == 1


def test_implementations_are_numbered_and_judged_by_their_own_single_gpu() -> None:
    cases = synthetic.measured(
        *(himeno("acc-data", ranks=n, halo="staged", split=f"{n}x1x1") for n in (1, 2, 4)),
        himeno("managed"),
    )
    (drawing,) = drawn("himeno-gpus", cases)
    rows = {row["ranks"]: row for row in rows_of(drawing) if row.get("name") == "(1) acc-data"}
    assert set(rows) == {1, 2, 4}
    by_ranks = {m.ranks: speed.of(m) for m in cases if m["style"] == "acc-data"}
    for n, row in rows.items():
        assert row["benchmark"] == pytest.approx(by_ranks[n].benchmark, rel=1e-3)
        assert row["steady"] == pytest.approx(by_ranks[n].steady, rel=1e-3)
    assert rows[4]["ideal"] == pytest.approx(4 * rows[1]["steady"])
    assert rows[4]["efficiency"] == pytest.approx(rows[4]["steady"] / rows[4]["ideal"])
    assert not any(row.get("style") == "managed" for row in rows_of(drawing))


def test_ranks_of_the_cpu_share_its_cores_so_nothing_is_perfect_scaling() -> None:
    given = {"processor": "cpu", "kernel": "shared"}
    cases = synthetic.measured(*(himeno("system", ranks=n, **given) for n in (1, 2)))
    (drawing,) = drawn("himeno-gpus", cases)
    bars = [row for row in rows_of(drawing) if row.get("name") == "system"]
    assert [row["ideal"] for row in bars] == [None, None]


def test_paths_of_the_halo_have_bars_of_their_own() -> None:
    paths = [("nccl", False), ("nccl", True), ("peer", False)]
    cases = synthetic.measured(
        himeno("explicit"),
        *(himeno("explicit", ranks=2, halo=h, overlap=o) for h, o in paths),
        himeno("explicit", ranks=4, halo="peer", split="2x2x1"),
    )
    bars = [(name, m.ranks) for name, m in scaling.bars_of(cases)]
    names = ["nccl", "nccl, overlapped", "peer", "peer, 2x2x1"]
    assert {(f"explicit, {name}", 1) for name in names} < set(bars)
    assert ("explicit, peer, 2x2x1", 4) in bars
    assert len(bars) == len(set(bars)) == 8
    words = scaling.coloured_by(scaling.bar_rows(cases))
    assert words == {f"explicit, {name}": name.split(",")[0] for name in names}
    assert len(set(scaling.shades(words).values())) == 4


def test_a_case_without_enough_gpus_is_named_in_its_place() -> None:
    lost = himeno("acc-data", ranks=4) | {"status": "unsupported", "reason": "4 ranks, 2 GPUs"}
    lost["trials"] = [synthetic.lost_trial("unsupported", "4 ranks, 2 GPUs")]
    cases = synthetic.measured(himeno("acc-data"), himeno("acc-data", ranks=2), lost)
    (drawing,) = drawn("himeno-gpus", cases)
    (row,) = [row for row in rows_of(drawing) if row.get("ranks") == 4]
    assert (row["drawn"], row["text"]) == (False, "unsupported")
    assert row["why"] == "4 ranks, 2 GPUs"


def test_a_grid_that_grows_with_its_ranks_is_weak_scaling(monkeypatch: pytest.MonkeyPatch) -> None:
    twice = "1022x512x1024"
    monkeypatch.setitem(synthetic.POINTS, twice, 2 * synthetic.POINTS["XL"])
    cases = synthetic.measured(
        himeno("explicit"), himeno("explicit", ranks=2, grid=twice, halo="peer")
    )
    (drawing,) = drawn("himeno-gpus", cases)
    assert drawing.heading.startswith("266 million points a GPU")


def test_effort_is_that_of_the_sources_and_speed_that_of_the_fastest_program() -> None:
    slow, fast = himeno("managed", form="two-kernel"), himeno("managed")
    cases = synthetic.measured(slow, fast, himeno("explicit"))
    (drawing,) = drawn("himeno-effort", cases)
    rows = {row["style"]: row for row in rows_of(drawing) if "style" in row}
    counted = {one.style: one.total for one in effort.effort("himeno")}
    assert {name: row["statements"] for name, row in rows.items()} == {
        name: counted[name] for name in ("explicit", "managed")
    }
    assert rows["managed"]["whole"] == pytest.approx(speed.of(cases[1]).whole, rel=1e-3)
    assert "fused" in rows["managed"]["what"]


def test_each_number_of_ranks_is_measured_again_by_a_command_of_its_own() -> None:
    cases = synthetic.measured(*(himeno("acc-data", ranks=n, halo="staged") for n in (1, 2, 4)))
    (drawing,) = drawn("himeno-gpus", cases)
    lines = commands(drawing.cases)
    again = []
    for command in lines:
        name, axes = given(command.split()[2:])
        again += resolve(name, axes, cases[0].machine)
    assert len(lines) == len(again) == 3
    assert [request.parameters["ranks"] for request in again] == [1, 2, 4]
    assert {request.key for request in again} == {
        key("himeno", {**m.parameters, "threads": again[i].parameters["threads"]})
        for i, m in enumerate(cases)
    }
