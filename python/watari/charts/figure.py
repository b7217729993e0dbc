"""A figure: a function from measured cases to charts; it returns none where nothing of its kind was
measured. The chart is one object for every use: the page draws it live, a paper gets SVG or PDF."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from watari.charts import style
from watari.results.measured import Measured

Drawn = list[tuple[str, Any, list[Measured]]]  # heading, chart, the cases that it is made from


@dataclass(frozen=True)
class Figure:
    """`says` is what a reader is to see, `of` the cases it is made from, `group` its part of the
    page. A folded one is opened by a click: it has what an open one leaves out."""

    name: str
    title: str
    of: tuple[str, ...]
    says: str
    draw: Callable[[Sequence[Measured]], Drawn]
    group: str = "Applications"
    folded: bool = False


@dataclass(frozen=True)
class Drawing:
    """One chart of a figure: `name` is a file name, `heading` says which of several it is."""

    name: str
    figure: Figure
    heading: str
    chart: Any
    cases: list[Measured]

    def spec(self) -> dict[str, Any]:
        """Vega-Lite, complete with data and look."""
        spec: dict[str, Any] = style.unfold(self.chart.to_dict(validate=False))
        return {**spec, "config": style.config()}


@dataclass(frozen=True)
class Effort:
    """How much code a style takes beside how fast it is: `combined` makes one chart of several,
    `speeds` says of each style what it reached."""

    figure: Figure
    combined: Callable[[Drawn], Any]
    speeds: Callable[[Sequence[Measured]], dict[str, str]]


def draw(figures: Sequence[Figure], cases: Sequence[Measured]) -> list[Drawing]:
    """Every figure for which there is something to draw, in order."""
    drawings = []
    for figure in figures:
        drawn = figure.draw(cases)
        for i, (heading, chart, shown) in enumerate(drawn):
            name = figure.name if len(drawn) == 1 else f"{figure.name}-{i + 1}"
            drawings.append(Drawing(name, figure, heading, chart, shown))
    return drawings
