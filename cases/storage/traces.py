"""Recorded requests: fio's iolog of versions 2 and 3, and CSV.

CSV has a header with `offset` and `bytes`, and perhaps `kind` (read, write) and `time` in seconds;
rows are sorted by time. An iolog may name several files: they lie one behind the other, each from a
whole MiB on. Version 3 has a time in each line, in microseconds. Version 2 may have `wait` lines:
requests behind one come so many microseconds after those behind the wait before (fio's manual,
"Trace file format v2"; waits below 100 us are discarded).
"""

from __future__ import annotations

import csv
import io

import numpy as np

from watari.cases.storage.requests import Requests
from watari.common import reading
from watari.common.errors import FileError

IOLOG = "fio version "
KINDS = {"read": False, "r": False, "write": True, "w": True}
OTHERS = ("add", "open", "close", "wait", "sync", "datasync", "trim", "sync_file_range")
SHORTEST_WAIT, LONGEST_WAIT = 100, 10**15  # microseconds; shorter ones do not count
MOST = 2**62  # bytes: where a request may end
Line = tuple[str, int, int, bool, float]  # file, offset, bytes, writes, seconds


def load(path: str) -> Requests:
    """The requests in a file. Raises FileError."""
    text = reading.text(path).removeprefix("\ufeff")  # Excel's mark of UTF-8
    head = text.partition("\n")[0].strip()
    if head in (f"{IOLOG}2 iolog", f"{IOLOG}3 iolog"):
        lines = iolog(path, text, with_time=head.startswith(f"{IOLOG}3"))
    elif {"offset", "bytes"} <= {name.strip() for name in head.split(",")}:
        lines = table(path, text)
    else:
        raise FileError(
            f"{path}: no trace: neither an iolog of fio (version 2 or 3) nor CSV with a header "
            "offset,bytes,kind,time"
        )
    if not lines:
        raise FileError(f"{path}: a trace without reads and writes")
    return requests(lines)


def iolog(path: str, text: str, with_time: bool) -> list[Line]:
    """The reads and writes of an iolog. Raises FileError."""
    lines, waited = [], 0.0
    for number, line in enumerate(text.splitlines()[1:], start=2):
        words = line.split()
        try:
            time = float(words.pop(0) if words else 0) if with_time else waited
            if len(words) >= 3 and words[1] == "wait" and not with_time:
                waited += wait_of(words[2])
            if not words or (len(words) >= 2 and words[1] in OTHERS):
                continue
            name, kind, offset, size = words
            lines.append(of(name, offset, size, kind, time / 1e6))
        except (ValueError, KeyError):
            raise FileError(
                f"{path}: line {number} is no action of an iolog: {line!r:.200}"
            ) from None
    return lines


def wait_of(text: str) -> float:
    """Microseconds of a wait. Raises ValueError."""
    wait = int(text)
    if not 0 <= wait <= LONGEST_WAIT:
        raise ValueError("no wait")
    return wait if wait >= SHORTEST_WAIT else 0


def table(path: str, text: str) -> list[Line]:
    """The rows of a CSV file, by time. Raises FileError."""
    lines = []
    for number, row in enumerate(rows_of(path, text), start=2):
        try:
            kind, time = row.get("kind") or "read", row.get("time") or "0"
            lines.append(of("", row["offset"], row["bytes"], kind.strip().lower(), float(time)))
        except (ValueError, KeyError, TypeError, AttributeError):
            raise FileError(f"{path}: line {number} is no request: {row!r:.200}") from None
    return sorted(lines, key=lambda line: line[4])


def rows_of(path: str, text: str) -> list[dict[str, str]]:
    """The rows of a CSV file by the names of its header. Raises FileError."""
    try:
        return list(csv.DictReader(io.StringIO(text), skipinitialspace=True))
    except csv.Error as error:
        raise FileError(f"{path}: no trace: {error}") from None


def of(name: str, offset: str, size: str, kind: str, seconds: float) -> Line:
    """A request of texts. Raises KeyError, ValueError."""
    first, count = int(offset), int(size)
    if first < 0 or count <= 0 or first + count > MOST or not np.isfinite(seconds):
        raise ValueError("no place of a file")
    return name, first, count, KINDS[kind], seconds


def requests(lines: list[Line]) -> Requests:
    """All files as one store."""
    ends: dict[str, int] = {}
    for name, offset, size, _, _ in lines:
        ends[name] = max(ends.get(name, 0), offset + size)
    starts, start = {}, 0
    for name, end in ends.items():
        starts[name] = start
        start += -(-end // 2**20) * 2**20
    seconds = np.array([line[4] for line in lines])
    return Requests(
        np.array([starts[line[0]] + line[1] for line in lines], dtype=np.int64),
        np.array([line[2] for line in lines], dtype=np.int64),
        np.array([line[3] for line in lines], dtype=np.bool_),
        seconds - seconds.min() if seconds.any() else None,
    )
