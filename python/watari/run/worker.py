"""One trial: runs a case in this process and writes the trial as one JSON object.

    python start.py watari.run.worker CASE.json RESULT.json

CASE.json has `case`, `parameters`, and data that ranks lack: `cpus` of the launcher's `host`, and
`environment`. An exception inside the case becomes a status of the trial (errors.py says which).
Under a launcher every rank runs this; rank 0 writes. Nothing heavy is imported here: the time from
process start to the first sample is part of every trial.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
import time
from contextlib import suppress
from datetime import datetime, timezone
from typing import Any

from watari.common.errors import status_of
from watari.common.output import nowhere
from watari.common.process import STARTED, stat
from watari.machine import cpus as cpus_of

Trial = dict[str, Any]

RANK_VARIABLES = ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID")
SIZE_VARIABLES = ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS")
LOCAL_RANK_VARIABLES = ("OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID")
LOCAL_SIZE_VARIABLES = ("OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "SLURM_NTASKS_PER_NODE")
OF_RANKS = {*RANK_VARIABLES, *SIZE_VARIABLES, *LOCAL_RANK_VARIABLES, *LOCAL_SIZE_VARIABLES}
PR_SET_PDEATHSIG = 1
CANNOT_WRITE = 74  # exit code (EX_IOERR): the case ran and its result could not be stored


def now() -> str:
    """This moment, UTC, ISO 8601."""
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds")


def empty_trial(status: str, error: str, started: str, ranks: int = 1) -> Trial:
    """A trial without samples, with the reason."""
    return {
        "status": status,
        "error": error,
        "started": started,
        "ranks": ranks,
        "host_s": [],
        "phases": [],
        "quantities": {},
        "verified": None,
        "bytes_per_sample": 0,
        "flops_per_sample": 0,
    }


def from_launcher(variables: tuple[str, ...], default: int) -> int:
    """A number that the launcher (Open MPI, MPICH, Slurm) put into the environment. Slurm writes
    `4(x2),3` for several nodes: the first number counts."""
    values = (os.environ.get(name, "").partition("(")[0].partition(",")[0] for name in variables)
    return next((int(value) for value in values if value.isdecimal()), default)


def host_name() -> str:
    """The name of this host. Slurm has names of its own for its nodes."""
    return os.environ.get("SLURMD_NODENAME") or os.uname().nodename


def own_cpus(by_core: list[list[int]], rank: int, ranks: int) -> set[int]:
    """The CPUs of one of several ranks of a host: whole cores, no core for two ranks.

    With more ranks than cores, ranks share cores in turn.
    """
    count = len(by_core)
    first, last = count * rank // ranks, count * (rank + 1) // ranks
    own = by_core[first:last] if count >= ranks else [by_core[rank % count]]
    return {cpu for core in own for cpu in core}


def allow(host: str, cpus: list[int]) -> None:
    """Undoes the binding of a launcher: allows the CPUs of the run on its host `host`, and on
    another host all CPUs."""
    with suppress(OSError):  # a batch system may allow fewer
        configured = range(os.sysconf("SC_NPROCESSORS_CONF"))
        cpus_of.allow(cpus if host == host_name() else configured)


def take_own_cpus(host: str, cpus: list[int]) -> None:
    """Under a launcher: keeps to this rank's share of the CPUs of the run, before threads start.

    Launchers bind too, some of them every rank to one core, which its threads would share.
    """
    ranks = from_launcher(LOCAL_SIZE_VARIABLES, 0)
    if not ranks or not cpus:
        return
    allow(host, cpus)
    with suppress(OSError):
        rank = from_launcher(LOCAL_RANK_VARIABLES, 0)
        cpus_of.allow(own_cpus(cpus_of.cores(cpus_of.allowed()), rank, ranks))


def take_environment(variables: dict[str, str]) -> None:
    """Restarts this process with the variables that the launcher did not pass on: allocators and
    threads read some of them before Python runs. Variables that a rank already has stay."""
    missing = {name: value for name, value in variables.items() if name not in os.environ}
    if missing:
        os.execve(sys.executable, sys.orig_argv, {**os.environ, **missing})


def end_ranks() -> None:
    """Ends MPI, where the case has started it."""
    native = sys.modules.get("watari._native")
    if native:
        native.end_ranks()


def end_with_parent() -> None:
    """Asks the kernel to end this process when its parent ends, so that no trial outlives a run."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)


def plain(value: Any) -> Any:
    """The value as JSON knows it: arrays as lists, NumPy scalars as numbers."""
    if isinstance(value, dict):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value.tolist() if hasattr(value, "tolist") else value


def peak_rss() -> int:
    """Peak resident memory of this process, in bytes."""
    with open("/proc/self/status") as status:
        return next((int(line.split()[1]) * 1024 for line in status if line[:6] == "VmHWM:"), 0)


def setup_seconds(first_sample: float) -> float:
    """Seconds from the start of this process to a moment of CLOCK_MONOTONIC."""
    ticks = int(stat("self")[STARTED])
    started = ticks / os.sysconf("SC_CLK_TCK")  # since boot, suspension included
    suspended = time.clock_gettime(time.CLOCK_BOOTTIME) - time.clock_gettime(time.CLOCK_MONOTONIC)
    return first_sample + suspended - started


def one_line(error: BaseException) -> str:
    """The error on one line; with its class unless it is one of Watari's."""
    text = " ".join(str(error).split())
    if hasattr(error, "status"):
        return text or type(error).__name__
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def run(case: str, parameters: dict[str, Any], folder: str | None = None) -> Trial:
    """Runs the case and returns its trial; never raises. `folder` holds the files of several
    processes."""
    started, ranks = now(), from_launcher(SIZE_VARIABLES, 1)
    try:
        from watari.cases import find
        from watari.run import together

        count = together.processes_of(parameters)
        if count > 1:
            by_core = cpus_of.cores(cpus_of.allowed())
            shares = [own_cpus(by_core, number, count) for number in range(count)]
            whole = together.run(case, parameters, shares, folder)
            return {**empty_trial(whole["status"], "", started, ranks), **whole, "started": started}
        measured = plain(find(case).trial(parameters))
        quantities = measured.setdefault("quantities", {})
        first_sample = measured.pop("first_sample_monotonic", None)
        if first_sample:  # 0 where no sample was taken
            quantities["setup_s"] = {"value": setup_seconds(first_sample), "unit": "s"}
        quantities["peak_rss"] = {"value": peak_rss(), "unit": "B"}
        trial = {**empty_trial("ok", "", started, ranks), **measured}
    except Exception as error:
        if not hasattr(error, "status"):
            import traceback

            say(traceback.format_exc())
        trial = empty_trial(status_of(error), one_line(error), started, ranks)
    if not trial["error"]:
        del trial["error"]
    return trial


def write(path: str, trial: Trial) -> None:
    """Writes the whole trial or nothing."""
    partial = f"{path}.partial"
    with open(partial, "w") as file:
        json.dump(trial, file, allow_nan=False)
    os.replace(partial, path)


def main(arguments: list[str]) -> int:
    """Runs the trial that the first file describes; rank 0 writes it to the second."""
    end_with_parent()
    case_path, result_path = arguments
    with open(case_path) as file:
        case = json.load(file)
    take_environment(case.get("environment", {}))
    take_own_cpus(case.get("host", ""), case.get("cpus", []))
    trial = run(case["case"], case["parameters"], os.path.dirname(result_path))
    rank = from_launcher(RANK_VARIABLES, 0)
    if rank == 0:
        try:
            write(result_path, trial)
        except OSError as error:
            say(f"watari: {error}")
            return CANNOT_WRITE
    if trial["status"] != "failed":
        end_ranks()
    elif rank > 0 or trial["ranks"] > 1:
        # the launcher then ends the ranks that wait for this one
        say(f"watari: {trial['error']}")
        return 1
    return 0


def say(text: str) -> None:
    """Writes to the error stream, a file on the disk of the results. On a full disk nothing is
    written, and the exit code reports it."""
    with suppress(OSError):
        print(text, file=sys.stderr, flush=True)


def lose_unwritten() -> None:
    """Discards buffered text that the disk does not take. Python would try once more at its end,
    and change the exit code."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            nowhere(stream)


if __name__ == "__main__":
    code = main(sys.argv[1:])
    lose_unwritten()
    if (
        code
    ):  # at once: a driver may wait for ever for a GPU that was lost, and the ranks for this one
        os._exit(code)
    sys.exit(code)
