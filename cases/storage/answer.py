"""Advice on data larger than memory: the rate of a disk, by size of request."""

from __future__ import annotations

from collections.abc import Sequence

from watari.case.sentence import Sentence, bar, confidence, span
from watari.common.units import format_size, format_speed
from watari.results.measured import Measured


def on_disk(m: Measured) -> bool:
    """Whether a case has reads that a disk serves."""
    return (
        (m.case, m["store"], m["direction"], m["fault"]) == ("storage", "file", "read", "none")
        and m["cache"] != "warm"
        and m.drawn
        and not m.flagged
        and bool(m.bytes_per_sample)
    )


def answer(cases: Sequence[Measured]) -> list[Sentence]:
    """The fastest reads from files, and the requests too small for half of their rate."""
    reads = [m for m in cases if on_disk(m)]
    if not reads:
        return []
    first = max(reads, key=lambda m: m.median)
    figure, block = format_speed(first.median), int(first["block"])
    where = "GPU memory" if first["processor"] != "cpu" else "CPU memory"
    text = (
        f"files on this disk, read into {where} by engine {first['engine']} in "
        f"{first['pattern']} requests of {format_size(block)}: {figure}"
    )
    smallest = min(int(m["block"]) for m in reads)
    small = max((m for m in reads if m["block"] == smallest), key=lambda m: m.median)
    if smallest < block:
        text += f"; requests of {format_size(smallest)} reach {format_speed(small.median)} "
        text += f"(engine {small['engine']})"
    blocks = {int(m["block"]) for m in reads}
    half = min(int(m["block"]) for m in reads if m.median >= first.median / 2)
    below = [size for size in blocks if size < half]
    crossover = f"Requests of {span(below)} reach less than half of the best rate." if below else ""
    sizes = f"requests of {span(blocks)}"
    beside = (
        bar(small.median, first.median, f"it: requests of {format_size(smallest)}")
        if smallest < block
        else None
    )
    return [Sentence("files", f"{text}.", figure, confidence(first), crossover, sizes, beside)]
