"""Seconds of an iteration of a solver with an H-matrix, by engine: reading and the rest, with the
ratios of Hanawa (2025) beside.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from watari.cases.hmatrix import convergence, figures
from watari.cases.hmatrix.words import value
from watari.charts.figure import Drawn, Figure
from watari.charts.panels import groups, heading
from watari.charts.style import Panel, rows
from watari.common.units import format_size
from watari.results.measured import Measured, drawable

WIDTH, STEP = 420, 26
PARTS = ("waiting for data", "computing")


def bars(cases: Sequence[Measured]) -> list[dict[str, Any]]:
    """Two rows a case: the seconds of an iteration without data, and the others."""
    data = []
    for m in cases:
        whole, read = value(m, "iteration_s") or 0.0, value(m, "iteration_read_s") or 0.0
        resident = f"{figures.share(m):.0%} resident" if m["pinned"] else "none resident"
        for part, seconds in zip(PARTS, (read, max(whole - read, 0.0)), strict=True):
            data.append(
                {
                    "name": f"{figures.name(m, cases)}, {resident}",
                    "part": part,
                    "seconds": float(f"{seconds:.4g}"),
                }
            )
    return data


def panel(cases: Sequence[Measured]) -> Panel:
    """A bar a case."""
    data = bars(cases)
    legend = alt.Legend(title=None, orient="bottom")
    title = [figures.ratios(cases, figures.ITERATION_RATIOS), figures.theirs()]
    return (
        alt.Chart(rows(data))
        .mark_bar()
        .encode(
            x=alt.X("seconds:Q", title="seconds of an iteration", axis=alt.Axis(grid=False)),
            y=alt.Y("name:N", title=None, sort=None, axis=alt.Axis(labelLimit=260)),
            color=alt.Color("part:N", scale=alt.Scale(domain=list(PARTS)), legend=legend),
            order=alt.Order("part:N", sort="descending"),
            tooltip=["name:N", "part:N", "seconds:Q"],
        )
        .properties(
            width=WIDTH,
            height=alt.Step(STEP),
            title=alt.Title([text for text in title if text], fontSize=11, anchor="start"),
        )
    )


def by_engine(cases: Sequence[Measured]) -> Drawn:
    """A chart for each matrix and batch whose solves had a number of iterations."""
    charts: Drawn = []
    stopped = [m for m in drawable(cases, "hmatrix") if m["steps"] and value(m, "iteration_s")]
    solve = [name for name in figures.SOLVE if name != "pinned"]
    for same in groups(stopped, *figures.SAME, *solve, "batch").values():
        if len(same) < 2:
            continue
        text = f"{figures.what(same[0])}, batches of {format_size(same[0]['batch'])}"
        charts.append((heading(cases, same[0].run, text), panel(same), same))
    return charts


FIGURES = (
    *figures.FIGURES,
    Figure(
        "hmatrix-iteration",
        "H-matrix: an iteration of the solver",
        ("hmatrix",),
        "Mean seconds of an iteration: the time in which the solver waits for data, and the rest. "
        "Batches that fit stay in fast memory, or none does.",
        by_engine,
    ),
    convergence.FIGURE,
)
