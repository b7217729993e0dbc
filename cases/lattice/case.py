"""Case lattice: the CCS QCD solver, with its memory managed in one of several styles."""

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
from watari.case.axis import Axis, Parameters, count, one_of
from watari.case.case import OUTSIDE_THE_LOOP, Case
from watari.case.profile import Access, Allocation, Phase, Profile, Transfer
from watari.case.ranks import exchanges, one_rank_labels, passes_gpu_memory, rank_axes
from watari.cases.lattice import axes, trial
from watari.common.errors import UsageError
from watari.common.library import Style

STEPS = 150  # about the number until a residual of 1e-13
# of a step: four hops, two updates of vectors, four sums, four updates of scalars, two looks
LAUNCHES = 16
HOPS = 4  # of a step, each with an exchange
SETUP_SECONDS = 1e-5  # of a site on one core: its links and its clover term


def profile(parameters: Parameters) -> Profile:
    """A step of BiCGStab: two matrices and the vectors. The number of steps is an estimate."""
    processor, moved = parameters["processor"], axes.step_bytes(parameters)
    ranks = int(parameters["ranks"])
    style = axes.STYLES[parameters["style"]]
    side = "cpu" if style.kind == "pinned" else processor
    vector = 2 * axes.SPINOR * axes.number_bytes(parameters) * parameters["rhs"]
    # four of the 13 vectors are written, and one in each of four hops
    written = 8 * vector * axes.sites(parameters["lattice"]) // 2
    phase = Phase(
        "steps",
        moved,
        (
            Transfer(processor, side, "", (moved - written) // ranks),
            Transfer(processor, "", side, written // ranks),
        ),
        accesses(parameters, moved - written, written),
        axes.STEP_FLOPS * axes.sites(parameters["lattice"]) // 2 * parameters["rhs"],
        min(STEPS, -(-parameters["iterations"] // 2)),
        launches=LAUNCHES,
    )
    arrays = axes.arrays(parameters)
    given = ("links", "source")
    made = tuple(Access(name, "cpu", 0, arrays[name]) for name in given)
    once = (
        Access("links", processor, arrays["links"], 0),
        Access("clover", processor, 0, arrays["clover"]),
    )
    solution = Access("source", "cpu", arrays["source"], 0)
    return Profile(
        (phase,),
        footprint(parameters, style),
        exact=False,
        style=style.modelled or style.name,
        allocations=tuple(Allocation(n, b) for n, b in arrays.items()) if ranks == 1 else (),
        before=(Phase("initial data", 0, accesses=made), Phase("clover", 0, accesses=once)),
        after=(Phase("solution", 0, accesses=(solution,)),),
        exchanges=exchanges(
            "xyzt",
            axes.shape(parameters["lattice"]),
            parameters["split"],
            HOPS * vector / 2 / 2,  # half a spinor, of the sites of one parity
            periodic=True,
        ),
    )


def footprint(parameters: Parameters, style: Style) -> dict[str, int]:
    """Bytes by kind of memory; a program that copies, not a compiler, has half of the GPU's bytes
    on the host."""
    kinds = dict.fromkeys(style.kinds(parameters["processor"]), axes.memory_bytes(parameters))
    if len(kinds) > 1 and not style.in_directives:
        kinds[style.host] //= 2
    return kinds


def accesses(parameters: Parameters, read: int, written: int) -> tuple[Access, ...]:
    """Accesses of a step: the operator and the source are read, the other vectors are read and
    written."""
    who, fixed = parameters["processor"], axes.arrays(parameters)
    source = min(fixed["source"], read // 4)
    operator = (read - source) // 2
    links = operator * fixed["links"] // (fixed["links"] + fixed["clover"])
    return (
        Access("links", who, links, 0),
        Access("clover", who, operator - links, 0),
        Access("source", who, source, 0),
        Access("vectors", who, read - source - operator, written),
    )


def alternatives(parameters: Parameters) -> dict[str, Parameters]:
    """The same system in each style; those in directives are another program."""
    return {
        style: {**parameters, "style": style} for style, row in axes.STYLES.items() if row.modelled
    }


def extra_seconds(parameters: Parameters) -> float:
    """Seconds in which the CPU draws links and source."""
    threads = max(1, int(parameters["threads"]) * int(parameters["ranks"]))
    return SETUP_SECONDS * axes.sites(parameters["lattice"]) / threads


def parse_links(text: str) -> int:
    """Real numbers of a link. Raises UsageError."""
    if text not in ("18", "12"):
        raise UsageError(
            f"'{text}' is neither 18 nor 12, the real numbers that are stored of a link"
        )
    return int(text)


def labels(parameters: Parameters) -> dict[str, str]:
    """Usual values are left out; one rank shows neither split nor halo."""
    usual = {"rhs": ""} if parameters.get("rhs") == 1 else {}
    if parameters.get("kernel") == axes.usual_kernel(parameters):
        usual["kernel"] = ""
    return usual | one_rank_labels(parameters)


CASES = (
    Case(
        "lattice",
        "the CCS QCD solver: BiCGStab on a four-dimensional lattice, in several styles",
        "{processor} {style} {lattice}",
        table(
            PROCESSOR,
            style(*axes.STYLES),
            Axis(
                "lattice",
                "extents along x, y, z, t, all even: class1 to class3 or XxYxZxT",
                axes.parse_lattice,
                lambda m, p: "class1" if p["processor"] == "cpu" else "class2",
                "class2, on the cpu class1",
                tuple(axes.CLASSES),
            ),
            words(
                "precision",
                "mixed iterates in single and reaches the residual of double",
                "double",
                *axes.PRECISIONS,
            ),
            Axis(
                "links",
                "stored real numbers of a link; with 12 the third row is computed",
                parse_links,
                lambda m, p: 18,
                "18",
                ("18", "12"),
            ),
            axis("rhs", "right-hand sides, solved at once", count(1, axes.MOST_RHS), 1),
            Axis(
                "kernel",
                "one source for all processors, or the processor's own",
                one_of("shared", "tuned"),
                lambda m, p: axes.usual_kernel(p),
                "tuned, in directives shared",
                ("shared", "tuned"),
            ),
            axis("iterations", "most applications of the matrix", kept, 5000),
            *rank_axes(
                "x, y, z, t",
                axes.SPLIT,
                axes.default_halo,
                "peer, on the cpu and in directives staged",
                "inner sites",
            ),
            OVERSUBSCRIBE,
            compiler(axes.STYLES),
        ),
        trial.run,
        profile,
        axes.settle,
        axes.require_sense,
        asks=lambda p: passes_gpu_memory(p, axes.STYLES),
        extra_seconds=extra_seconds,
        labels=labels,
        example="lattice=8x8x8x16 precision=double,mixed",
        also={"qcd": "", "wilson": "", "clover": "", "ccs-qcd": "", "bicgstab": "", "cg": ""},
        alternatives=alternatives,
        outside=OUTSIDE_THE_LOOP,
        styles=Path(__file__).with_name("styles"),
        size="lattice",
        presentation="watari.cases.lattice.words",
    ),
)
