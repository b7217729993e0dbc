"""The cost of a chain of dependent loads: caches against memory."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from watari.case import limits
from watari.case.sentence import Sentence, arrays, bar, nanoseconds, span, within
from watari.cases.latency.words import latencies, special
from watari.common.units import format_rate, format_size
from watari.results.measured import Measured
from watari.results.statistics import interval

CLEARLY = 1.5  # times slower: a reason to prefer small arrays


def answer(cases: Sequence[Measured]) -> list[Sentence]:
    """Latency of the smallest and the largest array, by the processor with most cases, in its usual
    memory."""
    plain = [
        m
        for m in cases
        if m.case == "latency"
        and m.drawn
        and m.bytes_per_sample
        and (m["memory"] in ("pageable", "device"))
        and not special(m.parameters)
    ]
    if len({m["size"] for m in plain}) < 2:
        return []
    who = max(("cpu", "gpu"), key=lambda p: sum(m["processor"] == p for m in plain))
    ordered = sorted((m for m in plain if m["processor"] == who), key=lambda m: int(m["size"]))
    if len(ordered) < 2:
        return []
    first, last = ordered[0], ordered[-1]
    near, far = (median(latencies(m)) for m in (first, last))
    measured = arrays(int(m["size"]) for m in ordered)
    place = f"{measured} alike"
    if far > CLEARLY * near:
        cached = int(first["size"]) <= limits.cache_bytes(first.machine, who)
        place = "arrays that fit a cache" if cached else "smaller arrays"
    text = (
        f"{place}. A load by the {who.upper()} takes {format_rate(near)} ns in "
        f"{format_size(first['size'])}, {format_rate(far)} ns in {format_size(last['size'])}."
    )
    quick = [int(m["size"]) for m in ordered if median(latencies(m)) <= far / 2]
    slow = [int(m["size"]) for m in ordered if m["size"] > max(quick, default=0)]
    crossover = (
        f"In {span(slow)} a load takes more than half of the longer time." if quick and slow else ""
    )
    levels = latencies(last)
    sure = within(interval(levels), levels, nanoseconds)
    beside = bar(near, far, f"it: a load in {format_size(first['size'])}")
    return [Sentence("steps", text, f"{format_rate(far)} ns", sure, crossover, measured, beside)]
