"""Starts one trial in its own processes and always comes back with a trial.

A crash, a hang, an exit without a result, an out-of-memory kill: each becomes a `failed` trial that
says so. The trial has a session of its own, and past its time limit every process of that session
is ended: ranks that the launcher moved to other process groups are still in it.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from watari import cases
from watari.common import interrupts
from watari.common.errors import UsageError
from watari.common.files import closed_quietly, naming
from watari.common.process import SESSION, STATE, stat
from watari.plan.request import Request, expected_bytes
from watari.run import scratch
from watari.run.worker import CANNOT_WRITE, OF_RANKS, Trial, empty_trial, host_name, now

SLOWEST_RATE = 1e9  # bytes per second: page faults one by one over PCIe are not slower
STARTING_SECONDS = 60.0  # loading, allocating, and initialising a GPU that was asleep
GRACE_SECONDS = 3.0  # between asking a session to end and ending it
TAIL_CHARACTERS = 600
OWN_WORDS = re.compile(r"^(?:\[[^\]]*\](?:<\w+>)?:?\s*|\d+: )?watari: ")
RULE = re.compile(r"\s*[-=*_]*\s*")  # drawn around messages, or an empty line
ROOM = 2**16  # bytes: a result of thousands of samples, or why there is none
START = str(Path(__file__).with_name("start.py").absolute())
PINNING = {"OMP_PLACES": "cores", "OMP_PROC_BIND": "close", "CUDA_MODULE_LOADING": "EAGER"}


@dataclass(frozen=True)
class Launcher:
    """A command that starts the ranks of a trial: `[NAME=VALUE ...] mpirun -n {ranks}`.

    Used for trials of several ranks, and for every trial when the user chose it.
    """

    command: tuple[str, ...] = ("mpirun", "-n", "{ranks}")
    environment: dict[str, str] = field(default_factory=dict)
    template: str = ""

    @property
    def chosen(self) -> bool:
        """Whether the user gave it."""
        return bool(self.template)

    @classmethod
    def parse(cls, template: str) -> Launcher:
        """Reads the template as a shell would. Raises UsageError."""
        try:
            words = shlex.split(template)
        except ValueError as error:
            raise UsageError(f"launcher '{template}': {error}") from None
        environment: dict[str, str] = {}
        while words and words[0].partition("=")[0].isidentifier() and "=" in words[0]:
            name, _, value = words.pop(0).partition("=")
            environment[name] = value
        if not words:
            raise UsageError(f"launcher '{template}' has no command; e.g. 'mpirun -n {{ranks}}'")
        return cls(tuple(words), environment, template)

    def require_program(self) -> None:
        """Raises UsageError where the user's choice is nothing that can be started."""
        program = self.command[0]
        if self.chosen and not shutil.which(program, path=self.environment.get("PATH")):
            raise UsageError(f"launcher '{program}': no program of this name, or not on PATH")

    def prefix(self, ranks: int) -> list[str]:
        """The words before the worker's command."""
        if ranks == 1 and not self.chosen:
            return []
        return [word.replace("{ranks}", str(ranks)) for word in self.command]


def time_limit(request: Request) -> float:
    """Seconds that are enough for a trial on a slow path: from the bytes that it should move."""
    extra = cases.find(request.case).extra_seconds(request.parameters)
    return STARTING_SECONDS + expected_bytes(request) / SLOWEST_RATE + extra


def ranks_of(request: Request) -> int:
    """How many processes the case asks for."""
    return int(request.parameters.get("ranks", 1))


def environment(request: Request, launcher: Launcher) -> dict[str, str]:
    """The worker's environment: pinned threads unless the user decided, modules loaded eagerly."""
    defaults = dict(PINNING)
    if "threads" in request.parameters and cases.find(request.case).threads_compute:
        defaults["OMP_NUM_THREADS"] = str(request.parameters["threads"])
    inherited = dict(os.environ)
    if not launcher.prefix(ranks_of(request)):  # those of a batch job are not of this process
        inherited = {name: value for name, value in inherited.items() if name not in OF_RANKS}
    return safe_path({**defaults, **inherited, **launcher.environment})


def for_all_ranks(request: Request, launcher: Launcher) -> dict[str, str]:
    """The variables that ranks on other hosts must have too: launchers need not pass them on."""
    if not launcher.prefix(ranks_of(request)):
        return {}
    here = environment(request, launcher)
    return {
        name: here[name]
        for name in (*PINNING, "OMP_NUM_THREADS", *launcher.environment)
        if name in here
    }


def safe_path(variables: Mapping[str, str]) -> dict[str, str]:
    """These variables, but PYTHONPATH without empty entries, as `$PYTHONPATH:folder` may have:
    Python takes them for the current folder."""
    paths = [path for path in variables.get("PYTHONPATH", "").split(os.pathsep) if path]
    others = {name: value for name, value in variables.items() if name != "PYTHONPATH"}
    return {**others, "PYTHONPATH": os.pathsep.join(paths)} if paths else others


def python(module: str, *arguments: str) -> list[str]:
    """The command that runs a module of this package in a process of its own (start.py)."""
    return [sys.executable, START, module, *arguments]


def session_members(session: int) -> list[int]:
    """Living processes of a session, by /proc."""
    members = []
    for entry in Path("/proc").iterdir():
        with suppress(OSError, ValueError, IndexError):
            fields = stat(int(entry.name))
            if int(fields[SESSION]) == session and fields[STATE] != "Z":
                members.append(int(entry.name))
    return members


def end_session(process: subprocess.Popen[bytes]) -> bool:
    """Ends a child and all of its session. False if something would not die (a stuck driver)."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        deadline = time.monotonic() + GRACE_SECONDS
        while time.monotonic() < deadline:
            members = session_members(process.pid)
            process.poll()  # reap, so that the child does not look alive
            if not members:
                return True
            for member in members:
                with suppress(ProcessLookupError):
                    os.kill(member, number)
            time.sleep(0.05)
    return False


# The first line is a process group, a second one its good end; without that, Watari was killed.
GUARD = "read p && { read x || { kill -s TERM -- -$p; sleep 0.3; kill -s KILL -- -$p; }; }"


@contextmanager
def guarded() -> Iterator[Callable[[int], None]]:
    """Gives a function that names a child which leads its process group: where this process is
    killed, so that it can end nothing itself, a shell outside ends the group."""
    guard = subprocess.Popen(
        ["sh", "-c", GUARD],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        bufsize=0,
        start_new_session=True,  # out of reach of Ctrl-C
    )
    stdin = guard.stdin
    assert stdin

    def tell(text: str) -> None:
        with suppress(OSError):  # it was killed: the child then has no guard
            stdin.write(text.encode())

    try:
        yield lambda group: tell(f"{group}\n")
    finally:
        tell("ended\n")
        with suppress(OSError):
            stdin.close()
        guard.wait()


def tail(path: Path) -> str:
    """What a trial wrote to its error stream, on one line; a worker's own words if any."""
    try:
        with path.open("rb") as stream:
            stream.seek(max(0, path.stat().st_size - 16384))
            lines = stream.read().decode(errors="replace").splitlines()
    except OSError:
        return ""
    # under a launcher they come before its long farewell, perhaps behind the rank
    words = [line for line in lines if OWN_WORDS.search(line)]
    words = [OWN_WORDS.sub("watari: ", line, count=1) for line in words] or lines
    return shortened(list(dict.fromkeys(w.strip() for w in words if not RULE.fullmatch(w))))


def shortened(lines: list[str]) -> str:
    """Lines as one of them. What is too long keeps its beginning, where a launcher writes why it
    starts nothing, and more of its end, where a program writes how it failed."""
    text = " | ".join(lines)
    if len(text) <= TAIL_CHARACTERS:
        return text
    first = TAIL_CHARACTERS // 3
    return f"{text[:first]} ... {text[first - TAIL_CHARACTERS :]}"


def death(code: int) -> str:
    """What an exit code says: a signal by name, or the code. Launchers pass signals on as 128+n."""
    number = -code if code < 0 else code - 128
    if number in {member.value for member in signal.Signals}:
        name = signal.Signals(number).name
        likely = "; likely out of memory" if name == "SIGKILL" else ""
        return f"killed by {name}{likely}"
    return f"exit code {code} without a result"


def require_room(folder: Path) -> None:
    """Raises OSError where a disk takes no more: a trial without a result is then no property of
    its case, and its error message may be lost too."""
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
    # ranks that fail in company all exit: what rank 0 wrote then says more than the exit code
    if trial and (code == 0 or trial["status"] != "ok"):
        return trial
    messages = tail(errors)
    require_room(result.parent)
    if code == CANNOT_WRITE:  # there is room again
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
    """Runs one trial, at most `limit` seconds long; an interrupt ends it and is passed on.

    Neither processes nor files stay, whenever it comes: it takes effect while the trial is waited
    for, or at the end.

    `directory` holds its files while it runs; with several nodes all of them must see it. Raises
    OSError where these files cannot be written, or no process started: on a full disk, beyond a
    limit of processes, no later trial would fare better.
    """
    ranks, started = ranks_of(request), now()
    with (
        interrupts.held() as hold,
        scratch.folder(directory) as files,
    ):
        case, result, errors = (files / name for name in ("case", "result", "errors"))
        cpus = sorted(os.sched_getaffinity(0))
        asked = {
            "case": request.case,
            "parameters": request.parameters,
            "host": host_name(),
            "cpus": cpus,
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
                if launcher.chosen or ranks == 1:  # no property of the case
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
            return empty_trial("failed", text, started, ranks)
        except BaseException:
            end_session(process)
            raise
        end_session(process)  # what a crashed trial left behind
        return outcome(code, result, errors, started, ranks)
