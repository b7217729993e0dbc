"""Case latency in words, and in nanoseconds."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from watari.case.axes import line_bytes, page_words
from watari.case.axis import Parameters
from watari.case.presentation import Presentation, in_numbers, spread_of
from watari.cases.latency.case import POINTER
from watari.common.units import format_rate, format_size
from watari.results import statistics
from watari.results.measured import Measured

NS = 1e9
SAYS = "The time of a load: the median over trials, and the spread from trial to trial."


def special(parameters: Parameters) -> str:
    """Unusual values in words: pages, stride."""
    stride = parameters["stride"]
    parts = [
        page_words(parameters),
        "" if stride == line_bytes(parameters["processor"]) else f"stride {format_size(stride)}",
    ]
    return ", ".join(part for part in parts if part)


def words(case: str, parameters: Parameters) -> str:
    """`pinned memory, one thread of GPU, stride 256 B`."""
    who = f"{parameters['memory']} memory, one thread of {parameters['processor'].upper()}"
    return ", ".join(part for part in (who, special(parameters)) if part)


def nanoseconds(seconds: float, size: int) -> float:
    """Nanoseconds of a load, in a sample that loads `size` bytes of pointers."""
    return seconds * POINTER / size * NS


def latencies(m: Measured) -> list[float]:
    """Nanoseconds of a step, the median of each trial."""
    steps = m.bytes_per_sample / POINTER
    return [median(statistics.seconds(trial)) / steps * NS for trial in m.trials]


def columns(m: Measured, cases: Sequence[Measured]) -> dict[str, str]:
    """Nanoseconds, and their spread from trial to trial."""
    found = latencies(m) if m.bytes_per_sample else []
    shown = f"{format_rate(median(found))} ns" if found else ""  # three digits
    return {"median": shown, "spread": spread_of(found)}


def row(m: Measured, cases: Sequence[Measured]) -> dict[str, str]:
    """Nanoseconds of a case that ran: the page's own table has bytes over time."""
    shown = columns(m, cases)
    return {
        "Case": words(m.case, m.parameters),
        "Size": format_size(m["size"]),
        "A load": shown["median"],
        "Spread": shown["spread"],
    }


PRESENTATION = Presentation(
    words=words,
    unit="ns",
    value=nanoseconds,
    columns=columns,
    tables=in_numbers("latency", "Latency in numbers", SAYS, row, "latency"),
    plain=lambda m: not special(m.parameters),
    figures="watari.cases.latency.figures",
    answer="watari.cases.latency.answer",
)
