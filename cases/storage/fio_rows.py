"""Rows of a fio result: latency and rate of random requests, by size and number in flight.

fio writes JSON (`--output-format=json`), with one entry a job. Jobs must run one after the other
(`stonewall`), each with one size and one direction. Rows of the same kind in several groups are
repetitions: the one of median rate is taken, and their spread is that of the disk.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from watari.case.ssd_model import DIRECTIONS, SHAPE, Row, require_row
from watari.common import reading
from watari.common.errors import FileError

SUFFIXES = {"k": 2**10, "m": 2**20, "g": 2**30}
SYNCHRONOUS = ("sync", "psync", "vsync", "pvsync", "pvsync2", "mmap")  # one in flight a job
KINDS = {"randread": "read", "randwrite": "write"}


@dataclass(frozen=True)
class FioRows:
    """The rows of a result, and how it describes itself. `skipped`: jobs of other kinds."""

    version: str
    rows: tuple[Row, ...]
    spread: float | None
    skipped: int
    direct: bool  # whether all rows are of direct I/O


def load(path: str) -> FioRows:
    """The rows of a fio result. Raises FileError."""
    found = reading.json(path)
    try:
        if not isinstance(found, dict) or "fio version" not in found:
            raise FileError(f"{path}: not a result of fio: fio --output-format=json writes one")
        general = found.get("global options", {})
        groups: dict[int, list[Row]] = {}
        names: dict[int, set[str]] = {}
        skipped, direct = 0, True
        for job in found["jobs"]:
            if job.get("error"):
                raise FileError(f"{path}: job {job['jobname']} ended with error {job['error']}")
            options = {**general, **job.get("job options", {})}
            row = row_of(job, options)
            skipped += row is None
            direct &= row is None or is_direct(options)
            groups.setdefault(job["groupid"], []).extend([row] if row else [])
            names.setdefault(job["groupid"], set()).add(str(job["jobname"]))
    except (KeyError, TypeError, AttributeError, ValueError, ArithmeticError) as error:
        raise FileError(
            f"{path}: not a result of fio 3 with latencies and percentiles ({error!r:.200})"
        ) from None
    for group, rows in groups.items():
        if rows and len(names[group]) > 1:
            both = " and ".join(sorted(names[group])[:2])
            raise FileError(f"{path}: {both} ran at the same time: give each job `stonewall`")
    every, spread = merged([together(rows) for rows in groups.values() if rows])
    require_rows(path, every)
    return FioRows(str(found["fio version"]), every, spread, skipped, direct)


def require_rows(path: str, rows: Sequence[Row]) -> None:
    """Raises FileError if no model can follow from these rows."""
    if not any(row.direction == "read" for row in rows):
        raise FileError(f"{path}: no job of random reads (rw=randread) of one size")
    for direction in DIRECTIONS:
        for block in sorted({row.block for row in rows if row.direction == direction}):
            depths = [r.depth for r in rows if (r.direction, r.block) == (direction, block)]
            if len(depths) < 3:
                raise FileError(
                    f"{path}: {direction}s of {block} bytes have {len(depths)} "
                    f"depth{'s' if len(depths) > 1 else ''}: a model needs three or more, such as "
                    "iodepth=1, 16 and 256, so that one can be left out and predicted"
                )


def is_direct(options: Mapping[str, str]) -> bool:
    """Whether a job read past the page cache."""
    return options.get("direct") == "1" or options.get("buffered") == "0"


def row_of(job: Mapping[str, Any], options: Mapping[str, str]) -> Row | None:
    """The row of a job; None for a job of another kind, or of several sizes."""
    direction = KINDS.get(options.get("rw", options.get("readwrite", "read")))
    size = options.get("bs", options.get("blocksize", "4k"))
    mixed = any(name in options for name in ("bssplit", "bsrange", "blocksize_range"))
    if direction is None or mixed or "," in size:
        return None
    own = job[direction]
    latency = own["lat_ns"]
    one = options.get("ioengine", "psync") in SYNCHRONOUS
    depth = 1 if one else int(options.get("iodepth", 1))
    mean = latency["mean"] * 1e-9
    if own["total_ios"] == 0 or mean <= 0:
        return None
    copies = int(options.get("numjobs", 1)) if "group_reporting" in options else 1
    row = Row(
        direction, bytes_of(size), depth * copies, mean, float(own["iops"]), shape(own, latency)
    )
    require_row(row)
    return row


def bytes_of(size: str) -> int:
    """Bytes of fio's `4k`, `4KiB` or `4096`. Raises ValueError."""
    word = size.lower().removesuffix("b").removesuffix("i")
    scale = SUFFIXES.get(word[-1:], 1)
    return int(word[:-1] if scale > 1 else word) * scale


def shape(own: Mapping[str, Any], latency: Mapping[str, Any]) -> tuple[float, ...]:
    """The latency of each part of the requests over the mean, whose own mean is 1. Percentiles are
    those of the completion (clat), which fio gives by default."""
    import numpy as np

    known = latency.get("percentile") or own["clat_ns"]["percentile"]
    at = [0.0, *(float(percent) / 100 for percent in known), 1.0]
    seconds = [latency["min"], *known.values(), latency["max"]]
    parts = np.interp(SHAPE, at, np.maximum.accumulate(seconds))
    mean = float(np.sum(np.diff(SHAPE) * (parts[1:] + parts[:-1]) / 2))
    if not mean > 0:
        raise ValueError("percentiles that are all 0")
    return tuple(float(part) for part in parts / mean)


def together(rows: Sequence[Row]) -> Row:
    """The row of a group: one job, or copies of it that ran at the same time (numjobs)."""
    rate = sum(row.iops for row in rows)
    mean = sum(row.latency * row.iops for row in rows) / rate
    depth = sum(row.depth for row in rows)
    first = rows[0]
    return Row(first.direction, first.block, depth, mean, rate, first.shape)


def merged(rows: Sequence[Row]) -> tuple[tuple[Row, ...], float | None]:
    """One row for each direction, size and depth, and the spread of those that were repeated."""
    alike: dict[tuple[str, int, int], list[Row]] = {}
    for row in rows:
        alike.setdefault((row.direction, row.block, row.depth), []).append(row)
    one = []
    spreads = []
    for _, same in sorted(alike.items()):
        same.sort(key=lambda row: row.iops)
        one.append(same[len(same) // 2])  # whole, so that its latency and its rate fit
        if len(same) > 1:
            spreads.append((same[-1].iops - same[0].iops) / one[-1].iops)
    return tuple(one), median(spreads) if spreads else None
