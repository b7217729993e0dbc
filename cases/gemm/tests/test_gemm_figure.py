"""The figure of case `gemm`, and the sources of its numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import synthetic
import vl_convert
from asked import rows_of

from watari import cases
from watari.cases.gemm import axes
from watari.cases.gemm import numbers as gemm_numbers
from watari.charts.figure import Drawing, draw
from watari.cli import summary
from watari.report import figures, page
from watari.results import schema
from watari.results.measured import Measured

RNG = np.random.default_rng(8)


def gemm(engine: str, tile: int, **more: Any) -> dict[str, Any]:
    return synthetic.gemm_case(RNG, engine, tile, 3, **more)


def charts(cases: list[Measured]) -> list[Drawing]:
    return [d for d in draw(figures.figures(), cases) if d.figure.name.startswith("gemm")]


@pytest.fixture(scope="module")
def comparison() -> list[Measured]:
    """The comparison of Hanawa (2025), and the same with blocks that stay."""
    tiles = (512, 2048)
    return synthetic.measured(
        *(
            gemm(e, t, schedule=s)
            for s in ("naive", "reuse")
            for e in ("posix", "gpu")
            for t in tiles
        ),
        *(gemm("posix", t, threads=1) for t in tiles),
    )


def test_each_store_and_schedule_has_a_chart_with_its_own_cases(comparison: list[Measured]) -> None:
    naive, reuse = charts(comparison)
    assert naive.heading == "32768, each product reads its tiles, row-major in memory"
    assert reuse.heading == "32768, blocks of C stay, row-major in memory"
    assert {m["schedule"] for m in naive.cases} == {"naive"}
    for drawing in (naive, reuse):
        vl_convert.vegalite_to_vega(drawing.spec(), vl_version=page.VEGA_LITE)
    lines = {row["name"] for row in rows_of(naive) if "speed" in row}
    assert lines == {"gpu", "posix, 1 thread", "posix, 16 threads"}
    assert {row["name"] for row in rows_of(reuse) if "speed" in row} == {"gpu", "posix"}


def test_points_are_medians_and_floors_are_of_the_same_trials(comparison: list[Measured]) -> None:
    naive, _ = charts(comparison)
    for m in naive.cases:
        name = {16: "posix, 16 threads", 1: "posix, 1 thread"}[m["threads"]]
        name = "gpu" if m["engine"] == "gpu" else name
        (row,) = (
            r
            for r in rows_of(naive)
            if (r["name"], r.get("tile")) == (name, m["tile"]) and "speed" in r
        )
        speed = gemm_numbers.speed(m.flops_per_sample, m.trials)
        assert row["seconds"] == pytest.approx(speed.seconds, rel=1e-3)
        assert row["low"] <= row["seconds"] <= row["high"]
        assert speed.floor is not None
        assert speed.store_floor is not None
        assert speed.blas_floor == pytest.approx(m.flops_per_sample / 50e12)
        assert speed.floor == pytest.approx(max(speed.store_floor, speed.blas_floor))
        (store,) = (
            r
            for r in rows_of(naive)
            if r["name"] == "store" and r.get("tile", 0) < m["tile"] < r.get("end", 0)
        )
        assert store["seconds"] == pytest.approx(speed.store_floor, rel=1e-3)


def test_hanawas_ratio_stands_beside_ours_in_its_conditions_alone(
    comparison: list[Measured],
) -> None:
    times = {
        (m["engine"], m["threads"], m["tile"]): gemm_numbers.speed(
            m.flops_per_sample, m.trials
        ).seconds
        for m in comparison
        if m["schedule"] == "naive"
    }
    ours = times["posix", 1, 2048] / times["gpu", 16, 2048]
    naive, reuse = charts(comparison)
    text = str(naive.spec()["title"])
    assert f"gpu {ours:.3g}x posix with 1 thread, tile 2048" in text
    assert "Hanawa 2025: 4.34x" in text
    assert "Hanawa" not in str(reuse.spec())
    (small,) = charts([m for m in comparison if m["tile"] == 512 and m["schedule"] == "naive"])
    assert "tile 512" in str(small.spec()["title"])
    assert "Hanawa" not in str(small.spec()["title"])


def test_one_point_is_no_chart_and_trials_without_rates_have_no_floor() -> None:
    assert charts(synthetic.measured(gemm("gpu", 2048))) == []
    cases = [gemm("gpu", 1024), gemm("gpu", 2048)]
    for one in cases:
        for trial in one["trials"]:
            trial["quantities"] = {
                name: quantity
                for name, quantity in trial["quantities"].items()
                if "_s" not in name[-4:]
            }
    (drawing,) = charts(synthetic.measured(*cases))
    assert not any(row["name"] in ("store", "arithmetic") for row in rows_of(drawing))


def test_the_summary_has_speed_rate_and_floor(comparison: list[Measured]) -> None:
    plain = synthetic.plain() | {"cases": [gemm("gpu", 2048, schedule="reuse")]}
    lost = gemm("gpu", 2048)
    lost |= {"trials": [synthetic.lost_trial("failed", "no")], "status": "failed", "reason": "no"}
    plain["cases"].append(lost)
    rows = summary.numbers(schema.Results.model_validate(plain))
    assert [list(row) for row in rows] == [[*gemm_numbers.COLUMNS, "spread"]] * 2
    assert rows[0]["speed"].endswith(" TFLOPS")
    assert float(rows[0]["GB/s"]) > 1
    assert 1.0 <= float(rows[0]["x floor"]) < 1.1
    assert set(rows[1].values()) == {""}


def test_words_of_a_case() -> None:
    (plain, special) = synthetic.measured(
        gemm("gpu", 2048, schedule="reuse"),
        gemm("posix", 512, threads=1, beta=0.5, precision="double", layout="tiled", n=1000),
    )
    assert cases.words("gemm", plain.parameters) == "gpu, tiles of 2048 in 8 GiB, ram, 16 threads"
    assert cases.words("gemm", special.parameters) == (
        "posix, tiles of 512 in 8 GiB, double, tiled, each product reads, ram, beta 0.5, 1 thread"
    )
    assert (axes.sides(plain.parameters), axes.sides(special.parameters)) == (
        "32768",
        "32768 x 1000 x 32768",
    )
