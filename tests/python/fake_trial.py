"""Stands in for the launcher and misbehaves: `fake_trial.py HOW -- worker command`.

The last word of the worker command is the result file, the one before it the case file.
"""

import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

HOW, RESULT, CASE = sys.argv[1], Path(sys.argv[-1]), Path(sys.argv[-2])

GOOD = {
    "status": "ok",
    "started": "2025-01-01T00:00:00.000+00:00",
    "ranks": 1,
    "host_s": [0.01, 0.01, 0.02],
    "phases": [],
    "quantities": {"threads": {"value": 2, "unit": "1"}},
    "verified": True,
    "bytes_per_sample": 20_000_000,
    "flops_per_sample": 1000,
}


def child_that_stays() -> None:
    """A grandchild in a process group of its own that ignores SIGTERM, as a stuck rank does."""
    code = (
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); "
        "print('ready', flush=True); time.sleep(600)"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code], preexec_fn=os.setpgrp, stdout=subprocess.PIPE
    )
    assert child.stdout
    child.stdout.readline()
    Path(os.environ["FAKE_TRIAL_PIDS"]).write_text(f"{os.getpid()} {child.pid}")


def eat_memory() -> None:
    """Allocates beyond its limit, then kills itself as the kernel would."""
    resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))
    try:
        bytearray(2**31)
    except MemoryError:
        os.kill(os.getpid(), signal.SIGKILL)


def main() -> None:
    parameters = json.loads(CASE.read_text())["parameters"]
    if HOW == "good":
        RESULT.write_text(json.dumps(GOOD))
    elif HOW == "slow":
        time.sleep(float(os.environ.get("FAKE_TRIAL_SECONDS", "0.5")))
        RESULT.write_text(json.dumps(GOOD))
    elif HOW == "unsupported-gpu":
        gpu = {"status": "unsupported", "error": "no GPU driver", "host_s": []}
        RESULT.write_text(
            json.dumps({**GOOD, **(gpu if parameters.get("processor", "gpu") == "gpu" else {})})
        )
    elif HOW == "crash-large":
        if parameters["size"] > 2**20:
            os.kill(os.getpid(), signal.SIGSEGV)
        RESULT.write_text(json.dumps(GOOD))
    elif HOW == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    elif HOW == "abort":
        print("terminate called after throwing an instance of 'fault'", file=sys.stderr)
        os.abort()
    elif HOW == "exit":
        print("first line\nsomething is wrong", file=sys.stderr)
        sys.exit(7)
    elif HOW == "exit-137":
        sys.exit(137)
    elif HOW == "silent":
        sys.exit(0)
    elif HOW == "malformed":
        RESULT.write_text(json.dumps({**GOOD, "host_s": ["fast"]}))
    elif HOW == "truncated":
        RESULT.write_text('{"status": "ok", "host')
    elif HOW == "memory":
        eat_memory()
    elif HOW == "noise":
        print("noise " * 200_000)
        RESULT.write_text(json.dumps(GOOD))
    elif HOW == "full":
        print("watari: [Errno 28] No space left on device", file=sys.stderr)
        sys.exit(74)
    elif HOW == "hang":
        time.sleep(600)
    elif HOW == "hang-with-child":
        child_that_stays()
        time.sleep(600)
    elif HOW == "leave-child":
        child_that_stays()
        RESULT.write_text(json.dumps(GOOD))
    elif HOW == "environment":
        names = ("OMP_NUM_THREADS", "OMP_PLACES", "OMP_PROC_BIND", "CUDA_MODULE_LOADING", "EXTRA")
        text = json.dumps({name: os.environ.get(name) for name in names})
        RESULT.write_text(json.dumps({**GOOD, "error": text}))


main()
