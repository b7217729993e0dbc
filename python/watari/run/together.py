"""Several processes that measure the same case at once: on one GPU, one link, one memory.

The worker of such a trial starts them, each a worker of its own with its own memory and its share
of the cores. They wait for each other before every sample (src/watari/measure/together.hpp). The
slowest one counts in each sample. The bytes are those of all of them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

Trial = dict[str, Any]

VARIABLE = "WATARI_TOGETHER"
COUNTERS = bytes(16)
POLL_SECONDS = 0.02


def processes_of(parameters: dict[str, Any]) -> int:
    """The number of processes of a trial; 1 where its case has no such axis."""
    return int(parameters.get("processes", 1))


def of_process(parameters: dict[str, Any], number: int) -> dict[str, Any]:
    """The parameters of one process: on several GPUs in turn it uses one of them, whose memory
    `device` then is."""
    own = {**parameters, "processes": 1}
    gpu = number % int(parameters.get("gpus", 1))
    if gpu:
        places = {"gpu": f"gpu:{gpu}", "device": f"device:{gpu}"}
        own |= {name: places.get(own[name], own[name]) for name in ("processor", "from", "to")}
    return own


def started(
    case: str, parameters: dict[str, Any], folder: Path, shares: list[set[int]]
) -> list[subprocess.Popen[bytes]]:
    """Starts the processes, each on its share of the cores."""
    shared = folder / "counters"
    shared.write_bytes(COUNTERS)
    everywhere = os.sched_getaffinity(0)
    environment = {**os.environ, VARIABLE: f"{len(shares)}:{shared}"}
    start = str(Path(__file__).with_name("start.py"))
    children = []
    try:
        for number, share in enumerate(shares):
            asked = folder / f"case-{number}"
            own = of_process(parameters, number)
            asked.write_text(json.dumps({"case": case, "parameters": own}))
            os.sched_setaffinity(0, share)  # a child inherits it
            command = [sys.executable, start, "watari.run.worker", str(asked)]
            children.append(
                subprocess.Popen([*command, str(folder / f"result-{number}")], env=environment)
            )
    finally:
        os.sched_setaffinity(0, everywhere)
    return children


def waited_for(children: list[subprocess.Popen[bytes]], folder: Path) -> list[Trial]:
    """The trials of all processes. If one is not ok, the others might wait for it forever: they are
    killed, and its trial alone is returned."""
    left = dict(enumerate(children))
    trials: dict[int, Trial] = {}
    try:
        while left:
            for number, child in list(left.items()):
                if child.poll() is None:
                    continue
                del left[number]
                trial = result(folder / f"result-{number}", child.returncode)
                if trial["status"] != "ok":
                    return [trial]
                trials[number] = trial
            time.sleep(POLL_SECONDS)
    finally:
        for child in left.values():
            with suppress(ProcessLookupError):
                child.kill()
            child.wait()
    return [trials[number] for number in sorted(trials)]


def result(path: Path, code: int) -> Trial:
    """The trial that a process wrote, or a failed one if it wrote nothing."""
    with suppress(OSError, ValueError):
        trial: Trial = json.loads(path.read_text())
        return trial
    return {"status": "failed", "error": f"one of several processes ended with {code}"}


def slowest(trials: list[Trial]) -> Trial:
    """One trial of all: each sample as long as the slowest took, and the bytes of every process.

    Seconds are the host's, from the time when the last process came to the barrier. The clock of a
    GPU does not count while it serves another process: the rates of the processes would add up to
    more than the GPU's.
    """
    if len(trials) == 1:
        return trials[0]
    joined = dict(trials[0])
    joined["host_s"] = [max(s) for s in zip(*(t["host_s"] for t in trials), strict=True)]
    joined.pop("device_s", None)
    for counted in ("bytes_per_sample", "flops_per_sample"):
        joined[counted] = sum(trial[counted] for trial in trials)
    verified = [trial.get("verified") for trial in trials]
    joined["verified"] = None if None in verified else all(verified)
    for quantity in ("setup_s", "prefetch"):
        values = [t["quantities"][quantity] for t in trials if quantity in t["quantities"]]
        if values:
            joined["quantities"][quantity] = max(values, key=lambda each: float(each["value"]))
    return joined


def run(
    case: str, parameters: dict[str, Any], shares: list[set[int]], folder: str | None = None
) -> Trial:
    """The trial of all processes. Their files are in `folder`, which the parent process removes."""
    with TemporaryDirectory(prefix="together-", dir=folder or None) as name:
        files = Path(name)
        return slowest(waited_for(started(case, parameters, files, shares), files))
