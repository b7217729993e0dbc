"""Case deep in words, and in seconds of the whole program."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from watari.case.axis import Parameters
from watari.case.presentation import Presentation, in_numbers, plain_columns
from watari.cases.deep.case import nodes
from watari.cases.passes import first_seconds, pass_seconds, passes
from watari.common.units import format_duration, format_size
from watari.results.measured import Measured

SAYS = (
    "Medians over trials. Build: the CPU allocates and fills the tree, node by node. In: the copy "
    "to the GPU. First: the first pass over all nodes, with the faults of pages that move; a pass: "
    "the median of all. Out: the copy back, and the CPU reads every element. Release: memory is "
    "released."
)
PARTS = {"build": "Build", "transfer_in": "In", "transfer_out": "Out", "release": "Release"}


def words(case: str, p: Parameters) -> str:
    """`explicit tree of 10 levels by GPU`."""
    several = "" if p["depth"] == 1 else "s"
    return f"{p['style']} tree of {p['depth']} level{several} by {p['processor'].upper()}"


def outside(m: Measured, quantity: str) -> float:
    """Seconds of a part outside the passes: the median over trials, 0 where a style has none."""
    found = [t["quantities"].get(quantity, {"value": 0.0})["value"] for t in m.trials]
    return float(median(found))


def spent(m: Measured) -> dict[str, float]:
    """Seconds of each part of the program, medians over trials."""
    seconds = passes(m)
    return {
        "build": outside(m, "build"),
        "copy in": outside(m, "transfer_in"),
        "first pass": median(each[0] for each in seconds),
        "other passes": median(sum(each[1:]) for each in seconds),
        "back, and read": outside(m, "transfer_out"),
        "release": outside(m, "release"),
    }


def whole(m: Measured) -> list[float]:
    """Seconds of the program, by trial."""
    return [
        sum(each) + sum(t["quantities"][part]["value"] for part in PARTS if part in t["quantities"])
        for t, each in zip(m.trials, passes(m), strict=True)
    ]


def row(m: Measured, cases: Sequence[Measured]) -> dict[str, str]:
    """Every number of a case that ran, as text."""
    spent = {column: outside(m, quantity) for quantity, column in PARTS.items()}
    shown = {name: format_duration(value) if value else "" for name, value in spent.items()}
    return {
        "Case": words(m.case, m.parameters),
        "Nodes": str(nodes(m.parameters)),
        "Data": format_size(m["size"]),
        "Build": shown["Build"],
        "In": shown["In"],
        "First": format_duration(first_seconds(m)),
        "A pass": format_duration(pass_seconds(m)),
        "Out": shown["Out"],
        "Release": shown["Release"],
    }


PRESENTATION = Presentation(
    words=words,
    columns=plain_columns,
    tables=in_numbers("deep", "Trees in numbers", SAYS, row, "deep"),
    figures="watari.cases.deep.figures",
    answer="watari.cases.deep.answer",
)
