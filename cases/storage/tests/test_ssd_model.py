"""Models of SSDs from results of fio: rows, errors, refusals, and the store that runs on them."""

from __future__ import annotations

import json
import shutil
import subprocess
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
Job = dict[str, Any]


@pytest.fixture
def toml(tmp_path: Path) -> str:
    path = tmp_path / "ssd.toml"
    path.write_text(ssd_model.text(modelled(FIO, "ssd")[0]))
    return str(path)


def job(block: str, depth: int, group: int, latency: float = 1e5, **more: Any) -> Job:
    """A job of fio whose latency is the same for all requests."""
    side = {
        "total_ios": 1000,
        "iops": depth / latency * 1e9,
        "lat_ns": {"min": latency, "max": latency, "mean": latency},
        "clat_ns": {"percentile": {"1.000000": latency, "99.000000": latency}},
    }
    options = {"rw": "randread", "bs": block, "iodepth": str(depth), "ioengine": "libaio"}
    options |= {name: value for name, value in more.items() if name != "jobname"}
    return {
        "jobname": more.get("jobname", f"{block}-{depth}"),
        "groupid": group,
        "job options": options,
        "read": side,
        "write": side,
    }


def written(tmp_path: Path, *jobs: Job) -> str:
    path = tmp_path / f"rows-{len(list(tmp_path.iterdir()))}.json"
    path.write_text(json.dumps({"fio version": "fio-3.33", "jobs": jobs}))
    return str(path)


# Rows


def test_rows_are_those_of_fio_the_median_of_repetitions_with_their_spread() -> None:
    found = fio_rows.load(str(FIO))
    jobs = json.loads(FIO.read_text())["jobs"]
    assert len(found.rows) == len(jobs) / 2 == 20
    for row in found.rows:
        same = [
            j["read"]
            for j in jobs
            if j["job options"] == {"bs": f"{row.block // 1024}k", "iodepth": str(row.depth)}
        ]
        chosen = sorted(same, key=lambda read: read["iops"])[len(same) // 2]
        assert (row.direction, row.iops) == ("read", chosen["iops"])
        assert row.latency == pytest.approx(chosen["lat_ns"]["mean"] * 1e-9)
    assert found.spread is not None
    assert found.spread > 0


def test_copies_of_a_job_are_one_row_with_more_in_flight(tmp_path: Path) -> None:
    apart = [job("4k", 2, 0, numjobs="2", jobname="a") for _ in range(2)]
    grouped = job("4k", 2, 1, numjobs="4", group_reporting="1", jobname="b")
    one = job("4k", 64, 2, ioengine="psync")
    rows = fio_rows.load(written(tmp_path, *apart, grouped, one)).rows
    assert [row.depth for row in rows] == [1, 4, 8]
    assert rows[1].iops == pytest.approx(2 * 2 / 1e-4)


def test_jobs_of_other_kinds_are_counted_not_used(tmp_path: Path) -> None:
    jobs = [job("4k", depth, depth) for depth in (1, 4, 16)]
    others = [job("4k", 1, 90, rw="randrw"), job("4k", 1, 91, rw="read"), job("4k,8k", 1, 92)]
    found = fio_rows.load(written(tmp_path, *jobs, *others))
    assert (len(found.rows), found.skipped, found.spread) == (3, 3, None)


@pytest.mark.parametrize(
    ("text", "size"), [("4k", 4096), ("4KiB", 4096), ("512", 512), ("1m", 2**20), ("4096B", 4096)]
)
def test_sizes_are_those_of_fio(text: str, size: int) -> None:
    assert fio_rows.bytes_of(text) == size


@pytest.mark.skipif(shutil.which("fio") is None, reason="fio is not installed")
def test_fio_itself_writes_what_is_read(tmp_path: Path) -> None:
    words = [
        "--rw=randread",
        "--ioengine=null",
        "--size=1m",
        "--number_ios=500",
        "--group_reporting",
    ]
    jobs = [
        word
        for depth in (1, 4, 16)
        for word in (f"--name=d{depth}", f"--iodepth={depth}", "--bs=8k", "--stonewall", *words)
    ]
    out = tmp_path / "fio.json"
    subprocess.run(
        ["fio", "--output-format=json", f"--output={out}", *jobs], check=True, timeout=120
    )
    rows = fio_rows.load(str(out)).rows
    assert [(row.block, row.depth, row.direction) for row in rows] == [
        (8192, depth, "read") for depth in (1, 4, 16)
    ]
    assert all(row.iops > 0 for row in rows)


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


def test_what_is_no_result_of_fio_is_refused_in_a_line(tmp_path: Path) -> None:
    three = [job("4k", depth, depth) for depth in (1, 4, 16)]
    text = tmp_path / "text.json"
    text.write_text("no JSON")
    other = tmp_path / "other.json"
    other.write_text('{"schema": 1}')
    for path, says in (
        (str(text), "not JSON"),
        (str(tmp_path / "none.json"), "cannot be read"),
        (str(other), "not a result of fio"),
        (written(tmp_path), "no job of random reads"),
        (written(tmp_path, job("4k", 1, 0, rw="randwrite")), "no job of random reads"),
        (written(tmp_path, job("4k", 8, 0)), "1 depth"),
        (written(tmp_path, *three, job("8k", 8, 90)), "reads of 8192 bytes have 1 depth"),
        (written(tmp_path, *(j | {"groupid": 0} for j in three)), "at the same time"),
        (written(tmp_path, {"jobname": "a"}), "not a result of fio 3"),
        (written(tmp_path, {**three[0], "read": {"iops": 1}}), "not a result of fio 3"),
    ):
        with pytest.raises(FileError, match=rf"^.*{says}.*\Z"):
            fio_rows.load(path)


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


def test_a_job_that_failed_is_no_row(tmp_path: Path) -> None:
    three = [job("4k", depth, depth) for depth in (1, 4, 16)]
    path = written(tmp_path, *three[:2], {**three[2], "error": 5})
    with pytest.raises(FileError, match="job 4k-16 ended with error 5"):
        fio_rows.load(path)


@pytest.mark.parametrize(
    ("options", "direct"), [({}, False), ({"direct": "1"}, True), ({"buffered": "0"}, True)]
)
def test_rows_through_the_page_cache_say_so(
    options: dict[str, str], direct: bool, tmp_path: Path
) -> None:
    path = written(tmp_path, *(job("4k", depth, depth, **options) for depth in (1, 4, 16)))
    model, _ = modelled(Path(path), "ssd")
    assert ("page cache" in model.source) != direct


@pytest.mark.parametrize("disks", [1, 2, 4])
def test_modelled_disks_are_as_many_as_files(disks: int) -> None:
    result = run(engine="queue", store="modelled:ten-million", files=disks, direction="write")
    assert any((f"{disks} of " in note) == (disks > 1) for note in result["notes"])
