"""Engines that move blocks between a store and memory: values of axes, and the requests that each
engine keeps in flight."""

from __future__ import annotations

from watari import _native
from watari.case.axis import parse_folder
from watari.common.library import ENGINES

FILE_ENGINES = tuple(engine.name for engine in ENGINES.values() if not engine.of_objects)
OBJECT_ENGINES = tuple(engine.name for engine in ENGINES.values() if engine.of_objects)
QUEUED = tuple(engine.name for engine in ENGINES.values() if engine.queued)
ONE_AT_A_TIME = tuple(engine.name for engine in ENGINES.values() if not engine.deep)
GPU_ONLY = tuple(engine.name for engine in ENGINES.values() if engine.of_gpu)
FAULTS = (  # of a device behind queue and gpu (src/watari/storage/backends/faulty.cpp)
    "none",
    "reordered",
    "delayed",
    "duplicated",
    "dropped",
    "failed",
    "late-data",
    "bad-phase",
)
MODELLED = tuple(  # SSDs of data sheets (src/watari/storage/backends/ssd.cpp)
    f"modelled:{name}" for name in ("kioxia-cm6-v", "samsung-pm1743", "ten-million")
)
FOLDER = "~/.cache/watari"  # of test files
BETWEEN = ":"  # folders, as in PATH: a comma is between values of a sweep
SLOW_DISK = 1e8  # bytes per second, when a file is made


def folders_of(text: str) -> list[str]:
    """The folders over which files are striped, `A:B`; none for an address of objects."""
    return [] if text.startswith("s3://") else text.split(BETWEEN)


def parse_folders(text: str) -> str:
    """A folder, or several with a colon between them. Raises UsageError."""
    for folder in folders_of(text) or [text]:
        parse_folder(folder)
    return text


def usual_depth(engine: str, block: int, on_disk: bool) -> int:
    """Requests of `block` bytes that each thread of an engine keeps in flight."""
    return _native.default_depth(engine, block, on_disk)


def disk_threads() -> int:
    """Threads that a disk needs at most where each has many requests in flight."""
    return _native.MOST_FILE_THREADS
