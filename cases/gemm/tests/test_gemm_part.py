"""A part of a naive product: some block rows of C, and what the result says of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import ssd_files
import synthetic
from asked import quantities
from command_line import refused
from gemm_requests import GPU, one

from watari.cases.gemm import axes, case, forecast, trial
from watari.charts.figure import draw
from watari.common.errors import UnsupportedError, UsageError
from watari.report import figures as report


def run(folder: Path, **given: Any) -> dict[str, Any]:
    asked = {"processor": "cpu", "engine": "posix", "n": 1024, "m": 900, "tile": 256}
    asked |= {"schedule": "naive", "fast_memory": "4MiB", "samples": 1, "folder": str(folder)}
    made = trial.run(one(**{**asked, **given}).parameters)
    assert made["verified"]
    return made | {"quantities": quantities(made)}


def test_each_block_row_reads_and_multiplies_the_same(tmp_path: Path) -> None:
    whole, first, three = (run(tmp_path, rows=rows) for rows in (0, 1, 3))
    row = 2 * 4 * 4 * 256 * 256 * 4  # two tiles of four bytes for 4 x 4 products
    assert first["quantities"]["bytes_read"] == row
    assert three["quantities"]["bytes_read"] == 3 * row
    assert first["flops_per_sample"] == 2 * 256 * 1024 * 1024
    assert whole["flops_per_sample"] == 2 * 900 * 1024 * 1024
    assert first["quantities"]["share"] == pytest.approx(256 / 900)
    assert three["quantities"]["share"] == pytest.approx(768 / 900)
    assert whole["quantities"]["share"] == 1
    assert first["quantities"]["block_row_s"] == pytest.approx(first["host_s"][0])
    assert three["quantities"]["block_row_s"] == pytest.approx(three["host_s"][0] / 3)
    assert whole["quantities"]["block_row_s"] == pytest.approx(whole["host_s"][0] * 256 / 900)


def test_blocks_that_stay_have_no_block_row(tmp_path: Path) -> None:
    assert "block_row_s" not in run(tmp_path, schedule="reuse")["quantities"]


@pytest.mark.parametrize("engine", ["posix", "uring", "queue"])
@pytest.mark.parametrize("layout", ["row-major", "tiled"])
def test_engines_of_files_and_queues_take_the_time_of_a_modelled_ssd(
    engine: str, layout: str, tmp_path: Path
) -> None:
    given = {"engine": engine, "layout": layout, "rows": 1}
    made = run(tmp_path, store="modelled:kioxia-cm6-v", **given)
    assert any(note.startswith("modelled: KIOXIA CM6-V") for note in made["notes"])
    ends = any("requests end when an SSD would end them" in note for note in made["notes"])
    assert ends == (engine != "queue")
    fastest = made["quantities"]["bytes_read"] / 6.9e9  # the model's rate
    assert made["host_s"][0] > fastest
    assert list(tmp_path.iterdir()) == []  # no file on a disk


def test_several_modelled_ssds_divide_the_bytes(tmp_path: Path) -> None:
    made = run(tmp_path, engine="uring", store="modelled:kioxia-cm6-v", files=4, rows=1)
    assert any(note.startswith("modelled: 4 of KIOXIA CM6-V") for note in made["notes"])
    assert made["host_s"][0] > made["quantities"]["bytes_read"] / 6.9e9 / 4
    with pytest.raises(UsageError, match="files=4 is a number of modelled SSDs"):
        axes.require_sense(one(GPU, store="ram", files=4, n=512, tile=128).parameters)


def test_an_engine_that_cannot_hold_requests_back_is_unsupported(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match="cannot hold a request back"):
        run(tmp_path, engine="mmap", store="modelled:kioxia-cm6-v", rows=1)


def test_a_model_in_a_file_carries_its_error_and_its_rows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = ssd_files.store(tmp_path)
    made = run(tmp_path, engine="posix", tile=1024, fast_memory="24MiB", store=store, rows=1)
    assert made["quantities"]["model_latency_worst"] == 0
    assert any("error at rows left out" in note for note in made["notes"])
    words = ["run", "gemm", "tile=1024", "n=4096", "engine=uring"]
    said = refused(capsys, *words, f"store={store}", "depth=4096")
    assert "the model has no range for" in said
    assert "no range for block=512" in refused(capsys, *words[:-3], "tile=128", f"store={store}")
    assert "none.toml: cannot be read" in refused(capsys, *words, "store=modelled:none.toml")
    reads = ssd_files.store(tmp_path, directions=("read",))
    assert "no rows of direction=write" in refused(capsys, *words, f"store={reads}")


def test_a_part_has_its_own_bytes_memory_and_name() -> None:
    given = {"n": 131072, "tile": 2048, "schedule": "naive", "fast_memory": "1GiB"}
    whole = one(GPU, **given, store="modelled:kioxia-cm6-v").parameters
    part = one(GPU, **given, store="modelled:kioxia-cm6-v", rows=1).parameters
    assert case.bytes_per_sample(whole) == pytest.approx(64 * case.bytes_per_sample(part))
    assert axes.matrix_bytes(whole) == 3 * 4 * 131072**2
    assert axes.matrix_bytes(part) == 4 * 131072 * (131072 + 2 * 2048)
    assert case.profile(part).footprint["pageable"] == axes.matrix_bytes(part)
    assert axes.extent(part) == "131072, 1 of 64 block rows"
    assert axes.extent(whole) == "131072"
    assert forecast.store_rate(part, GPU) is None  # the link's rate is not that of the SSD


def test_a_chart_names_the_part_the_model_and_the_seconds_of_a_block_row() -> None:
    given = {"rows": 2, "store": "modelled:kioxia-cm6-v", "threads": 4}
    made = [
        synthetic.gemm_case(np.random.default_rng(1), "gpu", t, 1, **given) for t in (512, 2048)
    ]
    for each in made:
        each["trials"][0]["quantities"]["block_row_s"] = {"value": 20.25, "unit": "s"}
    (chart,) = [
        drawn
        for drawn in draw(report.figures(), synthetic.measured(*made))
        if drawn.figure.name == "gemm"
    ]
    assert chart.heading.startswith("32768, 2 block rows alone, each product reads its tiles")
    assert chart.heading.endswith("row-major in modelled:kioxia-cm6-v")
    assert chart.spec()["title"]["text"] == (
        "A block row: gpu 20.2 s (Hanawa 2025: 4.34x through the CPU to GPU threads)"
    )
