"""The table of cases: what can be measured, along which axes, with which defaults.

A case is one row of CASES; request.py has what a user asks of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from watari import gemm_case, himeno, storage
from watari.axes import (
    Axis,
    Machine,
    Parameters,
    Value,
    as_text,
    count,
    numbered,
    one_of,
    parse_boolean,
    parse_folder,
    parse_size,
    sequence,
    unknown,
)
from watari.errors import UsageError, WrongResultError

KINDS = ("pageable", "pinned", "device", "managed", "system")
PLACES = {"cpu": "HM", "gpu": "DM"}  # host and device memory, as the thesis writes
TRIALS = Axis("trials", "fresh processes", count(1, 10_000), lambda m, p: 5, "5")


@dataclass(frozen=True)
class Case:
    """One row of the table. `bytes_per_sample` is what one sample moves, by the algorithm."""

    name: str
    summary: str
    line: str  # how `describe` begins, with axes in braces
    axes: dict[str, Axis]
    run: Callable[[Parameters], dict[str, Any]]
    bytes_per_sample: Callable[[Parameters], int]
    footprint: Callable[[Parameters], int]  # bytes of all buffers together
    # what was given, completed and without contradiction, before defaults; what cannot be, after
    settle: Callable[[Parameters], Parameters] = dict
    require_sense: Callable[[Parameters], None] = lambda parameters: None
    # seconds of a trial that its bytes do not explain
    patience: Callable[[Parameters], float] = lambda parameters: 0.0
    threads_compute: bool = True  # axis `threads` is how many OpenMP has


def gpus(machine: Machine) -> list[dict[str, Any]]:
    """The machine's GPUs, in the order of their numbers."""
    return [p for p in machine["processors"] if p["kind"] == "gpu"]


def array_size(text: str) -> int:
    """A size that holds at least one double, what arrays are made of. Raises UsageError."""
    if parse_size(text) < 8:
        raise UsageError(f"'{text}' is too small: an array has at least 8 bytes, one double")
    return parse_size(text)


def default_size(machine: Machine, parameters: Parameters) -> int:
    """1 GiB, or the power of two that a sixteenth of the available memory holds."""
    fitting = max(machine["memory_available_bytes"] // 16, 2**20)
    return min(2**30, 1 << (int(fitting).bit_length() - 1))


def axis(name: str, summary: str, parse: Callable[[str], Value], default: Value) -> Axis:
    """An axis whose default is one value on every machine."""
    return Axis(name, summary, parse, lambda m, p: default, as_text(default))


def words(name: str, summary: str, default: str, *choices: str) -> Axis:
    """An axis of a few words."""
    return Axis(name, summary, one_of(*choices), lambda m, p: default, default, choices)


PROCESSOR = Axis(
    "processor",
    "who executes: cpu, gpu, gpu:1",
    numbered("cpu", "gpu"),
    lambda m, p: "gpu" if gpus(m) else "cpu",
    "gpu where there is one",
    ("cpu", "gpu"),
)
SIZE = Axis("size", "bytes of one array", array_size, default_size, "1GiB, less in small memory")
HINT = words("hint", "advice to the driver", "none", "none", "prefetch", "mapped", "read-mostly")
THREADS = Axis(
    "threads",
    "CPU threads, pinned",
    count(1, 4096),
    lambda m, p: m["processors"][0]["cores"],
    "one a core",
)
SIDE = count(1, 2**24)  # elements along one side of a matrix
OVERSUBSCRIBE = axis(
    "oversubscribe", "allow more memory than is free (may hang a GPU)", parse_boolean, False
)


def samples(default: int, summary: str = "timed executions in a row") -> Axis:
    """The axis `samples` with the default that suits a case."""
    return axis("samples", summary, count(1, 1_000_000), default)


def table(*axes: Axis) -> dict[str, Axis]:
    """Axes by name."""
    return {a.name: a for a in axes}


def native(function: str) -> Callable[[Parameters], dict[str, Any]]:
    """The compiled function that runs a case; imported when called, since loading it is slow."""

    def run(parameters: Parameters) -> dict[str, Any]:
        from watari import _native

        trial: dict[str, Any] = getattr(_native, function)(parameters)
        wrong = trial.pop("wrong_elements")
        trial["verified"] = wrong == 0
        if wrong:
            trial["status"] = WrongResultError.status
            trial["error"] = f"{wrong} elements are not what the copy must have left there"
        return trial

    return run


def memory(name: str, summary: str) -> Axis:
    """`from` and `to`: a memory kind, by default what the executing processor owns."""
    return Axis(
        name,
        summary,
        numbered(*KINDS),
        lambda m, p: (
            "pageable" if p["processor"] == "cpu" else p["processor"].replace("gpu", "device")
        ),
        "the processor's own",
        KINDS,
    )


def place(kind: str, processor: str) -> str:
    """Where memory of a kind lies in case `copy`; shared kinds are first touched by `processor`."""
    if kind.startswith("device"):
        return kind.replace("device", "gpu")
    return "cpu" if kind in ("pageable", "pinned") else processor


def copy_bytes(p: Parameters) -> int:
    """Within one memory a copy reads and writes it; between two, it crosses the link once."""
    same = place(p["from"], p["processor"]) == place(p["to"], p["processor"])
    return int(p["size"]) * (2 if same else 1) * (2 if p["bidirectional"] else 1)


CASES: dict[str, Case] = {
    case.name: case
    for case in (
        Case(
            "copy",
            "copy an array from one kind of memory to another",
            "{processor} {from} -> {to} {size} {means}",
            table(
                PROCESSOR,
                memory("from", "memory that is read"),
                memory("to", "memory that is written"),
                SIZE,
                Axis(
                    "means",
                    "a kernel (or CPU loop) of ours, or the GPU's copy engine",
                    one_of("kernel", "copy-engine"),
                    lambda m, p: "kernel" if p["processor"] == "cpu" else "copy-engine",
                    "kernel on the cpu, copy-engine on the gpu",
                    ("kernel", "copy-engine"),
                ),
                axis("streams", "CUDA streams that share the array", count(1, 64), 1),
                axis("bidirectional", "copy both ways at once", parse_boolean, False),
                Axis(
                    "numa",
                    "NUMA node that CPU memory is bound to, or `local` (first touch)",
                    lambda text: text if text == "local" else str(count(0, 4095)(text)),
                    lambda m, p: "local",
                    "local",
                ),
                words("thp", "transparent huge pages", "default", "default", "always", "never"),
                samples(50),
                THREADS,
                OVERSUBSCRIBE,
            ),
            native("copy"),
            copy_bytes,
            lambda p: int(p["size"]) * (4 if p["bidirectional"] else 2),
        ),
        Case(
            "access",
            "destination[i] = source[i] by one processor, each array first touched by a chosen one",
            "{processor} {memory} {source} Read, {destination} Write {size}",
            table(
                PROCESSOR,
                words("memory", "kind", "managed", "explicit", "managed", "system"),
                HINT,
                words("source", "who first touches the source", "cpu", "cpu", "gpu"),
                words("destination", "who first touches the destination", "cpu", "cpu", "gpu"),
                SIZE,
                samples(50),
                THREADS,
                OVERSUBSCRIBE,
            ),
            native("access"),
            lambda p: 2 * int(p["size"]),
            lambda p: 2 * int(p["size"]),
        ),
        Case(
            "migration",
            "the same copy by GPU, CPU and GPU in turn: when do pages move, and do they stay?",
            "{memory} {size}",
            table(
                words("memory", "kind", "managed", "managed", "system"),
                HINT,
                SIZE,
                axis("phases", "processors in turn", sequence("cpu", "gpu"), "gpu+cpu+gpu"),
                samples(100, "timed executions in each phase"),
                THREADS,
                OVERSUBSCRIBE,
            ),
            native("migration"),
            lambda p: 2 * int(p["size"]),
            lambda p: 2 * int(p["size"]),
        ),
        Case(
            "touch",
            "what the first access to fresh memory costs, and prefetching it",
            "{processor} {memory} {operation} {size}",
            table(
                PROCESSOR,
                words("memory", "kind", "managed", *KINDS),
                words(
                    "operation",
                    "write fresh pages; prefetch CPU-touched pages; read pages the other touched",
                    "first-touch",
                    "first-touch",
                    "prefetch",
                    "fault",
                ),
                SIZE,
                samples(10, "fresh allocations in a row"),
                THREADS,
                OVERSUBSCRIBE,
            ),
            native("touch"),
            lambda p: int(p["size"]),
            lambda p: int(p["size"]),
        ),
        Case(
            "himeno",
            "the Himeno benchmark: a stencil over 14 arrays, managed in one of several styles",
            "{processor} {style} {grid}",
            table(
                PROCESSOR,
                Axis(
                    "style",
                    "how the program manages its memory",
                    one_of(*himeno.STYLES),
                    lambda m, p: "system" if p["processor"] == "cpu" else "explicit",
                    "explicit, on the cpu system",
                    himeno.STYLES,
                ),
                Axis(
                    "grid",
                    "points along i, j, k with the boundary: XS to XXL or IxJxK",
                    himeno.parse_grid,
                    lambda m, p: "M" if p["processor"] == "cpu" else "L",
                    "L, on the cpu M",
                    tuple(himeno.GRIDS),
                ),
                axis("iterations", "Jacobi iterations, each timed", count(1, 1_000_000), 100),
                words(
                    "form",
                    "the field is copied back by a kernel (64 bytes a point), or swapped (56)",
                    "fused",
                    "two-kernel",
                    "fused",
                ),
                Axis(
                    "kernel",
                    "one source for all processors, or the processor's own",
                    one_of("shared", "tuned"),
                    lambda m, p: "tuned",
                    "tuned",
                    ("shared", "tuned"),
                ),
                words("data", "initial data", "standard", "standard", "general"),
                axis("ranks", "processes, started by the launcher", count(1, 4096), 1),
                Axis(
                    "split",
                    "ranks along i, j, k, such as 2x2x1",
                    himeno.parse_split,
                    lambda m, p: f"{p['ranks']}x1x1",
                    "all along i",
                ),
                Axis(
                    "halo",
                    "how ranks exchange: through the host, GPU pointers to MPI, NCCL, GPU to GPU",
                    one_of(*himeno.HALOS),
                    himeno.default_halo,
                    "what suits the style",
                    himeno.HALOS,
                ),
                axis("overlap", "exchange while inner points are computed", parse_boolean, False),
                replace(
                    THREADS,
                    summary="CPU threads of a rank, pinned",
                    default=himeno.default_threads,
                    default_text="one a core, shared by the ranks",
                ),
                OVERSUBSCRIBE,
            ),
            himeno.run,
            himeno.bytes_per_sample,
            himeno.footprint,
            himeno.settle,
            himeno.require_sense,
        ),
        Case(
            "storage",
            "blocks of a store on disk to or from memory, by one of several engines",
            "{processor} {engine} {pattern} {direction} {block} depth {depth} x {threads}",
            table(
                words("engine", "who moves the blocks", "uring", *storage.ENGINES),
                replace(
                    PROCESSOR,
                    summary="whose memory the blocks come to or from: cpu, gpu, gpu:1",
                    default=storage.default_processor,
                    default_text="gpu where there is one; queue cpu, cufile and gpu always gpu",
                ),
                words("pattern", "order of the blocks", "random", "random", "sequential"),
                words("direction", "which way", "read", "read", "write"),
                Axis(
                    "block",
                    "bytes of a request, 512 to 1MiB",
                    storage.parse_block,
                    lambda m, p: 4096,
                    "4KiB",
                ),
                words(
                    "store",
                    "what is behind the engine; all but files is behind queue and gpu alone",
                    "file",
                    *storage.STORES,
                ),
                Axis(
                    "cache",
                    "none (direct I/O), or the page cache: empty, or with all of the store in it",
                    one_of(*storage.CACHES),
                    storage.default_cache,
                    "none",
                    storage.CACHES,
                ),
                replace(
                    THREADS,
                    summary="CPU threads, pinned; of queue and gpu as many serve the store",
                    default=storage.default_threads,
                    default_text="one a core, gpu two less; uring and gpu on a disk at most 4",
                ),
                Axis(
                    "depth",
                    "requests in flight of each thread; engines without a queue have 1",
                    count(1, 4096),
                    storage.default_depth,
                    "32, gpu 2 to 256, fewer of long blocks, without a queue 1",
                ),
                Axis("size", "bytes of the store", parse_size, lambda m, p: 2**30, "1GiB"),
                axis("files", "files that the store is striped over", count(1, 64), 1),
                words(
                    "fault",
                    "what the controller behind queue and gpu does wrong, now and then",
                    "none",
                    *storage.FAULTS,
                ),
                axis(
                    "folder",
                    "where the files are made and found again",
                    parse_folder,
                    storage.FOLDER,
                ),
                Axis(
                    "requests",
                    "requests of a sample",
                    count(1, 2**28),
                    storage.default_requests,
                    "64MiB, at most 16384, at least 8 x depth x threads; in memory more",
                ),
                samples(10),
            ),
            storage.run,
            storage.bytes_per_sample,
            storage.footprint,
            storage.settle,
            storage.require_sense,
            storage.patience,
        ),
        Case(
            "gemm",
            "C = alpha A B + beta C, matrices in a store, tiles of them in fast memory",
            "{processor} {engine} {n} tile {tile} of {fast-memory} depth {depth} x {threads}",
            table(
                PROCESSOR,
                Axis(
                    "engine",
                    "who moves the tiles",
                    one_of(*gemm_case.ENGINES),
                    gemm_case.default_engine,
                    "gpu, on the cpu uring",
                    gemm_case.ENGINES,
                ),
                Axis(
                    "n", "columns of B and C", SIDE, gemm_case.default_n, "16384, on the cpu 4096"
                ),
                Axis("m", "rows of A and C", SIDE, lambda m, p: p["n"], "n"),
                Axis("k", "columns of A, rows of B", SIDE, lambda m, p: p["n"], "n"),
                words("precision", "of elements", "single", *gemm_case.BYTES),
                Axis(
                    "fast-memory",
                    "bytes for tiles: GPU memory, on the cpu RAM",
                    parse_size,
                    gemm_case.default_fast_memory,
                    "a quarter of A, B and C",
                ),
                Axis(
                    "tile",
                    "elements of a tile's edge, a multiple of 128",
                    gemm_case.parse_tile,
                    gemm_case.default_tile,
                    "2048, less in small memory",
                ),
                words("layout", "how a matrix lies in the store", "row-major", *gemm_case.LAYOUTS),
                words(
                    "schedule",
                    "a block of C stays in fast memory, or each product reads both its tiles",
                    "reuse",
                    *gemm_case.SCHEDULES,
                ),
                Axis(
                    "store",
                    "where the matrices lie",
                    one_of(*gemm_case.STORES),
                    gemm_case.default_store,
                    "file",
                    gemm_case.STORES,
                ),
                axis("folder", "where the files are made", parse_folder, storage.FOLDER),
                Axis("alpha", "a factor", gemm_case.parse_number, lambda m, p: 1.0, "1.0"),
                Axis("beta", "a factor", gemm_case.parse_number, lambda m, p: 0.0, "0.0"),
                replace(
                    THREADS,
                    summary="CPU threads that move tiles; the BLAS has its own",
                    default=gemm_case.default_threads,
                    default_text="one a core, gpu half as many, of files at most 4",
                ),
                Axis(
                    "depth",
                    "requests in flight of each thread; engines without a queue have 1",
                    count(1, 4096),
                    gemm_case.default_depth,
                    "32, gpu 2 to 256, of files 16, without a queue 1",
                ),
                samples(3, "whole products in a row"),
                OVERSUBSCRIBE,
            ),
            gemm_case.run,
            gemm_case.bytes_per_sample,
            gemm_case.footprint,
            gemm_case.settle,
            gemm_case.require_sense,
            gemm_case.patience,
            threads_compute=False,
        ),
    )
}


def find(name: str) -> Case:
    """The case of this name. Raises UsageError with the nearest one and the list."""
    if name not in CASES:
        raise unknown("case", name, CASES)
    return CASES[name]
