"""The figures of case les: what a step takes by style and touch, and how fast N steps are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from watari.cases.les import model
from watari.cases.les.machines import MACHINES
from watari.cases.les.words import of_touches, touch_words
from watari.charts import style
from watari.charts.figure import Drawn, Figure
from watari.charts.panels import groups, heading
from watari.charts.style import Panel, rows
from watari.results.measured import Measured

PARTS = {"steps": "#a9cbe6", "gather": "#14508c", "move": "#e08a1e", "CPU": "#8c8f96"}
WIDTH, BAR = 420, 18


def parts(m: Measured, cases: Sequence[Measured]) -> list[dict[str, Any]]:
    """Milliseconds of a step by part: a touch's are shared by the N steps of its period."""
    every = int(m["every"])
    of = {
        name: of_touches(m, series) / every
        for name, series in (("gather", "gather_s"), ("move", "move_s"), ("CPU", "cpu_s"))
    }
    whole = model.period_seconds(m) / every
    # steps: the rest, so that faults in the step after a touch count in full
    of = {"steps": max(0.0, whole - sum(of.values())), **of}
    return [
        {
            "style": m["style"] if m["processor"] != "cpu" else "CPU alone",
            "touch": touch_words(m),
            "part": name,
            "order": list(PARTS).index(name),
            "ms": float(f"{1e3 * seconds:.4g}"),
        }
        for name, seconds in of.items()
    ]


def chosen(cases: Sequence[Measured]) -> list[Measured]:
    """Those that ran."""
    return [m for m in cases if m.case == "les" and m.drawn]


def step_bars(same: Sequence[Measured], cases: Sequence[Measured]) -> Panel:
    """Bars by touch, a row of them for each style."""
    once = {(m["style"], touch_words(m)): m for m in reversed(same)}  # no touch has no N
    data = [row for m in reversed(once.values()) for row in parts(m, cases)]
    touches = list(dict.fromkeys(row["touch"] for row in data))
    return (
        alt.Chart(rows(data))
        .mark_bar(size=BAR - 4)
        .encode(
            x=alt.X("ms:Q", title="ms a step, mean over periods of N"),
            y=alt.Y("touch:N", sort=touches, title=None),
            color=alt.Color("part:N", scale=style.table_scale(PARTS), title=None),
            order="order:Q",
            row=alt.Row(
                "style:N", title=None, header=alt.Header(labelOrient="top", labelAnchor="start")
            ),
            tooltip=["style:N", "touch:N", "part:N", "ms:Q"],
        )
        .properties(width=WIDTH, height=alt.Step(BAR))
        .resolve_scale(y="independent")  # a style has rows for the touches it was measured with
    )


def time_of_steps(cases: Sequence[Measured]) -> Drawn:
    """A chart for each run and grid."""
    return [
        (
            heading(chosen(cases), same[0].run, f"Grid {same[0]['grid']}"),
            step_bars(same, cases),
            same,
        )
        for same in groups(chosen(cases), "run", "processor", "grid").values()
    ]


def points_over_n(same: Sequence[Measured], cases: Sequence[Measured]) -> list[dict[str, Any]]:
    """What was measured, and the model's line from the smallest N on."""
    found: list[dict[str, Any]] = []
    for of in groups(same, "style", "cpu-touch", "gather").values():
        first = min(of, key=lambda m: int(m["every"]))
        step, touch = model.base_of(first, cases), model.touch_seconds(first, cases)
        line = f"{first['style']}, {first['cpu-touch']}"
        line += ", CPU picks" if first["gather"] == "cpu" else ""
        common = {"line": line, "style": first["style"], "free": model.free_from(touch, step)}
        cells = model.cells_of(first) / 1e6
        measured = [
            {**common, "n": int(m["every"]), "measured": m.quantity("cells_per_s") / 1e6}
            for m in of
        ]
        ns = [int(m["every"]) for m in of]
        steps = [n for n in (1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 300) if n <= 3 * max(ns)]
        if step > 0:
            found += [{**common, "n": n, "model": n * cells / (n * step + touch)} for n in steps]
        found += measured
    return found


def over_n_panel(same: Sequence[Measured], cases: Sequence[Measured]) -> Panel:
    """Dots are measured, lines are the model's."""
    data = points_over_n(same, cases)
    base = alt.Chart(rows(data)).encode(
        x=alt.X("n:Q", scale=alt.Scale(type="log"), title="N, steps from touch to touch"),
        color=alt.Color("line:N", title=None),
        tooltip=["line:N", "n:Q", "measured:Q", "model:Q", "free:Q"],
    )
    title = "Mcells/s"
    line = base.transform_filter("isValid(datum.model)").mark_line(opacity=0.5)
    dots = base.transform_filter("isValid(datum.measured)").mark_point(filled=True, size=40)
    return alt.layer(
        line.encode(y=alt.Y("model:Q", title=title)),
        dots.encode(y=alt.Y("measured:Q", title=title)),
    ).properties(width=WIDTH, height=260)


def speed_over_n(cases: Sequence[Measured]) -> Drawn:
    """A chart for each run, processor and grid with more than one N."""
    drawn: Drawn = []
    touched = [m for m in chosen(cases) if m["cpu-touch"] != "none"]
    for same in groups(touched, "run", "processor", "grid").values():
        if len({m["every"] for m in same}) < 2:
            continue
        title = heading(touched, same[0].run, f"Grid {same[0]['grid']}")
        drawn.append((title, over_n_panel(same, cases), same))
    return drawn


FIGURES = (
    Figure(
        "les-step",
        "A city's air: time of a step by style and touch of the CPU",
        ("les",),
        "Mean over whole periods of N steps; the parts of a touch are divided by N. Gather: the "
        "processor packs the values that the CPU needs. Move: copies and prefetches. CPU: its "
        "part, with page faults. Steps: the rest, with the faults of the step after a touch.",
        time_of_steps,
    ),
    Figure(
        "les-every",
        "A city's air: speed over N",
        ("les",),
        "Cells a second over the steps from one touch of the CPU to the next. Dots are measured. "
        "Lines are N steps and one touch, with the times measured at the smallest N. The tooltip "
        "has the N from which a touch takes less than a tenth of the steps between.",
        speed_over_n,
        folded=True,
    ),
    MACHINES,
)
