"""Case les: the air of a city, with its memory managed in one of several styles, and a part of the
program that stayed on the CPU."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from pathlib import Path

from watari.case.axes import (
    OVERSUBSCRIBE,
    PROCESSOR,
    THREADS,
    axis,
    compiler,
    kept,
    style,
    table,
    words,
)
from watari.case.axis import Axis, Machine, Parameters, count, one_of
from watari.case.case import Case
from watari.case.native import module
from watari.case.profile import Access, Phase, Profile, Transfer
from watari.case.ranks import (
    HALOS,
    MOST_RANKS,
    default_halo,
    default_threads,
    exchanges,
    one_rank_labels,
    passes_gpu_memory,
)
from watari.cases.les import axes, mist, trees, trial
from watari.cases.les.city import city
from watari.cases.les.radiation import radiation
from watari.common.errors import UnsupportedError

SETUP_SECONDS = 4e-7  # of a cell on one core: flags, lengths, first flow
# exchanged in a step, about: three of four fields a stage, and of the fine grid in six iterations
PLANES = 70
READ = 0.72  # share of the bytes of a step


def profile(parameters: Parameters) -> Profile:
    """A step a sample; its bytes do not include those of the CPU's touch."""
    processor, moved = parameters["processor"], axes.step_bytes(parameters)
    ranks = int(parameters["ranks"])
    style = axes.STYLES[parameters["style"]]
    side = "cpu" if style.kind == "pinned" else processor
    read = round(READ * moved)
    phase = Phase(
        "steps",
        moved,
        (
            Transfer(processor, side, "", read // ranks),
            Transfer(processor, "", side, (moved - read) // ranks),
        ),
        (Access("fields", processor, read, moved - read),),
        0,
        parameters["steps"],
    )
    kinds = dict.fromkeys(style.kinds(processor), axes.memory_bytes(parameters))
    if len(kinds) > 1:  # the host has the inputs alone
        kinds[style.host] = 6 * axes.number_bytes(parameters) * axes.cells(parameters)
    number = axes.number_bytes(parameters)
    return Profile(
        (phase,),
        kinds,
        exchanges=exchanges(
            "xyz", axes.shape(parameters["grid"]), parameters["split"], PLANES * number, True
        ),
    )


def extra_seconds(parameters: Parameters) -> float:
    """Seconds of the CPU: for the city, the first flow and the touches every N steps."""
    threads = max(1, int(parameters["threads"]) * int(parameters["ranks"]))
    touches = parameters["steps"] // parameters["every"]
    cpu = touches * axes.touched_bytes(parameters) / 1e9
    if radiation.is_on(parameters):
        cpu += radiation.cpu_seconds(axes.shape(parameters["grid"]), touches)
    return float((SETUP_SECONDS * axes.cells(parameters) + cpu) / threads)


def default_city(machine: Machine, parameters: Parameters) -> str:
    """Staggered cubes as high as a quarter of the lid."""
    height = axes.shape(parameters["grid"])[2] // 4 * parameters["spacing"]
    return f"cubes:{height:g}:0.25:staggered"


def require_sense(parameters: Parameters) -> None:
    """Raises UsageError for a city that the grid does not hold, a file that is no city, or ranks
    that cannot share the grid."""
    radiation.require_sense(parameters)
    shape, spacing = axes.shape(parameters["grid"]), parameters["spacing"]
    split = axes.parse_triple(parameters["split"])
    with contextlib.suppress(UnsupportedError):  # not built: the trial says so
        module(__package__).les_require_split(
            {"grid": shape, "spacing": (spacing,) * 3, "split": split}
        )
    with contextlib.suppress(UnsupportedError):  # no rasterio for a GeoTIFF: the trial says so
        heights = city.heights(parameters["city"], shape, spacing)
        for name, of in (("mist", mist.nozzles), ("trees", trees.leaves)):
            text = parameters[name]
            if not mist.is_file(text):  # a file is read before the run
                of(text, shape, spacing, heights)


def require_files(parameters: Parameters) -> None:
    """Raises FileError, UsageError for a file of nozzles or of trees that cannot be read."""
    mist.require_files(parameters)
    trees.require_files(parameters)


def forecast(wanted: list[Parameters], machine: Machine) -> list[str]:
    """The notes on the maps of all cities, each line once."""
    lines: dict[str, None] = {}
    for p in wanted:
        with contextlib.suppress(UnsupportedError):  # no rasterio: the trial reports it
            found = city.notes(p["city"], axes.shape(p["grid"]), p["spacing"])
            lines |= dict.fromkeys(found)
    return list(lines)


def labels(parameters: Parameters) -> dict[str, str]:
    """Usual values are left out; one rank shows neither split nor halo."""
    usual = {"gather": "", "every": ""} if parameters.get("cpu-touch") == "none" else {}
    if not radiation.is_on(parameters):
        usual |= dict.fromkeys(radiation.BEFORE, "")
    return usual | one_rank_labels(parameters)


CASES = (
    Case(
        "les",
        "the air of a city: a large-eddy simulation, part of it on the CPU, in several styles",
        "{processor} {style} {grid}",
        table(
            PROCESSOR,
            style(*axes.STYLES),
            Axis(
                "grid",
                "cells along x, y, z: XS to XL or XxYxZ",
                axes.parse_grid,
                lambda m, p: "S" if p["processor"] == "cpu" else "L",
                "L, on the cpu S",
                tuple(axes.GRIDS),
            ),
            axis("spacing", "metres between cells", axes.parse_length, 2.0),
            Axis(
                "city",
                f"buildings: flat, {city.FORMS}",
                city.parse,
                default_city,
                "staggered cubes, a quarter of the lid high",
            ),
            axis("steps", "time steps, each a sample", kept, 50),
            Axis(
                "dt",
                "seconds of a step",
                axes.positive,
                lambda m, p: round(0.05 * p["spacing"], 9),
                "0.05 for each metre of spacing",
            ),
            words("cpu-touch", "what the CPU reads every N steps", "facets", *axes.TOUCHES),
            axis("every", "steps from one touch of the CPU to the next", count(1, 1_000_000), 10),
            replace(  # `gpu` in a run without one: the processor's kernels pick it
                words(
                    "gather", "processor that picks the air beside the facets", "gpu", "gpu", "cpu"
                ),
                needs=False,
            ),
            *radiation.AXES,
            axis("cycles", "iterations of each projection", count(1, 8), 2),
            words("precision", "of all fields", "single", "single", "double"),
            words("advection", "flux of momentum", "central", *axes.ADVECTIONS, before="central"),
            axis("mist", f"nozzles of mist: {mist.FORMS}", mist.parse, mist.NONE, before=mist.NONE),
            axis(
                "trees",
                f"leaves by cell: {trees.FORMS}",
                trees.parse,
                trees.NONE,
                before=trees.NONE,
            ),
            axis("ranks", "processes, started by the launcher", count(1, MOST_RANKS), 1),
            Axis(
                "split",
                "ranks along x, y, z, such as 1x2x1; z is not divided",
                axes.parse_split,
                lambda m, p: axes.along_y(p["ranks"]),
                "all along y",
            ),
            Axis(
                "halo",
                "how ranks exchange: through the host, MPI from GPU memory, NCCL, GPU to GPU",
                one_of(*HALOS),
                default_halo,
                "peer, on the cpu staged",
                HALOS,
            ),
            replace(
                THREADS,
                summary="CPU threads of a rank, pinned",
                default=default_threads,
                default_text="one a core, shared by the ranks",
            ),
            OVERSUBSCRIBE,
            compiler(axes.STYLES),
        ),
        trial.run,
        profile,
        axes.settle,
        require_sense,
        require_files=require_files,
        asks=lambda p: passes_gpu_memory(p, axes.STYLES),
        extra_seconds=extra_seconds,
        labels=labels,
        forecast=forecast,
        example="grid=XS cpu-touch=none,facets,all",
        also=dict.fromkeys(("city-les", "palm", "udales", "large-eddy", "cfd"), ""),
        styles=Path(__file__).with_name("styles"),
        size="grid",
        presentation="watari.cases.les.words",
        commands={"wind": "watari.cases.les.command"},
    ),
)
