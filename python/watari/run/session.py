"""Processes of a session: which live, how they are ended, and a guard that ends a child for a
Watari that was killed."""

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
    """Ends a child and all of its session. False if something would not die (a stuck driver). Each
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


# The first line is a process group, a second one its good end; without that, Watari was killed. A
# second Ctrl-C ends Watari's children by SIGTERM, which the guard survives.
GUARD = """
    trap '' INT TERM
    read p && { read x || { kill -s TERM -- -$p; sleep 0.3; kill -s KILL -- -$p; }; }
"""


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

    def write(text: str) -> None:
        with suppress(OSError):  # it was killed: the child then has no guard
            stdin.write(text.encode())

    try:
        yield lambda group: write(f"{group}\n")
    finally:
        write("ended\n")
        with suppress(OSError):
            stdin.close()
        guard.wait()
