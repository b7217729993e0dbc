"""Case `gemm` in the table of cases: axes, defaults, trials."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from gemm_requests import CPU, GPU, one, stand_in
from hypothesis import given
from hypothesis import strategies as st

from watari import cases
from watari.cases.gemm import axes as gemm_axes
from watari.cases.gemm import case as gemm_case
from watari.cases.gemm import trial as gemm_trial
from watari.common.errors import UsageError
from watari.plan.request import describe, resolve
from watari.run import budget, launch
from watari.run.launcher import Launcher, environment


def test_defaults_suit_the_machine() -> None:
    cpu, gpu = one().parameters, one(GPU).parameters
    assert (cpu["processor"], cpu["engine"], cpu["n"], cpu["tile"]) == ("cpu", "uring", 4096, 512)
    assert (gpu["processor"], gpu["engine"], gpu["n"], gpu["tile"]) == ("gpu", "gpu", 16384, 2048)
    for p in (cpu, gpu):
        assert p["m"] == p["k"] == p["n"]
        assert p["fast-memory"] == 3 * 4 * p["n"] ** 2 // 4
        assert gemm_axes.slots(p) >= 32
        assert (p["alpha"], p["beta"], p["store"]) == (1, 0, "file")
    assert one(n=100).parameters["tile"] == 128
    assert one(n=300, k=200, m=100).parameters["m"] == 100


def test_engines_bring_what_they_need() -> None:
    assert one(engine="gpu").parameters["processor"] == "gpu"
    assert one(GPU, engine="managed").parameters["store"] == "ram"
    assert one(GPU, processor="cpu").parameters["engine"] == "uring"
    assert one(engine="posix").parameters["depth"] == 1
    with pytest.raises(UsageError, match="depth=8 is not possible"):
        one(engine="posix", depth=8)
    assert one(engine="uring").parameters["depth"] == 32
    disk, ram = one(GPU, engine="gpu").parameters, one(GPU, engine="gpu", store="ram").parameters
    assert (disk["threads"], disk["depth"]) == (4, 16)
    assert ram["threads"] == GPU["processors"][0]["cores"] // 2


@pytest.mark.parametrize("tile", range(128, 4096, 128))
def test_stored_tiles_keep_2_mebibytes_in_flight_of_each_thread(tile: int) -> None:
    given = {"engine": "gpu", "store": "ram", "layout": "tiled", "n": 8192, "fast_memory": "1GiB"}
    block = 2**21  # bytes of a request: the largest that divides a tile
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
        ({"folder": ""}, "folder: no value given"),
        ({"folder": "~nobody-here/x"}, "no such user"),
        ({"schedule": "resue"}, "did you mean 'reuse'?"),
        ({"rows": 1}, "rows=1 is a part of schedule=naive, not reuse"),
        ({"rows": 9, "schedule": "naive"}, "rows=9: C has 8 block rows of 512 rows"),
        ({"store": "modelled:floppy"}, "modelled:kioxia-cm6-v"),
        ({"n": 0}, "not a whole number from 1"),
    ],
)
def test_what_makes_no_sense_is_refused(given: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError, match=re.escape(says)):
        one(**given)


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
    assert "OMP_NUM_THREADS" not in environment(one(threads=1), Launcher())
    copy = resolve("copy", {"threads": 1}, CPU)[0]
    assert environment(copy, Launcher())["OMP_NUM_THREADS"] == "1"


def test_the_library_is_given_what_it_asks_for(monkeypatch: pytest.MonkeyPatch) -> None:
    p = gemm_trial.native_parameters(one(folder="~/x", alpha=2).parameters)
    assert p["fast-memory"] == 48 * 2**20
    assert (p["folders"], p["alpha"], p["beta"]) == ([str(Path("~/x").expanduser())], 2.0, 0.0)
    assert {"blas_folder", "oversubscribe", "samples", "layout"} <= p.keys()


def trial_of(monkeypatch: pytest.MonkeyPatch, wrong: int) -> dict[str, Any]:
    reported = {"host_s": [1.0], "quantities": {}, "wrong_elements": wrong}
    stand_in(monkeypatch, gemm=lambda parameters: reported)
    return cases.CASES["gemm"].run(one().parameters)


def test_a_wrong_product_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    assert trial_of(monkeypatch, 0)["verified"] is True
    trial = trial_of(monkeypatch, 7)
    assert (trial["status"], trial["verified"]) == ("wrong", False)
    assert trial["error"] == "7 elements of C are not alpha A B + beta C"
