"""What the trials of case `storage` say of speed, in the numbers that users of fio know.

Each number is the median over trials. CPU time is that of the whole process, threads that serve
queues included; GPU time is what its kernels or copies took.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from watari import view
from watari.storage import PERCENTILES
from watari.view import Measured

COLUMNS = ("GB/s", "IOPS", "p50", "p99", "p99.9", "CPU s/GB", "GPU s/GB", "direct")


@dataclass(frozen=True)
class Speed:
    """One case in numbers."""

    requests_per_s: float
    latencies: dict[str, float]  # s, by PERCENTILES
    cpu_cost: float  # s/GB
    gpu_cost: float | None  # s/GB; None where no GPU took part, or its time cannot be told
    direct: bool | None  # past the page cache, checked, in every trial; None without files


def speed(trials: Sequence[Mapping[str, Any]]) -> Speed:
    """The numbers of trials that went well."""

    def middle(name: str) -> float | None:
        told = [t["quantities"][name]["value"] for t in trials if name in t["quantities"]]
        return float(median(told)) if len(told) == len(trials) else None

    def number(name: str) -> float:
        return middle(name) or 0.0

    least = [t["quantities"].get("direct", {}).get("value") for t in trials]
    return Speed(
        requests_per_s=number("requests_per_s"),
        latencies={name: number(f"latency_{name}") for name in PERCENTILES},
        cpu_cost=number("cpu_s_per_GB"),
        gpu_cost=middle("gpu_s_per_GB"),
        direct=None if None in least else all(value == 1 for value in least),
    )


def columns(m: Measured) -> dict[str, str]:
    """The case's numbers as text, by COLUMNS; `n/a` is the GPU time of a CPU, and direct I/O
    without files."""
    if not m.drawn:
        return dict.fromkeys(COLUMNS, "")
    found = speed(m.trials)
    gpu, without = found.gpu_cost, "n/a" if m["processor"] == "cpu" else "unknown"
    texts = [
        view.rate(m.median),
        count_text(found.requests_per_s),
        *map(time_text, found.latencies.values()),
        f"{found.cpu_cost:.3g}",
        without if gpu is None else f"{gpu:.3g}",
        {True: "yes", False: "no", None: "n/a"}[found.direct],
    ]
    return dict(zip(COLUMNS, texts, strict=True))


def rows(cases: Sequence[Measured]) -> list[dict[str, Any]]:
    """Cases of `storage` for the report, in order."""
    return [
        {"run": m.run, "what": view.words(m.case, m.parameters), "numbers": columns(m)}
        for m in cases
        if m.case == "storage" and m.drawn
    ]


def count_text(number: float) -> str:
    """Requests per second for people: `71.5k`, `11.1M`."""
    for scale, suffix in ((1e6, "M"), (1e3, "k")):
        if number >= scale:
            return f"{number / scale:.3g}{suffix}"
    return f"{number:.3g}"


def time_text(seconds: float) -> str:
    """A latency for people: `64 µs`, `1.2 ms`, `0.31 s`."""
    for scale, unit in ((1.0, "s"), (1e-3, "ms")):
        if seconds >= 0.9995 * scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds * 1e6:.3g} µs"
