"""The figures and the table of case `hmatrix`."""

from __future__ import annotations

from typing import Any

import pytest
import synthetic
from asked import rows_of

from watari.cases.hmatrix import words
from watari.charts.figure import Drawing, draw
from watari.plan.request import Request
from watari.report import figures, verdicts
from watari.report.compare import Row
from watari.results.measured import Measured
from watari.run.runner import speed_text

MIB = 2**20
AXES = {"processor": "gpu", "mesh": "bumpy:35", "eps": 1e-6, "eta": 2.0, "tolerance": 1e-6}
AXES |= {"recompress": False, "precision": "double", "solver": "bicgstab", "rhs": 1, "depth": 16}
AXES |= {"preconditioner": "none", "store": "ram", "folder": "/scratch", "samples": 3, "ranks": 1}
AXES |= {"pinned": True, "steps": 0, "inner": 0}


def case(engine: str, share: float, batch: int, seconds: float, **more: Any) -> dict[str, Any]:
    """A case with a product's seconds; the solve has 40 products, and waits half of its time."""
    parameters = AXES | {"engine": engine, "fast-memory": int(400 * MIB * share), "batch": batch}
    parameters |= {"threads": 2} | more
    made = synthetic.trial([seconds] * 3)
    quantities = {"resident_fraction": share, "solve_s": 40 * seconds, "read_s": 20 * seconds}
    quantities |= {"matrix_bytes": 4e8, "products": 40, "residual": 1e-7, "capacitance": 0.73}
    made["quantities"] |= {name: {"value": v, "unit": "1"} for name, v in quantities.items()}
    whole = synthetic.case("hmatrix", parameters | {"bytes": 400 * MIB}, [made])
    whole["parameters"]["threads"] = parameters["threads"]
    return whole


def charts(cases: list[Measured], name: str) -> list[Drawing]:
    return [d for d in draw(figures.figures(), cases) if d.figure.name == name]


@pytest.fixture(scope="module")
def plane() -> list[Measured]:
    """Two engines over two shares and two batches; gpu is twice as fast."""
    return synthetic.measured(
        *(
            case(engine, share, batch, seconds * (1.5 - share), threads=threads)
            for engine, threads, seconds in (("posix", 1, 0.4), ("gpu", 2, 0.2))
            for share in (0.25, 0.75)
            for batch in (65536, MIB)
        )
    )


def test_each_batch_has_a_chart_over_the_share_that_stays(plane: list[Measured]) -> None:
    first, second = charts(plane, "hmatrix")
    assert first.heading == (
        "Bumpy:35, eps 1e-6, not recompressed, store in memory, batches of 64 KiB"
    )
    assert second.heading.endswith("batches of 1 MiB")
    assert {(row["name"], row["over"], row["seconds"]) for row in rows_of(first)} == {
        ("posix, 1 thread", 0.25, 0.5),
        ("posix, 1 thread", 0.75, 0.3),
        ("gpu", 0.25, 0.25),
        ("gpu", 0.75, 0.15),
    }


def test_the_ratios_stand_beside_those_of_the_seed(plane: list[Measured]) -> None:
    title = charts(plane, "hmatrix")[0].spec()["title"]["text"]
    assert title == [
        "Time of posix, 1 thread, over that of gpu: 2.00x in all, 2.00x in reading",
        "Hanawa 2025, over that of GPU threads: at most about 1.31x in all, 1.71x in reading",
    ]


def test_each_budget_has_a_chart_over_the_batch(plane: list[Measured]) -> None:
    first, second = charts(plane, "hmatrix-batch")
    assert first.heading.endswith("store in memory, in 100 MiB")
    assert second.heading.endswith("in 300 MiB")


def iterated(engine: str, pinned: bool, whole: float, read: float, **more: Any) -> dict[str, Any]:
    """A case that was stopped after three iterations."""
    made = case(engine, 0.5 if pinned else 0, MIB, 1, pinned=pinned, steps=3, **more)
    times = {"iteration_s": whole, "iteration_read_s": read}
    for trial in made["trials"]:
        trial["quantities"] |= {name: {"value": v, "unit": "s"} for name, v in times.items()}
    return made


def test_an_iteration_has_a_bar_with_its_reading_and_the_ratios_of_the_seed() -> None:
    cases = synthetic.measured(
        iterated("posix", True, 4, 3, threads=1),
        iterated("posix", False, 8, 7, threads=1),
        iterated("gpu", True, 2, 1),
        iterated("gpu", False, 5, 4),
        case("gpu", 0.5, MIB, 1),  # until the tolerance: another figure's
    )
    (chart,) = charts(cases, "hmatrix-iteration")
    assert {(row["name"], row["part"], row["seconds"]) for row in rows_of(chart)} == {
        ("posix, 1 thread, 50% resident", "waiting for data", 3),
        ("posix, 1 thread, 50% resident", "computing", 1),
        ("posix, 1 thread, none resident", "waiting for data", 7),
        ("posix, 1 thread, none resident", "computing", 1),
        ("gpu, 50% resident", "waiting for data", 1),
        ("gpu, 50% resident", "computing", 1),
        ("gpu, none resident", "waiting for data", 4),
        ("gpu, none resident", "computing", 1),
    }
    assert chart.spec()["title"]["text"] == [
        "Time of posix, 1 thread, over that of gpu: 2.00x in all, 3.00x in reading",
        "Hanawa 2025, over that of GPU threads: at most about 1.31x in all, 1.71x in reading",
    ]


def converged(engine: str, mesh: str, **residuals: float) -> dict[str, Any]:
    """A case that was solved until its tolerance in 5 iterations."""
    made = case(engine, 0.5, MIB, 1, mesh=mesh, restart=0)
    numbers = {"iterations": 5, "residual": 8e-7, **residuals}
    for trial in made["trials"]:
        trial["quantities"] |= {name: {"value": v, "unit": "1"} for name, v in numbers.items()}
    return made


def test_convergence_has_a_line_a_method_whatever_the_engine() -> None:
    residuals = {"residual_1": 1e-1, "residual_2": 1e-3, "residual_4": 1e-5}
    cases = synthetic.measured(
        converged("posix", "bumpy:35", **residuals),
        converged("gpu", "bumpy:35", **residuals),
        converged("gpu", "scan:71", **residuals),
        case("gpu", 0.75, MIB, 1),  # of an earlier version: without residuals
        iterated("gpu", True, 2, 1),  # stopped
    )
    both = charts(cases, "hmatrix-convergence")
    assert [chart.heading for chart in both] == ["Bumpy:35", "Scan:71"]
    for chart in both:
        assert [(row["name"], row["iterations"], row["residual"]) for row in rows_of(chart)] == [
            ("bicgstab", at, residual)
            for at, residual in ((1, 1e-1), (2, 1e-3), (4, 1e-5), (5, 8e-7))
        ]


def test_one_point_is_no_chart() -> None:
    alone = synthetic.measured(case("gpu", 0.5, MIB, 0.1))
    assert not charts(alone, "hmatrix")
    assert not charts(alone, "hmatrix-batch")


def test_the_table_has_the_numbers_of_the_solve(plane: list[Measured]) -> None:
    (table,) = words.PRESENTATION.tables(plane)
    row = table.rows[0]
    assert row["Case"].startswith("posix, batches of 64 KiB in 100 MiB, eps 1e-6, not recompressed")
    assert (row["Resident"], row["Products"], row["C/(4 pi eps0)"]) == ("25%", "40", "0.73")
    assert row["Build"] == ""


def test_the_read_rate_leaves_out_resident_bytes() -> None:
    """400 MiB in 0.1 s, half of them read; none of them read."""
    halves, whole = case("gpu", 0.5, MIB, 0.1), case("gpu", 1.0, MIB, 0.1)
    for made, read in ((halves, 200 * MIB), (whole, 0)):
        made["trials"][0]["quantities"]["read_bytes"] = {"value": read, "unit": "B"}
    cases = synthetic.measured(halves, whole)
    shown = [words.PRESENTATION.columns(m, cases) for m in cases]
    assert [(each["multiplied"], each["read"]) for each in shown] == [
        ("4.194 GB/s", "2.097 GB/s"),
        ("4.194 GB/s", ""),
    ]
    rows = words.PRESENTATION.tables(cases)[0].rows
    assert [(row["Multiplied"], row["Read"]) for row in rows] == [
        ("4.194 GB/s", "2.097 GB/s"),
        ("4.194 GB/s", ""),
    ]


def test_a_rate_of_all_bytes_is_named_so() -> None:
    """Progress lines, tables and comparisons have no bytes but those of the matrix."""
    parameters = AXES | {"engine": "gpu"}
    assert speed_text(
        Request("hmatrix", parameters, 1), {"host_s": [0.1], "bytes_per_sample": 4e8}
    ) == ("4 GB/s multiplied")
    row = Row("hmatrix", parameters, "", "same", bytes_per_sample=4 * 10**8)
    assert verdicts.speed(row, 0.1) == "4 GB/s multiplied"
