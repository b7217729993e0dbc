"""The figure of machines: cells a second on the GPU and CPU of each, beside City-LES."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from watari.cases.les.words import touch_words
from watari.charts import style
from watari.charts.figure import Drawn, Figure
from watari.charts.panels import groups
from watari.charts.style import Panel, rows
from watari.results import published
from watari.results.measured import Measured, drawable

QUANTITIES = {
    "les-gpu-machines": "GPU, GH200 over H100",
    "les-cpu-machines": "CPU, Grace over Xeon",
    "les-gpu-over-cpu": "GPU over CPU",
}
COLOURS = {"GPU": "#14508c", "CPU": "#8c8f96"}
WHOSE = {"measured": "#14508c", "published": "#e08a1e"}
WIDTH, BAR = 420, 18


def bars(same: Sequence[Measured]) -> list[dict[str, Any]]:
    """Million cells a second: the fastest style of a GPU for each touch, the fastest of a CPU."""
    best: dict[tuple[str, str, str], dict[str, Any]] = {}
    for m in same:
        on_cpu = m["processor"] == "cpu"
        of = "CPU" if on_cpu else f"GPU, touch: {touch_words(m)}"
        speed = m.quantity("cells_per_s") / 1e6
        key = (m.run, "CPU" if on_cpu else "GPU", of)
        if key not in best or speed > best[key]["speed"]:
            best[key] = {
                "machine": m.run,
                "processor": key[1],
                "of": of,
                "style": m["style"],
                "speed": float(f"{speed:.4g}"),
            }
    return list(best.values())


def ratios(data: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """GPU over CPU on each machine, then the fastest machine over the others, as measured here."""
    most: dict[tuple[str, str], float] = {}
    for row in data:
        key = (row["machine"], row["processor"])
        most[key] = max(most.get(key, 0.0), row["speed"])
    machines = list(dict.fromkeys(machine for machine, _ in most))
    found = [
        (f"GPU over CPU, {machine}", most[machine, "GPU"] / most[machine, "CPU"])
        for machine in machines
        if {(machine, "GPU"), (machine, "CPU")} <= most.keys()
    ]
    for who in COLOURS:
        speeds = {machine: most[machine, who] for machine in machines if (machine, who) in most}
        first = max(speeds, key=lambda name: speeds[name], default="")
        found += [
            (f"{who}, {first} over {machine}", speeds[first] / speed)
            for machine, speed in speeds.items()
            if machine != first
        ]
    return [
        {"of": of, "whose": "measured", "low": ratio, "high": ratio, "text": f"{ratio:.3g}x"}
        for of, ratio in found
    ]


def theirs() -> list[dict[str, Any]]:
    """The published ratios of City-LES."""
    return [
        {
            "of": f"{QUANTITIES[entry.quantity]}, {entry.source}",
            "whose": "published",
            "low": entry.low,
            "high": entry.high,
            "text": f"{entry.text}x",
        }
        for entry in published.values()
        if entry.quantity in QUANTITIES
    ]


def ratio_panel(data: Sequence[dict[str, Any]]) -> Panel:
    """A dot for each ratio, a bar for a range, the published ones last."""
    base = alt.Chart(rows(list(data))).encode(
        y=alt.Y(
            "of:N", title=None, sort=[row["of"] for row in data], axis=alt.Axis(labelLimit=300)
        ),
        color=alt.Color("whose:N", scale=style.table_scale(WHOSE), title=None),
    )
    x = alt.X("low:Q", title="ratio of cells a second", scale=alt.Scale(domainMin=0))
    return alt.layer(
        base.mark_rule(strokeWidth=6, opacity=0.5).encode(x=x, x2="high:Q"),
        base.mark_point(filled=True, size=60, opacity=1).encode(x=x),
        base.mark_point(filled=True, size=60, opacity=1).encode(x="high:Q"),
        base.mark_text(align="left", dx=8).encode(x="high:Q", text="text:N"),
    ).properties(width=WIDTH, height=alt.Step(BAR))


def panel(data: Sequence[dict[str, Any]]) -> Panel:
    """A row of bars for each machine."""
    return (
        alt.Chart(rows(list(data)))
        .mark_bar(size=BAR - 4)
        .encode(
            x=alt.X("speed:Q", title="million cells a second"),
            y=alt.Y("of:N", title=None, sort=list(dict.fromkeys(row["of"] for row in data))),
            color=alt.Color("processor:N", scale=style.table_scale(COLOURS), title=None),
            row=alt.Row(
                "machine:N",
                title=None,
                header=alt.Header(labelOrient="top", labelAnchor="start"),
            ),
            tooltip=["machine:N", "of:N", "style:N", "speed:Q"],
        )
        .properties(width=WIDTH, height=alt.Step(BAR))
    )


def machines(cases: Sequence[Measured]) -> Drawn:
    """A chart for each grid that GPU and CPU have both run, or two machines."""
    drawn: Drawn = []
    mine = [m for m in drawable(cases, "les") if m["ranks"] == 1]
    for (grid,), same in groups(mine, "grid").items():
        if len({(m.run, m["processor"] == "cpu") for m in same}) < 2:
            continue
        data = bars(same)
        both = alt.vconcat(panel(data), ratio_panel([*ratios(data), *theirs()]))
        drawn.append((f"Grid {grid}", both.resolve_scale(color="independent"), same))
    return drawn


MACHINES = Figure(
    "les-machines",
    "A city's air: machines, GPU and CPU",
    ("les",),
    "Cells a second, mean over whole periods of N steps; for each touch the fastest style. Below: "
    "ratios of the best of each, beside those of City-LES, an application of others, whose grid, "
    "precision and touches of the CPU are not published.",
    machines,
    folded=True,
)
