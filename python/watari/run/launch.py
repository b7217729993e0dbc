"""Starts one trial in its own processes and always returns a trial.

A crash, a hang, an exit without a result, an out-of-memory kill: each becomes a `failed` trial that
says so. The trial has a session of its own, and past its time limit every process of that session
is ended: ranks that the launcher moved to other process groups are still in it.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

from watari import cases
from watari.common import interrupts
from watari.common.files import closed_quietly, naming
from watari.machine import cpus
from watari.plan.request import Request, expected_bytes
from watari.run import scratch
from watari.run.launcher import Launcher, environment, for_all_ranks, python, ranks_of
from watari.run.session import end_session
from watari.run.worker import CANNOT_WRITE, Trial, empty_trial, host_name, now

SLOWEST_RATE = 1e9  # bytes per second: page faults one by one over PCIe are not slower
STARTING_SECONDS = 60.0  # loading, allocating, and initialising a GPU that was asleep
TAIL_CHARACTERS = 600
OWN_WORDS = re.compile(r"^(?:\[[^\]]*\](?:<\w+>)?:?\s*|\d+: )?watari: ")
RULE = re.compile(r"\s*[-=*_]*\s*")  # a line drawn around messages, or an empty one
ROOM = 2**16  # bytes: a result of thousands of samples, or its error message


def time_limit(request: Request) -> float:
    """Seconds that are enough for a trial on a slow path: from the bytes that it should move."""
    extra = cases.find(request.case).extra_seconds(request.parameters)
    return STARTING_SECONDS + expected_bytes(request) / SLOWEST_RATE + extra


def tail(path: Path) -> str:
    """The end of a trial's error stream, on one line; only the worker's own messages, if any."""
    try:
        with path.open("rb") as stream:
            stream.seek(max(0, path.stat().st_size - 16384))
            lines = stream.read().decode(errors="replace").splitlines()
    except OSError:
        return ""
    # a launcher prints long messages after them, and may put the rank before them
    words = [line for line in lines if OWN_WORDS.search(line)]
    words = [OWN_WORDS.sub("watari: ", line, count=1) for line in words] or lines
    return shortened(list(dict.fromkeys(w.strip() for w in words if not RULE.fullmatch(w))))


def reason(result: Path, errors: Path) -> str:
    """The error of a trial that then did not end, as after the loss of a GPU: of its result, or the
    words of a rank; empty without one."""
    with suppress(OSError, ValueError):
        trial = json.loads(result.read_text())
        if trial["status"] != "ok":
            return str(trial["error"])
    said = tail(errors)
    return said if OWN_WORDS.search(said) else ""


def shortened(lines: list[str]) -> str:
    """The lines as one. A long text keeps its beginning, where a launcher writes why it starts
    nothing, and more of its end, where a program writes how it failed."""
    text = " | ".join(lines)
    if len(text) <= TAIL_CHARACTERS:
        return text
    first = TAIL_CHARACTERS // 3
    return f"{text[:first]} ... {text[first - TAIL_CHARACTERS :]}"


def death(code: int) -> str:
    """An exit code in words: a signal by name, or the code. Launchers pass signals on as 128+n."""
    number = -code if code < 0 else code - 128
    if number in {member.value for member in signal.Signals}:
        name = signal.Signals(number).name
        likely = "; likely out of memory" if name == "SIGKILL" else ""
        return f"killed by {name}{likely}"
    return f"exit code {code} without a result"


def require_room(folder: Path) -> None:
    """Raises OSError where the disk is full: a trial without a result is then no failure of its
    case, and its error message may be lost too."""
    with naming(folder), (folder / "room").open("wb") as file:
        file.write(bytes(ROOM))
        file.flush()
        os.fsync(file.fileno())


def outcome(code: int, result: Path, errors: Path, started: str, ranks: int) -> Trial:
    """The trial of a process that ended by itself. Raises OSError if the disk had no room for its
    result."""
    trial: Trial | None = None
    with suppress(OSError, ValueError):
        trial = json.loads(result.read_text())
    # if ranks fail together, all exit: the result of rank 0 says more than the exit code
    if trial and (code == 0 or trial["status"] != "ok"):
        return trial
    messages = tail(errors)
    require_room(result.parent)
    if code == CANNOT_WRITE:  # the disk has room again
        raise OSError(messages or f"{result.parent}: the result of a trial could not be written")
    return empty_trial(
        "failed", death(code) + (f": {messages}" if messages else ""), started, ranks
    )


def trial(
    request: Request,
    launcher: Launcher,
    limit: float,
    directory: Path | None = None,
) -> Trial:
    """Runs one trial, at most `limit` seconds long; an interrupt ends it and is raised again.

    No process or file is left, whenever the interrupt comes: it takes effect while the trial is
    waited for, or at the end.

    `directory` holds the files of the trial while it runs; with several nodes all of them must see
    it. Raises OSError where these files cannot be written, or no process can be started (a full
    disk, a limit on processes): no later trial would fare better.
    """
    ranks, started = ranks_of(request), now()
    with (
        interrupts.held() as hold,
        scratch.folder(directory) as files,
    ):
        case, result, errors = (files / name for name in ("case", "result", "errors"))
        cpus.unbind()
        asked = {
            "case": request.case,
            "parameters": request.parameters,
            "host": host_name(),
            "cpus": sorted(cpus.allowed()),
            "environment": for_all_ranks(request, launcher),
        }
        with naming(case):
            case.write_text(json.dumps(asked))
        worker = python("watari.run.worker", str(case), str(result))
        stream = errors.open("wb")
        with closed_quietly(stream):
            try:
                process = subprocess.Popen(
                    [*launcher.prefix(ranks), *worker],
                    stdin=subprocess.DEVNULL,
                    stdout=stream,
                    stderr=stream,
                    env=environment(request, launcher),
                    start_new_session=True,
                )
            except (FileNotFoundError, PermissionError):
                if launcher.chosen or ranks == 1:  # no failure of the case
                    raise
                text = f"{ranks} ranks need MPI's mpirun on PATH (openmpi-bin or mpich)"
                return empty_trial("unsupported", text, started, ranks)
        try:
            with hold.let_through():
                code = process.wait(timeout=limit)
        except subprocess.TimeoutExpired:
            text = f"still running after its time limit of {limit:g} s; ended"
            if not end_session(process):
                text += " (a process could not be killed and may still be there)"
            why = reason(result, errors)
            return empty_trial("failed", f"{text}: {why}" if why else text, started, ranks)
        except BaseException:
            end_session(process)
            raise
        end_session(process)  # processes that a crashed trial left behind
        return outcome(code, result, errors, started, ranks)
