"""Small trials of case storage, for its tests."""

from __future__ import annotations

from typing import Any

import asked
from launching import HANGS

from watari import cases
from watari.plan.request import Request
from watari.run import launch
from watari.run.launcher import Launcher

SMALL = {"size": "4MiB", "samples": 3, "threads": 2, "requests": 512}
STORE = "watari-4194304.data"
OPENING = ("posix", "uring", "mmap", "queue")  # engines that open files on a CPU


def request(**given: Any) -> Request:
    return asked.request("storage", **{**SMALL, **given})


def run(**given: Any) -> dict[str, Any]:
    """Runs a trial in this process, and checks the common properties of good trials."""
    parameters = request(**given).parameters
    trial = cases.CASES["storage"].run(parameters)
    size = parameters["requests"] * parameters["block"] * parameters["samples"]
    assert trial["verified"] is True
    assert len(trial["host_s"]) == parameters["samples"]
    assert trial["quantities"]["bytes"]["value"] == size
    counted = sum(trial["histograms"]["latency"]["count"])
    assert counted == parameters["requests"] * parameters["samples"]
    return trial


def trial(launcher: str = "", **given: Any) -> launch.Trial:
    """A trial in a process of its own, perhaps under a launcher."""
    how = Launcher.parse(launcher) if launcher else Launcher()
    return launch.trial(request(**given), how, HANGS)
