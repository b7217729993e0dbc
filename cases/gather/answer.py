"""The cost of an element that lies apart from the others, beside a line and a page."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from watari.case.axes import line_bytes
from watari.case.sentence import Sentence, arrays, bar, nanoseconds, span, within
from watari.cases.gather.axes import elements
from watari.cases.gather.words import LINE, special
from watari.cases.notes import within_cache
from watari.cases.passes import pass_seconds, passes
from watari.common.library import own_memory
from watari.common.units import format_rate, format_size
from watari.results.measured import Measured
from watari.results.statistics import interval

NS = 1e9
ByElement = dict[int, Measured]


def each(m: Measured) -> float:
    """Nanoseconds of a pass by all threads, divided by its elements."""
    return pass_seconds(m) / elements(m.parameters) * NS


def at_random(m: Measured) -> bool:
    """Whether a case gathers at random, with no unusual value of another axis."""
    return (
        m.case == "gather"
        and m.drawn
        and not m.flagged
        and bool(m.bytes_per_sample)
        and m["pattern"] == "random"
        and not special(m.parameters)
    )


def compared(cases: Sequence[Measured]) -> ByElement:
    """Cases that differ in the size of an element alone, with sizes below and from a line on. Of
    several such sets: a GPU's, then in the processor's own memory, then with most sizes, then with
    the largest array."""
    same: dict[tuple[object, ...], ByElement] = {}
    for m in filter(at_random, cases):
        key = (m["processor"], m["memory"], m["size"], m["threads"], m.run)
        same.setdefault(key, {})[int(m["element"])] = m

    def weight(found: ByElement) -> tuple[bool, bool, int, int]:
        m = next(iter(found.values()))
        own = m["memory"] == own_memory(m["processor"])
        return m["processor"] != "cpu", own, len(found), int(m["size"])

    fitting = [
        found
        for (processor, *_), found in same.items()
        if min(found) < line_bytes(str(processor)) <= max(found)
    ]
    return max(fitting, key=weight, default={})


def answer(cases: Sequence[Measured]) -> list[Sentence]:
    """The cost of the smallest element, of one of a line and of the largest; the sizes
    that do not reach half of the best rate."""
    found = compared(cases)
    if not found:
        return []
    small, *more = (found[size] for size in sorted(found))
    line = next(m for m in more if m["element"] >= LINE["cpu"])
    shown = [line, more[-1]] if line is not more[-1] else [line]
    others = ", ".join(f"of {format_size(m['element'])} {format_rate(each(m))} ns" for m in shown)
    figure = f"{format_rate(each(small))} ns"
    cached = " within the caches" if within_cache(small) else ""
    text = (
        f"elements of {format_size(small['element'])} at random in {small['memory']} memory"
        f"{cached} cost the {small['processor'].upper()} {figure} each; elements {others}."
    )
    rates = {size: size / each(m) for size, m in found.items()}
    half = min(size for size, rate in rates.items() if rate >= max(rates.values()) / 2)
    largest = max(rates, key=lambda size: rates[size])
    below = [size for size in rates if size < half]
    crossover = (
        f"Elements of {span(below)} reach less than half of the rate of {format_size(largest)}."
        if below
        else ""
    )
    levels = [median(p) / elements(small.parameters) * NS for p in passes(small)]
    sure = within(interval(levels), levels, nanoseconds)
    beside = bar(each(small), each(more[-1]), f"the cost of {format_size(more[-1]['element'])}")
    sizes = arrays([int(small["size"])])
    return [Sentence("apart", text, figure, sure, crossover, sizes, beside)]
