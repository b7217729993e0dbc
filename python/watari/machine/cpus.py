"""The CPUs that this process may use.

OpenMP binds the first thread of a process to one core as soon as the compiled library is loaded, if
a variable asks for it. What that thread starts would have this core alone. So the affinity is read
when Watari is imported, before the library.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import suppress

MOST = 2**16  # of a host; Linux has 8192 at most
BINDING = ("OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY")

_allowed = frozenset(os.sched_getaffinity(0))


def is_bound() -> bool:
    """Whether OpenMP may have bound the first thread."""
    return any(os.environ.get(name, "false").lower() != "false" for name in BINDING)


def allowed() -> set[int]:
    """The CPUs that this process may use."""
    return set(_allowed) if is_bound() else os.sched_getaffinity(0)


def allow(cpus: Iterable[int]) -> None:
    """Keeps this thread and all that it starts to these CPUs. Raises OSError."""
    global _allowed
    os.sched_setaffinity(0, cpus)
    _allowed = frozenset(os.sched_getaffinity(0))


def unbind() -> None:
    """Lets this thread, and what it starts, use all of them."""
    if is_bound():
        with suppress(OSError):
            os.sched_setaffinity(0, _allowed)


def numbers(given: str | list[int]) -> set[int]:
    """The CPUs, or nodes, of `0-3,8` or of a list. Raises ValueError for anything else."""
    words = given.split(",") if isinstance(given, str) else map(str, given)
    found: set[int] = set()
    for ends in (word.strip().split("-") for word in words if word.strip()):
        if len(ends) > 2 or not all(map(is_number, ends)) or int(ends[0]) > int(ends[-1]):
            raise ValueError(f"CPUs are numbers below {MOST}, as in 0-3,8")
        found.update(range(int(ends[0]), int(ends[-1]) + 1))
    return found


def is_number(word: str) -> bool:
    """Whether a word is the number of a CPU, in plain digits."""
    return word.isascii() and word.isdigit() and len(word) < 10 and int(word) < MOST


def listed(cpus: Iterable[int]) -> str:
    """`0-3,8`: CPUs as the kernel lists them."""
    runs: list[list[int]] = []
    for cpu in sorted(cpus):
        if runs and runs[-1][1] + 1 == cpu:
            runs[-1][1] = cpu
        else:
            runs.append([cpu, cpu])
    return ",".join(f"{low}-{high}" if high > low else f"{low}" for low, high in runs)


def read(path: str) -> str | None:
    """The content of a file of the kernel; None where there is none."""
    with suppress(OSError), open(f"/{path}") as file:
        return file.read().strip()
    return None


def cores(cpus: Iterable[int], text: Callable[[str], str | None] = read) -> list[list[int]]:
    """These CPUs by core: one list for the hardware threads of each core. `text`: reads a file."""
    by_siblings: dict[str, list[int]] = {}
    for cpu in sorted(cpus):
        siblings = text(f"sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list")
        by_siblings.setdefault(siblings or str(cpu), []).append(cpu)
    return list(by_siblings.values())
