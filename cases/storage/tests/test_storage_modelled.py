"""Modelled SSDs behind engines of files: the same model as behind queues, its error, refusals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import asked
import pytest
from storage_trials import request, run

from watari import _native, cases
from watari.case import ssd_model
from watari.cases.storage.command import modelled
from watari.common.errors import FileError, UnsupportedError, WatariError

FIO = Path(__file__).parent / "fio.json"
ENGINES = ("posix", "uring", "queue")


def slow(rows: tuple[ssd_model.Row, ...], factor: float) -> tuple[ssd_model.Row, ...]:
    return tuple(replace(row, latency=factor * row.latency, iops=row.iops / factor) for row in rows)


@pytest.fixture
def model(tmp_path: Path) -> Callable[..., str]:
    """Writes the model of fio.json, perhaps slower, with rows of writes too."""

    def write(factor: float = 1) -> str:
        made = modelled(FIO, "ssd")[0]
        rows = slow(made.rows, factor)
        writes = tuple(replace(row, direction="write") for row in rows)
        path = tmp_path / "ssd.toml"
        path.write_text(ssd_model.text(replace(made, rows=rows + writes)))
        return f"modelled:{path}"

    return write


@pytest.mark.parametrize("direction", ["read", "write"])
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("disks", [1, 3])
def test_every_engine_has_the_data_and_the_error_of_the_model(
    engine: str, direction: str, disks: int, model: Callable[..., str]
) -> None:
    given = {"store": model(), "size": "6MiB", "requests": 200, "threads": 2}
    result = run(engine=engine, direction=direction, files=disks, **given)
    assert "model_latency_median" in result["quantities"]
    assert "direct" not in result["quantities"]
    assert any(note.startswith("modelled: ") for note in result["notes"])
    assert any(note.startswith("model ssd of an SSD") for note in result["notes"])


@pytest.mark.parametrize("depth", [1, 4])
@pytest.mark.parametrize("engine", ENGINES)
def test_no_engine_is_faster_than_the_model_by_its_own_formula(
    engine: str, depth: int, model: Callable[..., str]
) -> None:
    """With requests of milliseconds a busy machine adds little: the rates of all engines are near
    that of the model in simulated time, and never above it."""
    if engine == "posix" and depth > 1:
        pytest.skip("one request in flight a thread")
    store = model(20)
    path = store.removeprefix("modelled:")
    given = {"store": store, "threads": 1, "depth": depth, "requests": 100, "samples": 2}
    result = run(engine=engine, **given)
    rows = ssd_model.load(path).numbers()
    formula = _native.simulate_ssd(rows, "ssd", False, 4096, depth, 4000)
    rate = result["quantities"]["requests_per_s"]["value"]
    # a hundred requests do not have the mean of all
    assert rate < 1.15 * formula["iops"]
    assert min(result["histograms"]["latency"]["low"]) > 0.9 * min(
        row.shape[0] * row.latency for row in ssd_model.load(path).rows if row.block == 4096
    )


def test_striped_ssds_are_several_models(model: Callable[..., str]) -> None:
    result = run(engine="uring", store=model(), files=2, size="4MiB", requests=64)
    assert any("modelled: 2 of " in note for note in result["notes"])


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"engine": "mmap"}, "engine mmap cannot hold a request back"),
        ({"engine": "posix", "store": "ram"}, "store=ram is behind queues"),
        ({"engine": "posix", "cache": "warm"}, "has no page cache"),
    ],
)
def test_what_no_model_can_time_is_unsupported(given: dict[str, Any], says: str) -> None:
    with pytest.raises(UnsupportedError, match=says):
        run(**{"store": "modelled:kioxia-cm6-v", **given})


def test_a_fault_is_of_queues(model: Callable[..., str]) -> None:
    with pytest.raises(UnsupportedError, match="fault=dropped is behind queues"):
        run(engine="posix", store=model(), fault="dropped")


def test_the_default_requests_suit_a_slow_engine() -> None:
    def requests(engine: str) -> int:
        given = {"engine": engine, "store": "modelled:kioxia-cm6-v"}
        return int(asked.request("storage", **given).parameters["requests"])

    assert requests("queue") == 16 * requests("posix")


def test_a_damaged_model_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_text("name = 3\n")
    parameters = request(engine="posix", store=f"modelled:{path}").parameters
    with pytest.raises(FileError, match="no model of an SSD"):
        cases.CASES["storage"].require_files(parameters)
    with pytest.raises(WatariError):
        cases.CASES["storage"].run(parameters)
