"""What ends a trace early, and what is refused: one line, and neither processes nor files stay."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time

import emulator
import pytest
import tracing
from launching import HANGS
from tracing import trace, watari


def test_a_limit_on_file_sizes_ends_the_trace_and_not_the_program(tmp_path) -> None:
    command = f"ulimit -f 700; exec {tracing.program('linked')} many 3000 device 400000"
    watari(tmp_path, "trace", "--no-touches", "--", "sh", "-c", command, code=0)
    observed = json.loads((tmp_path / "trace.json").read_text())["observed"]
    assert observed["ended"] == ""
    assert "the log of allocations ends early: File too large" in observed["incomplete"]


@pytest.mark.parametrize(
    ("command", "code", "words"),
    [
        (["/nowhere/a.out"], 2, "no such program"),
        (["/tmp"], 2, "is a folder"),
        ([], 2, "trace what?"),
        (["true"], 1, "never initialised CUDA"),
    ],
)
def test_what_cannot_be_traced_is_refused_in_one_line(tmp_path, command, code, words) -> None:
    ended = watari(tmp_path, "trace", "--", *command)
    errors = [line for line in ended.stderr.splitlines() if line.startswith("watari: ")]
    assert (ended.returncode, len(errors)) == (code, 1), ended.stderr
    assert words in errors[0]
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"FAKE_CUPTI_VERSION": 18}, "has version 18"),
        ({"FAKE_CUPTI_NO_COUNTERS": 1}, "cuptiActivityConfigureUnifiedMemoryCounter"),
        ({"FAKE_CUDA_DEVICES": 0}, "CUDA error 100"),
        ({"WATARI_CUPTI": "/nowhere"}, "/nowhere: no such file"),
    ],
)
def test_a_machine_that_cannot_trace_says_why(tmp_path, settings, words: str) -> None:
    ended, content = trace(tmp_path, "alternating", **settings)
    assert (ended.returncode, content) == (1, None)
    assert words in ended.stderr


@pytest.mark.parametrize("option", ["-o", "--page", "--perfetto"])
def test_the_dashes_before_a_program_are_no_file(tmp_path, option) -> None:
    ended = watari(tmp_path, "trace", option, "--", tracing.program("linked"), "device", "4096")
    assert (ended.returncode, f"{option}: name a file before --" in ended.stderr) == (2, True)


def test_two_outputs_of_one_name_are_refused(tmp_path) -> None:
    ended, _ = trace(tmp_path, "alternating", options=["-o", "a", "--perfetto", "a"])
    assert (ended.returncode, "name one file" in ended.stderr) == (2, True)


def test_an_interrupt_leaves_neither_processes_nor_files(tmp_path) -> None:
    program = tracing.program("linked")
    command = [
        sys.executable,
        "-m",
        "watari",
        "trace",
        "--",
        program,
        "device",
        "8000",
        "sleep",
        "777",
    ]
    environment = emulator.environment(TMPDIR=tmp_path, WATARI_CUPTI=emulator.cupti())
    process = subprocess.Popen(command, env=environment, cwd=tmp_path, stderr=subprocess.PIPE)
    assert process.stderr
    while b"as it is" not in process.stderr.readline():
        pass
    traced = ["pgrep", "-xf", f"{program} device 8000 sleep 777"]
    while not subprocess.run(traced, capture_output=True).stdout:
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=HANGS) == 130
    assert not list(tmp_path.iterdir())
    assert subprocess.run(traced, capture_output=True).stdout == b""
