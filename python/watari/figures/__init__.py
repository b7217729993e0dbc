"""Figures of result files: one table, FIGURES, from which the report and `--format svg` draw.

A figure is a function from measured cases to charts; it gives none where nothing of its kind was
measured. The chart is one object for every use: the page draws it live, a paper gets SVG or PDF.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from watari import view
from watari.figures import (
    costs,
    engines,
    gemm,
    iterations,
    paths,
    productivity,
    scaling,
    series,
    spending,
    style,
    styles,
)
from watari.figures.series import Drawn
from watari.view import Measured

Draw = Callable[[Sequence[Measured]], Drawn]


@dataclass(frozen=True)
class Figure:
    """One row of the table: `says` is what a reader is to see, `of` the cases it is made from."""

    name: str
    title: str
    of: tuple[str, ...]
    says: str
    draw: Draw


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


def single(
    function: Callable[[Sequence[Measured]], Any], select: Callable[[Measured], bool]
) -> Draw:
    """A figure of one chart, from the cases that it is made of."""

    def draw(cases: Sequence[Measured]) -> Drawn:
        chart = function(cases)
        return [("", chart, [m for m in cases if m.case == "copy" and select(m)])] if chart else []

    return draw


FIGURES: tuple[Figure, ...] = (
    Figure(
        "paths",
        "From memory to memory",
        ("copy", "access"),
        "Median rate of a copy, GB/s, at the largest array of each path; rows are read, columns "
        "written. One matrix for each means of copying. Within one memory a byte counts twice "
        "(read and written), between two once, as it crosses the link.",
        single(paths.matrix, view.plain),
    ),
    Figure(
        "sizes",
        "Bandwidth over size",
        ("copy",),
        "Each point is the median over trials, the band their range. The colour is the memory "
        "other than the GPU's own; dashed lines write it. Small arrays show the cost of starting "
        "and the speed of caches.",
        single(paths.over_size, view.plain),
    ),
    Figure(
        "streams",
        "Several streams at once",
        ("copy",),
        "The same array shared by several CUDA streams.",
        single(paths.over_streams, lambda m: not m["bidirectional"]),
    ),
    Figure(
        "copies",
        "Copies, sample by sample",
        ("copy",),
        "Every sample of every trial, in order; a line is a trial (as figures 5.1 to 5.4 of "
        "Yoshida 2024).",
        series.copies,
    ),
    Figure(
        "patterns",
        "Access patterns",
        ("access",),
        "One processor reads a source and writes a destination that lie in host memory (HM) or "
        "device memory (DM) by first touch. Hollow: the first sample, in which pages may move. "
        "Filled: the settled rate, the median of the last quarter. Every byte counts as read "
        "and written.",
        costs.patterns,
    ),
    Figure(
        "access",
        "Access patterns, sample by sample",
        ("access",),
        "Every sample of every trial; the CPU's four patterns, then the GPU's (as figures 5.5 "
        "and 5.6 of Yoshida 2024).",
        series.access,
    ),
    Figure(
        "migration",
        "Migration",
        ("migration",),
        "The source is first touched by the CPU, the destination by the GPU; then the copy runs "
        "on GPU, CPU and GPU in turn. Above, bandwidth; below, the part of each array (dashed: the "
        "destination) that is no longer mapped on the CPU side, as the operating system tells "
        "after each sample. A triangle marks where a phase has settled, in the middle one of "
        "the trials.",
        series.migration,
    ),
    Figure(
        "touch",
        "First touch, prefetch and faults",
        ("touch",),
        "What the first access to fresh or moved memory costs, by the median over trials. "
        "Hollow: the same pass again, with nothing left to move.",
        costs.touch,
    ),
    Figure(
        "storage-bandwidth",
        "Storage: bandwidth over the size of a request",
        ("storage",),
        "Each point is the median over trials, the band their range; dashed lines write. A GPU's "
        "engines bring blocks to its own memory. Of several depths or numbers of threads the "
        "fastest is drawn. Engines queue and gpu submit NVMe commands to software queues, the "
        "others call the operating system or cuFile.",
        engines.bandwidth,
    ),
    Figure(
        "storage-latency",
        "Storage: latency over the size of a request",
        ("storage",),
        "Time from handing a request over until its data are at their place, of the same cases: "
        "half of the requests took less than p50, one in a hundred longer than p99, one in a "
        "thousand longer than p99.9. Engines that keep many requests in flight pay with latency "
        "for bandwidth.",
        engines.latency,
    ),
    Figure(
        "himeno-speed",
        "Himeno: speed of each style",
        ("himeno",),
        "GFLOPS by Himeno's convention, one processor. Pale: an iteration of the steady state. "
        "Tick: the whole loop, with first iteration and migration (as figure 5.8 of Yoshida 2024 "
        "shows). Solid: the whole run, with allocation and transfers, too. Dashed: the speed that "
        "the rate of a copy in the same file gives. Hollow bars are published by others.",
        styles.speed,
    ),
    Figure(
        "himeno-iterations",
        "Himeno, iteration by iteration",
        ("himeno",),
        "Time of every iteration, a line a trial: the first may fault pages in, later ones may run "
        "while pages migrate. From the 60th on the line is the median of a few percent of the "
        "axis, and the band their range.",
        iterations.iterations,
    ),
    Figure(
        "himeno-time",
        "Himeno: where the time goes",
        ("himeno",),
        "Seconds of one run from allocation to release, without the initial data: outside the loop "
        "in warm colours, iterations in blue; what they wait for the halo is taken out of them.",
        spending.spent,
    ),
    Figure(
        "himeno-gpus",
        "Himeno on several GPUs or CPU ranks",
        ("himeno",),
        "GFLOPS by implementation and number of ranks (a GPU has one; numbers in brackets are "
        "those of Doi 2016). Solid: the loop, first iteration included, as figures 2 to 5 there. "
        "Pale, and the number: an iteration of the steady state. The tick is perfect scaling of "
        "the bar's own steady speed on one GPU, which has no halo and stands beside each way.",
        scaling.several,
    ),
    Figure(
        "himeno-effort",
        "Himeno: effort beside speed",
        ("himeno",),
        "Statements that manage memory, counted from the sources, against GFLOPS of the fastest "
        "program of each style. Filled: the whole run, with allocation and transfers. Hollow: an "
        "iteration of the steady state.",
        productivity.effort_and_speed,
    ),
    Figure(
        "gemm",
        "Matrix product larger than memory",
        ("gemm",),
        "Seconds of C = alpha A B + beta C over the edge of a tile, a line for each way of moving "
        "tiles. The floors below: all bytes read and written at the rate of the store, and all "
        "flops at the rate of the BLAS, each measured in the same trials. A run that overlaps "
        "everything lies on the higher one.",
        gemm.over_tile,
    ),
    Figure(
        "published",
        "Beside published values",
        (),
        "Filled: this run. Hollow diamonds: published by others, with the source; a bar where a "
        "range was given. Ticks: theoretical. Published values are not mixed with ours.",
        costs.beside,
    ),
)


def draw(cases: Sequence[Measured]) -> list[Drawing]:
    """Every figure for which there is something to draw, in the order of the table."""
    found = []
    for figure in FIGURES:
        drawn = figure.draw(cases)
        for i, (heading, chart, shown) in enumerate(drawn):
            name = figure.name if len(drawn) == 1 else f"{figure.name}-{i + 1}"
            found.append(Drawing(name, figure, heading, chart, shown))
    return found


__all__ = ["FIGURES", "Drawing", "Figure", "draw"]
