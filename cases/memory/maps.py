"""Maps of the residency of an array's parts by sample: time to the right, addresses upwards.

A row is a part of the array, as `map=N` cuts it. Samples in a row with the same value are one
rectangle, so a map of a hundred thousand values stays some kilobytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

import altair as alt

from watari.cases.memory import words
from watari.cases.memory.series import ARRAYS, phases
from watari.charts import style
from watari.charts.figure import Drawn
from watari.charts.panels import grid, heading
from watari.charts.style import INK, Panel, rows
from watari.common.units import format_size
from watari.results.measured import Measured, drawable

PART = re.compile(r"cpu_mapped\.(\w+)\.(\d+)")
WIDTH, HEIGHT = 300, 180
TITLE = "% mapped by the CPU"


def parts(m: Measured, array: str) -> list[list[float]]:
    """The fraction that the CPU has mapped of each part of an array, by sample; first trial."""
    series = m.trials[0].get("series") or {}
    named = sorted(name for name in series if (at := PART.fullmatch(name)) and at[1] == array)
    return [series[name] for name in named]


def rectangles(values: Sequence[Sequence[float]]) -> Iterator[dict[str, Any]]:
    """Runs of equal values: samples `first` to `last`, addresses `low` to `high` in percent."""
    for number, row in enumerate(values):
        first = 0
        for value, run in groupby(round(100 * v, 1) for v in row):
            length = len(list(run))
            yield {
                "first": first + 0.5,
                "last": first + length + 0.5,
                "low": 100 * number / len(values),
                "high": 100 * (number + 1) / len(values),
                "mapped": value,
            }
            first += length


def panel(m: Measured, array: str) -> Panel:
    """One array: samples from left to right, addresses from below."""
    found = parts(m, array)
    samples = max(map(len, found))
    colour = alt.Color(
        "mapped:Q",
        title=TITLE,
        scale=alt.Scale(domain=[0, 100], range=[style.COLOURS["device"], "#f3e3c8"]),
    )
    x = alt.X(
        "first:Q",
        title="sample",
        scale=alt.Scale(domain=[0.5, samples + 0.5], nice=False),
        axis=alt.Axis(grid=False, tickCount=6, format="d"),
    )
    y = alt.Y(
        "low:Q",
        title="% of its addresses",
        scale=alt.Scale(domain=[0, 100]),
        axis=alt.Axis(grid=False, tickCount=3),
    )
    cells = (
        alt.Chart(rows(list(rectangles(found))))
        .mark_rect(strokeWidth=0.5)
        .encode(
            x=x,
            x2="last:Q",
            y=y,
            y2="high:Q",
            color=colour,
            stroke=colour,  # no seams between neighbours
            tooltip=["first:Q", "mapped:Q"],
        )
    )
    marks = [{"at": p["first"] - 0.5} for p in phases(m) if p["first"] > 1]
    turns = alt.Chart(rows(marks)).mark_rule(color=INK, strokeDash=[3, 3]).encode(x="at:Q")
    return alt.layer(cells, turns).properties(
        width=WIDTH, height=HEIGHT, title=style.title(array.capitalize())
    )


def residency(cases: Sequence[Measured]) -> Drawn:
    """A chart for each migration that ran with a map: source and destination."""
    chosen = [m for m in drawable(cases, "migration") if parts(m, ARRAYS[0])]
    return [
        (
            heading(
                chosen,
                m.run,
                f"{words.words(m.case, m.parameters)}, {format_size(m['size'])}",
            ),
            grid([panel(m, array) for array in ARRAYS], columns=2),
            [m],
        )
        for m in chosen
    ]
