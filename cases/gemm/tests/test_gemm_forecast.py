"""The forecast of a product: bytes, seconds by link and disk, and the remaining time."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest
from gemm_requests import CPU, GPU, one, stand_in

from watari.case.axis import Machine
from watari.cases.gemm import case as gemm_case
from watari.cases.gemm import forecast as gemm_forecast
from watari.common import progress
from watari.common.bars import ShareBar
from watari.common.errors import UnsupportedError, UsageError
from watari.common.units import format_bytes, format_duration, format_flops
from watari.plan.request import Request, resolve


def lines(requests: list[Request], machine: Machine) -> list[str]:
    return gemm_forecast.lines([request.parameters for request in requests], machine)


@pytest.mark.parametrize("schedule", ["reuse", "naive"])
def test_bytes_are_those_of_a_square_block(schedule: str) -> None:
    p = one(n=4096, tile=512, fast_memory="32MiB", schedule=schedule, beta=1).parameters
    matrix, block = 4 * 4096**2, 4 if schedule == "reuse" else 1  # 4 x 4 + 2 (4 + 4) of 32 tiles
    assert gemm_case.bytes_per_sample(p) == matrix * (2 * 8 // block + 2)


def test_a_run_says_first_what_it_will_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def plan(p: dict[str, Any]) -> dict[str, int]:
        if p["tile"] == 1024:
            raise UsageError("needs 50MiB at least")
        return {"bytes_read": 3 * 10**9, "bytes_written": 10**9, "lower_bound_bytes": 2 * 10**9}

    stand_in(monkeypatch, gemm_plan=plan)
    monkeypatch.setattr(gemm_forecast, "folder_rate", lambda folder: 2e9)
    monkeypatch.setattr(gemm_forecast, "blas_rate", lambda precision: 1e12)
    asked = {"engine": ["posix", "uring"], "tile": [512, 1024], "fast-memory": "64MiB"}
    first, second = lines(resolve("gemm", asked, CPU), CPU)
    assert first == (
        "gemm 4096, tile 512 of 64MiB, reuse, single, file: reads 3 GB, writes 1 GB "
        "(any schedule moves 2 GB at least); "
        "2 s at best: store 2 s at 2 GB/s, arithmetic 0.14 s at 1 TFLOPS"
    )
    assert second.endswith("needs 50MiB at least")
    sweep = {**asked, "tile": [512, 4096]}
    _, refused = lines(resolve("gemm", sweep, CPU), CPU)
    assert refused == (
        "gemm 4096, tile 4096 of 64MiB, reuse, single, file: fast-memory=64MiB is too small for "
        "tile=4096: 5 tiles take 320MiB; give 320MiB or more"
    )


def test_plans_that_differ_have_a_line_each_that_names_in_what(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def plan(p: dict[str, Any]) -> dict[str, float]:
        if p["engine"] == "pinned":
            raise UnsupportedError("store=ram")
        read = 10**9 * ((p["alpha"] != 0) + 2 * (p["beta"] != 0) + 4 * (p["layout"] == "tiled"))
        return {"bytes_read": read, "bytes_written": 0, "lower_bound_bytes": 0}

    stand_in(monkeypatch, gemm_plan=plan)
    monkeypatch.setattr(gemm_forecast, "folder_rate", {"one": 1e9, "two": 2e9}.get)
    monkeypatch.setattr(gemm_forecast, "blas_rate", lambda precision: None)

    def forecasts(**given: Any) -> list[tuple[str, str]]:
        texts = lines(resolve("gemm", {"n": 256, **given}, CPU), CPU)
        head = "gemm 256, tile 128 of 2MiB, reuse, "
        assert all(line.startswith(head) for line in texts)
        split = [line.removeprefix(head).split(": ", 1) for line in texts]
        return [(where, text.split(",")[0]) for where, text in split]

    factors = {"alpha": [0, 1, 2], "beta": [0, 1], "layout": ["row-major", "tiled"]}
    named = forecasts(**factors, engine=["posix", "uring"], folder="one")
    assert len(named) == 8
    assert named[0] == ("single, file, layout=row-major, alpha=0.0, beta=0.0", "reads 0 B")
    assert ("single, file, layout=tiled, alpha=1.0,2.0, beta=1.0", "reads 7 GB") in named
    assert [where for where, _ in forecasts(alpha=[1, 2], folder=["one", "two"])] == [
        "single, file, folder=one",
        "single, file, folder=two",
    ]
    assert forecasts(engine="pinned", store="file") == [("single, file", "store=ram")]


@pytest.mark.parametrize(
    ("factors", "elements"), [({}, 440), ({"beta": 2}, 640), ({"alpha": 0}, 200)]
)
def test_each_matrix_that_counts_moves_once_at_least(
    factors: dict[str, float], elements: int
) -> None:
    plan = {"bytes_read": 0, "bytes_written": 0, "lower_bound_bytes": 0}
    p = one(m=10, n=20, k=8, precision="double", processor="cpu", **factors).parameters
    assert gemm_forecast.forecast(p, plan, None).lower_bound == 8 * elements
    larger = gemm_forecast.forecast(p, {**plan, "lower_bound_bytes": 10**6}, None)
    assert larger.lower_bound == 10**6


def test_time_over_a_link_is_that_of_the_link(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = {"bytes_read": 60 * 10**9, "bytes_written": 3 * 10**9, "lower_bound_bytes": 0}
    stand_in(monkeypatch, gemm_plan=lambda p: plan)
    (line,) = lines(resolve("gemm", {"store": "ram"}, GPU), GPU)
    assert line.endswith("1 s at best: store 1 s at 63 GB/s")
    (line,) = lines([one(store="ram", processor="cpu")], CPU)
    assert "arithmetic " in line
    assert "store 1" not in line


def test_a_disks_rate_is_measured_and_leaves_nothing(tmp_path: Path) -> None:
    rate = gemm_forecast.folder_rate(str(tmp_path / "made"))
    assert rate is None or rate > 1e6
    assert list((tmp_path / "made").iterdir()) == []
    assert gemm_forecast.file_rate(tmp_path / "missing") is None
    small = tmp_path / "small"  # less than one read
    small.write_bytes(bytes(100_000))
    assert gemm_forecast.file_rate(small) is None
    assert gemm_forecast.blas_rate("double") > 1e8


def test_a_disks_rate_is_measured_without_a_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names: list[list[Path]] = []

    def file_rate(path: Path) -> float:
        names.append(list(tmp_path.iterdir()))
        return float(path.stat().st_size)

    monkeypatch.setattr(gemm_forecast, "file_rate", file_rate)
    assert gemm_forecast.folder_rate(str(tmp_path)) == gemm_forecast.SAMPLE
    assert names == [[]]


def test_a_matrix_whose_close_fails_has_a_rate_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = tmp_path / "small"
    small.write_bytes(bytes(100_000))
    close = os.close

    def failing(file: int) -> None:
        close(file)
        raise OSError(errno.EDQUOT, os.strerror(errno.EDQUOT))

    monkeypatch.setattr(os, "close", failing)
    assert gemm_forecast.file_rate(small) is None


def test_a_share_reports_the_time_left_from_where_it_began(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: clock[0])
    share = progress.suited_share()
    assert type(share) is progress.Share
    share.start()
    for moment, fraction in ((101, 0.5), (105, 0.6), (111, 0.75)):
        clock[0] = moment
        share.advance(fraction, f"{fraction * 8:.0f} of 8 tiles")
    share.stop()
    assert capsys.readouterr().out == "75%, 6 of 8 tiles, 10 s left\n"


def test_a_bar_shows_a_share_on_a_terminal() -> None:
    console = progress.Console(force_terminal=True, width=100, record=True)
    bar = ShareBar(console)
    bar.start()
    bar.advance(0.25, "2 of 8 tiles")
    bar.advance(0.5, "4 of 8 tiles")
    bar.stop()
    shown = console.export_text()
    assert "50%" in shown
    assert "4 of 8 tiles" in shown


def test_bytes_are_in_the_unit_that_suits_them() -> None:
    texts = [format_bytes(n) for n in (0, 512, 1540, 41.9e6, 999.7e6, 3.22e9, 1.2e13, 4e15)]
    assert texts == ["0 B", "512 B", "1.54 kB", "41.9 MB", "1 GB", "3.22 GB", "12 TB", "4 PB"]
    speeds = [format_flops(n) for n in (491, 1.25e7, 9.84e10, 9.997e11, 5.01e13)]
    assert speeds == ["491 FLOPS", "12.5 MFLOPS", "98.4 GFLOPS", "1 TFLOPS", "50.1 TFLOPS"]
    short = [format_duration(s) for s in (0, 2e-6, 9.96e-5, 5.5e-4, 0.0099, 0.00996)]
    assert short == ["under 1 µs", "2 µs", "0.1 ms", "0.55 ms", "9.9 ms", "0.01 s"]
    long = [format_duration(s) for s in (1.24, 99, 130, 11000, 1e6, 1e8)]
    assert long == ["1.2 s", "99 s", "130 s", "3.06 h", "12 days", "1157 days"]
