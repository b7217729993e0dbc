"""Facts about a process, from /proc/PID/stat (man 5 proc)."""

from __future__ import annotations

STATE, PARENT, SESSION, STARTED = 0, 1, 3, 19  # indices of fields after the name; ticks since boot


def stat(process: int | str) -> list[str]:
    """The fields of a process, or of `self`, after its name, which may hold any bytes. Raises
    OSError where there is no such process."""
    with open(f"/proc/{process}/stat", errors="replace") as file:
        return file.read().rpartition(")")[2].split()
