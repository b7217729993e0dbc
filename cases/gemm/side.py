"""The side of square matrices for a time, `n=auto:100s`: the largest N, in whole tiles, for which
the reads of schedule=naive take that time from the disk of `folder`.

Each product of tiles reads two of them, so that all read

    2 e T^2 (N / T)^3 = 2 e N^3 / T bytes,  e bytes an element;  with rows=K:  2 e K N^2 bytes

A row of a tile is a request of e T bytes. The rate is that of engine `posix` with such requests,
one in flight for each core and 16 at most: the slowest of the engines, so that a sweep of engines
has one N. It is measured once for each folder and request, on a file that is gone afterwards.
"""

from __future__ import annotations

import math
import os
import tempfile
from functools import cache
from pathlib import Path

from watari.case.axis import AUTO, Parameters, count, expanded, parse_duration
from watari.case.engines import FOLDER, folders_of
from watari.case.native import module
from watari.common.errors import UsageError, WatariError

LARGEST = 2**24
MOST_THREADS = 16
PIECE, PIECES = 2**20, 64  # of the file that is read, bytes


def parse(text: str) -> int | str:
    """Elements along one side, or `auto:TIME`. Raises UsageError."""
    if not text.startswith(AUTO):
        return int(count(1, LARGEST)(text))
    if parse_duration(text.removeprefix(AUTO)) <= 0:
        raise UsageError(f"'{text}': a time above 0")
    return text


def for_time(n: str, given: Parameters, element: int) -> int:
    """The side for a time. Raises UsageError for a product whose reads follow another formula, and
    for a disk that cannot be measured."""
    seconds = parse_duration(n.removeprefix(AUTO))
    tile = given.get("tile")
    if tile is None or given.get("schedule") != "naive" or given.get("store", "file") != "file":
        raise UsageError(
            f"gemm: n={n} is for reads of schedule=naive from files: give tile=T, "
            "schedule=naive, and no store"
        )
    if {"m", "k"} & given.keys():
        raise UsageError(f"gemm: n={n} is for square matrices: without m and k")
    folder = str(given.get("folder", FOLDER))
    size = int(tile) * element if given.get("layout") != "tiled" else 2**17
    most = seconds * rate(folder, min(size, 2**17))
    return largest(most, int(tile), element, int(given.get("rows", 0)))


def largest(most: float, tile: int, element: int, rows: int) -> int:
    """The largest multiple of `tile` whose product reads at most so many bytes. Raises UsageError
    if not even one tile does."""
    products = most / (2 * element * tile**2)
    tiles = int(math.sqrt(products / rows)) if rows else 0
    if tiles <= rows:  # all block rows of a small matrix are computed
        tiles = int(math.cbrt(products))
    while reads((tiles + 1) * tile, tile, element, rows) <= most:
        tiles += 1  # the root was rounded down
    tiles = min(tiles, LARGEST // tile)
    if tiles == 0:
        raise UsageError(f"gemm: n=auto: the disk reads no product of tile={tile} in that time")
    return tiles * tile


def reads(n: int, tile: int, element: int, rows: int) -> int:
    """Bytes that a naive product of `n` reads, or its first block rows."""
    each = -(-n // tile)
    return 2 * element * tile**2 * each**2 * (min(rows, each) if rows else each)


@cache
def rate(folder: str, request: int) -> float:
    """Bytes per second of the slowest engine from these folders, which are striped: that of the
    slowest one for each device. Raises UsageError."""
    each = [expanded(one) for one in folders_of(folder)]
    slowest = min(rate_of(one, request) for one in each)
    return slowest * len({os.stat(one).st_dev for one in each})


def rate_of(folder: str, request: int) -> float:
    """The same from one folder. Raises UsageError."""
    threads = min(len(os.sched_getaffinity(0)), MOST_THREADS)
    try:
        if folder == expanded(FOLDER):
            Path(folder).mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            for _ in range(PIECES):
                file.write(os.urandom(PIECE))
            file.flush()
            os.fsync(file.fileno())
            path = f"/proc/self/fd/{file.fileno()}"
            return float(module(__package__).gemm_read_rate(path, request, threads))
    except (OSError, WatariError) as error:
        raise UsageError(f"gemm: n=auto: folder={folder} cannot be measured: {error}") from None
