"""The side of matrices for a time, by the measured rate of the disk."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import refused
from gemm_requests import CPU, stand_in
from hypothesis import given
from hypothesis import strategies as st

from watari.cases.gemm import side
from watari.common.errors import UsageError
from watari.plan.request import earlier_values, resolve

NAIVE = {"schedule": "naive", "tile": [512, 1024], "engine": ["posix", "uring"], "n": "auto:100s"}


@pytest.fixture(autouse=True)
def forgotten() -> None:
    side.rate.cache_clear()


@given(
    st.floats(1e6, 1e16),
    st.sampled_from([128, 512, 2048, 4096]),
    st.sampled_from([4, 8]),
    st.integers(0, 9),
)
def test_the_side_is_the_largest_whose_reads_fit(
    most: float, tile: int, element: int, rows: int
) -> None:
    if side.reads(tile, tile, element, rows) > most:
        with pytest.raises(UsageError, match="reads no product of"):
            side.largest(most, tile, element, rows)
        return
    n = side.largest(most, tile, element, rows)
    assert n % tile == 0
    assert side.reads(n, tile, element, rows) <= most
    assert n + tile > side.LARGEST or side.reads(n + tile, tile, element, rows) > most


def test_reads_are_those_that_the_library_counts() -> None:
    from watari.case.native import module
    from watari.cases.gemm import trial

    for rows in (0, 2):
        asked = {"schedule": "naive", "n": 1024, "tile": 256, "rows": rows, "fast-memory": "2MiB"}
        (request,) = resolve("gemm", asked, CPU)
        plan = module("watari.cases.gemm").gemm_plan(trial.native_parameters(request.parameters))
        assert plan["bytes_read"] == side.reads(1024, 256, 4, rows)


def test_engines_share_a_side_and_tiles_have_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[int, int]] = []

    def rate(path: str, block: int, threads: int) -> float:
        asked.append((block, threads))
        return 120e3 * block  # a disk of 120,000 requests a second

    stand_in(monkeypatch, gemm_read_rate=rate)
    monkeypatch.setattr(side, "PIECES", 1)
    found = resolve("gemm", {**NAIVE, "folder": str(tmp_path)}, CPU)
    sides = {(r.parameters["tile"], r.parameters["engine"]): r.parameters["n"] for r in found}
    # 8 N^3 / T <= 100 s x 120,000 x 4 T
    assert sides == {
        (512, "posix"): 11264,
        (512, "uring"): 11264,
        (1024, "posix"): 18432,
        (1024, "uring"): 18432,
    }
    assert [block for block, _ in asked] == [2048, 4096]  # once each
    assert {threads for _, threads in asked} <= set(range(1, 17))
    assert all(r.parameters["m"] == r.parameters["k"] == r.parameters["n"] for r in found)
    assert list(tmp_path.iterdir()) == []
    rows = resolve("gemm", {**NAIVE, "folder": str(tmp_path), "rows": 1, "tile": 512}, CPU)
    assert {r.parameters["n"] for r in rows} == {55296}  # 8 N^2 <= 24.6 GB


def test_a_run_that_is_resumed_keeps_its_sides(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(side, "rate_of", lambda folder, request: 1e9)
    asked = {**NAIVE, "folder": str(tmp_path)}
    before = resolve("gemm", asked, CPU)
    side.rate.cache_clear()
    monkeypatch.setattr(side, "rate_of", lambda folder, request: 2e9)
    with earlier_values(before):
        assert resolve("gemm", asked, CPU) == before
        # another tile was not in it
        assert resolve("gemm", {**asked, "tile": 128}, CPU)[0].parameters["n"] > 0
    assert resolve("gemm", asked, CPU) != before


def test_two_folders_on_one_device_have_its_rate_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(side, "rate_of", lambda folder, request: {"a": 3e9, "b": 1e9}[folder[-1:]])
    for name in "ab":
        (tmp_path / name).mkdir()
    assert side.rate(f"{tmp_path}/a:{tmp_path}/b", 4096) == 1e9


def test_a_real_disk_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(side, "PIECES", 16)
    try:
        assert side.rate(str(tmp_path), 4096) > 0
    except UsageError as error:
        if "cannot be measured" not in str(error):
            raise
        pytest.skip(str(error))  # a file system in memory


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["n=auto:"], "is not a time"),
        (["n=auto:0s"], "a time above 0"),
        (["n=auto:fast"], "is not a time"),
        (["n=auto:100s"], "is for reads of schedule=naive from files"),
        (["n=auto:100s", "schedule=naive"], "is for reads of schedule=naive from files"),
        (
            ["n=auto:1s", "schedule=naive", "tile=512", "store=ram"],
            "is for reads of schedule=naive",
        ),
        (["n=auto:1s", "schedule=naive", "tile=512", "m=512"], "is for square matrices"),
        (["n=auto:1s", "schedule=naive", "tile=512", "folder=/nowhere"], "cannot be measured"),
        (["n=auto:1s", "schedule=naive", "tile=512", "folder=/dev/shm"], "cannot be measured"),
    ],
)
def test_what_has_no_side_is_refused_in_a_line(
    words: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert says in refused(capsys, "run", "gemm", *words)
