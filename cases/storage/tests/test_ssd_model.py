"""Models of SSDs from results of fio: errors, refusals, and the store that runs on them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import asked
import numpy as np
import pytest
from command_line import printed, refused
from storage_trials import request, run

from watari import cases
from watari.case import ssd_model
from watari.cases.storage import fio_rows, ssd_error
from watari.cases.storage.command import modelled
from watari.cases.storage.trial import tell_share
from watari.common.errors import FileError, UsageError, WatariError

FIO = Path(__file__).parent / "fio.json"  # by benchmarks/fio_rows.sh


@pytest.fixture
def toml(tmp_path: Path) -> str:
    path = tmp_path / "ssd.toml"
    path.write_text(ssd_model.text(modelled(FIO, "ssd")[0]))
    return str(path)


# The model, in simulated time


def test_a_model_has_the_latency_and_the_rate_of_the_rows_it_was_made_of() -> None:
    rows = fio_rows.load(str(FIO)).rows
    for row in [*rows, *rows[::-1]]:  # nothing depends on the order
        latency, rate = ssd_error.simulated(rows, row)
        assert latency == pytest.approx(row.latency, rel=0.03)
        # the number in flight over the latency, which fio itself reaches but for its own work
        assert rate == pytest.approx(row.depth / row.latency, rel=0.05)


def test_the_spread_of_single_requests_is_that_of_the_row() -> None:
    from watari import _native

    rows = fio_rows.load(str(FIO)).rows
    for row in rows[::5]:
        seen = _native.simulate_ssd(
            ssd_model.numbers(rows), "rows", False, row.block, row.depth, 30000
        )
        for name, part in (("p50", 0.5), ("p99", 0.99)):
            own = row.latency * row.shape[ssd_model.SHAPE.index(part)]
            assert seen[name] == pytest.approx(own, rel=0.05)


def made(latency: Callable[[int, int], float]) -> list[ssd_model.Row]:
    flat = tuple(1.0 for _ in ssd_model.SHAPE)
    return [
        ssd_model.Row(
            "read", block, depth, latency(block, depth), depth / latency(block, depth), flat
        )
        for block in (4096, 16384, 65536)
        for depth in (1, 4, 16, 64)
    ]


def test_errors_are_zero_where_the_disk_is_a_power_law_and_seen_where_it_is_not() -> None:
    smooth = made(lambda block, depth: 1e-6 * block**0.5 * depth**0.25)
    assert ssd_error.left_out(smooth).latency_worst < 1e-3
    bent = made(lambda block, depth: 2e-4 if (block, depth) == (16384, 4) else 1e-4)
    assert ssd_error.residual(bent).latency_worst < 1e-3
    assert ssd_error.left_out(bent).latency_worst == pytest.approx(0.5, abs=0.01)  # 1e-4 for 2e-4
    assert ssd_error.left_out(bent).latency_median < 0.5


# Files


def test_a_file_has_all_of_a_model(toml: str) -> None:
    model, loaded = modelled(FIO, "ssd")[0], ssd_model.load(toml)
    assert np.allclose(loaded.numbers(), model.numbers(), rtol=1e-3)
    assert loaded.residual.latency_worst == pytest.approx(model.residual.latency_worst, rel=1e-3)
    assert (loaded.name, loaded.source) == ("ssd", "fio-3.33, 20 rows")
    assert loaded.reach("read") == (range(4096, 2**18 + 1), range(1, 257))


def test_the_command_says_what_the_model_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = printed(capsys, "model-ssd", FIO, "-o", tmp_path / "ssd.toml")
    assert "reads of 4KiB to 256KiB, 1 to 256 in flight" in out
    assert "error at rows left out: latency" in out
    assert str(tmp_path) not in (tmp_path / "ssd.toml").read_text()


def test_the_command_ends_with_2_for_bad_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "none.json: cannot be read" in refused(
        capsys, "model-ssd", tmp_path / "none.json", "-o", tmp_path / "ssd.toml"
    )
    assert not (tmp_path / "ssd.toml").exists()


@pytest.mark.parametrize(
    "content", ["", "name = 1", "rows = 3", 'name = "x"\nsource = "y"\nrows = []']
)
def test_a_damaged_model_is_refused(content: str, tmp_path: Path) -> None:
    path = tmp_path / "ssd.toml"
    path.write_text(content)
    with pytest.raises(FileError, match="no model of an SSD"):
        ssd_model.load(str(path))


# The store


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"block": "512"}, "no range for block=512: its rows are of 4KiB to 256KiB"),
        ({"block": "1MiB"}, "no range for block=1MiB"),
        ({"depth": 300, "threads": 2}, "no range for 600 requests in flight"),
        ({"direction": "write"}, "no rows of direction=write"),
    ],
)
def test_requests_outside_the_rows_are_refused_before_a_run(
    given: dict[str, Any], says: str, toml: str
) -> None:
    outside = request(engine="queue", store=f"modelled:{toml}", **given)
    with pytest.raises(UsageError, match=says):
        cases.CASES["storage"].require_files(outside.parameters)


def test_a_missing_model_is_refused_before_a_run(tmp_path: Path) -> None:
    missing = request(engine="queue", store=f"modelled:{tmp_path}/none.toml")
    with pytest.raises(WatariError, match="cannot be read"):
        cases.CASES["storage"].require_files(missing.parameters)


def test_the_default_depth_stays_within_the_rows(toml: str) -> None:
    given = {"engine": "gpu", "store": f"modelled:{toml}"}
    parameters = asked.request("storage", asked.GPU, **given).parameters
    assert parameters["depth"] * parameters["threads"] <= 256
    cases.CASES["storage"].require_files(parameters)


def test_a_trial_on_a_model_takes_its_time_and_carries_its_error(toml: str) -> None:
    model = ssd_model.load(toml)
    given = {"engine": "queue", "store": f"modelled:{toml}", "threads": 1, "requests": 300}
    for depth, error in ((1, model.residual), (2, model.left_out)):
        result = run(**given, depth=depth)
        for name in ("latency_median", "latency_worst", "iops_median", "iops_worst"):
            assert result["quantities"][f"model_{name}"]["value"] == getattr(error, name)
        assert any(error.text() in note for note in result["notes"])
    row = next(row for row in model.rows if (row.block, row.depth) == (4096, 1))
    result = run(**given, depth=1)
    # no request is faster than the fastest one of fio; how much slower, this machine's load decides
    assert min(result["histograms"]["latency"]["low"]) > 0.9 * row.shape[0] * row.latency
    assert np.mean(result["host_s"]) > 0.5 * 300 * row.latency


def test_a_trial_that_is_not_at_the_rate_of_the_model_says_so(toml: str) -> None:
    result = run(engine="queue", store=f"modelled:{toml}", threads=1, depth=1, requests=300)
    row = next(r for r in ssd_model.load(toml).rows if (r.block, r.depth) == (4096, 1))
    rate = result["quantities"]["model_requests_per_s"]["value"]
    assert rate == pytest.approx(row.iops, rel=0.02)
    share = result["quantities"]["requests_per_s"]["value"] / rate
    told = [note for note in result["notes"] if "of the requests per second of the model" in note]
    assert len(told) == (abs(share - 1) > 0.05)
    trial: dict[str, Any] = {"quantities": {"requests_per_s": {"value": rate / 2}}, "notes": []}
    given = {"engine": "queue", "store": f"modelled:{toml}", "threads": 1, "depth": 1}
    tell_share(trial, request(**given).parameters)
    assert "had 0.50 of the requests per second" in trial["notes"][0]


@pytest.mark.parametrize("disks", [1, 2, 4])
def test_modelled_disks_are_as_many_as_files(disks: int) -> None:
    result = run(engine="queue", store="modelled:ten-million", files=disks, direction="write")
    assert any((f"{disks} of " in note) == (disks > 1) for note in result["notes"])
