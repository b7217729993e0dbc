"""Case lattice: the CCS QCD solver, with its memory managed in one of several styles."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from watari.case.axes import OVERSUBSCRIBE, PROCESSOR, THREADS, axis, table, words
from watari.case.axis import Axis, Parameters, count, one_of
from watari.case.case import Case
from watari.case.profile import Access, Phase, Profile, Transfer
from watari.cases.lattice import axes, trial
from watari.common.errors import UsageError

STEP_FLOPS = 8688  # of an even site in a step of BiCGStab, as the benchmark counts
STEPS = 150  # about as many until 1e-13
SETUP_SECONDS = 1e-5  # of a site on one core: its links and its clover term


def profile(parameters: Parameters) -> Profile:
    """A step of BiCGStab: two matrices and the vectors. How many it takes is an estimate."""
    processor, moved = parameters["processor"], axes.step_bytes(parameters)
    side = "cpu" if parameters["style"] == "pinned" else processor
    vector = 2 * axes.SPINOR * axes.number_bytes(parameters) * parameters["rhs"]
    # of the 15 vectors four are written, and one in each hop
    written = 8 * vector * axes.sites(parameters["lattice"]) // 2
    phase = Phase(
        "steps",
        moved,
        (Transfer(processor, side, "", moved - written), Transfer(processor, "", side, written)),
        (Access("fields", processor, moved - written, written),),
        STEP_FLOPS * axes.sites(parameters["lattice"]) // 2 * parameters["rhs"],
        min(STEPS, -(-parameters["iterations"] // 2)),
    )
    all_arrays = axes.memory_bytes(parameters)
    kinds = {
        "explicit": {"device": all_arrays, "pageable": all_arrays // 2},
        "pinned": {"pinned": all_arrays},
        "system": {"pageable" if processor == "cpu" else "system": all_arrays},
    }
    footprint = kinds.get(parameters["style"], {"managed": all_arrays})
    return Profile((phase,), footprint, exact=False)


def extra_seconds(parameters: Parameters) -> float:
    """Links and source are drawn by the CPU."""
    return SETUP_SECONDS * axes.sites(parameters["lattice"]) / max(1, int(parameters["threads"]))


def parse_links(text: str) -> int:
    """Real numbers of a link. Raises UsageError."""
    if text not in ("18", "12"):
        raise UsageError(
            f"'{text}' is neither 18 nor 12, the real numbers that are stored of a link"
        )
    return int(text)


def labels(parameters: Parameters) -> dict[str, str]:
    """Usual values are left out."""
    return {"rhs": ""} if parameters.get("rhs") == 1 else {}


CASES = (
    Case(
        "lattice",
        "the CCS QCD solver: BiCGStab on a four-dimensional lattice, in several styles",
        "{processor} {style} {lattice}",
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
                "real numbers that are stored of a link; of 12 the third row is computed",
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
                lambda m, p: "tuned",
                "tuned",
                ("shared", "tuned"),
            ),
            axis("iterations", "applications of the matrix, at most", count(1, 100_000), 5000),
            replace(THREADS, summary="CPU threads, pinned"),
            OVERSUBSCRIBE,
        ),
        trial.run,
        profile,
        extra_seconds=extra_seconds,
        labels=labels,
        styles=Path(__file__).with_name("styles"),
        presentation="watari.cases.lattice.words",
    ),
)
