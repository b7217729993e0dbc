"""The figure of machines: how fast a city's air is on each, GPU and CPU, beside City-LES."""

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
    "les-gpu-machines": "GH200 over Xeon and H100",
    "les-cpu-machines": "their CPUs alone",
    "les-gpu-over-cpu": "GPU over CPU",
}
COLOURS = {"GPU": "#14508c", "CPU": "#8c8f96"}
WIDTH, BAR = 420, 18


def bars(same: Sequence[Measured]) -> list[dict[str, Any]]:
    """Million cells a second: of a GPU its fastest style for each touch, of a CPU its best."""
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


def ratios(data: Sequence[dict[str, Any]]) -> str:
    """GPU over CPU on each machine, then the fastest machine over the others, as measured here."""
    most: dict[tuple[str, str], float] = {}
    for row in data:
        key = (row["machine"], row["processor"])
        most[key] = max(most.get(key, 0.0), row["speed"])
    machines = list(dict.fromkeys(machine for machine, _ in most))
    found = [
        f"{machine}: GPU {most[machine, 'GPU'] / most[machine, 'CPU']:.3g}x CPU"
        for machine in machines
        if {(machine, "GPU"), (machine, "CPU")} <= most.keys()
    ]
    for who in COLOURS:
        speeds = {machine: most[machine, who] for machine in machines if (machine, who) in most}
        first = max(speeds, key=lambda name: speeds[name], default="")
        found += [
            f"{who}: {first} {speeds[first] / speed:.3g}x {machine}"
            for machine, speed in speeds.items()
            if machine != first
        ]
    return "; ".join(found)


def theirs() -> str:
    """The published ratios of City-LES."""
    known = [entry for entry in published.values() if entry.quantity in QUANTITIES]
    values = ", ".join(f"{QUANTITIES[entry.quantity]} {entry.text}x" for entry in known)
    return f"{known[0].source}: {values}"


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
        drawn.append((f"Grid {grid}. {ratios(data)} ({theirs()})", panel(data), same))
    return drawn


MACHINES = Figure(
    "les-machines",
    "A city's air: machines, GPU and CPU",
    ("les",),
    "Cells a second, mean over whole periods of N steps; for each touch the fastest style. In "
    "brackets: City-LES, an application of others, whose grid, precision and touches of the CPU "
    "are not published.",
    machines,
    folded=True,
)
