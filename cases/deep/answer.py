"""Whether a tree of pointers should be copied for a GPU, or lie in memory of both processors."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from watari.case.sentence import Sentence, bar, within
from watari.cases.deep.case import nodes
from watari.cases.deep.styles import STYLES
from watari.cases.deep.words import whole
from watari.common.units import format_duration, format_size
from watari.results.measured import Measured
from watari.results.statistics import interval


def seconds(m: Measured) -> float:
    """Seconds of the whole program: the median over trials."""
    return median(whole(m))


def durations(low: float, high: float) -> str:
    """A range of times: `0.2 s–0.3 s`."""
    return f"{format_duration(low)}–{format_duration(high)}"


def many(m: Measured) -> str:
    """`1023 nodes`."""
    count = nodes(m.parameters)
    return f"{count} node{'' if count == 1 else 's'}"


def listed(words: Sequence[str]) -> str:
    """`1 node, 15 nodes and 255 nodes`."""
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def compared(cases: Sequence[Measured]) -> list[list[Measured]]:
    """Cases of a GPU with the same data and passes, in styles that copy and that do not: a list
    for each number of nodes, most nodes last. The fastest style comes first in each list."""
    same: dict[tuple[object, ...], list[Measured]] = {}
    for m in cases:
        if m.case == "deep" and m["processor"] != "cpu" and m.drawn and not m.flagged:
            key = (m.run, m["processor"], m["size"], m["samples"])
            same.setdefault(key, []).append(m)
    found = [by_depth(group) for group in same.values()]
    return max(found, key=lambda rows: sum(map(len, rows)), default=[])


def by_depth(cases: Sequence[Measured]) -> list[list[Measured]]:
    """Cases of each depth in ascending order, where some copy and some do not."""
    depths = sorted({int(m["depth"]) for m in cases})
    rows = [sorted((m for m in cases if m["depth"] == d), key=seconds) for d in depths]
    return [row for row in rows if len(set(map(copies, row))) == 2]


def copies(m: Measured) -> bool:
    """Whether the style has a second tree in GPU memory."""
    return len(STYLES[m["style"]].kinds("gpu")) > 1


def answer(cases: Sequence[Measured]) -> list[Sentence]:
    """The fastest style of the tree with most nodes, and the trees for which another is faster."""
    rows = compared(cases)
    if not rows:
        return []
    *fewer, (first, *rest) = rows
    others = ", ".join(f"{m['style']} {format_duration(seconds(m))}" for m in rest)
    text = (
        f"style {first['style']}: a program with {many(first)} of {format_size(first['size'])} in "
        f"all and {first['samples']} passes of the GPU takes {format_duration(seconds(first))} "
        f"({others})."
    )
    faster: dict[str, list[str]] = {}
    for row in fewer:
        if row[0]["style"] != first["style"]:
            faster.setdefault(row[0]["style"], []).append(many(row[0]))
    crossover = " ".join(
        f"With {listed(trees)} style {style} is faster." for style, trees in faster.items()
    )
    levels = whole(first)
    sure = within(interval(levels), levels, durations)
    last = rest[-1]
    beside = bar(seconds(first), seconds(last), f"the time of style {last['style']}")
    figure = format_duration(seconds(first))
    return [Sentence("tree", text, figure, sure, crossover, bar=beside)]
