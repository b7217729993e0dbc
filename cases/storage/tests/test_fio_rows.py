"""Rows of results of fio, of which a model of an SSD is made, and what is refused."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from watari.cases.storage import fio_rows
from watari.cases.storage.command import model_ssd, modelled
from watari.common.errors import FileError
from watari.machine import probe
from watari.plan import plan

FIO = Path(__file__).parent / "fio.json"  # by benchmarks/fio_rows.sh
Job = dict[str, Any]


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


def three(**options: str) -> list[Job]:
    """Jobs at three depths, as few as a model needs."""
    return [job("4k", depth, depth, **options) for depth in (1, 4, 16)]


def written(tmp_path: Path, *jobs: Job) -> str:
    path = tmp_path / f"rows-{len(list(tmp_path.iterdir()))}.json"
    path.write_text(json.dumps({"fio version": "fio-3.33", "jobs": jobs}))
    return str(path)


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
    others = [job("4k", 1, 90, rw="randrw"), job("4k", 1, 91, rw="read"), job("4k,8k", 1, 92)]
    found = fio_rows.load(written(tmp_path, *three(), *others))
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


def test_what_is_no_result_of_fio_is_refused_in_a_line(tmp_path: Path) -> None:
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
        (written(tmp_path, *three(), job("8k", 8, 90)), "reads of 8192 bytes have 1 depth"),
        (written(tmp_path, *(j | {"groupid": 0} for j in three())), "at the same time"),
        (written(tmp_path, {"jobname": "a"}), "not a result of fio 3"),
        (written(tmp_path, {**job("4k", 1, 1), "read": {"iops": 1}}), "not a result of fio 3"),
    ):
        with pytest.raises(FileError, match=rf"^.*{says}.*\Z"):
            fio_rows.load(path)


def test_a_job_that_failed_is_no_row(tmp_path: Path) -> None:
    path = written(tmp_path, *three()[:2], job("4k", 16, 16) | {"error": 5})
    with pytest.raises(FileError, match="job 4k-16 ended with error 5"):
        fio_rows.load(path)


@pytest.mark.parametrize(
    ("options", "direct"), [({}, False), ({"direct": "1"}, True), ({"buffered": "0"}, True)]
)
def test_rows_through_the_page_cache_say_so(
    options: dict[str, str], direct: bool, tmp_path: Path
) -> None:
    path = written(tmp_path, *three(**options))
    model, _ = modelled(Path(path), "ssd")
    assert ("page cache" in model.source) != direct


def test_a_disk_and_its_model_are_read_at_the_same_points(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    model_ssd(FIO, Path("ssd.toml"))
    script = Path(__file__).parents[1] / "benchmarks" / "ssd_plan.py"
    made = subprocess.run(
        [sys.executable, script, FIO, "ssd.toml"], stdout=subprocess.PIPE, text=True, check=True
    )
    Path("plan.toml").write_text(made.stdout)
    requests = plan.read(Path("plan.toml"), probe.machine()).requests
    points = [request.parameters for request in requests]
    of_disk, of_model = (
        {(p["block"], p["depth"]) for p in points if p["store"] == store}
        for store in ("file", "modelled:ssd.toml")
    )
    assert of_disk == of_model
    assert of_disk == {(row.block, row.depth) for row in fio_rows.load(str(FIO)).rows}
