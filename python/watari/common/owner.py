"""Owners of temporary files and folders. The name states the owner, so that the next run can remove
what a killed one left.

The name has the kernel (until its next boot), the namespace of processes, the process, and its
start time. So hosts and containers that share a disk do not remove each other's files, and a reused
process number is detected. Files of another kernel or namespace stay.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

from watari.common.process import STARTED, stat

PATTERN = r"(?P<system>\w+-\d+)-(?P<process>\d+)-(?P<started>\d+)"


def system() -> str:
    """The scope of process numbers: this boot of a kernel, and the namespace."""
    boot = Path("/proc/sys/kernel/random/boot_id").read_text()[:8]
    return f"{boot}-{os.stat('/proc/self/ns/pid').st_ino}"


def started(process: int) -> int | None:
    """When a living process started, in clock ticks since boot; None where there is none."""
    with suppress(OSError):
        return int(stat(process)[STARTED])
    return None


def mark() -> str:
    """The part of a name that states this process as the owner. Without /proc it is the process
    number alone, and no other process removes the file."""
    with suppress(OSError):
        return f"{system()}-{os.getpid()}-{started(os.getpid())}"
    return str(os.getpid())


def of_the_dead(directory: Path, name: re.Pattern[str]) -> list[Path]:
    """The paths in this directory whose name matches `name` (with PATTERN in it) and whose owner is
    a dead process of this user. Raises OSError."""
    this_system, user = system(), os.geteuid()
    candidates = ((path, name.fullmatch(path.name)) for path in directory.iterdir())
    return [
        path
        for path, match in candidates
        if match
        and match["system"] == this_system
        and path.lstat().st_uid == user
        and started(int(match["process"])) != int(match["started"])
    ]
