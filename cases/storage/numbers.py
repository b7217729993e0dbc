"""Speed of case `storage` in the numbers that users of fio know.

Each number is the median over trials. CPU time is that of the whole process, threads that serve
queues included; GPU time is that of its kernels or copies.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from watari.cases.storage.trial import PERCENTILES
from watari.common.units import format_count, format_latency, format_rate
from watari.results.measured import Measured

COLUMNS = ("GB/s", "IOPS", "p50", "p99", "p99.9", "CPU s/GB", "GPU s/GB", "direct")


@dataclass(frozen=True)
class Speed:
    """One case in numbers."""

    requests_per_s: float | None  # None where a trial does not report it, as below
    latencies: dict[str, float | None]  # s, by PERCENTILES
    cpu_cost: float | None  # s/GB
    gpu_cost: float | None  # s/GB; None where no GPU took part, or its time is not known
    direct: bool | None  # past the page cache, checked, in every trial; None without files


def speed(trials: Sequence[Mapping[str, Any]]) -> Speed:
    """The numbers of successful trials."""

    def middle(name: str) -> float | None:
        values = [t["quantities"][name]["value"] for t in trials if name in t["quantities"]]
        return float(median(values)) if len(values) == len(trials) else None

    least = [t["quantities"].get("direct", {}).get("value") for t in trials]
    return Speed(
        requests_per_s=middle("requests_per_s"),
        latencies={name: middle(f"latency_{name}") for name in PERCENTILES},
        cpu_cost=middle("cpu_s_per_GB"),
        gpu_cost=middle("gpu_s_per_GB"),
        direct=None if None in least else all(value == 1 for value in least),
    )


def columns(m: Measured) -> dict[str, str]:
    """The case's numbers as text, by COLUMNS; `n/a` is the GPU time of a CPU, and direct I/O
    without files."""
    if not m.drawn:
        return dict.fromkeys(COLUMNS, "")
    numbers = speed(m.trials)
    gpu, without = numbers.gpu_cost, "n/a" if m["processor"] == "cpu" else "unknown"
    texts = [
        format_rate(m.median),
        formatted(numbers.requests_per_s, format_count),
        *(formatted(latency, format_latency) for latency in numbers.latencies.values()),
        formatted(numbers.cpu_cost, "{:.3g}".format),
        without if gpu is None else f"{gpu:.3g}",
        {True: "yes", False: "no", None: "n/a"}[numbers.direct],
    ]
    return dict(zip(COLUMNS, texts, strict=True))


def model_error(m: Measured) -> dict[str, str]:
    """The error of the measured model of an SSD that a case ran on, in a column."""
    names = ("model_latency_median", "model_iops_median")
    if not m.drawn or any(name not in trial["quantities"] for trial in m.trials for name in names):
        return {}
    latency, rate = (m.trials[0]["quantities"][name]["value"] for name in names)
    return {"error of the model": f"latency {latency:.1%}, IOPS {rate:.1%}"}


def formatted(number: float | None, text: Callable[[float], str]) -> str:
    """A number as text; `unknown` for None."""
    return "unknown" if number is None else text(number)
