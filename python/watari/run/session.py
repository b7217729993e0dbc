"""Processes of a session: listed and ended; those that left it; and a guard, which ends a child if
Watari is killed."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from watari.common.process import PARENT, SESSION, STATE, stat

GRACE_SECONDS = 3.0  # between asking a session to end and ending it
PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h


def living(field: int, value: int) -> list[int]:
    """Living processes with this value in a field of /proc/PID/stat."""
    members = []
    for entry in Path("/proc").iterdir():
        with suppress(OSError, ValueError, IndexError):
            fields = stat(int(entry.name))
            if int(fields[field]) == value and fields[STATE] != "Z":
                members.append(int(entry.name))
    return members


def session_members(session: int) -> list[int]:
    """Living processes of a session."""
    return living(SESSION, session)


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


@contextmanager
def adopting() -> Iterator[Callable[[], bool]]:
    """Gives a function that ends processes which a child left behind outside its session (setsid).

    In this block such orphans become children of this process, not of init (prctl(2)), so that no
    other process can be taken for one. The function returns False if one does not die; processes of
    another user stay. Call it after the child was ended and reaped.
    """
    prctl = ctypes.CDLL(None).prctl
    known = set(living(PARENT, os.getpid()))

    def end() -> bool:
        for number in (signal.SIGTERM, signal.SIGKILL):
            asked: set[int] = set()
            deadline = time.monotonic() + GRACE_SECONDS
            while time.monotonic() < deadline:
                orphans = set(living(PARENT, os.getpid())) - known
                if not orphans:
                    return True
                for orphan in orphans - asked:
                    try:
                        os.kill(orphan, number)
                    except PermissionError:
                        known.add(orphan)
                    except ProcessLookupError:
                        pass
                asked |= orphans
                time.sleep(0.02)
        return False

    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        yield end
    finally:
        prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
        reap(known)


def reap(known: set[int]) -> None:
    """Reaps the adopted children that ended."""
    for entry in Path("/proc").iterdir():
        with suppress(OSError, ValueError, IndexError):
            process = int(entry.name)
            if process not in known and int(stat(process)[PARENT]) == os.getpid():
                os.waitpid(process, os.WNOHANG)


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
