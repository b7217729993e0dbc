"""Case himeno: the Himeno benchmark, with its memory managed in one of several styles."""

from __future__ import annotations

from pathlib import Path

from watari.case.axes import (
    OVERSUBSCRIBE,
    PROCESSOR,
    axis,
    compiler,
    kept,
    style,
    table,
    words,
)
from watari.case.axis import Axis, Parameters, count
from watari.case.case import OUTSIDE_THE_LOOP, Case
from watari.case.profile import Access, Allocation, Phase, Profile, Transfer
from watari.case.ranks import exchanges, one_rank_labels, passes_gpu_memory, rank_axes
from watari.cases.himeno import axes, trial
from watari.cases.himeno.axes import BYTES_PER_POINT, FIELD

OUTSIDE = {
    **OUTSIDE_THE_LOOP,
    "allocate_device": "allocate",
    "read": "take back",
    "release_device": "release",
}
FLOPS = 34  # a point, by convention
SLOWEST_RATE = 1e9  # bytes per second of a rehearsal, whose iterations are no samples


def alternatives(parameters: Parameters) -> dict[str, Parameters]:
    """The same grid in each style."""
    return {
        name: {**parameters, "style": name} for name, style in axes.STYLES.items() if style.modelled
    }


def profile(parameters: Parameters) -> Profile:
    """13 floats read and 1 written a point; a second kernel reads and writes one more."""
    processor, grid, ranks = parameters["processor"], parameters["grid"], int(parameters["ranks"])
    more = 0 if parameters["form"] == "fused" else 1
    interior = axes.interior(grid)
    read, written = ((n + more) * FIELD * interior for n in (13, 1))
    style = axes.STYLES[parameters["style"]]
    side = "cpu" if style.kind == "pinned" else processor
    transfers = (
        Transfer(processor, side, "", read // ranks),
        Transfer(processor, "", side, written // ranks),
    )
    phase = Phase(
        "iterations",
        read + written,
        transfers,
        accesses(processor, FIELD * interior, more),
        FLOPS * interior,
        int(parameters["iterations"]),
        launches=3 + more,  # the stencil, the sum of gosa and its copy; the second kernel
    )
    field = FIELD * axes.points(grid)
    arrays = (("coefficients", axes.ARRAYS - 2), ("p", 1), ("wrk2", 1))
    by = processor if parameters["init"] == "gpu" else "cpu"
    made = tuple(Access(name, by, 0, many * field) for name, many in arrays)
    # a rehearsal moves pages before the samples, copies come after it
    alone = ranks == 1 and style.modelled and not parameters["rehearsal"]
    return Profile(
        (phase,),
        {kind: BYTES_PER_POINT * axes.points(grid) for kind in style.kinds(processor)},
        style=style.modelled or style.name,
        allocations=tuple(Allocation(n, c * field) for n, c in arrays) if alone else (),
        before=(Phase("initial data", BYTES_PER_POINT * axes.points(grid), accesses=made),),
        after=(Phase("result", field, accesses=(Access("p", "cpu", field, 0),)),),
        exchanges=exchanges("ijk", axes.shape(grid), parameters["split"], FIELD, periodic=False),
    )


def extra_seconds(parameters: Parameters) -> float:
    """Seconds of the rehearsal on a slow path."""
    return float(parameters["rehearsal"] * profile(parameters).bytes_per_sample / SLOWEST_RATE)


def accesses(processor: str, field: int, more: int) -> tuple[Access, ...]:
    """Accesses of an iteration: 12 arrays and p are read, wrk2 is written; a second kernel copies
    wrk2 to p."""
    return (
        Access("coefficients", processor, 12 * field, 0),
        Access("p", processor, field, more * field),
        Access("wrk2", processor, more * field, field),
    )


CASES = (
    Case(
        "himeno",
        "the Himeno benchmark: a stencil over 14 arrays, managed in one of several styles",
        "{processor} {style} {grid}",
        table(
            PROCESSOR,
            style(*axes.STYLES),
            Axis(
                "grid",
                "points along i, j, k with the boundary: XS to XXL or IxJxK",
                axes.parse_grid,
                lambda m, p: "M" if p["processor"] == "cpu" else "L",
                "L, on the cpu M",
                tuple(axes.GRIDS),
            ),
            axis("iterations", "Jacobi iterations, each timed", kept, 100),
            axis(
                "rehearsal",
                "iterations before the clock starts; the original has 3, which move pages",
                count(0, 10_000),
                0,
                before=0,
            ),
            words(
                "form",
                "a kernel copies the field back (64 bytes a point), or fields are swapped (56)",
                "fused",
                "two-kernel",
                "fused",
            ),
            words(
                "kernel",
                "one source for all processors, or the processor's own",
                "tuned",
                "shared",
                "tuned",
            ),
            words("data", "initial data", "standard", "standard", "general"),
            words(
                "init", "processor that writes the initial data", "cpu", "cpu", "gpu", before="cpu"
            ),
            *rank_axes("i, j, k", axes.SPLIT, axes.default_halo, "depends on the style"),
            OVERSUBSCRIBE,
            compiler(axes.STYLES),
        ),
        trial.run,
        profile,
        axes.settle,
        axes.require_sense,
        extra_seconds,
        asks=lambda p: passes_gpu_memory(p, axes.STYLES),
        labels=one_rank_labels,
        example="style=explicit,managed,managed-prefetch grid=L",
        also=dict.fromkeys(("stencil", "jacobi", "poisson", "laplace", "heat", "diffusion"), ""),
        alternatives=alternatives,
        outside=OUTSIDE,
        styles=Path(__file__).with_name("styles"),
        size="grid",
        presentation="watari.cases.himeno.words",
    ),
)
