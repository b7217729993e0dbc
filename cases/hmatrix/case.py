"""Case hmatrix: products with the H-matrix of a surface, streamed through fast memory."""

from __future__ import annotations

from dataclasses import replace

from watari.case import modelled_store
from watari.case.axes import PROCESSOR, THREADS, axis, samples, table, words
from watari.case.axis import (
    Axis,
    Parameters,
    count,
    one_of,
    parse_boolean,
    parse_size,
)
from watari.case.case import Case
from watari.case.engines import FAULTS, FILE_ENGINES, FOLDER, SLOW_DISK, parse_folders
from watari.case.profile import STORE, Exchange, Phase, Profile, Transfer
from watari.case.ranks import MOST_RANKS
from watari.cases.hmatrix import axes, trial
from watari.cases.hmatrix.axes import matrix_bytes, resident_bytes
from watari.common.library import own_memory

SLOW_ENTRIES = 1e6  # entries of the matrix that a slow core computes in a second
SLOW_MEMORY = 2e9  # bytes per second
SLOTS = 4  # batches in memory if none is resident


def profile(p: Parameters) -> Profile:
    """An estimate from the surface's number of triangles, until the matrix is built."""
    size, processor, ranks = matrix_bytes(p), p["processor"], int(p["ranks"])
    phase = Phase(
        "products",
        size,
        (Transfer(processor, STORE, processor, (size - resident_bytes(p)) // ranks),),
        repeats=int(p["samples"]),
    )
    each = max(axes.VECTORS, int(p["restart"]) + axes.BESIDE) + int(p["inner"])
    vectors = (each * int(p["rhs"]) + axes.DIAGONAL) * 8 * axes.triangles(p)
    kind = own_memory(processor)
    held = p["fast-memory"] * ranks or (size if p["pinned"] else SLOTS * p["batch"] * ranks)
    footprint = {kind: held + vectors * ranks}
    if p["store"] != "file":
        footprint["pageable"] = footprint.get("pageable", 0) + size
    rows = 8 * axes.triangles(p) * int(p["rhs"]) // ranks
    return Profile(
        (phase,),
        footprint,
        False,
        size if p["store"] == "file" else 0,
        exchanges=(Exchange("rows", rows, ranks - 1),) if ranks > 1 else (),
    )


def extra_seconds(p: Parameters) -> float:
    """Seconds that building, comparing and solving may need, and a slow disk for all reads."""
    products = (2 * int(p["steps"]) or axes.PRODUCTS) + int(p["samples"])
    size = matrix_bytes(p)
    rows = 64 * axes.triangles(p) * int(p["rhs"]) / SLOW_ENTRIES
    disk = (size + products * (size - resident_bytes(p))) / SLOW_DISK if p["store"] == "file" else 0
    return size / 8 * axes.ENTRIES / SLOW_ENTRIES + rows + products * size / SLOW_MEMORY + disk


CASES = (
    Case(
        "hmatrix",
        "products with the H-matrix of a surface, from a store or fast memory",
        "{processor} {engine} {mesh} eps {eps} batch {batch} of {fast-memory}",
        table(
            PROCESSOR,
            Axis(
                "mesh",
                "bumpy:N, scan:N, cube:N, icosphere:N, spheres:N, or file:PATH",
                axes.parse_mesh,
                lambda m, p: "bumpy:16",
                "bumpy:16",
            ),
            axis(
                "eps", "relative error of the matrix, in the Frobenius norm", axes.parse_eps, 1e-6
            ),
            axis("eta", "a block is admissible if diameter <= eta x distance", axes.parse_eta, 2.0),
            axis(
                "tolerance",
                "relative residual at which the solver stops",
                axes.parse_tolerance,
                1e-6,
            ),
            axis("recompress", "recompress low-rank leaves, by QR and SVD", parse_boolean, True),
            words("precision", "of stored elements", "double", "double", "single"),
            words("solver", "Krylov method", "gmres", *axes.SOLVERS),
            words(
                "preconditioner",
                "preconditioner of the solver",
                "block-jacobi",
                *axes.PRECONDITIONERS,
            ),
            axis(
                "restart",
                "iterations of (f)gmres before a restart; 0: 30, fewer in a small budget",
                count(0, 1000),
                0,
                before=0,
            ),
            axis(
                "inner",
                "inner iterations of fgmres with the resident batches, for each read; 0: none",
                count(0, 100),
                0,
                before=0,
            ),
            axis(
                "steps",
                "iterations after which the solver stops; 0: at its tolerance",
                count(0, 1000),
                0,
                before=0,
            ),
            axis("rhs", "right-hand sides that share each read", count(1, 64), 1),
            Axis(
                "engine",
                "how batches are read",
                one_of(*FILE_ENGINES),
                axes.default_engine,
                "gpu, on the cpu uring",
                FILE_ENGINES,
            ),
            Axis(
                "store",
                "the store of the matrix: a file, CPU memory, or SSDs modelled there; "
                "modelled:FILE.toml is a model by watari model-ssd",
                modelled_store.parse_store,
                lambda m, p: "file",
                "file",
                modelled_store.STORES,
            ),
            axis(
                "files",
                "modelled SSDs, over which the matrix is striped",
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
            axis("batch", "bytes of a batch of leaves; 1: each leaf alone", parse_size, 2**22),
            axis("fast-memory", "bytes for batches and vectors; 0: all", axes.parse_budget, 0),
            axis(
                "pinned",
                "batches that fit are resident in fast memory; no: each product reads all",
                parse_boolean,
                True,
                before=True,
            ),
            replace(
                THREADS,
                summary="CPU threads that read",
                default=lambda m, p: 2,
                default_text="2",
            ),
            axis("depth", "requests in flight of each thread", count(1, 4096), 16),
            words(
                "fault",
                "fault that the device behind queue and gpu injects now and then",
                *FAULTS[:1],
                *FAULTS,
                before="none",
            ),
            samples(5, "products, one after the other"),
            axis(
                "ranks",
                "processes, started by the launcher: each with rows and a budget of its own",
                count(1, MOST_RANKS),
                1,
                before=1,
            ),
        ),
        trial.run,
        profile,
        axes.settle,
        axes.require_sense,
        extra_seconds,
        require_files=axes.require_files,
        threads_compute=False,
        size="mesh",
        presentation="watari.cases.hmatrix.words",
        commands={"bem": "watari.cases.hmatrix.command"},
        example="mesh=bumpy:16 eps=1e-4,1e-6",
        also={"h-matrix": "", "hacapk": "", "aca": ""},
    ),
)
