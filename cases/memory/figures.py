"""The figures of memory paths, in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from watari.cases.memory import costs, maps, paths, series
from watari.cases.memory.words import plain
from watari.charts.figure import Drawn, Figure
from watari.results.measured import Measured


def single(
    function: Callable[[Sequence[Measured]], Any], select: Callable[[Measured], bool]
) -> Callable[[Sequence[Measured]], Drawn]:
    """A figure of one chart, from the cases that it is made of."""

    def draw(cases: Sequence[Measured]) -> Drawn:
        chart = function(cases)
        return [("", chart, [m for m in cases if m.case == "copy" and select(m)])] if chart else []

    return draw


FIGURES = (
    Figure(
        "paths",
        "From memory to memory",
        ("copy", "access"),
        "Median rate of a copy, GB/s, at the largest array of each path. Rows are read, columns "
        "written; each means of copying has a matrix. A copy within one memory counts each byte "
        "twice (read and written), a copy between two memories once. An empty cell was not "
        "measured; n/a: this means cannot copy there. A memory that this machine lacks has no "
        "row.",
        single(paths.matrix, plain),
        group="Memory",
    ),
    Figure(
        "sizes",
        "Bandwidth over size",
        ("copy",),
        "Each point is the median over trials, the band their range. The colour is the memory "
        "other than the GPU's own; dashed lines are writes. Small arrays show the cost of "
        "starting a copy, and the speed of caches.",
        single(paths.over_size, plain),
        group="Memory",
        over=("size",),
    ),
    Figure(
        "streams",
        "Several streams at once",
        ("copy",),
        "The same array shared by several CUDA streams.",
        single(paths.over_streams, paths.one_way),
        group="Memory",
        folded=True,
        over=("streams",),
    ),
    Figure(
        "copies",
        "Copies that are not steady",
        ("copy",),
        "Every sample of every trial, in order; a line is a trial. The figure has the copies "
        "whose first samples, or whose trials, differ by more than a tenth from the rest.",
        series.unsteady_copies,
        group="Memory",
    ),
    Figure(
        "copies-all",
        "All series of copies",
        ("copy",),
        "Every sample of every trial, in order; a line is a trial (as figures 5.1 to 5.4 of "
        "Yoshida 2024).",
        series.copies,
        group="Memory",
        folded=True,
    ),
    Figure(
        "patterns",
        "Access patterns",
        ("access",),
        "One processor reads a source and writes a destination. Each lies in host memory (HM) or "
        "device memory (DM), by first touch. Explicit: no page is shared. HM is pinned memory, DM "
        "the GPU's own, and the program copies between them. Hollow: the first sample, in which "
        "pages may move. Filled: the settled rate, the median of the last quarter. Every byte "
        "counts as read and written.",
        costs.patterns,
        group="Memory",
    ),
    Figure(
        "access",
        "All series of access patterns",
        ("access",),
        "Every sample of every trial; the CPU's four patterns, then the GPU's (as figures 5.5 "
        "and 5.6 of Yoshida 2024).",
        series.access,
        group="Memory",
        folded=True,
    ),
    Figure(
        "migration",
        "Migration",
        ("migration",),
        "The CPU touches the source first, the GPU the destination. Then GPU, CPU and GPU in turn "
        "run the copy. Above: bandwidth. Below: the part of each array (dashed: the destination) "
        "that the CPU has no longer mapped, as the operating system reports after each sample. A "
        "triangle marks the sample from which a phase is settled, in the middle one of the "
        "trials.",
        series.migration,
        group="Memory",
    ),
    Figure(
        "residency",
        "Where each part of an array lies",
        ("migration",),
        "One trial with `map=N`: samples to the right, addresses of the array upwards. The colour "
        "is the share of each part that the CPU has mapped after a sample, as the operating "
        "system reports it. Dark: the part has moved to the GPU.",
        maps.residency,
        group="Memory",
    ),
    Figure(
        "touch",
        "First touch, prefetch and faults",
        ("touch",),
        "The cost of the first access to fresh or moved memory, median over trials. Hollow: the "
        "same pass again, with no page left to move.",
        costs.touch,
        group="Memory",
    ),
)
