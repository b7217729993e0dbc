"""The cost of a shared counter: for threads of one processor, and for both processors at once."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from watari.case.sentence import Bar, Sentence, bar, within
from watari.cases.atomic.case import workers
from watari.cases.atomic.words import MILLION, rates
from watari.common.library import own_memory
from watari.common.units import format_count
from watari.results.measured import Measured
from watari.results.statistics import interval

CLEARLY = 1.5  # times slower: a reason to change the program


def rate(m: Measured) -> str:
    """`30M`: updates a second."""
    return format_count(median(rates(m)) * MILLION)


def threads(m: Measured) -> int:
    """Threads of all processors that update."""
    return workers(m.parameters)


def many(count: int) -> str:
    """`1 thread`, `256 threads`."""
    return f"{count} thread{'s'[: count != 1]}"


def per_second(low: float, high: float) -> str:
    """A range of millions of updates a second: `29M–31M updates/s`."""
    return f"{format_count(low * MILLION)}–{format_count(high * MILLION)} updates/s"


def most(cases: Sequence[Measured], contention: str) -> Measured | None:
    """The case with most threads, then most updates, then most trials."""
    return max(
        (m for m in cases if m["contention"] == contention),
        key=lambda m: (threads(m), int(m["updates"]), len(m.trials)),
        default=None,
    )


def apart(cases: Sequence[Measured]) -> tuple[Measured, str, Bar | None] | None:
    """Compares one shared counter with one counter a thread, for the same number of threads; on the
    GPU if both ran there."""
    alone = [m for m in cases if not m["together"]]
    for who in dict.fromkeys(sorted((m["processor"] for m in alone), key=lambda p: p == "cpu")):
        own = [m for m in alone if m["processor"] == who and m["memory"] == own_memory(who)]
        counts = [{threads(m) for m in own if m["contention"] == c} for c in ("counter", "none")]
        same = max(counts[0] & counts[1], default=0)
        own = [m for m in own if threads(m) == same]
        shared, each = most(own, "counter"), most(own, "none")
        if not shared or not each:
            continue
        of = f"{many(same)} of the {who.upper()}"
        if median(rates(each)) > CLEARLY * median(rates(shared)):
            text = (
                f"a counter for each thread, added up at the end: {of} then make {rate(each)} "
                f"updates a second, and {rate(shared)} with one counter for all."
            )
        else:
            text = (
                f"one counter for all costs little: {of} make {rate(shared)} updates a second of "
                f"it, and {rate(each)} with a counter each."
            )
        beside = bar(
            median(rates(shared)),
            median(rates(each)),
            f"the rate with a counter each, {rate(each)}",
        )
        return shared, text, beside
    return None


def both(cases: Sequence[Measured]) -> tuple[Measured, str] | None:
    """Both processors at once on one counter, the fastest memory first."""
    together = [m for m in cases if m["together"] and m["contention"] == "counter"]
    found = [most([m for m in together if m["memory"] == k], "counter") for k in kinds(together)]
    ordered = sorted((m for m in found if m), key=lambda m: -median(rates(m)))
    if not ordered:
        return None
    places = ", ".join(f"{rate(m)} times a second in {m['memory']} memory" for m in ordered)
    counts = sorted(map(threads, ordered))
    of = " to ".join(dict.fromkeys(map(many, (counts[0], counts[-1]))))
    return ordered[0], f"Both processors at once, with {of}, update one counter {places}."


def kinds(cases: Sequence[Measured]) -> list[str]:
    """Memories of the counters."""
    return list(dict.fromkeys(str(m["memory"]) for m in cases))


def answer(cases: Sequence[Measured]) -> list[Sentence]:
    """Advice on counters for threads of one processor, and the rates of both at once."""
    counted = [
        m for m in cases if m.case == "atomic" and m.drawn and not m.flagged and m.bytes_per_sample
    ]
    alone, together = apart(counted), both(counted)
    first = alone or together
    if not first:
        return []
    levels = rates(first[0])
    sure = within(interval(levels), levels, per_second)
    crossover = together[1] if alone and together else ""
    figure = f"{rate(first[0])} updates/s"
    beside = alone[2] if alone else None
    return [Sentence("counters", first[1], figure, sure, crossover, bar=beside)]
