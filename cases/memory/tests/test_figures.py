"""Figures: the results that are drawn, their words, and results that are never drawn."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any

import altair
import pytest
import synthetic
import vl_convert
from asked import rows_of
from hypothesis import given
from hypothesis import strategies as st

from watari.cases.memory import series, words
from watari.charts import panels
from watari.charts.figure import Drawing, draw
from watari.common.errors import FileError
from watari.common.units import format_size
from watari.report import beside, figures, page
from watari.report.reproduce import commands
from watari.results import published
from watari.results.measured import Measured, measurements, settled
from watari.results.schema import Results


@pytest.fixture(scope="module")
def measured() -> list[Measured]:
    return measurements([synthetic.results()])


@pytest.fixture(scope="module")
def drawings(measured: list[Measured]) -> list[Drawing]:
    return draw(figures.figures(), measured)


def named(drawings: list[Drawing], name: str) -> list[dict[str, Any]]:
    """Every row of data in a figure's charts."""
    return [row for drawing in drawings if drawing.figure.name == name for row in rows_of(drawing)]


def test_the_bundled_vega_lite_is_the_one_that_altair_writes_for() -> None:
    assert page.VEGA_LITE in vl_convert.get_vegalite_versions()
    assert altair.SCHEMA_VERSION.startswith(f"v{page.VEGA_LITE}.")


def test_every_figure_of_a_gpu_machine_compiles(
    drawings: list[Drawing], measured: list[Measured]
) -> None:
    ran = {m.case for m in measured}
    possible = {f.name for f in figures.figures() if not f.of or ran & {*f.of}}
    # all are steady; no run asked for a map, or for several SSDs
    absent = {"streams", "copies", "residency", "storage-disks"}
    assert {d.figure.name for d in drawings} == possible - absent
    assert {"paths", "migration", "published"} <= possible
    for drawing in drawings:
        vl_convert.vegalite_to_vega(drawing.spec(), vl_version=page.VEGA_LITE)


def test_an_axis_ends_at_the_step_that_its_data_reach() -> None:
    assert panels.decades([1.0, 50.0]) == (1.0, 50.0)
    assert panels.decades([1.1, 49.0]) == (1.0, 50.0)
    assert panels.decades([0.9, 51.0]) == (0.5, 100.0)
    assert panels.decades([2.0]) == (1.0, 4.0)


def test_without_a_gpu_the_figures_of_cpu_memory_remain() -> None:
    cpu = measurements([synthetic.results(synthetic.cpu_machine())])
    drawn = draw(figures.figures(), cpu)
    assert {d.figure.name for d in drawn} == {"sizes", "copies-all", "published"}


def test_copies_that_are_not_steady_stand_apart() -> None:
    made = synthetic.plain(synthetic.cpu_machine())
    slow = made["cases"][-1]
    for trial in slow["trials"]:
        trial["host_s"] = [3 * trial["host_s"][0], *trial["host_s"][1:]]
    cases = measurements([Results.model_validate(made)])
    drawn = {d.figure.name: d.cases for d in draw(figures.figures(), cases)}
    assert [m["size"] for m in drawn["copies"]] == [slow["parameters"]["size"]]
    assert drawn["copies-all"]


def test_nothing_measured_draws_nothing() -> None:
    assert draw(figures.figures(), []) == []


def test_the_matrix_says_why_a_cell_is_empty(drawings: list[Drawing]) -> None:
    cells = named(drawings, "paths")
    own = [c for c in cells if c.get("state") == "ok" and c["from"] == c["to"] == "device"]
    assert [c["rate"] for c in own] == [pytest.approx(4250, rel=0.02)]
    assert not [c for c in cells if "system" in (c.get("to"), c.get("from"))]  # not here: no row
    wrong = [c for c in cells if c.get("state") == "wrong"]
    assert wrong
    assert all("rate" not in c for c in wrong)


def test_a_rate_above_its_limit_is_drawn_hollow() -> None:
    data = synthetic.results()
    for case in data.cases:
        if case.case == "copy" and case.parameters["to"] == "pinned":
            case.flags = ["above-limit"]
    cells = named(draw(figures.figures(), measurements([data])), "paths")
    flagged = [
        c for c in cells if c.get("from") == "device" and c.get("to") == "pinned" and "rate" in c
    ]
    assert flagged
    assert all(c["state"] == "flagged" and c["text"].endswith("*") for c in flagged)


def test_a_series_has_every_sample_of_every_trial(
    measured: list[Measured], drawings: list[Drawing]
) -> None:
    drawn = [r["rate"] for r in named(drawings, "migration") if isinstance(r.get("rate"), list)]
    case = next(m for m in measured if m.case == "migration")
    assert [len(rates) for rates in drawn] == [300] * 5
    assert drawn[0] == series.digits(case.rates[0])


def test_migration_names_its_phases_and_where_they_settle(measured: list[Measured]) -> None:
    case = next(m for m in measured if m.case == "migration")
    phases = settled(case)
    assert [(s.phase, s.end) for s in phases] == [("GPU", 1), ("CPU", 1), ("GPU", 1)]
    assert phases[0].before < 50 < 3000 < phases[0].after
    assert [p["name"] for p in series.phases(case)] == ["GPU", "CPU", "GPU"]
    assert set(series.fractions(case)[0]["gone"]) == {0.0, 100.0}


def test_patterns_are_named_and_numbered_as_by_yoshida() -> None:
    sides = ("cpu", "gpu")
    eight = [
        {"processor": p, "source": s, "destination": d} for p in sides for s in sides for d in sides
    ]
    assert [words.pattern_number(p) for p in eight] == list(range(1, 9))
    assert words.pattern(eight[1]) == "HM Read, DM Write by CPU"
    assert words.pattern(eight[6]) == "DM Read, HM Write by GPU"


def test_explicit_access_is_a_copy_whose_bytes_cross_the_link_once(
    measured: list[Measured],
) -> None:
    access = next(m for m in measured if m.case == "access" and m["destination"] == "gpu")
    explicit = replace(access, parameters={**access.parameters, "memory": "explicit"})
    copy = words.as_copy(explicit)
    assert (copy["from"], copy["to"], copy["means"]) == ("pinned", "device", "kernel")
    assert copy.bytes_per_sample == access.bytes_per_sample // 2


def test_sizes_read_exactly() -> None:
    assert [format_size(n) for n in (512, 65536, 2**30, 4 * 10**9, 8 * 10**9, 150_754_820_096)] == [
        "512 B",
        "64 KiB",
        "1 GiB",
        "4 GB",
        "8 GB",
        "151 GB",
    ]


@given(st.lists(st.floats(0, 200), min_size=1, max_size=12))
def test_labels_stand_apart_and_inside(wanted: list[float]) -> None:
    placed = sorted(panels.apart(wanted, 240))
    assert all(b - a >= panels.LABEL_HEIGHT - 1e-6 for a, b in itertools.pairwise(placed))
    assert placed[0] >= min(wanted) - 12 * panels.LABEL_HEIGHT
    assert placed[-1] <= 240


def test_commands_measure_the_same_cases_again(drawings: list[Drawing]) -> None:
    patterns = next(d for d in drawings if d.figure.name == "patterns")
    (managed,) = commands(patterns.cases)
    assert managed.startswith("watari run access source=cpu,gpu destination=cpu,gpu")
    assert "size=4GiB" in managed


def test_published_values_all_have_a_quantity_a_kind_and_a_source() -> None:
    values = published.values()
    assert {v.kind for v in values} == set(published.KINDS)
    assert all(v.low <= v.high and v.source and v.where for v in values)
    assert {v.quantity for v in values} <= set(published.quantities())
    ours = {v.machine for v in values if v.quantity == "host-to-device" and v.kind == "theoretical"}
    machines = {"GH200, Miyabi-G", "H100 PCIe, Pegasus", "P100, NVLink", "P100, PCIe Gen3"}
    assert ours == machines


def test_a_published_value_without_a_case_of_ours_is_listed_and_drawn_nowhere(
    measured: list[Measured],
) -> None:
    alone = {name for name, q in published.quantities().items() if not q.case}
    assert alone <= {v.quantity for v in published.values()}
    assert not any(published.quantities()[name].matches("copy", {}) for name in alone)
    ((_, chart, _),) = beside.beside(measured)
    titles = {panel.title.text for panel in chart.vconcat}
    assert titles & {q.title for q in published.quantities().values()}
    assert not titles & {published.quantities()[name].title for name in alone}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[[value]]\nquantity='gpu-copy'\nvalue=1", "no 'machine'"),
        ("machine='m'\nsource='s'\ntitle='t'\nunit='GB/s'\n[[value]]\nquantity='gpu-copy'\n"
         "kind='guessed'\nwhere='w'\nvalue=1", "kind 'guessed'"),
        ("[[value]", "bad.toml"),
    ],
)  # fmt: skip
def test_a_bad_published_file_is_named(text: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "quantities.toml").write_text(
        (published.folder() / "quantities.toml").read_text(encoding="utf-8")
    )
    (tmp_path / "bad.toml").write_text(text)
    with pytest.raises(FileError, match=words):
        published.values(tmp_path)


def test_published_and_measured_are_never_the_same_mark(drawings: list[Drawing]) -> None:
    rows = named(drawings, "published")
    assert {r["kind"] for r in rows} == {"this run", *published.KINDS}
    assert all(r["source"] for r in rows)
