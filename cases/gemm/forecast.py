"""The forecast of a product: bytes that it reads and writes, and a lower bound of its time.

Bytes are counted by the library from its schedule. Seconds are those bytes at the rate of the store
and the flops at the rate of the BLAS, each measured briefly on this machine, or taken from
the machine's description. Where neither is known, the forecast has no time.
"""

from __future__ import annotations

import mmap
import os
import resource
import tempfile
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from watari.case import limits
from watari.case.axis import Machine, Parameters, as_text, expanded
from watari.case.engines import folders_of
from watari.case.native import module
from watari.cases.gemm import axes, trial
from watari.common.errors import WatariError
from watari.common.units import (
    exact_size,
    format_bytes,
    format_duration,
    format_flops,
)

CHUNK = 4 * 2**20
SAMPLE = 32 * CHUNK  # bytes read to measure a disk's rate
READERS = 4
SIDE = 1024  # of matrices multiplied to measure a CPU's rate


@dataclass(frozen=True)
class Forecast:
    """The forecast of one product. Rates are None where they are not known beforehand."""

    bytes_read: int
    bytes_written: int
    lower_bound: int  # bytes that any schedule reads and writes
    flops: int
    store_rate: float | None  # bytes per second
    blas_rate: float | None  # flops per second
    bytes_received: int = 0  # those read, and of objects what lies between rows of tiles

    @property
    def store_seconds(self) -> float | None:
        """All bytes at the rate of the store."""
        size = self.bytes_read + self.bytes_written
        return size / self.store_rate if self.store_rate else None

    @property
    def blas_seconds(self) -> float | None:
        """All flops at the rate of the BLAS."""
        return self.flops / self.blas_rate if self.blas_rate else None

    @property
    def seconds(self) -> float | None:
        """The lower bound: the time if everything overlaps."""
        return max([s for s in (self.store_seconds, self.blas_seconds) if s], default=None)

    def bytes_text(self) -> str:
        """`reads 3.22 GB, writes 1.07 GB (any schedule moves 2.1 GB at least)`."""
        more = self.bytes_received > self.bytes_read
        received = f" of {format_bytes(self.bytes_received)} received" if more else ""
        moved = f"reads {format_bytes(self.bytes_read)}{received}, "
        moved += f"writes {format_bytes(self.bytes_written)}"
        return f"{moved} (any schedule moves {format_bytes(self.lower_bound)} at least)"

    def time_text(self) -> str:
        """`1.3 s at best: store 1.3 s at 3.3 GB/s, arithmetic 0.17 s at 51 TFLOPS`."""
        store = f"{self.store_rate / 1e9:.3g} GB/s" if self.store_rate else ""
        blas = format_flops(self.blas_rate) if self.blas_rate else ""
        parts = [
            f"{name} {format_duration(seconds)} at {rate}"
            for name, seconds, rate in (
                ("store", self.store_seconds, store),
                ("arithmetic", self.blas_seconds, blas),
            )
            if seconds
        ]
        if self.seconds is None:
            return "the time is not known beforehand"
        return f"{format_duration(self.seconds)} at best: {', '.join(parts)}"


def forecast(
    parameters: Parameters, plan: Mapping[str, float], store_rate: float | None
) -> Forecast:
    """The forecast of a case with all axes and the library's plan for it."""
    on_cpu = parameters["processor"] == "cpu"
    return Forecast(
        int(plan["bytes_read"]),
        int(plan["bytes_written"]),
        max(int(plan["lower_bound_bytes"]), axes.least_bytes(parameters)),
        axes.flops(parameters),
        store_rate,
        blas_rate(parameters["precision"]) if on_cpu else None,
        int(plan.get("bytes_received", 0)),
    )


def addresses_are_limited() -> bool:
    """Whether `ulimit -v` is set: NumPy's OpenBLAS and its threads take address space."""
    return resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY


def file_rate(path: Path) -> float | None:
    """Bytes per second of reads at a file's beginning, past the page cache. None if the file cannot
    be read so, if it is small, and under `ulimit -v`."""
    if addresses_are_limited():
        return None
    try:
        file = os.open(path, os.O_RDONLY | os.O_DIRECT)
    except OSError:
        return None
    try:
        chunks = min(os.fstat(file).st_size, SAMPLE) // CHUNK  # fewer would measure latency
        with ThreadPoolExecutor(READERS) as pool:
            started = time.perf_counter()
            read = sum(pool.map(lambda i: read_chunk(file, i), range(chunks)))
        return read / (time.perf_counter() - started) if read else None
    except OSError:
        return None
    finally:
        with suppress(OSError):
            os.close(file)


def read_chunk(file: int, index: int) -> int:
    """Reads one chunk into page-aligned memory, as direct I/O needs; returns the bytes read."""
    return os.preadv(file, [mmap.mmap(-1, CHUNK)], index * CHUNK)


def folders_rate(folders: str) -> float | None:
    """Bytes per second of the disks of striped folders. Stripes are equal, so that the slowest one
    decides. None if one is not known."""
    each = folders_of(folders)
    if len(each) == 1:
        return folder_rate(folders)
    known = [rate for rate in map(folder_rate, each) if rate is not None]
    if len(known) < len(each):
        return None
    return len({os.stat(expanded(folder)).st_dev for folder in each}) * min(known)


def folder_rate(folder: str) -> float | None:
    """Bytes per second of a folder's disk, measured with an unnamed file: a kill leaves no file."""
    path = Path(expanded(folder))
    with suppress(OSError):
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path) as file:
            file.write(os.urandom(CHUNK) * (SAMPLE // CHUNK))
            file.flush()
            os.fsync(file.fileno())
            return file_rate(Path(f"/proc/self/fd/{file.fileno()}"))
    return None


@cache
def blas_rate(precision: str) -> float | None:
    """Flops per second of NumPy's product on the CPU: the best of three."""
    if addresses_are_limited():
        return None
    import numpy

    dtype = {"single": numpy.float32, "double": numpy.float64}[precision]
    matrix = numpy.ones((SIDE, SIDE), dtype)
    best = float("inf")
    for _ in range(3):
        started = time.perf_counter()
        matrix @ matrix
        best = min(best, time.perf_counter() - started)
    return 2 * SIDE**3 / best


def lines(wanted: Sequence[Parameters], machine: Machine) -> list[str]:
    """The forecasts of a run's products, one line for each plan; engines share a plan."""
    rates: dict[tuple[str, str], float | None] = {}
    plans_by_name: dict[str, dict[str, list[Parameters]]] = {}  # cases by name and forecast
    for p in wanted:
        store = (p["store"], p["folder" if p["store"] == "file" else "processor"])
        if store not in rates:
            rates[store] = store_rate(p, machine)
        plans_by_name.setdefault(name(p), {}).setdefault(forecast_text(p, rates[store]), []).append(
            p
        )
    return [
        f"{named}{special(cases, [p for alike in plans.values() for p in alike])}: {text}"
        for named, plans in plans_by_name.items()
        for text, cases in plans.items()
    ]


def store_rate(p: Parameters, machine: Machine) -> float | None:
    """Bytes per second of a store; None for a modelled SSD, whose rates the library knows."""
    if p["store"] == "file":
        return folders_rate(p["folder"])
    link = limits.link_bandwidth(machine, "cpu", p["processor"])
    return link if p["store"] == "ram" else None


def name(p: Parameters) -> str:
    """The axes in which most plans differ, as text."""
    return (
        f"gemm {axes.extent(p)}, tile {p['tile']} of {exact_size(p['fast-memory'])}, "
        f"{p['schedule']}, {p['precision']}, {p['store']}"
    )


def forecast_text(p: Parameters, rate: float | None) -> str:
    """The forecast of one case, or the reason why it cannot run."""
    try:
        axes.require_sense(p)
        plan = module(__package__).gemm_plan(trial.native_parameters(p))
    except WatariError as error:  # its trial reports it too
        return str(error).removeprefix("gemm: ")
    of = forecast(p, plan, rate)
    return f"{of.bytes_text()}; {of.time_text()}"


def special(cases: Sequence[Parameters], beside: Sequence[Parameters]) -> str:
    """`, alpha=0.0`: the other axes whose values differ from those of all cases of that name."""
    text = ""
    for axis in ("processor", "layout", "alpha", "beta", "folder"):
        mine, others = (dict.fromkeys(as_text(p[axis]) for p in ps) for ps in (cases, beside))
        if mine != others:
            text += f", {axis}={','.join(mine)}"
    return text
