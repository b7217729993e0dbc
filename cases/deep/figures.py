"""Case deep: seconds of a program with a tree of pointers, by style and depth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from watari.cases.deep.case import nodes
from watari.cases.deep.words import spent
from watari.charts import style
from watari.charts.figure import Drawn, Figure
from watari.charts.panels import groups, heading
from watari.charts.style import Panel, rows
from watari.common.units import format_size
from watari.results.measured import Measured

WIDTH, BAR = 420, 20
PARTS = {
    "build": style.SPENT["allocate"],
    "copy in": style.SPENT["transfer in"],
    "first pass": style.SPENT["first iteration"],
    "other passes": style.SPENT["steady"],
    "back, and read": style.SPENT["transfer out"],
    "release": style.SPENT["release"],
}
Row = dict[str, Any]


def bars(m: Measured) -> list[Row]:
    """One bar, by part."""
    who = "CPU alone" if m["processor"] == "cpu" else m["style"]
    many = nodes(m.parameters)
    return [
        {
            "style": who,
            "depth": f"{many} node{'' if many == 1 else 's'}",
            "part": part,
            "order": list(PARTS).index(part),
            "s": float(f"{seconds:.4g}"),
        }
        for part, seconds in spent(m).items()
    ]


def panel(same: Sequence[Measured]) -> Panel:
    """A row of bars for each number of nodes."""
    ordered = sorted(same, key=lambda m: int(m["depth"]))
    data = [row for m in ordered for row in bars(m)]
    styles = list(dict.fromkeys(row["style"] for row in data))
    return (
        alt.Chart(rows(data))
        .mark_bar(size=BAR - 4)
        .encode(
            x=alt.X("s:Q", title="seconds of the whole program"),
            y=alt.Y("style:N", sort=styles, title=None),
            color=alt.Color(
                "part:N", scale=style.table_scale(PARTS), title=None, legend=alt.Legend(columns=3)
            ),
            order="order:Q",
            row=alt.Row(
                "depth:N",
                title=None,
                sort=list(dict.fromkeys(row["depth"] for row in data)),
                header=alt.Header(labelOrient="top", labelAnchor="start"),
            ),
            tooltip=["style:N", "depth:N", "part:N", "s:Q"],
        )
        .properties(width=WIDTH, height=alt.Step(BAR))
    )


def by_style(cases: Sequence[Measured]) -> Drawn:
    """A chart for each run, amount of data and number of passes."""
    chosen = [m for m in cases if m.case == "deep" and m.drawn and m.bytes_per_sample]
    return [
        (
            heading(
                chosen,
                same[0].run,
                f"{format_size(same[0]['size'])} in a tree, {same[0]['samples']} passes",
            ),
            panel(same),
            same,
        )
        for same in groups(chosen, "run", "size", "samples").values()
    ]


FIGURES = (
    Figure(
        "deep",
        "A tree of pointers",
        ("deep",),
        "Seconds of a program that builds a tree on the CPU, updates all of it on a processor, "
        "and reads it on the CPU again; medians over trials. The data are the same for every "
        "number of nodes, but with more nodes a deep copy has more allocations and copies.",
        by_style,
        group="Memory",
    ),
)
