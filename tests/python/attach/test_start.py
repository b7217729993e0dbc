"""The start of a user's program: no process of it is left, whatever session it chose."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from watari.attach.start import Start, run
from watari.common.process import STATE, stat

PR_GET_CHILD_SUBREAPER = 37
LEAVES = """
import os, signal, sys, time
how, path = sys.argv[1:]
if os.fork() == 0:
    os.setsid()  # as a daemon does
    if os.fork() == 0:
        os.setsid()
        if how == "stubborn":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        with open(path + ".new", "w") as file:
            file.write(str(os.getpid()))
        os.rename(path + ".new", path)
        time.sleep(1000)
    os._exit(0)
while not os.path.exists(path):
    time.sleep(0.01)
if how == "hangs":
    time.sleep(1000)
"""


def is_alive(process: int) -> bool:
    try:
        return stat(process)[STATE] != "Z"
    except OSError:
        return False


def is_subreaper() -> bool:
    answer = ctypes.c_int(-1)
    ctypes.CDLL(None).prctl(PR_GET_CHILD_SUBREAPER, ctypes.byref(answer), 0, 0, 0)
    return bool(answer.value)


def time_limit_passes(pid: Path) -> int:
    """Waits until the process is there, on a machine of any speed."""
    while not pid.exists():
        time.sleep(0.01)
    raise subprocess.TimeoutExpired("python", 1.0)


@pytest.mark.parametrize("how", ["plain", "stubborn", "hangs"])
def test_a_process_that_left_the_session_is_ended(
    tmp_path: Path, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = subprocess.Popen(["sleep", "1000"])  # a child of this process, not of the program
    pid = tmp_path / "pid"
    if how == "hangs":
        monkeypatch.setattr("watari.attach.start.wait", lambda *_: time_limit_passes(pid))
    try:
        ending = run(Start((sys.executable, "-c", LEAVES, how, str(pid))), {}, tmp_path)
        assert ending.timed_out == (how == "hangs")
        assert not is_alive(int(pid.read_text()))
        assert is_alive(other.pid)
        assert not is_subreaper()
        with pytest.raises(ChildProcessError):
            os.waitpid(int(pid.read_text()), os.WNOHANG)  # no zombie is left either
    finally:
        other.kill()
        other.wait()
