"""Case `gemm` in the table of cases: axes, defaults, estimates and forecasts."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import synthetic
from hypothesis import given
from hypothesis import strategies as st

import watari
from watari import cases
from watari.case.axis import Machine
from watari.cases.gemm import axes as gemm_axes
from watari.cases.gemm import case as gemm_case
from watari.cases.gemm import forecast as gemm_forecast
from watari.cases.gemm import trial as gemm_trial
from watari.common import progress
from watari.common.errors import UnsupportedError, UsageError
from watari.common.units import format_bytes, format_duration, format_flops
from watari.plan.request import Request, describe, resolve
from watari.run import budget, launch

GPU, CPU = synthetic.gpu_machine(), synthetic.cpu_machine()


def one(machine: dict[str, Any] = CPU, **given: Any) -> Request:
    asked = {name.replace("_", "-"): value for name, value in given.items()}
    (request,) = resolve("gemm", asked, machine)
    return request


def test_defaults_suit_the_machine() -> None:
    cpu, gpu = one().parameters, one(GPU).parameters
    assert (cpu["processor"], cpu["engine"], cpu["n"], cpu["tile"]) == ("cpu", "uring", 4096, 512)
    assert (gpu["processor"], gpu["engine"], gpu["n"], gpu["tile"]) == ("gpu", "gpu", 16384, 2048)
    for p in (cpu, gpu):
        assert p["m"] == p["k"] == p["n"]
        assert p["fast-memory"] == 3 * 4 * p["n"] ** 2 // 4
        assert gemm_axes.slots(p) >= gemm_axes.SLOTS_USUAL
        assert (p["alpha"], p["beta"], p["store"]) == (1, 0, "file")
    assert one(n=100).parameters["tile"] == 128
    assert one(n=300, k=200, m=100).parameters["m"] == 100


def test_engines_bring_what_they_need() -> None:
    assert one(engine="gpu").parameters["processor"] == "gpu"
    assert one(GPU, engine="managed").parameters["store"] == "ram"
    assert one(GPU, processor="cpu").parameters["engine"] == "uring"
    assert one(engine="posix").parameters["depth"] == 1
    with pytest.raises(UsageError, match="depth=8 cannot be had"):
        one(engine="posix", depth=8)
    assert one(engine="uring").parameters["depth"] == 32
    disk, ram = one(GPU, engine="gpu").parameters, one(GPU, engine="gpu", store="ram").parameters
    assert (disk["threads"], disk["depth"]) == (4, 16)
    assert ram["threads"] == GPU["processors"][0]["cores"] // 2


@pytest.mark.parametrize("tile", range(128, 4096, 128))
def test_stored_tiles_keep_2_mebibytes_in_flight_of_each_thread(tile: int) -> None:
    given = {"engine": "gpu", "store": "ram", "layout": "tiled", "n": 8192, "fast_memory": "1GiB"}
    block = 2**21  # of a request: the largest that a tile is a whole number of
    while tile * tile * 4 % block:
        block //= 2
    depth = one(GPU, tile=tile, **given).parameters["depth"]
    assert depth == max(2, 2**21 // block)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"tile": 100}, "a multiple of 128"),
        (
            {"tile": 2048},
            "fast-memory=48MiB, the default here, is too small for tile=2048: "
            "5 tiles take 80MiB; give 80MiB or more",
        ),
        ({"tile": 2048, "fast_memory": "64MiB"}, "fast-memory=64MiB is too small for tile=2048"),
        ({"alpha": "nan"}, "'nan' is not a number"),
        ({"alpha": 1e39}, "alpha=1e+39 is beyond precision=single"),
        ({"beta": -1e-50}, "beta=-1e-50 is beyond precision=single"),
        ({"folder": ""}, "a folder needs a name"),
        ({"folder": "~nobody-here/x"}, "no such user"),
        ({"schedule": "resue"}, "did you mean 'reuse'?"),
        ({"n": 0}, "not a whole number from 1"),
    ],
)
def test_what_makes_no_sense_is_refused(given: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError) as raised:
        one(**given)
    assert says in str(raised.value)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_read_back(number: float) -> None:
    assert gemm_axes.parse_number(str(number)) == number


def test_factors_may_be_as_large_and_as_small_as_elements() -> None:
    for factor in (3.4e38, 1.5e-45, -1e-40, 0.1):
        assert one(alpha=factor).parameters["alpha"] == factor
    assert one(alpha=1e300, beta=1e-300, precision="double").parameters["alpha"] == 1e300


def test_a_case_is_described_by_what_is_special() -> None:
    assert describe(one()) == "gemm cpu uring 4096 tile 512 of 48MiB depth 32 x 2"
    text = describe(one(m=100, schedule="naive", beta=0.5, layout="tiled", fast_memory="1GiB"))
    assert text == (
        "gemm cpu uring 4096 tile 2048 of 1GiB depth 32 x 2 "
        "m=100 layout=tiled schedule=naive beta=0.5"
    )


def lines(requests: list[Request], machine: Machine) -> list[str]:
    return gemm_forecast.lines([request.parameters for request in requests], machine)


@pytest.mark.parametrize("schedule", ["reuse", "naive"])
def test_bytes_are_those_of_a_square_block(schedule: str) -> None:
    p = one(n=4096, tile=512, fast_memory="32MiB", schedule=schedule, beta=1).parameters
    matrix, block = 4 * 4096**2, 4 if schedule == "reuse" else 1  # 4 x 4 + 2 (4 + 4) of 32 tiles
    assert gemm_case.bytes_per_sample(p) == matrix * (2 * 8 // block + 2)


def test_a_trial_may_last_as_long_as_bytes_and_flops_need() -> None:
    small, large, naive = one(n=1024), one(n=16384), one(n=16384, schedule="naive")
    limits = [launch.time_limit(request) for request in (small, large, naive)]
    assert limits == sorted(limits)
    p = large.parameters
    assert limits[1] > p["samples"] * gemm_axes.flops(p) / gemm_case.SLOW_CPU
    assert budget.typical_rate(large) < 1e9
    on_file, in_memory = one(n=1024), one(n=1024, store="ram")
    assert (
        gemm_case.profile(on_file.parameters).memory
        < gemm_case.profile(in_memory.parameters).memory
    )


def test_openmp_has_all_cores_whatever_the_threads_that_move_tiles() -> None:
    assert "OMP_NUM_THREADS" not in launch.environment(one(threads=1), launch.Launcher())
    copy = resolve("copy", {"threads": 1}, CPU)[0]
    assert launch.environment(copy, launch.Launcher())["OMP_NUM_THREADS"] == "1"


def test_the_library_is_given_what_it_asks_for(monkeypatch: pytest.MonkeyPatch) -> None:
    p = gemm_trial.native_parameters(one(folder="~/x", alpha=2).parameters)
    assert p["fast_memory"] == 48 * 2**20
    assert (p["folder"], p["alpha"], p["beta"]) == (str(Path("~/x").expanduser()), 2.0, 0.0)
    assert {"seed", "blas_folder", "oversubscribe", "samples", "layout"} <= p.keys()


def stand_in(monkeypatch: pytest.MonkeyPatch, fake: SimpleNamespace) -> None:
    """Replaces the compiled part."""
    monkeypatch.setitem(sys.modules, "watari._native", fake)
    monkeypatch.setattr(watari, "_native", fake, raising=False)


def trial_of(monkeypatch: pytest.MonkeyPatch, wrong: int) -> dict[str, Any]:
    reported = {"host_s": [1.0], "quantities": {}, "wrong_elements": wrong}
    fake = SimpleNamespace(gemm=lambda parameters: reported)
    stand_in(monkeypatch, fake)
    return cases.CASES["gemm"].run(one().parameters)


def test_a_wrong_product_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    assert trial_of(monkeypatch, 0)["verified"] is True
    trial = trial_of(monkeypatch, 7)
    assert (trial["status"], trial["verified"]) == ("wrong", False)
    assert trial["error"] == "7 elements of C are not alpha A B + beta C"


def test_a_run_says_first_what_it_will_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def plan(p: dict[str, Any]) -> dict[str, int]:
        if p["tile"] == 1024:
            raise UsageError("needs 50MiB at least")
        return {"bytes_read": 3 * 10**9, "bytes_written": 10**9, "lower_bound_bytes": 2 * 10**9}

    fake = SimpleNamespace(gemm_plan=plan)
    stand_in(monkeypatch, fake)
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

    stand_in(monkeypatch, SimpleNamespace(gemm_plan=plan))
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
    fake = SimpleNamespace(gemm_plan=lambda p: plan)
    stand_in(monkeypatch, fake)
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
    small = tmp_path / "small"  # less than what is read at once
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
    bar = progress.ShareBar(console)
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
