"""Case triad: a[i] = b[i] + s (b[i] + s (... c[i])), with `work` products an element."""

from __future__ import annotations

from watari.case.axes import MEMORY, PROCESSOR, SIZE, THREADS, axis, samples, table
from watari.case.axis import Parameters, count
from watari.case.case import Case
from watari.case.native import native
from watari.case.profile import Access, Phase, Profile, Transfer
from watari.common.library import side

DOUBLE = 8  # bytes
WRONG = "{count} elements of the result are not those of the formula"


def number(text: str) -> float:
    """Parses a real number."""
    return float(text)


def profile(p: Parameters) -> Profile:
    """Two arrays are read and one is written, by each sample."""
    who = p["processor"]
    elements = int(p["size"]) // DOUBLE
    size = elements * DOUBLE
    place = side(p["memory"], who)
    phase = Phase(
        "triad",
        3 * size,
        (Transfer(who, place, place, 3 * size),),
        tuple(Access(name, who, size * (name != "a"), size * (name == "a")) for name in "abc"),
        flops=2 * int(p["work"]) * elements,
        repeats=int(p["samples"]),
    )
    return Profile((phase,), {p["memory"]: 3 * size})


CASES = (
    Case(
        "triad",
        "from how much arithmetic on memory no longer matters",
        "{processor} {memory} {size}",
        table(
            PROCESSOR,
            MEMORY,
            SIZE,
            axis("work", "products and sums of an element", count(1, 4096), 1),
            axis("scalar", "the factor s", number, 0.5),
            samples(10),
            THREADS,
        ),
        native(__package__, "triad", WRONG),
        profile,
        example="work=1,8,64 memory=device,pinned",
        presentation="watari_triad.words",
    ),
)
