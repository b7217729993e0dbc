"""The figure of a touch's seconds by part, predicted beside measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple
from typing import Any

from watari.cases.les.charts.bars import bar, stacked
from watari.cases.les.forecast.forecast import Pair, pairs
from watari.cases.les.words import touch_words
from watari.charts.figure import Drawn, Figure
from watari.charts.panels import groups, heading
from watari.results.measured import Measured

PARTS = {"gather": "#14508c", "move": "#e08a1e", "CPU": "#8c8f96", "next step": "#a9cbe6"}


def bars(same: Sequence[Pair]) -> list[dict[str, Any]]:
    """Predicted above measured."""
    return [
        row
        for m, *both in same
        for whose, of in zip(("predicted", "measured"), both, strict=True)
        for row in bar(
            m["style"],
            f"{touch_words(m)}, {whose}",
            dict(zip(PARTS, astuple(of), strict=True)),
        )
    ]


def drawn(cases: Sequence[Measured]) -> Drawn:
    """A chart for each run and grid."""
    found = pairs(cases)
    of = {id(pair[0]): pair for pair in found}
    return [
        (
            heading([m for m, *_ in found], same[0].run, f"Grid {same[0]['grid']}"),
            stacked(bars([of[id(m)] for m in same]), PARTS, "ms a touch"),
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
