"""Himeno, iteration by iteration: the first, iterations in which pages move, the steady state.

Both axes are logarithmic: most changes are in the first fifty of 3000 iterations. From the sixtieth
on, a point of the line is the median of a few percent of the axis; the band holds all samples.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Any

import altair as alt

from watari.cases.himeno import speed, words
from watari.cases.himeno.styles import grid_title, programs, whole_programs
from watari.charts import style
from watari.charts.figure import Drawn
from watari.charts.panels import decades, digits, grid, split
from watari.charts.style import FAINT, INK, Panel, rows
from watari.common.units import format_duration
from watari.results import statistics
from watari.results.measured import Measured

WIDTH, HEIGHT = 250, 130
SINGLE = 60  # iterations drawn one by one
STEP = 1.05


def bins(count: int) -> list[tuple[int, int]]:
    """Ranges [first, last) of iterations, from 0: one by one, then ever longer."""
    ranges, first = [], 0
    while first < count:
        last = first + 1 if first < SINGLE else max(first + 1, int(STEP * first))
        ranges.append((first, min(last, count)))
        first = last
    return ranges


def points(trial: Any) -> dict[str, list[float]]:
    """The line of one trial in ms, and the range of the samples behind each of its points."""
    times = [1e3 * s for s in statistics.seconds(trial)]
    parts = [(i, times[i:j]) for i, j in bins(len(times))]
    return {
        "sample": [i + 1 for i, _ in parts],
        "ms": digits([median(part) for _, part in parts]),
        "low": digits([min(part) for _, part in parts]),
        "high": digits([max(part) for _, part in parts]),
    }


def facts(m: Measured) -> str:
    """`first 0.32 s, 50 migrating, then 3.4 ms`."""
    performance = speed.of(m)
    moving = f", {performance.migrated} migrating" if performance.migrated else ""
    if performance.steady is None:
        return f"first {format_duration(performance.first)}{moving}, never steady"
    steady = m.flops_per_sample / performance.steady / 1e9
    return f"first {format_duration(performance.first)}{moving}, then {format_duration(steady)}"


def panel(m: Measured, domain: tuple[float, float]) -> Panel:
    """Every trial of one case, with the end of its migration marked."""
    about = [f"{m['form']}, {words.kernel(m.parameters)}", facts(m)]
    head = alt.TitleParams(m["style"], subtitle=about, offset=12)
    data = [{"trial": i + 1, **points(trial)} for i, trial in enumerate(m.trials)]
    colour = style.STYLES[m["style"]]
    count = max(len(trial["host_s"]) for trial in m.trials)
    x = alt.X(
        "sample:Q",
        title="iteration",
        scale=alt.Scale(type="log", domain=[1, max(count, 2)], nice=False),
        axis=style.log_axis((1, max(count, 2)), grid=False),
    )
    scale = alt.Scale(type="log", domain=list(domain), nice=False)
    ms = style.log_axis(domain, minExtent=36)
    base = (
        alt.Chart(rows(data))
        .transform_flatten(["sample", "ms", "low", "high"])
        .encode(x=x, detail="trial:N")
    )
    band = base.mark_area(color=colour, opacity=0.2).encode(
        y=alt.Y("low:Q", scale=scale, title="ms", axis=ms), y2="high:Q"
    )
    line = base.mark_line(color=colour, strokeWidth=1.3, opacity=0.8).encode(
        y=alt.Y("ms:Q", scale=scale, title="ms", axis=ms), tooltip=["trial:N"]
    )
    layers = [band, line, *marks(m, count, x)]
    return alt.layer(*layers).properties(width=WIDTH, height=HEIGHT, title=head)


def marks(m: Measured, count: int, x: alt.X) -> list[Any]:
    """A dashed rule at the first iteration of the steady state; none without a migration."""
    first = speed.of(m).migrated + 2
    if first == 2 or first > count:
        return []
    base = alt.Chart(rows([{"sample": first, "text": "steady"}])).encode(x=x)
    rule = base.mark_rule(strokeDash=[3, 3], opacity=0.45, color=INK)
    text = base.mark_text(align="left", dx=4, fontSize=10, opacity=FAINT).encode(
        y=alt.value(6), text="text:N"
    )
    return [rule, text]


def iterations(cases: Sequence[Measured]) -> Drawn:
    """A chart for each run and grid, a panel for each style and program on one processor."""
    charts: Drawn = []
    alone = [m for m in whole_programs(cases) if m.ranks == 1 and m.drawn]
    for heading, same in split(alone, ("grid",), grid_title):
        chosen = [m for part in programs(same) for m in part]
        times = [s for m in chosen for t in m.trials for s in statistics.seconds(t) if s > 0]
        domain = decades([1e3 * min(times), 1e3 * max(times)])
        charts.append((heading, grid([panel(m, domain) for m in chosen], columns=3), chosen))
    return charts
