"""Case gather: bytes gathered in a second over the size of an element, one line a memory and order.

Dashed: elements in ascending order. Solid: at random. The first pass over pages that had to move
has a line of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Any

from watari.cases.gather import hit_figures
from watari.cases.gather.axes import of_file
from watari.cases.gather.words import special
from watari.cases.passes import passes
from watari.charts import style
from watari.charts.figure import Drawn, Figure
from watari.charts.panels import Look, decades, groups, heading, lines_panel, size_axis
from watari.charts.style import Panel
from watari.common.units import format_size
from watari.results.measured import Measured

LOOK = Look("GB/s gathered", width=380)
MOVED = 2.0  # ratio to later passes above which the first pass has faulted pages in
Row = dict[str, Any]


def moves(same: Sequence[Measured]) -> bool:
    """Whether the first passes of a line are slow enough for a line of their own."""
    return any(each[0] > MOVED * median(each) for m in same for each in passes(m)) and all(
        m["memory"] in ("managed", "system") for m in same
    )


def point(m: Measured, name: str, first: bool) -> Row:
    """The median over trials, and their range."""
    seconds = [each[0] if first else median(each) for each in passes(m)]
    rates = sorted(m.bytes_per_sample / s / 1e9 for s in seconds)
    return {
        "path": name,
        "kind": style.kind_of(m["memory"]),
        "direction": "read" if m["pattern"] == "random" else "written",  # dashed
        "at": m["element"],
        "size": format_size(m["element"]),
        "rate": float(f"{median(rates):.4g}"),
        "low": float(f"{rates[0]:.4g}"),
        "high": float(f"{rates[-1]:.4g}"),
        "flagged": m.flagged,
    }


def lines(same: Sequence[Measured]) -> list[Row]:
    """A point for each case; if pages moved, a second line for the first pass."""
    found: list[Row] = []
    keys = [{**m.parameters, "element": 0, "stride": 0} for m in same]
    for key in [k for i, k in enumerate(keys) if k not in keys[:i]]:
        of = [m for m, k in zip(same, keys, strict=True) if k == key]
        apart = [part for part in special(of[0].parameters).split(", ") if "stride" not in part]
        order = "random" if of[0]["pattern"] == "random" else "in order"
        name = ", ".join(part for part in (of[0]["memory"], order, *apart) if part)
        found += [point(m, name, False) for m in of]
        if moves(of):
            found += [point(m, f"{name}: first pass", True) for m in of]
    return found


def panel(same: Sequence[Measured]) -> Panel:
    """One processor's lines."""
    points = lines(same)
    sizes = sorted({int(row["at"]) for row in points})
    beyond = [sizes[0], *([2 * sizes[0]] if len(sizes) == 1 else sizes[1:])]
    x = size_axis("bytes of an element", beyond, 1)
    domain = decades([row[end] for row in points for end in ("low", "high")])
    return lines_panel(points, domain, x, "", True, LOOK)


def over_element(cases: Sequence[Measured]) -> Drawn:
    """A chart for each run, processor and size of the array."""
    chosen = [
        m
        for m in cases
        if m.case == "gather" and m.drawn and m.bytes_per_sample and not of_file(m.parameters)
    ]
    return [
        (
            heading(
                chosen,
                same[0].run,
                f"By {same[0]['processor'].upper()}, from {format_size(same[0]['size'])}",
            ),
            panel(same),
            same,
        )
        for same in groups(chosen, "run", "processor", "size").values()
    ]


FIGURES = (
    Figure(
        "gather",
        "Elements that lie apart",
        ("gather",),
        "Bytes of elements gathered in a second; each element is visited once. Solid: at random; "
        "dashed: in order. If small elements lie a cache line apart, a whole line moves for each "
        "of them. If pages had to move, the first pass has a line of its own.",
        over_element,
        group="Memory",
        over=("element",),
    ),
    *hit_figures.FIGURES,
)
