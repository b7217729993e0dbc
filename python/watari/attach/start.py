"""Starts a user's program and always reports how it ended.

Like a trial, the program has a session of its own and a time limit. After the limit Watari ends
every process of the session, and every process that left it (setsid). Ctrl-C ends them too. If
Watari itself is killed by SIGKILL, a guard ends the session, but not the processes that left it
(watari.run.session). The program writes to files and reads the same file in every run.
"""

from __future__ import annotations

import errno
import fcntl
import os
import resource
import select
import shlex
import shutil
import signal
import stat
import subprocess
import termios
import threading
import time
from array import array
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from watari.attach.changes import VARIABLES
from watari.attach.entry import PACKAGE, PRELOADED, SEPARATORS
from watari.common import interrupts
from watari.common.errors import UnsupportedError, UsageError
from watari.common.files import closed_quietly, naming
from watari.common.variables import readable
from watari.machine import cpus
from watari.run.launch import tail
from watari.run.launcher import Launcher
from watari.run.session import adopting, end_session, guarded

DAY = 86400.0  # seconds; poll takes no more than 24 days


@dataclass(frozen=True)
class Start:
    """A program and how it is started."""

    command: tuple[str, ...]
    limit: float = 3600.0  # seconds
    ranks: int = 1
    launcher: Launcher = field(default_factory=Launcher)
    stdin: Path | None = None
    folder: Path | None = None  # working folder; None: the current one
    prefetches: str = ""  # the table of the change `prefetched`

    @property
    def text(self) -> str:
        """The program with its arguments, for people and files."""
        return readable(shlex.join(self.command))


@dataclass(frozen=True)
class Ending:
    """How a run of the program ended. `code`: its exit code, or -N where signal N ended it."""

    seconds: float
    code: int
    timed_out: bool
    output: Path
    errors: Path
    limit: float = 0.0  # its time limit, in seconds
    stuck: bool = False  # a process could not be killed
    begun: float = 0.0  # seconds of CLOCK_MONOTONIC
    faults: int = 0  # page faults of the CPU that needed no disk

    @property
    def reason(self) -> str:
        """Why the run failed; empty where it succeeded."""
        if self.timed_out:
            text = f"still running after its time limit of {self.limit:g} s; ended"
            return text + (" (a process could not be killed)" if self.stuck else "")
        if self.code == 0:
            return ""
        words = tail(self.errors)
        return code_words(self.code) + (f": {words}" if words else "")


def code_words(code: int) -> str:
    """An exit code or a signal in words."""
    if code >= 0:
        return f"exit code {code}"
    with suppress(ValueError):
        return f"ended by {signal.Signals(-code).name}"
    return f"ended by signal {-code}"


def require_program(command: Sequence[str]) -> None:
    """Raises UsageError where there is no such program, or it may not be executed."""
    if not command or not command[0]:
        raise UsageError("no program was given: put it after --, as in: -- ./a.out ARGUMENTS")
    if shutil.which(command[0]):
        return
    path = Path(command[0])
    first = command[0].split()
    if len(first) > 1 and not path.exists() and shutil.which(first[0]):
        raise UsageError(
            f"{command[0]}: no such program; without quotes its first word is one, as in: "
            f"-- {command[0]}"
        )
    if "/" not in command[0]:
        near = f" (a file of this name is here: ./{path})" if path.is_file() else ""
        raise UsageError(f"{command[0]}: no program of this name on PATH{near}")
    if path.is_dir():
        raise UsageError(f"{command[0]}: is a folder, not a program")
    raise UsageError(
        f"{command[0]}: {'may not be executed (chmod +x)' if path.exists() else 'no such program'}"
    )


def why_not_executed(program: str, error: OSError) -> str:
    """Why the system refuses to execute a program that exists, with advice."""
    path = Path(shutil.which(program) or program)
    if error.errno == errno.ENOEXEC:
        return (
            "it is neither for this processor nor a script that begins with #! and its "
            f"interpreter; shells run such a script, as in: -- sh {program}"
        )
    if error.errno == errno.ENOENT and path.is_file():
        with path.open("rb") as file:
            line = file.readline(200).decode(errors="replace").strip()
        interpreter = line.removeprefix("#!").strip() if line.startswith("#!") else ""
        return f"no interpreter {readable(interpreter)}" if interpreter else "its loader is missing"
    return error.strerror or str(error)


def standard_input() -> Path | None:
    """The standard input of every run: the file of `watari ... < FILE`. A terminal or pipe cannot
    be read more than once: None, and programs read nothing."""
    try:
        status = os.fstat(0)
    except OSError:
        return None
    return Path("/proc/self/fd/0") if stat.S_ISREG(status.st_mode) else None


def unread_input() -> str:
    """A note that the program does not get the data that wait in a pipe; empty where none wait."""
    with suppress(OSError):
        if stat.S_ISFIFO(os.fstat(0).st_mode):
            waiting = array("i", [0])
            fcntl.ioctl(0, termios.FIONREAD, waiting)
            if waiting[0]:
                return "the program does not get what the pipe holds: write it to a file, `< FILE`"
    return ""


def library(name: str, files: Path) -> Path:
    """The path of a library of this package that programs load. If the path contains a separator of
    LD_PRELOAD, a link to it in `files`. Raises UnsupportedError where this build has no such
    library, or the link has a separator, too."""
    path = Path(PACKAGE) / name
    if not path.is_file():
        raise UnsupportedError(f"this build of Watari has no {name}")
    if not any(character in str(path) for character in SEPARATORS):
        return path
    link = files / name
    if any(character in str(link) for character in SEPARATORS):
        raise UnsupportedError(
            f"{link}: LD_PRELOAD takes no path with a space or colon: set TMPDIR"
        )
    if not link.is_symlink():
        link.symlink_to(path)
    return link


def preloaded(files: Path, style: str = "as-is", rules: Sequence[str] = ()) -> dict[str, str]:
    """Environment variables of a run in a style, whose allocations are recorded in `files`/events.

    src/attach/preload/styles/settings.hpp describes them.
    """
    log = files / "events"
    log.mkdir(exist_ok=True)
    variables = {
        "LD_PRELOAD": ":".join(
            part
            for part in (str(library(PRELOADED, files)), os.environ.get("LD_PRELOAD", ""))
            if part
        ),
        "WATARI_ATTACH_LOG": str(log),
        "WATARI_ATTACH_STYLE": style,
        **dict.fromkeys(VARIABLES, ""),
    }
    if rules:
        path = files / "rules"
        path.write_text("".join(f"{rule}\n" for rule in rules))
        variables["WATARI_ATTACH_RULES"] = str(path)
    return variables


def clocked(files: Path) -> dict[str, str]:
    """Environment variables of a run that is only timed: `files`/events gets no allocation."""
    return {**preloaded(files), "WATARI_ATTACH_CLOCK": "1"}


def with_launcher(start: Start, variables: Mapping[str, str]) -> list[str]:
    """The whole command. `env` sets the variables in each rank: launchers need not pass them on,
    and do not load the library themselves."""
    prefix = start.launcher.prefix(start.ranks)
    if not prefix:
        return list(start.command)
    return [
        *prefix,
        "env",
        *(f"{name}={value}" for name, value in variables.items()),
        *start.command,
    ]


def wait(process: subprocess.Popen[bytes], limit: float) -> int:
    """Waits without polling, so that the time of the end is exact: Popen.wait with a timeout looks
    every 50 ms. Raises TimeoutExpired."""
    try:
        descriptor = os.pidfd_open(process.pid)
    except (AttributeError, OSError):  # Linux before 5.3, or a sandbox without it
        waiting = threading.Thread(target=process.wait, daemon=True)
        waiting.start()
        waiting.join(limit)
        if waiting.is_alive():
            raise subprocess.TimeoutExpired(process.args, limit) from None
        return process.wait()
    try:
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        deadline = time.monotonic() + limit
        while not poll.poll(min(max(0.0, deadline - time.monotonic()), DAY) * 1000):
            if time.monotonic() >= deadline:
                raise subprocess.TimeoutExpired(process.args, limit)
    finally:
        os.close(descriptor)
    return process.wait()


def page_faults() -> int:
    """Page faults of all processes that this one has started and that have ended."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt


def run(start: Start, variables: Mapping[str, str], files: Path) -> Ending:
    """Runs the program once with these variables. Its output goes to `files`/stdout and /stderr.

    No process is left behind; an interrupt ends the program and is raised again. Raises UsageError
    where the program cannot be started, OSError where the files cannot be written.
    """
    launched = bool(start.launcher.prefix(start.ranks))
    environment = {**os.environ, **start.launcher.environment, **({} if launched else variables)}
    output, errors = files / "stdout", files / "stderr"
    with interrupts.held() as hold, naming(files), guarded() as guard, adopting() as end_left:
        out, err = output.open("wb"), errors.open("wb")
        stdin = (start.stdin or Path(os.devnull)).open("rb")
        with closed_quietly(out), closed_quietly(err), closed_quietly(stdin):
            faults_before = page_faults()
            cpus.unbind()
            begun = time.monotonic()
            try:
                process = subprocess.Popen(
                    with_launcher(start, variables),
                    stdin=stdin,
                    stdout=out,
                    stderr=err,
                    cwd=start.folder,
                    env=environment,
                    start_new_session=True,
                )
                guard(process.pid)
            except OSError as error:
                program = start.launcher.command[0] if launched else start.command[0]
                why = why_not_executed(program, error)
                raise UsageError(f"{program}: cannot be executed: {why}") from None
        try:
            with hold.let_through():
                code = wait(process, start.limit)
        except subprocess.TimeoutExpired:
            seconds = time.monotonic() - begun
            stuck = not (end_session(process) and end_left())
            return Ending(seconds, -9, True, output, errors, start.limit, stuck, begun)
        except BaseException:
            end_session(process)
            end_left()
            raise
        seconds = time.monotonic() - begun
        end_session(process)  # processes that it left behind
        end_left()
        faults = page_faults() - faults_before
        return Ending(seconds, code, False, output, errors, begun=begun, faults=faults)
