"""Himeno on one processor: speed of each memory style, measured here and published, as in figure
5.8 of Yoshida (2024).

A panel is one program (processor, form, kernel), so that its rows differ in memory style alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from watari.cases.himeno import axes, speed, words
from watari.charts import style
from watari.charts.figure import Drawn
from watari.charts.panels import split
from watari.charts.style import FAINT, GFLOPS, INK, Panel, rows
from watari.common.units import format_rate
from watari.results import published
from watari.results.measured import Measured

WIDTH, ROW = 560, 24
BESIDE_SYSTEM = ("explicit", "managed", "explicit-struct", "managed-struct")
NEEDED = ("processor", "style", "grid", "form", "kernel", "data", "iterations")


def grid_title(m: Measured) -> str:
    """`Grid XL, 512 x 512 x 1024`."""
    name = m["grid"]
    points = " x ".join(map(str, axes.shape(name)))
    return f"Grid {name}, {points}" if name in axes.GRIDS else f"Grid {points}"


def program(m: Measured) -> str:
    """`Fused, tuned kernel, 3000 iterations`."""
    parts = [
        m["form"],
        words.kernel(m.parameters),
        "" if m["data"] == "standard" else f"{m['data']} data",
        "data written by the GPU" if m["init"] == "gpu" else "",
        words.rehearsed(m.parameters),
        f"{m['iterations']} iterations",
    ]
    text = ", ".join(part for part in parts if part)
    return text[:1].upper() + text[1:]


def programs(cases: Sequence[Measured]) -> list[list[Measured]]:
    """The cases by program, in order of appearance: processor, form, kernel, data, iterations."""
    by_program: dict[tuple[str, str], list[Measured]] = {}
    for m in cases:
        by_program.setdefault((m["processor"], program(m)), []).append(m)
    return [ordered(same) for same in by_program.values()]


def ordered(cases: Sequence[Measured]) -> list[Measured]:
    """The cases in the order of the table of styles, then by ranks."""
    return sorted(cases, key=lambda m: (list(axes.STYLES).index(m["style"]), m.ranks))


def whole_programs(cases: Sequence[Measured]) -> list[Measured]:
    """The cases of Himeno that have every parameter by which figures distinguish them."""
    return [m for m in cases if m.case == "himeno" and all(m[name] is not None for name in NEEDED)]


def extent(names: Iterable[str]) -> float:
    """Pixels for names at the left, the same in every panel of a chart."""
    return 12 + 6.0 * max(map(len, names))


def names_axis(wide: float) -> alt.Axis:
    """Names at the left, without lines."""
    return alt.Axis(grid=False, ticks=False, labelPadding=10, minExtent=wide, maxExtent=wide)


def speed_row(m: Measured) -> dict[str, Any]:
    """The three rates of one style; or the reason why it has none."""
    row = {"name": m["style"], "drawn": m.drawn, "flagged": m.flagged, "why": m.reason}
    if not m.drawn:
        return {**row, "text": m.status}
    performance = speed.of(m)
    never = performance.steady is None
    texts = [
        f"benchmark {performance.benchmark_text}",
        "never steady" if never else f"steady {format_rate(performance.level)}",
        f"whole {format_rate(performance.whole)}",
    ]
    texts += ["above the limit"] if m.flagged else []
    numbers = {
        "benchmark": performance.benchmark,
        "steady": performance.level,
        "whole": performance.whole,
    }
    return {
        **row,
        **{name: float(f"{number:.4g}") for name, number in numbers.items()},
        "right": max(numbers.values()),
        "text": " · ".join(texts),
    }


def behind(cases: Sequence[Measured]) -> str:
    """`Benchmark: system is 101 GFLOPS behind explicit, 80 behind managed`; empty without the
    styles."""
    rates = {m["style"]: speed.of(m).benchmark for m in cases if m.drawn}
    parts = [
        f"{rates[other] - rates['system']:.0f} {GFLOPS if i == 0 else ''} behind {other}"
        for i, other in enumerate(o for o in BESIDE_SYSTEM if {o, "system"} <= set(rates))
    ]
    return f"Benchmark: system is {', '.join(parts)}".replace("  ", " ") if parts else ""


def speed_charts(cases: Sequence[Measured]) -> Drawn:
    """A chart for each run and grid; published values of the grid in a panel of their own."""
    charts: Drawn = []
    alone = [m for m in whole_programs(cases) if m.ranks == 1]
    for heading, same in split(alone, ("grid",), grid_title):
        if not any(m.drawn for m in same):
            continue
        chosen = [part for part in programs(same) if any(m.drawn for m in part)]
        data = [[speed_row(m) for m in part] for part in chosen]
        floors = [speed.ceiling(part[0], cases) for part in chosen]
        theirs = published_rows(same[0]["grid"])
        lasts = [i == len(chosen) - 1 and not theirs for i in range(len(chosen))]
        most = max(
            *(row["right"] for part in data for row in part if row["drawn"]),
            *(floor or 0 for floor in floors),
            *(row["value"] for row in theirs),
        )
        scale = alt.Scale(domain=[0, 1.6 * most], nice=False)
        shared = Axes(scale, most, extent(row["name"] for part in [*data, theirs] for row in part))
        panels = [
            speed_panel(part, floor, shared, style.title(program(of[0]), behind(of)), last)
            for part, floor, of, last in zip(data, floors, chosen, lasts, strict=True)
        ]
        panels += [published_panel(theirs, shared, same[0]["grid"])] if theirs else []
        chart = alt.vconcat(*panels, spacing=18).resolve_scale(color="independent")
        charts.append((heading, chart, [m for part in chosen for m in part]))
    return charts


@dataclass(frozen=True)
class Axes:
    """Values that the panels of one chart share: the scale of GFLOPS, the GFLOPS at which the
    numbers stand (the end of the longest bar), and the pixels for names."""

    scale: alt.Scale
    most: float
    wide: float


def speed_axis(field: str, scale: alt.Scale, last: bool) -> alt.X:
    """The axis of GFLOPS: the last panel has the numbers for all."""
    axis = alt.Axis(tickCount=6, format=style.NUMBER, labels=last, ticks=last)
    return alt.X(f"{field}:Q", scale=scale, title=GFLOPS if last else None, axis=axis)


def speed_panel(
    data: list[dict[str, Any]],
    floor: float | None,
    shared: Axes,
    title: alt.TitleParams,
    last: bool,
) -> Panel:
    """Pale: the steady state. Solid: the whole run. Tick: the benchmark. Dashed: the floor."""
    base = alt.Chart(rows(data)).encode(
        y=alt.Y(
            "name:N", sort=[row["name"] for row in data], title=None, axis=names_axis(shared.wide)
        ),
        color=alt.Color("name:N", legend=None, scale=style.table_scale(style.STYLES)),
        tooltip=style.tips("name:N", "steady:Q", "benchmark:Q", "whole:Q", "why:N"),
    )
    drawn = base.transform_filter("datum.drawn")

    def x(field: str) -> alt.X:
        return speed_axis(field, shared.scale, last)

    ink = alt.ColorValue(INK)
    layers = [
        drawn.transform_filter("!datum.flagged")
        .mark_bar(height=16, opacity=0.32, cornerRadiusEnd=2)
        .encode(x=x("steady")),
        drawn.transform_filter("datum.flagged")
        .mark_bar(height=16, fillOpacity=0, stroke=INK, strokeDash=[3, 2])
        .encode(x=x("steady")),
        drawn.mark_bar(height=8, opacity=1, cornerRadiusEnd=2).encode(x=x("whole")),
        drawn.mark_tick(orient="vertical", size=16, thickness=2, opacity=0.9).encode(
            x=x("benchmark"), color=ink
        ),
        drawn.transform_calculate(most=str(shared.most))
        .mark_text(align="left", dx=8, opacity=0.85)
        .encode(x=x("most"), text=alt.Text("text:N"), color=ink),
        base.transform_filter("!datum.drawn")
        .mark_text(align="left", dx=4, opacity=0.5, fontStyle="italic")
        .encode(x=alt.value(0), text=alt.Text("text:N"), color=ink),
    ]
    layers += floor_mark(floor, x) if floor else []
    return alt.layer(*layers).properties(width=WIDTH, height=ROW * len(data), title=title)


def floor_mark(floor: float, x: Any) -> list[Any]:
    """A dashed line at the speed that the rate of a copy would give."""
    text = f"at the rate of a copy: {format_rate(floor)}"
    base = alt.Chart(rows([{"floor": floor, "text": text}])).encode(x=x("floor"))
    return [
        base.mark_rule(strokeDash=[3, 3], opacity=0.6),
        base.mark_text(align="right", dx=4, dy=-7, fontSize=10, opacity=FAINT).encode(
            y=alt.value(0), text=alt.Text("text:N")
        ),
    ]


def published_rows(grid: str) -> list[dict[str, Any]]:
    """Published speeds at this grid, fastest first."""
    known = published.quantities()
    data = [
        {
            "name": f"{quantity.parameters['style']} · {entry.machine}",
            "value": entry.high,
            "text": f"{quantity.rate} {entry.text} ({entry.source})",
            "source": f"{entry.source}: {entry.title}; {entry.where}. {entry.note}",
        }
        for entry in published.values()
        if (quantity := known[entry.quantity]).case == "himeno"
        and quantity.parameters["grid"] == grid
        and not quantity.less
    ]
    return sorted(data, key=lambda row: -row["value"])


def differences(grid: str) -> list[str]:
    """Published differences between two styles whose own speeds are not published."""
    known = published.quantities()
    return [
        f"{entry.source}, {entry.machine}: {known[entry.quantity].less['style']} some "
        f"{entry.text} {GFLOPS} behind {known[entry.quantity].parameters['style']} by "
        f"{known[entry.quantity].rate} ({entry.where})"
        for entry in published.values()
        if known[entry.quantity].less and known[entry.quantity].parameters["grid"] == grid
    ]


def published_panel(data: list[dict[str, Any]], shared: Axes, grid: str) -> Panel:
    """Hollow bars: published by others, on other machines."""
    base = alt.Chart(rows(data)).encode(
        y=alt.Y(
            "name:N", sort=[row["name"] for row in data], title=None, axis=names_axis(shared.wide)
        ),
        x=speed_axis("value", shared.scale, True),
        tooltip=style.tips("name:N", "value:Q", "source:N"),
    )
    bar = base.mark_bar(height=14, color=INK, fillOpacity=0.05, stroke=INK, strokeOpacity=0.6)
    number = base.mark_text(align="left", dx=8, opacity=0.85).encode(text=alt.Text("text:N"))
    head = alt.TitleParams("Published", subtitle=differences(grid))
    return alt.layer(bar, number).properties(width=WIDTH, height=20 * len(data), title=head)
