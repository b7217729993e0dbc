"""Starts and ends `watari ...`, and checks its output against its promises.

Promises of every command: it ends; its exit code is one of the documented ones; an error is
reported in one line that begins with `watari:`, without a traceback.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from attacks import Broken

TIMEOUT = 1800.0  # seconds: a machine may be slow and busy; every command here takes only a few
CODES = {0, 1, 2, 3, 4, 130}
OURS = "/watari/__main__.py"  # is in tracebacks, unless the interpreter had not begun it yet
COMMAND = [sys.executable, str(Path(__file__).with_name("watari_command.py"))]


@dataclass(frozen=True)
class Ended:
    """A command that ended. `code` is negative if a signal ended it."""

    words: list[str]
    code: int
    out: str
    err: str
    more: dict[str, str] = field(default_factory=dict)  # of its environment

    def __str__(self) -> str:
        output = " | ".join((self.out[-300:] + self.err[-1500:]).split("\n"))
        faults = "".join(f"{name}={value} " for name, value in sorted(self.more.items()))
        return f"`{faults}watari {' '.join(self.words)}` ended with {self.code}: {output}"

    @property
    def error(self) -> str:
        """The last line of the error stream."""
        return (self.err.strip().split("\n") or [""])[-1]


def start(words: list[str], folder: Path, **more: str) -> subprocess.Popen[str]:
    """A command in a session of its own; `more` goes into its environment."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", **more}
    if "folder=data" in words:  # a folder that does not exist is refused
        with suppress(OSError):  # a full disk
            (folder / "data").mkdir(exist_ok=True)
    return subprocess.Popen(
        [*COMMAND, *words],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
        # a shell that starts this in the background ignores Ctrl-C, and children inherit that
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


def end(
    process: subprocess.Popen[str],
    words: list[str],
    killed: bool = False,
    more: dict[str, str] | None = None,
) -> Ended:
    """Waits for the end. Raises Broken if the command hangs, or, unless `killed`, ends in an
    undocumented way."""
    try:
        out, err = process.communicate(timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        ended = Ended(words, process.returncode, out, err, more or {})
        raise Broken(f"still there after {TIMEOUT:g} s: {ended}") from None
    ended = Ended(words, process.returncode, out, err, more or {})
    if not killed:
        check_manners(ended)
    return ended


def check_manners(ended: Ended) -> None:
    """Raises Broken for an undocumented end."""
    if ended.code not in CODES:
        raise Broken(f"an exit code that is not documented: {ended}")
    if "Traceback (most recent call last):" in ended.err.split("\n") and OURS in ended.err:
        raise Broken(f"a traceback: {ended}")
    if ended.code == 2 and not ended.error.startswith("watari: "):
        raise Broken(f"an error that no line reports: {ended}")


def watari(words: list[str], folder: Path, **more: str) -> Ended:
    """Runs a command to its end. Raises Broken."""
    return end(start(words, folder, **more), words, more=more)
