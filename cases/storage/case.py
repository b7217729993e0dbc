"""Case storage: move blocks between a store and memory, by one of several engines."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from watari.case import modelled_store
from watari.case.axes import PROCESSOR, THREADS, default_size, samples, table, words
from watari.case.axis import Axis, Machine, Parameters, count, one_of, parse_size
from watari.case.case import Case
from watari.case.engines import (
    FAULTS,
    FILE_ENGINES,
    FOLDER,
    OBJECT_ENGINES,
    SLOW_DISK,
)
from watari.case.profile import STORE, Access, Phase, Profile, Transfer
from watari.cases.storage import axes, trial, workload
from watari.cases.storage.axes import bytes_per_sample

SLOW_REQUEST = 10e-3  # seconds, of a hard disk


def profile(parameters: Parameters) -> Profile:
    """Every block crosses once between the store and the memory of the processor."""
    size, processor = bytes_per_sample(parameters), parameters["processor"]
    reads = parameters["direction"] == "read"
    ends = (STORE, processor) if reads else (processor, STORE)
    access = Access("blocks", processor, 0 if reads else size, size if reads else 0)
    phase = Phase(
        "requests",
        size,
        (Transfer(processor, ends[0], ends[1], size),),
        (access,),
        repeats=int(parameters["samples"]),
    )
    store = 0 if parameters["store"] == "file" else int(parameters["size"])
    kind = "pinned" if processor != "cpu" else "pageable"
    makes_files = parameters["engine"] not in OBJECT_ENGINES and not parameters["file"]
    on_disk = int(parameters["size"]) - store if makes_files else 0
    return Profile((phase,), {kind: size + store}, disk=on_disk)


def extra_seconds(parameters: Parameters) -> float:
    """Seconds that a slow disk may need for making the files and for all requests."""
    in_flight = int(parameters["threads"]) * int(parameters["depth"])
    requests = 2 * int(parameters["samples"]) * int(parameters["requests"])  # and verification
    made = 0 if parameters["file"] else int(parameters["size"])
    return (
        workload.recorded_seconds(parameters)
        + made / SLOW_DISK
        + requests * SLOW_REQUEST / min(in_flight, 8)
    )


def standard(machine: Machine) -> list[dict[str, Any]]:
    """Reads by every engine that goes past the page cache, and by the queues from memory."""
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
        "move blocks between a store and memory, by one of several engines",
        "{processor} {engine} {pattern} {direction} {block} depth {depth} x {threads}",
        table(
            Axis(
                "file",
                "your own file or object, which is read in place of test files: PATH[::NAME]",
                axes.parse_file,
                lambda m, p: "",
                "none: test files in `folder`",
                before="",
            ),
            Axis(
                "engine",
                "how blocks are moved",
                one_of(*FILE_ENGINES, *OBJECT_ENGINES),
                axes.default_engine,
                "uring, of an object s3",
                (*FILE_ENGINES, *OBJECT_ENGINES),
            ),
            replace(
                PROCESSOR,
                summary="processor whose memory receives or provides the blocks: cpu, gpu, gpu:1",
                default=axes.default_processor,
                default_text="gpu if there is one; queue cpu, cufile and gpu always gpu",
            ),
            Axis(
                "pattern",
                "order of the blocks, or a workload: kv-cache, checkpoint, or trace:FILE of fio "
                "(iolog) or CSV",
                workload.parse,
                lambda m, p: "random",
                "random",
                (*workload.ORDERS, *workload.GENERATED),
            ),
            words(
                "loop",
                "closed: as fast as the engine can; open: at the times of a trace, from which "
                "latency counts",
                "closed",
                *workload.LOOPS,
                before="closed",
            ),
            words("direction", "read or write", "read", "read", "write"),
            Axis(
                "block",
                "bytes of a request, 512 to 1MiB",
                axes.parse_block,
                axes.default_block,
                "4KiB, of a workload the usual size of its requests",
            ),
            Axis(
                "store",
                "the store; ram is for queue and gpu only, modelled for posix and uring too. "
                "modelled:FILE.toml is a model by watari model-ssd",
                modelled_store.parse_store,
                lambda m, p: "file",
                "file",
                modelled_store.STORES,
            ),
            Axis(
                "cache",
                "direct I/O, an empty page cache, or all of the store in the page cache",
                one_of(*axes.CACHES),
                axes.default_cache,
                "none",
                axes.CACHES,
            ),
            replace(
                THREADS,
                summary="CPU threads, pinned; for queue and gpu as many serve the store",
                default=axes.default_threads,
                default_text="one a core, gpu two less; uring and gpu on a disk at most 4",
            ),
            Axis(
                "depth",
                "requests in flight of each thread; engines without a queue have 1",
                count(1, 4096),
                axes.default_depth,
                "32, gpu 2 to 256, fewer of long blocks, without a queue 1",
            ),
            Axis(
                "size",
                "bytes of the store; by default all of your own file",
                parse_size,
                axes.default_size,
                "1GiB",
            ),
            Axis(
                "folder",
                "folder of test files, kept for later runs; A:B stripes them over two. Of engine "
                "s3 s3://bucket/prefix",
                axes.parse_place,
                lambda m, p: FOLDER,
                FOLDER,
            ),
            Axis(
                "files",
                "files, or modelled SSDs, over which the store is striped; at least one a folder",
                count(1, 64),
                axes.default_files,
                "1",
            ),
            words(
                "fault",
                "fault that the controller behind queue and gpu injects now and then",
                "none",
                *FAULTS,
            ),
            Axis(
                "requests",
                "requests of a sample",
                count(1, 2**28),
                axes.default_requests,
                "64MiB, at most 16384, at least 8 x depth x threads; in memory more",
            ),
            samples(10),
        ),
        trial.run,
        profile,
        axes.settle,
        axes.require_sense,
        extra_seconds,
        require_files=axes.require_files,
        standard=standard,
        example="engine=uring,posix block=4KiB,128KiB",
        also={
            "fio": "engine=uring block=4KiB depth=32",
            "bs": "block=4KiB",
            "iodepth": "depth=32",
            "numjobs": "threads=8",
            "randread": "pattern=random direction=read",
            "randwrite": "pattern=random direction=write",
            **dict.fromkeys(("io", "iops", "ior", "iozone", "hdparm", "direct-io"), ""),
            **dict.fromkeys(("gpudirect", "gpu-direct", "gpudirect-storage"), "engine=cufile"),
            "disk": "",
            "ssd": "",
            "nvme": "engine=queue",
            "gds": "engine=cufile",
            "gdsio": "engine=cufile",
            "s3": "engine=s3 folder=s3://bucket/prefix",
        },
        presentation="watari.cases.storage.words",
        commands={"model-ssd": "watari.cases.storage.command"},
    ),
)
