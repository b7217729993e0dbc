"""Trials that end in a chosen way, started as a run starts them (fake_trial.py)."""

import subprocess
import sys
import time
from pathlib import Path

from watari.plan.request import Request
from watari.run import launch
from watari.run.launcher import Launcher

FAKE = Path(__file__).with_name("fake_trial.py")
HANGS = 1800  # seconds: for a process that hangs, not for a slow machine
REQUEST = Request("copy", {"processor": "cpu", "size": 2**20, "threads": 2, "samples": 3}, 1)


def fake(how):
    return Launcher.parse(f"{sys.executable} {FAKE} {how} --")


def trial(how, tmp_path, limit=HANGS):
    return launch.trial(REQUEST, fake(how), limit, tmp_path)


def time_limit_passes_when(reached, monkeypatch):
    """Ends the time limit of a trial once it hangs where it should, on a machine of any speed."""

    def wait(process, timeout):
        while not reached():
            assert process.poll() is None
            time.sleep(0.01)
        raise subprocess.TimeoutExpired(process.args, timeout)

    monkeypatch.setattr(subprocess.Popen, "wait", wait)


def executable(path, text):
    """A file that can be started."""
    path.write_text(text)
    path.chmod(0o755)
    return path


def is_written(path):
    return path.exists() and bool(path.read_text())


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
