"""Case latency in words, and in nanoseconds."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from watari.case.axis import Parameters
from watari.case.presentation import Presentation, Table, spread_of
from watari.cases.latency.case import POINTER
from watari.cases.latency.sizes import line
from watari.common.units import format_rate, format_size
from watari.results import statistics
from watari.results.measured import Measured

NS = 1e9
SAYS = "Median over trials of the time of a load, and its spread from trial to trial."


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


def nanoseconds(seconds: float, size: int) -> float:
    """Of a load, in a sample that loads so many bytes of pointers."""
    return seconds * POINTER / size * NS


def latencies(m: Measured) -> list[float]:
    """Nanoseconds of a step, the median of each trial."""
    steps = m.bytes_per_sample / POINTER
    return [median(statistics.seconds(trial)) / steps * NS for trial in m.trials]


def columns(m: Measured, cases: Sequence[Measured]) -> dict[str, str]:
    """Nanoseconds, and their spread from trial to trial."""
    found = latencies(m) if m.bytes_per_sample else []
    told = f"{format_rate(median(found))} ns" if found else ""  # three digits
    return {"median": told, "spread": spread_of(found)}


def tables(cases: Sequence[Measured]) -> list[Table]:
    """Nanoseconds of every case that ran: the page's own table has bytes over time."""
    drawn = [m for m in cases if m.case == "latency" and m.drawn]
    rows = []
    for m in drawn:
        told = columns(m, cases)
        case, size = words(m.case, m.parameters), format_size(m["size"])
        numbers = {"A load": told["median"], "Spread": told["spread"]}
        rows.append({"run": m.run, "Case": case, "Size": size, **numbers})
    names = ("Case", "Size", "A load", "Spread")
    return [Table("latency", "Latency in numbers", SAYS, names, rows, "latency")] if rows else []


PRESENTATION = Presentation(
    words=words,
    unit="ns",
    value=nanoseconds,
    columns=columns,
    tables=tables,
    plain=lambda m: not special(m.parameters),
    figures="watari.cases.latency.figures",
    answer="watari.cases.latency.answer",
)
