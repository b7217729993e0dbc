"""Touches memory once in a process of its own: `python start.py watari.run.prefault BYTES`.

The memory of some virtual machines grows as it is used, which takes seconds for some GiB. Memory
that is touched before the first trial does not add this to the cost of a first touch.
"""

from __future__ import annotations

import mmap
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import numpy

from watari.case.axis import Machine
from watari.cases import find
from watari.machine import cpus
from watari.plan.request import Request
from watari.run.launcher import python, safe_path

SHARE = 0.8  # of the available memory at most
LIMIT_SECONDS = 120.0
LEAST = 2**26  # bytes; fewer are assumed to be there: earlier processes used more and freed them


def wanted(requests: list[Request], machine: Machine) -> int:
    """Bytes of the largest request that fits into memory; 0 for few, and for GPU memory."""
    available = int(machine["memory_available_bytes"])
    footprints = [
        find(request.case).profile(request.parameters).in_host_memory for request in requests
    ]
    largest = max((size for size in footprints if size <= available), default=0)
    return min(largest, int(SHARE * available)) if largest >= LEAST else 0


def start(size: int) -> bool:
    """Touches `size` bytes in another process and waits for it. True if it succeeded."""
    cpus.unbind()
    try:
        done = subprocess.run(
            python("watari.run.prefault", str(size)),
            env=safe_path(os.environ),
            timeout=LIMIT_SECONDS,
            capture_output=True,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def touch(size: int) -> None:
    """Writes one byte of every page, with all threads."""
    memory = mmap.mmap(-1, size)
    with suppress(OSError):  # fewer faults, where the kernel has huge pages
        memory.madvise(mmap.MADV_HUGEPAGE)
    pages = numpy.frombuffer(memory, dtype=numpy.uint8)[:: mmap.PAGESIZE]
    threads = len(cpus.allowed())

    def fill(part: numpy.typing.NDArray[numpy.uint8]) -> None:
        part[:] = 1

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(fill, numpy.array_split(pages, 4 * threads)))


if __name__ == "__main__":
    touch(int(sys.argv[1]))
