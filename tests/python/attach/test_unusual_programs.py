"""Commands on programs of other people that begin, end or read in unusual ways, on the driver
without a GPU."""

import json
import os
import subprocess
import time

import pytest
import tracing
from launching import HANGS
from tried import program, watari

from watari.attach import start
from watari.common.units import counted


@pytest.mark.parametrize(
    ("command", "option", "value"),
    [("try", "--runs", "0"), ("try", "--runs", "many"), ("advise", "--processes", "x")],
)
def test_a_wrong_option_is_named_though_a_program_follows(tmp_path, command, option, value) -> None:
    ended = watari(command, option, value, "--", program(), "say", "hello", cwd=tmp_path)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert option in ended.stderr
    assert "is a program" not in ended.stderr


def test_results_that_no_folder_takes_are_refused_before_anything_runs() -> None:
    words = (program(), "say", "pid", "sleep", "600")
    ended = watari("try", "--", *words, cwd="/proc")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "not enough room" in ended.stderr


def test_a_trace_that_cannot_be_written_leaves_no_graph(tmp_path) -> None:
    """A folder appears in its place while the program runs."""
    replayed = program("replayed")
    words = ("sh", "-c", f"mkdir -p {tmp_path}/trace.json; exec {replayed} launches 3")
    ended = tracing.watari(tmp_path, "trace", "--no-touches", "--", *words, code=2)
    assert "trace.json: cannot be written: not a regular file" in ended.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["trace.json"]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"schema": "watari-trace-9"}, "'watari-trace-9', but this version of Watari reads"),
        ({"weather": "fine"}, "weather: this version of Watari does not know it"),
    ],
)
def test_a_trace_of_another_version_is_said_to_be_one(tmp_path, change, says) -> None:
    used = {"allocation": "a", "processor": "gpu", "read": 8, "written": 0}
    whole = {
        "schema": "watari-trace-1",
        "name": "one",
        "allocations": [{"name": "a", "bytes": 8}],
        "phases": [{"name": "first", "accesses": [used]}],
    }
    (tmp_path / "trace.json").write_text(json.dumps(whole | change))
    ended = watari("advise", "trace.json", "--machine", "h100", cwd=tmp_path)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert says in ended.stderr


def test_without_a_descriptor_of_a_process_its_end_is_awaited_without_polling(monkeypatch) -> None:
    def refused(*_: object) -> int:
        raise OSError

    polled = []
    real = subprocess.Popen._wait  # type: ignore[attr-defined]

    def wait(self: object, timeout: float | None) -> int:
        polled.append(timeout)
        return int(real(self, timeout))

    monkeypatch.setattr(os, "pidfd_open", refused)
    monkeypatch.setattr(subprocess.Popen, "_wait", wait)
    assert start.wait(subprocess.Popen(["sh", "-c", "exit 5"]), HANGS) == 5
    assert set(polled) == {None}
    sleeping = subprocess.Popen(["sleep", "600"])
    with pytest.raises(subprocess.TimeoutExpired):
        start.wait(sleeping, 0.05)
    sleeping.kill()
    deadline = time.monotonic() + HANGS
    while sleeping.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    assert sleeping.poll() == -9


def test_numbers_have_their_noun() -> None:
    assert counted(1, "kernel", "kernels") == "1 kernel"
    assert counted(2, "kernel", "kernels") == "2 kernels"
