"""All figures, in the order of the page: of every case, of tried programs, of published values."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from watari.attach.figure import FIGURE as TRIED
from watari.cases import CASES, presentation
from watari.charts.figure import Figure
from watari.report import beside

PUBLISHED = Figure(
    "published",
    "Beside published values",
    (),
    "Filled: this run. Hollow diamonds: published by others, with the source; a bar where a "
    "range was given. Ticks: theoretical. Published values are not mixed with ours.",
    beside.beside,
    group="Data",
    folded=True,
)


@cache
def figures() -> tuple[Figure, ...]:
    """All figures; a module that several cases share comes once."""
    modules = dict.fromkeys(presentation(name).figures for name in CASES)
    of_cases = [f for module in modules if module for f in import_module(module).FIGURES]
    return (*of_cases, TRIED, PUBLISHED)
