"""The figure of ranks: cells a second on one and on several, by split and halo."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from watari.cases.les import words
from watari.charts import style
from watari.charts.figure import Drawn, Figure
from watari.charts.panels import groups, heading
from watari.charts.style import Panel, rows
from watari.results.measured import Measured, drawable

WIDTH, BAR = 420, 18
SAME = ("run", "processor", "style", "grid", "city", "cpu-touch", "every", "gather", "cycles")


def bars(same: Sequence[Measured]) -> list[dict[str, Any]]:
    """Million cells a second, beside the speed of one rank (if measured) times the ranks."""
    speeds = {id(m): m.quantity("cells_per_s") / 1e6 for m in same}
    alone = max((speeds[id(m)] for m in same if m.ranks == 1), default=None)
    return [
        {
            "of": "1 rank" if m.ranks == 1 else f"{m.ranks} ranks, {m['split']}, {m['halo']}",
            "halo": m["halo"],
            "speed": float(f"{speeds[id(m)]:.4g}"),
            "perfect": alone and float(f"{m.ranks * alone:.4g}"),
            "exchange": words.exchange(m),
        }
        for m in sorted(same, key=lambda m: (m.ranks, m["split"]))
    ]


def panel(data: Sequence[dict[str, Any]]) -> Panel:
    """A bar for each split and halo, a tick at perfect scaling."""
    known = {name: style.HALOS[name] for name in style.HALOS if name in {d["halo"] for d in data}}
    base = alt.Chart(rows(list(data))).encode(
        y=alt.Y("of:N", title=None, sort=[row["of"] for row in data]),
        tooltip=["of:N", "speed:Q", "perfect:Q", "exchange:N"],
    )
    title = "million cells a second"
    return alt.layer(
        base.mark_bar(size=BAR - 4).encode(
            x=alt.X("speed:Q", title=title),
            color=alt.Color("halo:N", scale=style.table_scale(known), title=None),
        ),
        base.transform_filter("isValid(datum.perfect)")
        .mark_tick(thickness=2, color=style.INK)
        .encode(x=alt.X("perfect:Q", title=title)),
    ).properties(width=WIDTH, height=alt.Step(BAR))


def scaling(cases: Sequence[Measured]) -> Drawn:
    """A chart for each city that several ranks shared."""
    mine = drawable(cases, "les")
    drawn: Drawn = []
    for same in groups(mine, *SAME).values():
        if max(m.ranks for m in same) == 1:
            continue
        first = same[0]
        title = heading(mine, first.run, f"Grid {first['grid']}, {first['style']}")
        drawn.append((title, panel(bars(same)), same))
    return drawn


RANKS = Figure(
    "les-ranks",
    "A city's air: ranks",
    ("les",),
    "Cells a second, mean over whole periods of N steps, by split along x, y, z and by path of the "
    "halo. The tick is the speed of one rank times the ranks.",
    scaling,
    folded=True,
)
