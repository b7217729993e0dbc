"""A figure: a function from measured cases to charts; it returns none if no case of its kind was
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
    """`says` explains the figure, `of` names the cases that it is made from, `group` is its part of
    the page. A folded figure opens by a click: it has details that the open ones leave out."""

    name: str
    title: str
    of: tuple[str, ...]
    says: str
    draw: Callable[[Sequence[Measured]], Drawn]
    group: str = "Applications"
    folded: bool = False
    over: tuple[str, ...] = ()  # axes of numbers along which its charts run


@dataclass(frozen=True)
class Drawing:
    """One chart of a figure: `name` is a file name, `heading` distinguishes it from the others."""

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
    """The code that a style takes beside its speed: `combined` makes one chart of several, `speeds`
    gives the speed of each style as text."""

    figure: Figure
    combined: Callable[[Drawn], Any]
    speeds: Callable[[Sequence[Measured]], dict[str, str]]


def draw(figures: Sequence[Figure], cases: Sequence[Measured]) -> list[Drawing]:
    """The charts of every figure that has some, in order."""
    drawings = []
    for figure in figures:
        drawn = figure.draw(cases)
        for i, (heading, chart, shown) in enumerate(drawn):
            name = figure.name if len(drawn) == 1 else f"{figure.name}-{i + 1}"
            drawings.append(Drawing(name, figure, heading, chart, shown))
    return drawings
