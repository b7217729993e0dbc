"""Case triad: elements a second over the arithmetic on each, a line for each memory."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt

from watari.charts.figure import Drawn, Figure
from watari.charts.panels import groups, heading
from watari.charts.style import rows
from watari.results.measured import Measured
from watari_triad.answer import elements_per_second


def chart(same: Sequence[Measured]) -> alt.Chart:
    """A line for each memory."""
    points = [
        {"memory": m["memory"], "work": m["work"], "rate": elements_per_second(m) / 1e9}
        for m in same
    ]
    return (
        alt.Chart(rows(points))
        .mark_line(point=True)
        .encode(
            x=alt.X("work:Q", scale=alt.Scale(type="log", base=2), title="products an element"),
            y=alt.Y("rate:Q", scale=alt.Scale(type="log"), title="10^9 elements/s"),
            color="memory:N",
        )
    )


def over_work(cases: Sequence[Measured]) -> Drawn:
    """A chart for each run, processor and size."""
    chosen = [m for m in cases if m.case == "triad" and m.drawn]
    return [
        (heading(chosen, same[0].run, same[0]["processor"].upper()), chart(same), same)
        for same in groups(chosen, "run", "processor", "size").values()
    ]


FIGURES = (
    Figure(
        "triad",
        "Arithmetic that hides memory",
        ("triad",),
        "Where the lines of two memories meet, the arithmetic takes longer than either.",
        over_work,
    ),
)
