"""Case gemm: C = alpha A B + beta C with matrices in a store, under a budget of fast memory."""

from __future__ import annotations

import math
from dataclasses import replace

from watari.case import modelled_store
from watari.case.axes import OVERSUBSCRIBE, PROCESSOR, THREADS, axis, samples, table, words
from watari.case.axis import Axis, Machine, Parameters, count, one_of, parse_size
from watari.case.case import Case
from watari.case.engines import FOLDER, SLOW_DISK, parse_folders
from watari.case.profile import STORE, Phase, Profile, Transfer
from watari.cases.gemm import axes, side, trial
from watari.cases.gemm.axes import BYTES, flops, matrix_bytes, slots
from watari.common.library import own_memory

SIDE = count(1, side.LARGEST)  # elements along one side of a matrix
SLOW_CPU, SLOW_GPU = 2e9, 2e11  # flops per second, in double precision


def bytes_per_sample(p: Parameters) -> int:
    """Bytes read and written with a square block of C in fast memory: b^2 tiles of C, 2b of A and
    2b of B."""
    n, k, tile = (int(p[name]) for name in ("n", "k", "tile"))
    m = axes.computed(p)
    b = max(1, math.isqrt(slots(p) + 4) - 2) if p["schedule"] == "reuse" else 1
    elements = m * k * -(-n // (b * tile)) + k * n * -(-m // (b * tile))
    elements += m * n * (2 if p["beta"] else 1)
    return elements * BYTES[p["precision"]]


def profile(p: Parameters) -> Profile:
    """An estimate that needs no compiled part: a square block of C stays in fast memory.
    `gemm_plan` counts the exact bytes of a schedule."""
    processor, size = p["processor"], bytes_per_sample(p)
    phase = Phase(
        "products",
        size,
        (Transfer(processor, STORE, processor, size),),
        flops=flops(p),
        repeats=int(p["samples"]),
    )
    footprint = {own_memory(processor): p["fast-memory"]}
    if p["store"] != "file":  # matrices in files take no memory
        kind = p["engine"] if p["engine"] in axes.IN_MEMORY else "pageable"
        footprint[kind] = footprint.get(kind, 0) + matrix_bytes(p)
    return Profile((phase,), footprint, False, matrix_bytes(p) if p["store"] == "file" else 0)


def extra_seconds(p: Parameters) -> float:
    """Seconds that arithmetic may need, and that a slow disk may need to write, read and check
    files."""
    samples = int(p["samples"])
    arithmetic = samples * flops(p) / (SLOW_CPU if p["processor"] == "cpu" else SLOW_GPU)
    disk = 3 * matrix_bytes(p) + samples * bytes_per_sample(p) if p["store"] == "file" else 0
    return arithmetic + disk / SLOW_DISK


def labels(p: Parameters) -> dict[str, str]:
    """Square matrices are labelled by one side."""
    return {side: "" for side in ("m", "k") if p[side] == p["n"]}


def forecast(wanted: list[Parameters], machine: Machine) -> list[str]:
    """Lines that forecast the bytes of the products and their shortest time."""
    from watari.cases.gemm.forecast import lines

    return lines(wanted, machine)


CASES = (
    Case(
        "gemm",
        "C = alpha A B + beta C: matrices in a store, tiles in fast memory",
        "{processor} {engine} {n} tile {tile} of {fast-memory} depth {depth} x {threads}",
        table(
            PROCESSOR,
            Axis(
                "engine",
                "how tiles are moved",
                one_of(*axes.ENGINES),
                axes.default_engine,
                "gpu, on the cpu uring, without io_uring posix",
                axes.ENGINES,
            ),
            Axis(
                "n",
                "columns of B and C; auto:100s: the largest whose naive reads take that time",
                side.parse,
                axes.default_n,
                "16384, on the cpu 4096",
                rule=axes.side_of,
            ),
            Axis("m", "rows of A and C", SIDE, lambda m, p: p["n"], "n"),
            Axis("k", "columns of A, rows of B", SIDE, lambda m, p: p["n"], "n"),
            words("precision", "precision of elements", "single", *axes.BYTES),
            Axis(
                "fast-memory",
                "bytes for tiles: GPU memory, on the cpu RAM",
                parse_size,
                axes.default_fast_memory,
                "a quarter of A, B and C",
            ),
            Axis(
                "tile",
                "elements of a tile's edge, a multiple of 128",
                axes.parse_tile,
                axes.default_tile,
                "2048, less if memory is small",
            ),
            words("layout", "layout of a matrix in the store", "row-major", *axes.LAYOUTS),
            words(
                "schedule",
                "a block of C stays in fast memory, or each product reads both its tiles",
                "reuse",
                *axes.SCHEDULES,
            ),
            axis(
                "rows",
                "block rows of C that are computed, the first ones, by naive; 0: all",
                count(0, 2**17),
                0,
                before=0,
            ),
            Axis(
                "store",
                "the store of the matrices: files, CPU memory, or SSDs modelled there; "
                "modelled:FILE.toml is a model by watari model-ssd",
                modelled_store.parse_store,
                axes.default_store,
                "file",
                modelled_store.STORES,
            ),
            axis(
                "files",
                "modelled SSDs, over which the store is striped",
                count(1, modelled_store.MOST_SSDS),
                1,
                before=1,
            ),
            axis(
                "folder",
                "folder of the file; A:B stripes it over two",
                parse_folders,
                FOLDER,
            ),
            Axis("alpha", "factor of A B", axes.parse_number, lambda m, p: 1.0, "1.0"),
            Axis("beta", "factor of the old C", axes.parse_number, lambda m, p: 0.0, "0.0"),
            replace(
                THREADS,
                summary="CPU threads that move tiles; the BLAS has its own",
                default=axes.default_threads,
                default_text="one a core, gpu half as many, of files at most 4",
            ),
            Axis(
                "depth",
                "requests in flight of each thread; engines without a queue have 1",
                count(1, 4096),
                axes.default_depth,
                "32, gpu 2 to 256, of files 16, without a queue 1",
            ),
            samples(3, "whole products, one after the other"),
            OVERSUBSCRIBE,
        ),
        trial.run,
        profile,
        axes.settle,
        axes.require_sense,
        extra_seconds,
        require_files=axes.require_files,
        threads_compute=False,
        labels=labels,
        example="n=16384 fast-memory=1GiB engine=uring",
        also={
            "sgemm": "precision=single",
            "dgemm": "precision=double",
            "matmul": "",
            "linpack": "",
            "hpl": "",
            **dict.fromkeys(("blas", "cublas", "openblas", "tensor", "matrix"), ""),
            **dict.fromkeys(("flops", "gflops", "tflops", "peak"), ""),
        },
        forecast=forecast,
        presentation="watari.cases.gemm.words",
        commands={"gemm": "watari.cases.gemm.command"},
    ),
)
