"""Open loops: requests at the times of a trace, and latency from these times."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import asked
import numpy as np
import pytest
import ssd_files
from command_line import refused
from storage_trials import request, run

from watari import cases
from watari.cases.storage import traces, workload
from watari.common.errors import UnsupportedError, UsageError

BURSTS = "offset,bytes,kind,time\n" + "".join(
    f"{4096 * i},4096,read,{0.02 * (i // 4)}\n" for i in range(12)
)
WAITS = """fio version 2 iolog
a add
a open
a wait 5000 0
a read 0 4096
a read 4096 4096
a wait 99 0
a read 8192 4096
a wait 250000 0
a read 12288 4096
a wait 1000000 0
a close
"""


def trace(tmp_path: Path, content: str) -> str:
    (tmp_path / "t").write_text(content)
    return f"trace:{tmp_path / 't'}"


@pytest.mark.parametrize("engine", ["posix", "uring", "mmap"])
@pytest.mark.parametrize("direction", ["read", "write"])
def test_requests_begin_at_their_times(engine: str, direction: str, tmp_path: Path) -> None:
    pattern = trace(tmp_path, BURSTS.replace("read", direction))
    given = {"engine": engine, "pattern": pattern, "direction": direction, "loop": "open"}
    result = run(**given, folder=str(tmp_path), requests=12, samples=2)
    assert min(result["host_s"]) >= 0.04  # until the last burst
    assert result["quantities"]["trace_s"]["value"] == pytest.approx(0.04)
    closed = run(**{**given, "loop": "closed"}, folder=str(tmp_path), requests=12, samples=2)
    assert closed["verified"]


def test_latency_counts_from_the_time_of_a_request_that_waits_for_its_turn(
    tmp_path: Path,
) -> None:
    at_once = "offset,bytes,time\n" + "".join(f"{4096 * i},4096,0\n" for i in range(1, 6))
    pattern = trace(tmp_path, at_once + "0,4096,0.001\n")
    store = ssd_files.store(tmp_path, 0.02)
    given = {"pattern": pattern, "store": store, "engine": "posix", "threads": 1, "requests": 6}

    def longest(**more: Any) -> float:
        histogram = run(**given, **more, samples=1)["histograms"]["latency"]
        return float(histogram["high"][-1])

    # five before the last, each of 20 ms: it was to begin after 1 ms, and ends after 120
    assert longest(loop="open") >= 0.118
    # two threads take them in turn
    latency = run(**{**given, "threads": 2}, loop="open", samples=1)["histograms"]["latency"]
    assert sum(latency["count"]) == 6


def test_a_recording_that_ends_begins_again(tmp_path: Path) -> None:
    pattern = trace(tmp_path, BURSTS)
    given = {"engine": "posix", "pattern": pattern, "loop": "open", "folder": str(tmp_path)}
    result = run(**given, requests=30, samples=1, threads=1)
    assert result["host_s"][0] >= 2 * 0.04 + 0.02  # block 29 is the sixth of the third round


def test_the_default_is_once_through_the_recording(tmp_path: Path) -> None:
    pattern = trace(tmp_path, BURSTS)
    closed, opened = (
        asked.request("storage", pattern=pattern, loop=loop).parameters
        for loop in ("closed", "open")
    )
    assert opened["requests"] == 12
    assert closed["requests"] > 1000
    assert workload.recorded_seconds(opened | {"samples": 3}) == pytest.approx(0.12)
    assert workload.recorded_seconds(closed) == 0


def test_waits_of_an_iolog_of_version_2_are_times(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text(WAITS)
    found = traces.load(str(path))
    assert found.seconds is not None
    # relative to the wait before; one below 100 us does not count
    assert found.seconds.tolist() == pytest.approx([0, 0, 0, 0.25])
    path.write_text("fio version 2 iolog\na wait x 0\na read 0 4\n")
    with pytest.raises(traces.FileError, match="line 2 is no action"):
        traces.load(str(path))


def test_times_that_go_back_are_those_of_the_request_before(tmp_path: Path) -> None:
    log = "fio version 3 iolog\n5 a read 0 512\n900 a read 512 1024\n7 a read 0 512\n"
    wanted = request(pattern=trace(tmp_path, log), loop="open", block="512", size="1MiB")
    moments = workload.times(wanted.parameters)
    assert moments.tolist() == pytest.approx([0, 895e-6, 895e-6, 895e-6])
    assert (np.diff(moments) >= 0).all()


@pytest.mark.parametrize(
    ("content", "given", "says"),
    [
        ("offset,bytes\n0,512\n", {}, "has no times"),
        ("fio version 2 iolog\na read 0 512\n", {}, "has no times"),
        (BURSTS, {"pattern": "random"}, "loop=open begins requests at the times of a trace"),
        (BURSTS, {"pattern": "kv-cache"}, "loop=open begins requests at the times of a trace"),
        (BURSTS, {"loop": "ajar"}, "ajar"),
    ],
)
def test_an_open_loop_without_times_is_refused_in_a_line(
    content: str,
    given: dict[str, str],
    says: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    wanted = {"pattern": trace(tmp_path, content), "loop": "open", "size": "1MiB", "block": "512"}
    words = [f"{name}={value}" for name, value in (wanted | given).items()]
    assert says in refused(capsys, "run", "storage", *words, f"folder={tmp_path}", "trials=1")


def test_engines_that_send_lists_are_unsupported(tmp_path: Path) -> None:
    wanted = request(engine="queue", pattern=trace(tmp_path, BURSTS), loop="open", requests=12)
    with pytest.raises(UnsupportedError, match="loop=open is for engines that begin each request"):
        cases.CASES["storage"].run({**wanted.parameters, "folder": str(tmp_path)})


def test_a_workload_that_is_generated_has_no_times() -> None:
    wanted = request(pattern="kv-cache", size="64MiB", block="64KiB")
    with pytest.raises(UsageError, match="has no times"):
        workload.times(wanted.parameters)
