"""Case atomic in words, and in updates a second."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from watari.case.axis import Parameters
from watari.case.presentation import Presentation, in_numbers, spread_of
from watari.cases.atomic.case import COUNTER, bins
from watari.common.library import own_memory
from watari.common.units import format_count
from watari.results import statistics
from watari.results.measured import Measured

SAYS = (
    "Updates a second, medians over trials. With both processors at once, a sample ends when the "
    "slower one has made its updates; the rate of each, by its own clock, stands beside it."
)
MILLION = 1e6


def spread_words(p: Parameters) -> str:
    """`one counter`, `256 bins`, `a counter each`."""
    many = bins(p)
    return {
        "counter": "one counter",
        "histogram": f"{many} bin{'' if many == 1 else 's'}",
        "none": "a counter each",
    }[p["contention"]]


def special(p: Parameters) -> str:
    """Unusual values in words: both processors at once, memory that is not the processor's own."""
    parts = [
        "with the CPU at once" if p["together"] else "",
        "" if p["memory"] == own_memory(p["processor"]) else f"{p['memory']} memory",
    ]
    return ", ".join(part for part in parts if part)


def words(case: str, p: Parameters) -> str:
    """`GPU adds to one counter, with the CPU at once, managed memory`."""
    text = f"{p['processor'].upper()} adds to {spread_words(p)}"
    return ", ".join(part for part in (text, special(p)) if part)


def rates(m: Measured) -> list[float]:
    """Millions of updates a second, the median of each trial."""
    made = m.bytes_per_sample / COUNTER
    return [made / median(statistics.seconds(trial)) / MILLION for trial in m.trials]


def rate_of(m: Measured, processor: str) -> str:
    """Updates a second of a processor's half, by its own clock; empty if it ran alone."""
    series = f"{processor}_s"
    found = [median(t["series"][series]) for t in m.trials if series in (t.get("series") or {})]
    return format_count(m.bytes_per_sample / COUNTER / 2 / median(found)) if found else ""


def million(seconds: float, size: int) -> float:
    """Millions of updates a second of a sample with so many bytes of counters."""
    return size / COUNTER / seconds / MILLION


def columns(m: Measured, cases: Sequence[Measured]) -> dict[str, str]:
    """Updates a second, and their spread from trial to trial."""
    found = rates(m) if m.bytes_per_sample else []
    shown = f"{format_count(median(found) * MILLION)} updates/s" if found else ""
    return {"median": shown, "spread": spread_of(found)}


def row(m: Measured, cases: Sequence[Measured]) -> dict[str, str]:
    """Every number of a case that ran, as text."""
    shown = columns(m, cases)
    return {
        "Case": words(m.case, m.parameters),
        "Updates a second": shown["median"].removesuffix(" updates/s"),
        "of the CPU": rate_of(m, "cpu"),
        "of the GPU": rate_of(m, "gpu"),
        "Spread": shown["spread"],
    }


PRESENTATION = Presentation(
    words=words,
    extent=lambda p: f"{format_count(p['updates'])} updates",
    columns=columns,
    unit="million/s",
    value=million,
    tables=in_numbers("atomic", "Shared counters in numbers", SAYS, row, "atomic"),
    plain=lambda m: not special(m.parameters),
    figures="watari.cases.atomic.figures",
    answer="watari.cases.atomic.answer",
)
