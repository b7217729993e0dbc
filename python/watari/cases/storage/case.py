"""Case storage: blocks of a store on disk to or from memory, by one of several engines."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from watari.case.axes import PROCESSOR, THREADS, axis, default_size, samples, table, words
from watari.case.axis import Axis, Machine, Parameters, count, one_of, parse_folder, parse_size
from watari.case.case import Case
from watari.case.engines import FILE_ENGINES, FOLDER, SLOW_DISK
from watari.case.profile import STORE, Access, Phase, Profile, Transfer
from watari.cases.storage import axes as values
from watari.cases.storage import trial
from watari.cases.storage.axes import bytes_per_sample

SLOW_REQUEST = 10e-3  # seconds, of a disk that turns


def profile(parameters: Parameters) -> Profile:
    """Every block crosses from the store to the memory of the processor once, or the other way."""
    moved, who = bytes_per_sample(parameters), parameters["processor"]
    reads = parameters["direction"] == "read"
    ends = (STORE, who) if reads else (who, STORE)
    access = Access("blocks", who, 0 if reads else moved, moved if reads else 0)
    phase = Phase(
        "requests",
        moved,
        (Transfer(who, ends[0], ends[1], moved),),
        (access,),
        repeats=int(parameters["samples"]),
    )
    store = 0 if parameters["store"] == "file" else int(parameters["size"])
    kind = "pinned" if who != "cpu" else "pageable"
    return Profile((phase,), {kind: moved + store})


def extra_seconds(parameters: Parameters) -> float:
    """Seconds that a slow disk may need for making the files and for all requests."""
    in_flight = int(parameters["threads"]) * int(parameters["depth"])
    requests = 2 * int(parameters["samples"]) * int(parameters["requests"])  # and verification
    return int(parameters["size"]) / SLOW_DISK + requests * SLOW_REQUEST / min(in_flight, 8)


def standard(machine: Machine) -> list[dict[str, Any]]:
    """A look at the disk by every engine that goes past the page cache, and at the queues alone."""
    size = min(2**28, default_size(machine, {}))
    few = {"size": size, "samples": 3}
    small = {**few, "block": 4096, "requests": 2048}
    many = {**small, "engine": "gpu", "requests": size // 4096}
    large = {**few, "block": 2**20, "depth": 8, "requests": size // 2**20}
    return [
        {**small, "engine": ["posix", "uring", "cufile", "queue"]},
        {**small, "engine": "queue", "store": "ram", "requests": 2**13},
        {**many, "store": ["file", "ram"]},
        {**large, "engine": "uring", "pattern": "sequential"},
    ]


CASES = (
    Case(
        "storage",
        "blocks of a store on disk to or from memory, by one of several engines",
        "{processor} {engine} {pattern} {direction} {block} depth {depth} x {threads}",
        table(
            words("engine", "who moves the blocks", "uring", *FILE_ENGINES),
            replace(
                PROCESSOR,
                summary="whose memory the blocks come to or from: cpu, gpu, gpu:1",
                default=values.default_processor,
                default_text="gpu where there is one; queue cpu, cufile and gpu always gpu",
            ),
            words("pattern", "order of the blocks", "random", "random", "sequential"),
            words("direction", "which way", "read", "read", "write"),
            Axis(
                "block",
                "bytes of a request, 512 to 1MiB",
                values.parse_block,
                lambda m, p: 4096,
                "4KiB",
            ),
            words(
                "store",
                "what is behind the engine; all but files is behind queue and gpu alone",
                "file",
                *values.STORES,
            ),
            Axis(
                "cache",
                "none (direct I/O), or the page cache: empty, or with all of the store in it",
                one_of(*values.CACHES),
                values.default_cache,
                "none",
                values.CACHES,
            ),
            replace(
                THREADS,
                summary="CPU threads, pinned; of queue and gpu as many serve the store",
                default=values.default_threads,
                default_text="one a core, gpu two less; uring and gpu on a disk at most 4",
            ),
            Axis(
                "depth",
                "requests in flight of each thread; engines without a queue have 1",
                count(1, 4096),
                values.default_depth,
                "32, gpu 2 to 256, fewer of long blocks, without a queue 1",
            ),
            Axis("size", "bytes of the store", parse_size, lambda m, p: 2**30, "1GiB"),
            axis("files", "files that the store is striped over", count(1, 64), 1),
            words(
                "fault",
                "what the controller behind queue and gpu does wrong, now and then",
                "none",
                *values.FAULTS,
            ),
            axis(
                "folder",
                "where the files are made and found again",
                parse_folder,
                FOLDER,
            ),
            Axis(
                "requests",
                "requests of a sample",
                count(1, 2**28),
                values.default_requests,
                "64MiB, at most 16384, at least 8 x depth x threads; in memory more",
            ),
            samples(10),
        ),
        trial.run,
        profile,
        values.settle,
        values.require_sense,
        extra_seconds,
        standard=standard,
        presentation="watari.cases.storage.words",
    ),
)
