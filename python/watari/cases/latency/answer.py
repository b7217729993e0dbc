"""The cost of a chain of dependent loads: caches against memory."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from watari.case.sentence import Sentence, nanoseconds, within
from watari.cases.latency.words import latencies, special
from watari.common.units import format_rate, format_size
from watari.results.measured import Measured
from watari.results.statistics import interval


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
    text = (
        f"arrays that fit a cache. A load by the {who.upper()} takes {format_rate(near)} ns in "
        f"{format_size(first['size'])}, {format_rate(far)} ns in {format_size(last['size'])}."
    )
    beyond = [int(m["size"]) for m in ordered if median(latencies(m)) > far / 2]
    crossover = f"From {format_size(min(beyond))} on a load takes more than half of that."
    levels = latencies(last)
    sure = within(interval(levels), levels, nanoseconds)
    return [Sentence("steps", text, f"{format_rate(far)} ns", sure, crossover)]
