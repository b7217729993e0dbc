"""Case `gemm`: C = alpha A B + beta C with matrices in a store, under a budget of fast memory.

What is here of bytes is an estimate for time limits and needs no compiled part: a square block of
C stays in fast memory. How many bytes a schedule really reads, `_native.gemm_plan` counts.
"""

from __future__ import annotations

import math
import os
import re
import struct
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from watari import axes, blas, storage
from watari.axes import Machine, Parameters
from watari.errors import UsageError, WrongResultError

ENGINES = ("posix", "uring", "mmap", "cufile", "queue", "gpu", "pinned", "managed")
ONE_AT_A_TIME = (*storage.ONE_AT_A_TIME, "pinned", "managed")
IN_MEMORY = ("pinned", "managed")  # engines for which the matrices lie in memory
GPU_ONLY = ("cufile", "gpu", *IN_MEMORY)
FILE_ENGINES = tuple(engine for engine in ENGINES if engine not in IN_MEMORY)
LAYOUTS = ("row-major", "tiled")
SCHEDULES = ("reuse", "naive")
STORES = ("file", "ram")
BYTES = {"single": 4, "double": 8}
TILE_UNIT, TILE_MOST = 128, 2**16  # elements
TILE_USUAL = 2048
MOST_REQUEST = 2**17  # bytes, of rows in a file
COLUMNS = ("seconds", "speed", "GB/s", "x floor")
SLOTS_USUAL = 32  # tiles that fast memory should hold at least
SLOTS_LEAST = 5  # a tile of C, and two of A and of B
SLOW_CPU, SLOW_GPU = 2e9, 2e11  # flops per second, in double precision


def parse_tile(text: str) -> int:
    """Elements of a tile's edge: a multiple of 128. Raises UsageError."""
    tile = axes.count(1, TILE_MOST)(text)
    if tile % TILE_UNIT:
        raise UsageError(f"'{text}' is not a tile: a multiple of {TILE_UNIT} up to {TILE_MOST}")
    return tile


def parse_file_engine(text: str) -> str:
    """An engine that moves tiles of files. Raises UsageError."""
    if text in IN_MEMORY:
        raise UsageError(
            f"engine {text} is for matrices in memory, and these are in files; "
            f"known: {', '.join(FILE_ENGINES)}"
        )
    return axes.one_of(*FILE_ENGINES)(text)


def parse_number(text: str) -> float:
    """A finite number, alpha or beta. Raises UsageError."""
    if not re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", text, re.IGNORECASE):
        raise UsageError(f"'{text}' is not a number; write for example 1, -0.5 or 1e-3")
    if not math.isfinite(float(text)):
        raise UsageError(f"'{text}' is beyond what a number can be")
    return float(text)


def settle(given: Parameters) -> Parameters:
    """Some engines need a GPU; those without a queue have one request in flight a thread."""
    engine = given.get("engine")
    needed = {"processor": "gpu"} if engine in GPU_ONLY else {}
    fixed = {"depth": 1} if engine in ONE_AT_A_TIME else {}
    return {**needed, **given, **fixed}


def default_engine(machine: Machine, parameters: Parameters) -> str:
    """The processor's own initiative."""
    return "uring" if parameters["processor"] == "cpu" else "gpu"


def default_n(machine: Machine, parameters: Parameters) -> int:
    """Seconds of work."""
    return 4096 if parameters["processor"] == "cpu" else 16384


def default_store(machine: Machine, parameters: Parameters) -> str:
    """Files, but for engines that know memory alone."""
    return "ram" if parameters["engine"] in IN_MEMORY else "file"


def default_fast_memory(machine: Machine, parameters: Parameters) -> int:
    """A quarter of the three matrices, and no less than some small tiles take."""
    least = SLOTS_USUAL * slot_bytes({**parameters, "tile": TILE_UNIT})
    return max(matrix_bytes(parameters) // 4, least)


def default_tile(machine: Machine, parameters: Parameters) -> int:
    """The largest power of two up to 2048 of which fast memory has some tens. Here and in the next
    two, src/watari/gemm/product.cpp has the same of products of files."""
    tile = TILE_USUAL
    while tile > TILE_UNIT and slots({**parameters, "tile": tile}) < SLOTS_USUAL:
        tile //= 2
    return tile


def default_threads(machine: Machine, parameters: Parameters) -> int:
    """One a core; a GPU's queues are served by half as many, which never rest: others hand lists to
    the GPU and wait for them. Where a disk limits them few are enough."""
    cores = int(machine["processors"][0]["cores"])
    if parameters["engine"] != "gpu":
        return cores
    most = storage.FILE_THREADS if parameters["store"] == "file" else cores
    return max(min(cores // 2, most), 1)


def default_depth(machine: Machine, parameters: Parameters) -> int:
    """What engines with a queue keep in flight. On files neighbouring tiles' rows are one request,
    whatever the tile, and more of them than a disk's queue holds make it slower."""
    if parameters["engine"] in ONE_AT_A_TIME:
        return 1
    if parameters["engine"] != "gpu":
        return storage.DEPTH
    if parameters["store"] == "file":
        return storage.file_depth(MOST_REQUEST)
    row = int(parameters["tile"]) * BYTES[parameters["precision"]]
    if parameters["layout"] == "tiled":
        tile = int(parameters["tile"]) * row
        return storage.gpu_depth(min(tile & -tile, storage.LARGE_RUN))  # as tiled_block has it
    return storage.gpu_depth(2 * row)  # warps that move tiles displace those that multiply


def require_sense(parameters: Parameters) -> None:
    """Raises UsageError for fast memory that does not hold the tiles of one product, twice, and for
    factors that the elements' type does not hold."""
    for name in ("alpha", "beta"):
        if not is_held(parameters[name], parameters["precision"]):
            raise UsageError(
                f"gemm: {name}={parameters[name]:g} is beyond precision={parameters['precision']}"
            )
    by_default = parameters["fast-memory"] == default_fast_memory({}, parameters)
    remark = ", the default here," if by_default else ""
    least = SLOTS_LEAST * slot_bytes(parameters)
    if parameters["fast-memory"] < least:
        text = axes.format_size(least)
        raise UsageError(
            f"gemm: fast-memory={axes.format_size(parameters['fast-memory'])}{remark} is too small "
            f"for tile={parameters['tile']}: {SLOTS_LEAST} tiles take {text}; "
            f"give {text} or more"
        )


def is_held(value: float, precision: str) -> bool:
    """Whether elements of this precision are as large and as small as a finite number."""
    if precision == "double":
        return True
    try:
        (held,) = struct.unpack("<f", struct.pack("<f", value))
    except OverflowError:
        return False
    return bool(held) == bool(value)


def matrix_bytes(p: Parameters) -> int:
    """Bytes of A, B and C."""
    m, n, k = int(p["m"]), int(p["n"]), int(p["k"])
    return (m * k + k * n + m * n) * BYTES[p["precision"]]


def flops(p: Parameters) -> int:
    """A multiplication and an addition for each m x n x k; none where alpha is 0."""
    return 2 * int(p["m"]) * int(p["n"]) * int(p["k"]) if p["alpha"] else 0


def least_bytes(p: Parameters) -> int:
    """Bytes that move even where all fits in fast memory: what counts is read once, C written."""
    m, n, k = int(p["m"]), int(p["n"]), int(p["k"])
    elements = m * n + (m * k + k * n if p["alpha"] else 0) + (m * n if p["beta"] else 0)
    return elements * BYTES[p["precision"]]


def slot_bytes(p: Parameters) -> int:
    """Bytes of one tile."""
    return int(p["tile"]) ** 2 * BYTES[p["precision"]]


def slots(p: Parameters) -> int:
    """Tiles that fast memory holds."""
    return int(p["fast-memory"]) // slot_bytes(p)


def bytes_per_sample(p: Parameters) -> int:
    """Bytes read and written with a square block of C in fast memory: b^2 tiles of C, and twice b
    of A and of B."""
    m, n, k, tile = (int(p[name]) for name in ("m", "n", "k", "tile"))
    b = max(1, math.isqrt(slots(p) + 4) - 2) if p["schedule"] == "reuse" else 1
    elements = m * k * -(-n // (b * tile)) + k * n * -(-m // (b * tile))
    elements += m * n * (2 if p["beta"] else 1)
    return elements * BYTES[p["precision"]]


def footprint(p: Parameters) -> int:
    """Bytes of memory: matrices in files take none."""
    return int(p["fast-memory"]) + (matrix_bytes(p) if p["store"] == "ram" else 0)


def patience(p: Parameters) -> float:
    """Seconds that arithmetic may need, and a slow disk for making, reading and checking files."""
    samples = int(p["samples"])
    arithmetic = samples * flops(p) / (SLOW_CPU if p["processor"] == "cpu" else SLOW_GPU)
    disk = 3 * matrix_bytes(p) + samples * bytes_per_sample(p) if p["store"] == "file" else 0
    return arithmetic + disk / storage.SLOW_DISK


def native_parameters(parameters: Parameters) -> dict[str, Any]:
    """The case as the library takes it."""
    given = {name.replace("-", "_"): value for name, value in parameters.items()}
    given |= {name: float(parameters[name]) for name in ("alpha", "beta")}
    folder = os.path.expanduser(parameters["folder"])
    return {**given, "folder": folder, "blas_folder": blas.folder(), "seed": time.time_ns() >> 20}


def run(parameters: Parameters) -> dict[str, Any]:
    """One trial in this process; its seed, which makes the matrices, is another one each time."""
    from watari import _native

    given = native_parameters(parameters)
    trial: dict[str, Any] = _native.gemm(given)
    trial["quantities"]["seed"] = {"value": float(given["seed"]), "unit": "1"}
    wrong = trial.pop("wrong_elements")
    trial["verified"] = wrong == 0
    if wrong:
        trial["status"] = WrongResultError.status
        trial["error"] = f"{wrong} elements of C are not alpha A B + beta C"
    return trial


@dataclass(frozen=True)
class Speed:
    """A case in numbers, each the median over trials."""

    seconds: float  # of one whole product
    flops_per_s: float
    bytes_per_s: float  # read and written
    floor: float | None  # s: the store's time or the arithmetic's, whichever is longer
    store_floor: float | None  # s: all bytes at the rate of the store in the same trial
    blas_floor: float | None  # s: all flops at the rate of the BLAS in the same trial

    @property
    def over_floor(self) -> float | None:
        """Time over the floor: 1 where everything overlaps."""
        return self.seconds / self.floor if self.floor else None


def speed(flops: int, trials: Sequence[Mapping[str, Any]]) -> Speed:
    """The numbers of trials that went well."""

    def middle(name: str) -> float | None:
        found = [t["quantities"][name]["value"] for t in trials if name in t["quantities"]]
        return float(median(found)) if found else None

    seconds = float(median(median(t["host_s"]) for t in trials))
    moved = sum(middle(name) or 0.0 for name in ("bytes_read", "bytes_written"))
    return Speed(
        seconds=seconds,
        flops_per_s=flops / seconds,
        bytes_per_s=moved / seconds,
        floor=middle("floor_s"),
        store_floor=middle("store_floor_s"),
        blas_floor=middle("blas_floor_s"),
    )


def amount(size: float) -> str:
    """Bytes for people: `3.22 GB`, `41.9 MB`, `1.54 kB`."""
    for unit, name in ((1e15, "PB"), (1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if size >= 0.9995 * unit:  # what is rounded up is in the larger one
            return f"{size / unit:.3g} {name}"
    return f"{size:.0f} B"


def flops_text(per_second: float) -> str:
    """Flops per second for people: `98.4 GFLOPS`, `50.1 TFLOPS`."""
    for scale, unit in ((1e12, "TFLOPS"), (1e9, "GFLOPS"), (1e6, "MFLOPS")):
        if per_second >= 0.9995 * scale:
            return f"{per_second / scale:.3g} {unit}"
    return f"{per_second:.3g} FLOPS"


def columns(flops: int, trials: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """The numbers of trials that went well as text, by what a table calls them."""
    if not trials:
        return dict.fromkeys(COLUMNS, "")
    found = speed(flops, trials)
    over = f"{found.over_floor:.3g}" if found.over_floor else "unknown"
    rate = f"{found.bytes_per_s / 1e9:.3g}"
    texts = (f"{found.seconds:.3g}", flops_text(found.flops_per_s), rate, over)
    return dict(zip(COLUMNS, texts, strict=True))


def speed_text(found: Speed) -> str:
    """In one line: `48.1 TFLOPS, 31.2 GB/s, 1.08 x floor`."""
    parts = [flops_text(found.flops_per_s), f"{found.bytes_per_s / 1e9:.3g} GB/s"]
    if found.over_floor:
        parts.append(f"{found.over_floor:.3g} x floor")
    return ", ".join(parts)
