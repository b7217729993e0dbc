"""Processes of a session: listed and ended; and a guard, which ends a child if Watari is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from watari.common.process import SESSION, STATE, stat

GRACE_SECONDS = 3.0  # between asking a session to end and ending it


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
    """Ends a child and all of its session. False if a process does not die (a stuck driver). Each
    process gets a signal once: a second SIGTERM keeps mpirun from removing its files."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        asked: set[int] = set()
        deadline = time.monotonic() + GRACE_SECONDS
        while time.monotonic() < deadline:
            members = session_members(process.pid)
            process.poll()  # reap, so that the child does not look alive
            if not members:
                return True
            for member in set(members) - asked:
                with suppress(ProcessLookupError):
                    os.kill(member, number)
            asked.update(members)
            time.sleep(0.05)
    return False


# The first line names a process group, a second line reports its regular end. Without the second,
# Watari was killed. A second Ctrl-C ends Watari's children by SIGTERM, which the guard survives.
GUARD = """
    trap '' INT TERM
    read p && { read x || { kill -s TERM -- -$p; sleep 0.3; kill -s KILL -- -$p; }; }
"""


@contextmanager
def guarded() -> Iterator[Callable[[int], None]]:
    """Gives a function that takes the process group of a child. If this process is killed, and so
    can end nothing itself, a shell in another session ends the group."""
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

    def write(text: str) -> None:
        with suppress(OSError):  # the guard was killed: the child then has none
            stdin.write(text.encode())

    try:
        yield lambda group: write(f"{group}\n")
    finally:
        write("ended\n")
        with suppress(OSError):
            stdin.close()
        guard.wait()
