"""Himeno on several GPUs, as figures 2 to 5 of Doi (2016): implementation by number of GPUs.

Strong: one grid, shared by more and more ranks. Weak: a grid that grows with them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from watari.cases.himeno import axes, speed, words
from watari.cases.himeno.styles import grid_title, ordered, whole_programs
from watari.charts import ranks, style
from watari.charts.figure import Drawn
from watari.charts.panels import groups, heading
from watari.charts.style import Panel
from watari.results.measured import Measured

PALE = 0.4
# numbered as in Doi (2016)
NUMBERS = {"acc-data": 1, "acc-host-data": 2, "acc-managed-all": 3, "acc-managed": 4}
PROGRAM = ("form", "data")


def halo_path(m: Measured) -> str:
    """The path of the halo: `nccl, overlapped`; with the split if it is not along i alone."""
    cut = "" if m["split"] in (None, f"{m.ranks}x1x1") else f", {m['split']}"
    return f"{words.halo_words(m.parameters)}{cut}"


def implementation(m: Measured, cases: Sequence[Measured]) -> str:
    """`(1) acc-data`; with the kernel where a style has several."""
    number = f"({NUMBERS[m['style']]}) " if m["style"] in NUMBERS else ""
    kernels = {words.kernel(other.parameters) for other in cases if other["style"] == m["style"]}
    return f"{number}{m['style']}" + (f", {words.kernel(m.parameters)}" if len(kernels) > 1 else "")


def bars_of(cases: Sequence[Measured]) -> list[tuple[str, Measured]]:
    """Every bar with its name. Where an implementation has several paths for the halo, each path
    has its own bars; one rank has no halo, and stands beside each path."""
    paths: dict[str, list[str]] = {}
    for m in ordered(cases):
        known = paths.setdefault(implementation(m, cases), [])
        if m.ranks > 1 and halo_path(m) not in known:
            known.append(halo_path(m))
    bars = []
    for m in ordered(cases):
        name = implementation(m, cases)
        if len(paths[name]) < 2:
            bars += [(name, m)] if paths[name] else []
        else:
            bars += [
                (f"{name}, {crossing}", m)
                for crossing in paths[name]
                if m.ranks == 1 or crossing == halo_path(m)
            ]
    return bars


def bar_rows(cases: Sequence[Measured]) -> list[ranks.Row]:
    """One row a bar: GFLOPS of the benchmark, as in Doi (2016), and of the steady state (the
    benchmark's if a run has none). Perfect scaling is from one GPU; ranks on the CPU share cores.
    """
    numbers = {"steady": lambda m: speed.of(m).level, "benchmark": lambda m: speed.of(m).benchmark}
    bars = [ranks.bar(m, name, numbers, "steady") for name, m in bars_of(cases)]
    singles = [row for row in bars if row["ranks"] == 1 and row["drawn"]]
    alone = {row["name"]: row["steady"] for row in singles if cases[0]["processor"] != "cpu"}
    return ranks.with_ideals(bars, "steady", alone, "name")


def strong(cases: Sequence[Measured]) -> list[tuple[str, list[Measured]]]:
    """Cases of one grid and program on several numbers of ranks."""
    return [
        (f"{grid_title(same[0])}: {same[0]['form']}, {same[0]['iterations']} iterations", same)
        for same in groups(cases, "run", "grid", "processor", *PROGRAM, "iterations").values()
        if len({m.ranks for m in same}) > 1
    ]


def weak(cases: Sequence[Measured]) -> list[tuple[str, list[Measured]]]:
    """Cases of one program in which every rank has the same number of points."""
    by_program: dict[tuple[Any, ...], list[Measured]] = {}
    for m in cases:
        share = axes.interior(m["grid"]) / m.ranks
        by_program.setdefault((m.run, m["processor"], share, m["form"], m["data"]), []).append(m)
    return [
        (f"{key[2] / 1e6:.0f} million points a GPU: {same[0]['form']}", same)
        for key, same in by_program.items()
        if len({m["grid"] for m in same}) > 1 and len({m.ranks for m in same}) > 1
    ]


def coloured_by(data: Sequence[dict[str, Any]]) -> dict[str, str]:
    """The word that decides the colour of each bar: the style, or the path of the halo if the bars
    of one style differ in it."""
    several = len({row["style"] for row in data}) > 1 or len({row["name"] for row in data}) == 1
    styles = {row["name"]: row["style"] for row in data}
    return styles if several else {row["name"]: row["halo"] for row in data if row["ranks"] > 1}


def shades(words: dict[str, str]) -> dict[str, str]:
    """The colour of each bar: that of its style or halo, lighter for each further bar of it."""
    table = {**style.STYLES, **style.HALOS}
    return ranks.shades({name: table[of] for name, of in words.items()})


def panel(cases: Sequence[Measured]) -> Panel:
    """Bars side by side for each number of GPUs, pale for the steady state, solid for the
    benchmark; a tick at perfect scaling."""
    data = bar_rows(cases)
    looks = {"steady": {"opacity": PALE}, "benchmark": {"opacity": 1, "size": ranks.BAR / 2}}
    legend = alt.Legend(orient="right", direction="vertical", symbolOpacity=1)
    on_cpu = cases[0]["processor"] == "cpu"
    return ranks.panel(data, looks, shades(coloured_by(data)), legend, on_cpu)


def several(cases: Sequence[Measured]) -> Drawn:
    """A chart for each grid and program that ran on more than one number of ranks."""
    every = whole_programs(cases)
    charts: Drawn = []
    for title, same in [*strong(every), *weak(every)]:
        if any(m.drawn and m.ranks > 1 for m in same):
            charts.append((heading(cases, same[0].run, title), panel(same), same))
    return charts
