"""Stacked bars of milliseconds by part: a row of them for each style."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from watari.charts import style
from watari.charts.style import Panel, rows

WIDTH, BAR = 420, 18


def bar(whose: str, touch: str, parts: Mapping[str, float]) -> list[dict[str, Any]]:
    """The rows of one bar, from the seconds of its parts in their order."""
    return [
        {
            "style": whose,
            "touch": touch,
            "part": name,
            "order": order,
            "ms": float(f"{1e3 * seconds:.4g}"),
        }
        for order, (name, seconds) in enumerate(parts.items())
    ]


def stacked(data: Sequence[dict[str, Any]], colours: dict[str, str], title: str) -> Panel:
    """A group of bars for each style, with a row for each of its touches."""
    touches = list(dict.fromkeys(row["touch"] for row in data))
    return (
        alt.Chart(rows(data))
        .mark_bar(size=BAR - 4)
        .encode(
            x=alt.X("ms:Q", title=title),
            y=alt.Y("touch:N", sort=touches, title=None),
            color=alt.Color("part:N", scale=style.table_scale(colours), title=None),
            order="order:Q",
            row=alt.Row(
                "style:N", title=None, header=alt.Header(labelOrient="top", labelAnchor="start")
            ),
            tooltip=["style:N", "touch:N", "part:N", "ms:Q"],
        )
        .properties(width=WIDTH, height=alt.Step(BAR))
        .resolve_scale(y="independent")
    )
