"""Products whose matrices are striped over several folders."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from gemm_requests import one

from watari import cases
from watari.case.engines import FILE_ENGINES, GPU_ONLY
from watari.cases.gemm import forecast
from watari.common.errors import UsageError

SMALL = {"m": 512, "n": 640, "k": 640, "tile": 128, "fast-memory": "2MiB", "samples": 2}


def run(two: tuple[Path, Path], **given: Any) -> dict[str, Any]:
    asked = {**SMALL, "processor": "cpu", "threads": 2, "folder": ":".join(map(str, two)), **given}
    return cases.CASES["gemm"].run(one(**asked).parameters)


@pytest.mark.parametrize("engine", [e for e in FILE_ENGINES if e not in GPU_ONLY])
@pytest.mark.parametrize("layout", ["row-major", "tiled"])
def test_a_product_of_matrices_in_two_folders_is_right(
    engine: str, layout: str, two: tuple[Path, Path]
) -> None:
    result = run(two, engine=engine, layout=layout)
    assert result["verified"] is True
    assert f"{two[0]} and {two[1]} are on one device: its rate is shared" in result["notes"]
    names = [[file.name for file in folder.iterdir()] for folder in two]
    assert [len(name) for name in names] == [1, 1]
    assert names[0][0].endswith("-1of2.data")
    assert run(two, engine=engine, layout=layout)["verified"] is True  # the same files again


@pytest.mark.parametrize("layout", ["row-major", "tiled"])
def test_rows_that_are_no_power_of_two_are_in_one_stripe_each(
    layout: str, two: tuple[Path, Path]
) -> None:
    sizes = {"m": 500, "n": 900, "k": 900, "schedule": "naive"}
    assert run(two, engine="uring", layout=layout, **sizes)["verified"] is True


def test_rows_without_a_common_stripe_are_refused(two: tuple[Path, Path]) -> None:
    sizes = {"m": 128, "n": 128 * 8191, "k": 128 * 127, "tile": 128}
    with pytest.raises(UsageError, match="stripes of whole rows"):
        run(two, engine="uring", **sizes)


def test_the_slowest_folder_decides_the_forecast(
    two: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    rates = {str(two[0]): 3e9, str(two[1]): 1e9}
    monkeypatch.setattr(forecast, "folder_rate", rates.get)
    # both are on the device of the tests, which has one rate
    assert forecast.folders_rate(f"{two[0]}:{two[1]}") == 1e9
    assert forecast.folders_rate(str(two[0])) == 3e9
    assert forecast.folders_rate(f"{two[0]}:{two[0]}/none") is None
