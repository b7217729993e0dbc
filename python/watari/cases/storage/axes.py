"""Case `storage`: its axes' values, what one run gives, and the numbers that are read from it.

A histogram has buckets 3% apart (src/watari/measure/histogram.hpp), so percentiles are that exact.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from watari import axes
from watari.axes import Machine, Parameters
from watari.errors import UsageError, WrongResultError

ENGINES = ("posix", "uring", "mmap", "cufile", "queue", "gpu")
ONE_AT_A_TIME = ("posix", "mmap", "cufile")  # a thread of these has one request in flight
SSDS = ("kioxia-cm6-v", "samsung-pm1743", "ten-million")  # src/watari/storage/modelled.cpp
GPU_ONLY = ("cufile", "gpu")
STORES = ("file", "ram", *(f"modelled:{name}" for name in SSDS))
FAULTS = (
    "none",
    "reordered",
    "delayed",
    "duplicated",
    "dropped",
    "failed",
    "late-data",
    "bad-phase",
)
CACHES = ("none", "cold", "warm")
DEEP = ("uring", "gpu")  # of many requests in flight past the page cache, at little cost a thread
SECTOR, LARGEST = 512, 2**20
FOLDER = "~/.cache/watari"
DEPTH = 32
GPU_DEPTH = (2, 256)  # of each thread that serves a GPU
FILE_DEPTH, FILE_THREADS = 64, 4  # where a disk limits them: more only wait in its queue
# bytes of each that serves: with more, they leave the CPU's cache before they are fetched
IN_FLIGHT = 2**21
LARGE_RUN = 2**21  # bytes of a request from which on a GPU's copy engine brings it
SLOW_REQUEST = 10e-3  # seconds, of a disk that turns
SLOW_DISK = 1e8  # bytes per second, when a file is made
PERCENTILES = {"p50": 0.5, "p99": 0.99, "p99.9": 0.999}


def parse_block(text: str) -> int:
    """Bytes of a block: a power of two from 512 bytes to 1 MiB. Raises UsageError."""
    block = axes.parse_size(text)
    if not SECTOR <= block <= LARGEST or block & (block - 1):
        raise UsageError(f"'{text}' is not a block: a power of two from 512 bytes to 1MiB")
    return block


def settle(given: Parameters) -> Parameters:
    """Engines without a queue have one request in flight a thread, in a sweep too: more of them are
    more threads."""
    return {**given, "depth": 1} if given.get("engine") in ONE_AT_A_TIME else given


def default_processor(machine: Machine, parameters: Parameters) -> str:
    """Two engines need a GPU's memory or threads, one is for threads of the CPU; the others serve
    whoever computes here."""
    if parameters["engine"] in GPU_ONLY:
        return "gpu"
    here = any(p["kind"] == "gpu" for p in machine["processors"])
    return "gpu" if here and parameters["engine"] != "queue" else "cpu"


def default_depth(machine: Machine, parameters: Parameters) -> int:
    """What engines with a queue keep in flight."""
    engine, block = parameters["engine"], int(parameters["block"])
    if engine in ONE_AT_A_TIME:
        return 1
    if engine == "gpu":
        return (file_depth if on_disk(parameters) else gpu_depth)(block)
    staged = parameters["processor"] != "cpu"  # in memory that is to stay in the CPU's cache
    return min(DEPTH, file_depth(block)) if staged and on_disk(parameters) else DEPTH


def default_threads(machine: Machine, parameters: Parameters) -> int:
    """One a core; threads that serve a GPU's queues never rest, and leave cores to the others. A
    disk needs few threads where each has many requests in flight, as the page cache has not."""
    cores = int(machine["processors"][0]["cores"])
    engine = parameters["engine"]
    most = max(cores - 2, 1) if engine == "gpu" else cores
    return min(most, FILE_THREADS) if on_disk(parameters) and engine in DEEP else most


def on_disk(parameters: Parameters) -> bool:
    """Whether every request goes to a disk."""
    return bool(parameters["store"] == "file" and parameters["cache"] == "none")


def gpu_depth(block: int) -> int:
    """Requests of this many bytes that a GPU keeps in flight for each thread that serves it."""
    least, most = GPU_DEPTH
    return min(max(IN_FLIGHT // block, least), most)


def file_depth(block: int) -> int:
    """The same where they go on to a disk."""
    return min(gpu_depth(block), FILE_DEPTH)


def default_cache(machine: Machine, parameters: Parameters) -> str:
    """Past the page cache where the engine can."""
    return "cold" if parameters["engine"] == "mmap" else "none"


def default_requests(machine: Machine, parameters: Parameters) -> int:
    """64 MiB, but no more than 16384 requests, and so many that a queue is full most of the time.
    Where no disk limits them, a sample is longer."""
    most = min(2**26 // parameters["block"], 2**14) * (1 if parameters["store"] == "file" else 16)
    return max(int(most), 8 * int(parameters["depth"]) * int(parameters["threads"]))


def require_sense(parameters: Parameters) -> None:
    """Raises UsageError for a store that is not made of whole blocks and stripes."""
    size, files = parameters["size"], parameters["files"]
    unit = files * LARGEST if files > 1 else parameters["block"]
    if size % unit:
        near = axes.format_size(max(size // unit, 1) * unit)
        raise UsageError(
            f"storage: size={axes.format_size(size)} is not made of whole "
            f"{'MiB in each file' if files > 1 else 'blocks'}: it must be a multiple of "
            f"{axes.format_size(unit)}, such as size={near}"
        )


def bytes_per_sample(parameters: Parameters) -> int:
    """Each request moves one block."""
    return int(parameters["requests"]) * int(parameters["block"])


def footprint(parameters: Parameters) -> int:
    """The blocks of a sample, and the store where it is memory."""
    store = 0 if parameters["store"] == "file" else int(parameters["size"])
    return bytes_per_sample(parameters) + store


def patience(parameters: Parameters) -> float:
    """Seconds that a slow disk may need for making the files and for all requests."""
    in_flight = int(parameters["threads"]) * int(parameters["depth"])
    requests = 2 * int(parameters["samples"]) * int(parameters["requests"])  # and verification
    return int(parameters["size"]) / SLOW_DISK + requests * SLOW_REQUEST / min(in_flight, 8)


def run(parameters: Parameters) -> dict[str, Any]:
    """One trial in this process. The seed, which makes the random order and marks what is written,
    is another one each time."""
    from watari import _native

    seed = time.time_ns() >> 20
    folder = os.path.expanduser(parameters["folder"])
    # what the library takes of every case
    given = {**parameters, "folder": folder, "seed": seed, "oversubscribe": False}
    trial: dict[str, Any] = _native.storage(given)
    trial["quantities"] |= quantities(trial, parameters)
    trial["quantities"]["seed"] = {"value": float(seed), "unit": "1"}
    wrong = trial.pop("wrong_elements")
    trial["verified"] = wrong == 0
    if wrong:
        trial["status"] = WrongResultError.status
        trial["error"] = f"{wrong} sectors of 512 bytes are not whole or not those asked for"
        if parameters["store"] == "file" and parameters["fault"] == "none":
            trial["error"] += (
                f"; if a file in {parameters['folder']} was changed by others, remove it, "
                "and it is made anew"
            )
    return trial


def quantities(trial: Mapping[str, Any], parameters: Parameters) -> dict[str, dict[str, Any]]:
    """Requests per second, latencies and CPU time per GB of a trial, with units."""
    samples = [float(s) for s in trial["host_s"]]
    moved = bytes_per_sample(parameters) * len(samples)
    found = {
        "bytes": (float(moved), "B"),
        # of the rates, as bandwidth is: of two samples the median time is of neither
        "requests_per_s": (median(parameters["requests"] / s for s in samples), "1/s"),
        "cpu_s_per_GB": (trial["quantities"]["cpu_s"]["value"] / (moved / 1e9), "s/GB"),
    }
    if "gpu_s" in trial["quantities"]:
        found["gpu_s_per_GB"] = (trial["quantities"]["gpu_s"]["value"] / (moved / 1e9), "s/GB")
    for name, part in PERCENTILES.items():
        found[f"latency_{name}"] = (percentile(trial["histograms"]["latency"], part), "s")
    return {name: {"value": value, "unit": unit} for name, (value, unit) in found.items()}


def percentile(histogram: Mapping[str, Sequence[float]], part: float) -> float:
    """The time that this part of the requests took at most: the middle of its bucket."""
    counts = histogram["count"]
    wanted, seen = part * sum(counts), 0.0
    for low, high, count in zip(histogram["low"], histogram["high"], counts, strict=True):
        seen += count
        if seen >= wanted:
            return (low + high) / 2
    raise ValueError("a histogram without counts")
