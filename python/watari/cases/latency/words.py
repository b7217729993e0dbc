"""Case latency in words, and in nanoseconds."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from watari.case.axis import Parameters
from watari.case.presentation import Presentation, spread_of
from watari.cases.latency.case import POINTER
from watari.cases.latency.sizes import line
from watari.common.units import format_rate, format_size
from watari.results import statistics
from watari.results.measured import Measured

NS = 1e9


def special(parameters: Parameters) -> str:
    """What is not as usual: huge pages, stride."""
    thp, stride = parameters["thp"], parameters["stride"]
    parts = [
        "" if thp == "default" else f"huge pages {thp}",
        "" if stride == line(parameters) else f"stride {format_size(stride)}",
    ]
    return ", ".join(part for part in parts if part)


def words(case: str, parameters: Parameters) -> str:
    """`pinned memory, one thread of GPU, stride 256 B`."""
    who = f"{parameters['memory']} memory, one thread of {parameters['processor'].upper()}"
    return ", ".join(part for part in (who, special(parameters)) if part)


def latencies(m: Measured) -> list[float]:
    """Nanoseconds of a step, the median of each trial."""
    steps = m.bytes_per_sample / POINTER
    return [median(statistics.seconds(trial)) / steps * NS for trial in m.trials]


def columns(m: Measured, cases: Sequence[Measured]) -> dict[str, str]:
    """Nanoseconds, and their spread from trial to trial."""
    found = latencies(m) if m.bytes_per_sample else []
    told = f"{format_rate(median(found))} ns" if found else ""  # three digits
    return {"median": told, "spread": spread_of(found)}


PRESENTATION = Presentation(
    words=words,
    columns=columns,
    plain=lambda m: not special(m.parameters),
    figures="watari.cases.latency.figures",
)
