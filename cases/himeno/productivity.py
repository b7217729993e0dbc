"""Effort beside speed: statements that a memory style needs, and the speed that it reaches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from watari.cases import effort
from watari.cases.himeno import speed, words
from watari.cases.himeno.styles import grid_title, whole_programs
from watari.charts import style
from watari.charts.figure import Drawn
from watari.charts.panels import apart, groups, split
from watari.charts.style import GFLOPS, INK, Panel, rows
from watari.common.units import format_rate
from watari.results.measured import Measured

WIDTH, HEIGHT = 480, 300
ASIDE = 0.3  # statements


def best(cases: Sequence[Measured]) -> list[Measured]:
    """The program of each style whose whole run is fastest, on one processor."""
    alone = [m for m in cases if m.drawn and m.ranks == 1]
    return [max(same, key=lambda m: speed.of(m).whole) for same in groups(alone, "style").values()]


def point(m: Measured, statements: dict[str, int]) -> dict[str, Any]:
    """One style: its statements, its steady state and its whole run."""
    performance = speed.of(m)
    return {
        "style": m["style"],
        "statements": statements[m["style"]],
        "steady": float(f"{performance.level:.4g}"),
        "whole": float(f"{performance.whole:.4g}"),
        "what": words.words(m.case, m.parameters),
    }


def chart(cases: Sequence[Measured]) -> Panel:
    """Statements against GFLOPS: hollow in the steady state, filled over the whole run."""
    statements = {one.style: one.total for one in effort.effort("himeno")}
    data = [point(m, statements) for m in best(cases)]
    top = 1.08 * max(row["steady"] for row in data)
    wide = max(row["statements"] for row in data) + 4
    for same in groups_of(data, 0):  # equal numbers of statements: side by side, a little apart
        for i, row in enumerate(same):
            row["at"] = row["statements"] + ASIDE * (i - (len(same) - 1) / 2)
            row["right"] = row["statements"] + ASIDE * (len(same) - 1) / 2
    for column in groups_of(data, 4):
        at = apart([HEIGHT * (1 - row["whole"] / top) for row in column], HEIGHT)
        for row, label in zip(column, at, strict=True):
            row["label"] = label

    def x(field: str) -> alt.X:
        return alt.X(
            f"{field}:Q",
            title="statements that manage memory",
            scale=alt.Scale(domain=[0, wide], nice=False),
            axis=alt.Axis(format="d", tickCount=8, grid=False),
        )

    scale = alt.Scale(domain=[0, top], nice=False)
    base = alt.Chart(rows(data)).encode(
        x=x("at"),
        color=alt.Color("style:N", legend=None, scale=style.table_scale(style.STYLES)),
        tooltip=["style:N", "statements:Q", "steady:Q", "whole:Q", "what:N"],
    )
    y = alt.Y("whole:Q", title=GFLOPS, scale=scale, axis=alt.Axis(format=style.NUMBER))
    steady = alt.Y("steady:Q", title=GFLOPS, scale=scale)
    text = base.mark_text(align="left", dx=10, opacity=0.9).encode(
        x=x("right"), y=alt.Y("label:Q", scale=None), text="style:N", color=alt.value(INK)
    )
    return alt.layer(
        base.mark_rule(strokeWidth=1.5, opacity=0.45).encode(y=y, y2="steady:Q"),
        base.mark_point(filled=False, size=60, opacity=0.9).encode(y=steady),
        base.mark_point(filled=True, size=80, opacity=1).encode(y=y),
        text,
    ).properties(width=WIDTH, height=HEIGHT)


def groups_of(data: Sequence[dict[str, Any]], within: int) -> list[list[dict[str, Any]]]:
    """Points in groups whose numbers of statements differ by at most `within`."""
    nearby: list[list[dict[str, Any]]] = []
    for row in sorted(data, key=lambda row: row["statements"]):
        if nearby and row["statements"] - nearby[-1][0]["statements"] <= within:
            nearby[-1].append(row)
        else:
            nearby.append([row])
    return nearby


def speeds(cases: Sequence[Measured]) -> dict[str, str]:
    """GFLOPS of each style in the steady state and over the whole run: `2660, 1511`."""
    by_style = {m["style"]: speed.of(m) for m in cases}
    return {
        name: f"{format_rate(f.steady) if f.steady is not None else '-'}, {format_rate(f.whole)}"
        for name, f in by_style.items()
    }


def combined(drawn: Drawn) -> Panel:
    """Several charts as one, each under its heading."""
    titled = [chart.properties(title=style.title(heading)) for heading, chart, _ in drawn]
    return alt.vconcat(*titled)


def long_title(m: Measured) -> str:
    """Grid and iterations: the cost of transfers is shared by all iterations."""
    return f"{grid_title(m)}, {m['iterations']} iterations"


def effort_and_speed(cases: Sequence[Measured]) -> Drawn:
    """A chart for each run, grid and length in which a GPU ran two styles or more."""
    charts: Drawn = []
    alone = [m for m in whole_programs(cases) if m["processor"] != "cpu"]
    for heading, same in split(alone, ("grid", "iterations"), long_title):
        chosen = best(same)
        if len(chosen) > 1:
            charts.append((heading, chart(same), chosen))
    return charts
