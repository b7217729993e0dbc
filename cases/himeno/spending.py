"""Himeno: the time of a run by part, from allocation to release."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from watari.cases.himeno import speed, words
from watari.cases.himeno.styles import (
    ROW,
    WIDTH,
    extent,
    grid_title,
    names_axis,
    program,
    programs,
    whole_programs,
)
from watari.charts import style
from watari.charts.figure import Drawn
from watari.charts.panels import split
from watari.charts.style import Panel, rows
from watari.results.measured import Measured


def spent_rows(m: Measured) -> list[dict[str, Any]]:
    """Seconds of a run, one row for each part that took time."""
    several = f", {words.ranks_words(m.parameters)}" if m.ranks > 1 else ""
    names = dict(zip(speed.PARTS, style.SPENT, strict=True))
    performance = speed.of(m)
    return [
        {
            "name": f"{m['style']}{several}",
            "part": names[part],
            "order": speed.PARTS.index(part),
            "seconds": float(f"{seconds:.4g}"),
            "total": performance.total,
            "benchmark": performance.inside,
        }
        for part, seconds in performance.parts.items()
        if seconds > 0
    ]


def spent(cases: Sequence[Measured]) -> Drawn:
    """The time of a run by part: a chart for each run and grid, a panel for each program."""
    charts: Drawn = []
    drawn = [m for m in whole_programs(cases) if m.drawn]
    for heading, same in split(drawn, ("grid",), grid_title):
        chosen = programs(same)
        data = [[row for m in part for row in spent_rows(m)] for part in chosen]
        wide = extent(row["name"] for part in data for row in part)
        panels = [
            spent_panel(rows_of, program(part[0]), wide)
            for rows_of, part in zip(data, chosen, strict=True)
        ]
        chart = alt.vconcat(*panels, spacing=18).resolve_scale(x="independent")
        charts.append((heading, chart, same))
    return charts


def spent_panel(data: list[dict[str, Any]], title: str, wide: float) -> Panel:
    """One stacked bar a style, its length the whole run, with the total at its end."""
    names = list(dict.fromkeys(row["name"] for row in data))
    longest = max(row["total"] for row in data)
    scale = alt.Scale(domain=[0, 1.35 * longest], nice=False)
    y = alt.Y("name:N", sort=names, title=None, axis=names_axis(wide))
    base = alt.Chart(rows(data)).encode(y=y)
    axis = alt.Axis(tickCount=6, format=style.NUMBER)
    bars = base.mark_bar(height=15).encode(
        x=alt.X("seconds:Q", stack="zero", scale=scale, title="seconds", axis=axis),
        color=alt.Color(
            "part:N", title=None, scale=style.table_scale(style.SPENT), legend=alt.Legend(columns=8)
        ),
        order=alt.Order("order:Q"),
        tooltip=["name:N", "part:N", alt.Tooltip("seconds:Q", title="s")],
    )
    ends = [
        {
            "name": row["name"],
            "total": row["total"],
            "text": f"{row['total']:.3g} s, benchmark {row['benchmark']:.3g} s",
        }
        for row in {row["name"]: row for row in data}.values()
    ]
    totals = (
        alt.Chart(rows(ends))
        .mark_text(align="left", dx=8, opacity=0.85)
        .encode(
            y=alt.Y("name:N", sort=names, title=None),
            x=alt.X("total:Q", scale=scale),
            text="text:N",
        )
    )
    return alt.layer(bars, totals).properties(
        width=WIDTH, height=ROW * len(names), title=style.title(title)
    )
