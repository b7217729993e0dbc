"""The figures of case les; this file draws the first: time of a step by style and touch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from watari.cases.les.charts.bars import bar, stacked
from watari.cases.les.charts.machines import MACHINES
from watari.cases.les.charts.predicted import FORECAST
from watari.cases.les.charts.scaling import RANKS
from watari.cases.les.charts.touches import TOUCHES
from watari.cases.les.charts.wind import WIND
from watari.cases.les.forecast import model
from watari.cases.les.forecast.model import of_touches
from watari.cases.les.words import touch_words
from watari.charts.figure import Drawn, Figure
from watari.charts.panels import groups, heading
from watari.charts.style import Panel
from watari.results.measured import Measured, drawable

PARTS = {"steps": "#a9cbe6", "gather": "#14508c", "move": "#e08a1e", "CPU": "#8c8f96"}


def parts(m: Measured, cases: Sequence[Measured]) -> list[dict[str, Any]]:
    """Milliseconds of a step by part; the parts of a touch are divided by N, the steps of its
    period."""
    every = int(m["every"])
    of = {
        name: of_touches(m, series) / every
        for name, series in (("gather", "gather_s"), ("move", "move_s"), ("CPU", "cpu_s"))
    }
    whole = model.period_seconds(m) / every
    # steps: the rest, so that faults in the step after a touch count in full
    of = {"steps": max(0.0, whole - sum(of.values())), **of}
    whose = m["style"] if m["processor"] != "cpu" else "CPU alone"
    return bar(whose, touch_words(m), of)


def chosen(cases: Sequence[Measured]) -> list[Measured]:
    """Cases that ran on one rank; several ranks have a figure of their own."""
    return [m for m in drawable(cases, "les") if m.ranks == 1]


def step_bars(same: Sequence[Measured], cases: Sequence[Measured]) -> Panel:
    """Bars by touch, a row of them for each style."""
    once = {(m["style"], touch_words(m)): m for m in reversed(same)}  # N needs a touch
    data = [row for m in reversed(once.values()) for row in parts(m, cases)]
    return stacked(data, PARTS, "ms a step, mean over periods of N")


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
    *TOUCHES,
    FORECAST,
    MACHINES,
    RANKS,
    WIND,
)
