"""The figure of a touch's seconds by part, predicted beside measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple
from typing import Any

import altair as alt

from watari.cases.les.forecast import Pair, pairs
from watari.cases.les.words import touch_words
from watari.charts import style
from watari.charts.figure import Drawn, Figure
from watari.charts.panels import groups, heading
from watari.charts.style import Panel, rows
from watari.results.measured import Measured

PARTS = {"gather": "#14508c", "move": "#e08a1e", "CPU": "#8c8f96", "next step": "#a9cbe6"}
WIDTH, BAR = 420, 18


def bars(same: Sequence[Pair]) -> list[dict[str, Any]]:
    """Milliseconds of each part, predicted above measured."""
    return [
        {
            "style": m["style"],
            "touch": f"{touch_words(m)}, {whose}",
            "part": name,
            "order": order,
            "ms": float(f"{1e3 * seconds:.4g}"),
        }
        for m, *both in same
        for whose, of in zip(("predicted", "measured"), both, strict=True)
        for order, (name, seconds) in enumerate(zip(PARTS, astuple(of), strict=True))
    ]


def panel(same: Sequence[Pair]) -> Panel:
    """A row of bars for each style, each with an axis of its own: touches differ a hundredfold."""
    data = bars(same)
    return (
        alt.Chart(rows(data))
        .mark_bar(size=BAR - 4)
        .encode(
            x=alt.X("ms:Q", title="ms a touch"),
            y=alt.Y("touch:N", sort=list(dict.fromkeys(row["touch"] for row in data)), title=None),
            color=alt.Color("part:N", scale=style.table_scale(PARTS), title=None),
            order="order:Q",
            row=alt.Row(
                "style:N", title=None, header=alt.Header(labelOrient="top", labelAnchor="start")
            ),
            tooltip=["style:N", "touch:N", "part:N", "ms:Q"],
        )
        .properties(width=WIDTH, height=alt.Step(BAR))
        .resolve_scale(y="independent")
    )


def drawn(cases: Sequence[Measured]) -> Drawn:
    """A chart for each run and grid."""
    found = pairs(cases)
    of = {id(pair[0]): pair for pair in found}
    return [
        (
            heading([m for m, *_ in found], same[0].run, f"Grid {same[0]['grid']}"),
            panel([of[id(m)] for m in same]),
            same,
        )
        for same in groups([m for m, *_ in found], "run", "grid").values()
    ]


FORECAST = Figure(
    "les-forecast",
    "A city's air: a touch of the CPU, predicted and measured",
    ("les",),
    "Predicted from what copies, prefetches, faults and the CPU's own work take in other cases of "
    "the same run. Next step: what the step after a touch takes longer, since the GPU's faults "
    "bring pages back.",
    drawn,
)
