"""Case himeno: the Himeno benchmark, with its memory managed in one of several styles."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from watari.case.axes import OVERSUBSCRIBE, PROCESSOR, THREADS, axis, kept, table, words
from watari.case.axis import Axis, Parameters, count, one_of, parse_boolean
from watari.case.case import Case
from watari.case.profile import Access, Phase, Profile, Transfer
from watari.cases.himeno import axes, trial
from watari.cases.himeno.axes import BYTES_PER_POINT, FIELD

FLOPS = 34  # a point, by convention
# kinds of memory that hold the arrays; in two of them a style has two copies
BOTH = ("pageable", "device")
KINDS = {
    "explicit": BOTH,
    "pinned": ("pinned",),
    "system": ("system",),
    "acc-data": BOTH,
    "acc-host-data": BOTH,
    "omp-target": BOTH,
}


def profile(parameters: Parameters) -> Profile:
    """13 floats read and 1 written a point; a second kernel reads and writes one more."""
    processor, grid, ranks = parameters["processor"], parameters["grid"], int(parameters["ranks"])
    more = 0 if parameters["form"] == "fused" else 1
    interior = axes.interior(grid)
    read, written = ((n + more) * FIELD * interior for n in (13, 1))
    side = "cpu" if parameters["style"] == "pinned" else processor
    transfers = (
        Transfer(processor, side, "", read // ranks),
        Transfer(processor, "", side, written // ranks),
    )
    phase = Phase(
        "iterations",
        read + written,
        transfers,
        (Access("fields", processor, read, written),),
        FLOPS * interior,
        int(parameters["iterations"]),
    )
    kinds = KINDS.get(parameters["style"], ("managed",))
    return Profile((phase,), {kind: BYTES_PER_POINT * axes.points(grid) for kind in kinds})


def asks(parameters: Parameters) -> tuple[str, ...]:
    """The check that some halos need: MPI without CUDA crashes on a GPU pointer."""
    given = parameters.get("halo") == "device" and parameters["processor"] != "cpu"
    takes = given and parameters["style"] in ("explicit", "acc-host-data")
    return ("mpi-takes-gpu-memory",) if takes else ()


def labels(parameters: Parameters) -> dict[str, str]:
    """One rank shows neither split nor halo."""
    return {"split": "", "halo": ""} if parameters.get("ranks") == 1 else {}


CASES = (
    Case(
        "himeno",
        "the Himeno benchmark: a stencil over 14 arrays, managed in one of several styles",
        "{processor} {style} {grid}",
        table(
            PROCESSOR,
            Axis(
                "style",
                "how the program manages its memory",
                one_of(*axes.STYLES),
                lambda m, p: "system" if p["processor"] == "cpu" else "explicit",
                "explicit, on the cpu system",
                axes.STYLES,
            ),
            Axis(
                "grid",
                "points along i, j, k with the boundary: XS to XXL or IxJxK",
                axes.parse_grid,
                lambda m, p: "M" if p["processor"] == "cpu" else "L",
                "L, on the cpu M",
                tuple(axes.GRIDS),
            ),
            axis("iterations", "Jacobi iterations, each timed", kept, 100),
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
            axis("ranks", "processes, started by the launcher", count(1, axes.MOST_RANKS), 1),
            Axis(
                "split",
                "ranks along i, j, k, such as 2x2x1",
                axes.parse_split,
                lambda m, p: f"{p['ranks']}x1x1",
                "all along i",
            ),
            Axis(
                "halo",
                "how ranks exchange: through the host, GPU pointers to MPI, NCCL, GPU to GPU",
                one_of(*axes.HALOS),
                axes.default_halo,
                "what suits the style",
                axes.HALOS,
            ),
            axis("overlap", "exchange while inner points are computed", parse_boolean, False),
            replace(
                THREADS,
                summary="CPU threads of a rank, pinned",
                default=axes.default_threads,
                default_text="one a core, shared by the ranks",
            ),
            OVERSUBSCRIBE,
        ),
        trial.run,
        profile,
        axes.settle,
        axes.require_sense,
        asks=asks,
        labels=labels,
        example="style=explicit,managed,managed-prefetch grid=L",
        also={"stencil": "", "jacobi": ""},
        styles=Path(__file__).with_name("styles"),
        presentation="watari.cases.himeno.words",
    ),
)
