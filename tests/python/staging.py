"""Copies with and without `staged`, on a driver without a GPU (tests/attach/staged)."""

import re
import subprocess
from pathlib import Path

from launching import HANGS
from tried import built, driver

from watari.attach.start import PACKAGE, PRELOADED

SMALL = 16384  # the unit of the library for many sequences: copies from 64 KiB on are staged
FULL = 2**20


def folder() -> Path:
    return built() / "staged"


def library(unit: int) -> Path:
    return Path(PACKAGE) / PRELOADED if unit == FULL else folder() / "libwatari_preload_small.so"


def started(name, *words, unit=FULL, cpus=5, staged=True, variables=None, **of_driver):
    """A program of tests/attach/staged, on a machine of so many CPUs."""
    changed = {
        "LD_PRELOAD": f"{library(unit)}:{folder() / 'cpus.so'}",
        "WATARI_CHANGES": "staged",
        "WATARI_CHANGES_VERBOSE": "1",
        "CPUS": str(cpus),
    }
    return subprocess.run(
        [folder() / name, *map(str, words)],
        env={**driver(**of_driver), **(changed if staged else {}), **(variables or {})},
        capture_output=True,
        text=True,
        timeout=HANGS,
    )


def copies(ended: subprocess.CompletedProcess) -> int:
    """The number of copies that were staged, as standard error says."""
    said = re.search(r"staged: (\d+) cop(?:y|ies), .* s (?:saved|lost)", ended.stderr)
    return int(said[1]) if said else 0


def sequences(first, count, unit=SMALL, threads=1, words=(), **how) -> subprocess.CompletedProcess:
    """The lines of random sequences of copies (sequences.cpp)."""
    ended = started("sequences", first, count, unit, threads, *words, unit=unit, **how)
    assert ended.returncode == 0, ended.stderr
    return ended
