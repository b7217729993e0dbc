"""Engines that move blocks between a store and memory (src/watari/storage/engines), as axes of the
cases that use them have them, and how many requests each keeps in flight."""

from __future__ import annotations

FILE_ENGINES = ("posix", "uring", "mmap", "cufile", "queue", "gpu")
ONE_AT_A_TIME = ("posix", "mmap", "cufile")  # a thread of these has one request in flight
GPU_ONLY = ("cufile", "gpu")
FOLDER = "~/.cache/watari"  # of test files
DEPTH = 32
GPU_DEPTH = (2, 256)  # of each thread that serves a GPU
FILE_DEPTH, FILE_THREADS = 64, 4  # where a disk limits them: more only wait in its queue
# bytes of each that serves: with more, they leave the CPU's cache before they are fetched
IN_FLIGHT = 2**21
LARGE_RUN = 2**21  # bytes of a request from which on a GPU's copy engine brings it
SLOW_DISK = 1e8  # bytes per second, when a file is made


def gpu_depth(block: int) -> int:
    """Requests of this many bytes that a GPU keeps in flight for each thread that serves it."""
    least, most = GPU_DEPTH
    return min(max(IN_FLIGHT // block, least), most)


def file_depth(block: int) -> int:
    """The same where they go on to a disk."""
    return min(gpu_depth(block), FILE_DEPTH)
