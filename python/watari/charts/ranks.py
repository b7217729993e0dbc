"""Bars side by side for each number of ranks, and ticks at perfect scaling from one: figures 2 to 9
of Doi (2016)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import altair as alt

from watari.charts import style
from watari.charts.panels import by_ranks
from watari.charts.style import GFLOPS, INK, Panel, rows
from watari.common.units import format_rate
from watari.results.measured import Measured

HEIGHT, BAR = 230, 24
TINT, PALEST = 0.4, 0.75  # white in the next bar of a colour, and in its last one
NUMBER_ROOM = 0.19  # share of the height that a rotated number takes
Row = dict[str, Any]


def bar(
    m: Measured, name: str, numbers: Mapping[str, Callable[[Measured], float]], shown: str
) -> Row:
    """The numbers of a case, one of which is written on its bar; or why it has none."""
    known = {field: of(m) if m.drawn else 0.0 for field, of in numbers.items()}
    return {
        "name": name,
        "style": m["style"],
        "ranks": m.ranks,
        "halo": m["halo"],
        "drawn": m.drawn,
        "why": m.reason,
        "text": format_rate(known[shown]) if m.drawn else m.status,
        **{field: float(f"{number:.4g}") for field, number in known.items()},
    }


def shades(own: Mapping[str, str]) -> dict[str, str]:
    """The colour of each bar: its own, and evenly lighter for each further bar of that colour."""
    alike = Counter(own.values())
    uses: Counter[str] = Counter()
    colours = {}
    for name, colour in own.items():
        step = min(TINT, PALEST / max(1, alike[colour] - 1))
        colours[name] = style.tint(colour, step * uses[colour])
        uses[colour] += 1
    return colours


def with_ideals(data: Sequence[Row], field: str, alone: Mapping[str, float], by: str) -> list[Row]:
    """The rows with each bar's number at perfect scaling from one rank, `alone`, and the position
    of its text: over the tick, or under a distant one."""
    ideals = [alone.get(row[by], 0.0) * row["ranks"] for row in data]
    tops = [max(row[field], ideal) for row, ideal in zip(data, ideals, strict=True)]
    room = NUMBER_ROOM * max(tops)
    return [
        {
            **row,
            "ideal": ideal or None,
            "efficiency": row[field] / ideal if ideal and row["drawn"] else None,
            "label": row[field] if top - row[field] > room else top,
        }
        for row, ideal, top in zip(data, ideals, tops, strict=True)
    ]


def panel(
    data: Sequence[Row],
    bars: Mapping[str, dict[str, Any]],
    colours: dict[str, str],
    legend: alt.Legend,
    on_cpu: bool,
) -> Panel:
    """`bars` has the look of the bar of each number, from back to front."""
    names = list(dict.fromkeys(row["name"] for row in data))
    most = max(max(*(row[field] for field in bars), row["ideal"] or 0) for row in data)
    scale = alt.Scale(domain=[0, 1.25 * most or 1], nice=False)
    efficiency = alt.Tooltip("efficiency:Q", format=".0%")
    base = alt.Chart(rows(data)).encode(
        x=by_ranks(on_cpu),
        xOffset=alt.XOffset("name:N", sort=names, scale=alt.Scale(paddingInner=0.12)),
        tooltip=["name:N", "ranks:O", *(f"{field}:Q" for field in bars), efficiency, "why:N"],
    )

    def y(field: str) -> alt.Y:
        axis = alt.Axis(tickCount=6, format=style.NUMBER)
        return alt.Y(f"{field}:Q", title=GFLOPS, scale=scale, axis=axis)

    drawn = base.transform_filter("datum.drawn")
    colour = alt.Color(
        "name:N", title=None, sort=names, scale=style.table_scale(colours), legend=legend
    )
    turned: dict[str, Any] = {"angle": 270, "align": "left", "baseline": "middle", "fontSize": 10}
    layers = [
        *(
            drawn.mark_bar(cornerRadiusEnd=2, **look).encode(y=y(field), color=colour)
            for field, look in bars.items()
        ),
        drawn.transform_filter("datum.ideal != null && datum.ranks > 1")
        .mark_tick(orient="horizontal", size=BAR - 4, thickness=1.5, opacity=0.55, color=INK)
        .encode(y=y("ideal")),
        drawn.mark_text(**turned, dx=5, opacity=0.85).encode(y=y("label"), text="text:N"),
        base.transform_filter("!datum.drawn")
        .mark_text(**turned, dx=5, opacity=0.5, fontStyle="italic")
        .encode(y=alt.value(HEIGHT), text="text:N"),
    ]
    counts = len({row["ranks"] for row in data})
    return alt.layer(*layers).properties(
        width=max(200, BAR * counts * (len(names) + 1)), height=HEIGHT
    )
