"""Numbers of case `gemm` from its trials: seconds, flops per second, bytes per second, and time
over the floor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from watari.common.units import format_flops

COLUMNS = ("seconds", "speed", "GB/s", "x floor")


@dataclass(frozen=True)
class Speed:
    """A case in numbers, each the median over trials."""

    seconds: float  # of one whole product
    flops_per_s: float
    bytes_per_s: float  # read and written
    floor: float | None  # s: the store's time or the arithmetic's, whichever is longer
    store_floor: float | None  # s: all bytes at the rate of the store in the same trial
    blas_floor: float | None  # s: all flops at the rate of the BLAS in the same trial

    @property
    def over_floor(self) -> float | None:
        """Time over the floor: 1 where everything overlaps."""
        return self.seconds / self.floor if self.floor else None


def speed(flops: int, trials: Sequence[Mapping[str, Any]]) -> Speed:
    """The numbers of successful trials."""

    def middle(name: str) -> float | None:
        values = [t["quantities"][name]["value"] for t in trials if name in t["quantities"]]
        return float(median(values)) if values else None

    seconds = float(median(median(t["host_s"]) for t in trials))
    size = sum(middle(name) or 0.0 for name in ("bytes_read", "bytes_written"))
    return Speed(
        seconds=seconds,
        flops_per_s=flops / seconds,
        bytes_per_s=size / seconds,
        floor=middle("floor_s"),
        store_floor=middle("store_floor_s"),
        blas_floor=middle("blas_floor_s"),
    )


def columns(flops: int, trials: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """The numbers of successful trials as text, by column of a table."""
    if not trials:
        return dict.fromkeys(COLUMNS, "")
    numbers = speed(flops, trials)
    over = f"{numbers.over_floor:.3g}" if numbers.over_floor else "unknown"
    rate = f"{numbers.bytes_per_s / 1e9:.3g}"
    texts = (f"{numbers.seconds:.3g}", format_flops(numbers.flops_per_s), rate, over)
    return dict(zip(COLUMNS, texts, strict=True))


def speed_text(numbers: Speed) -> str:
    """In one line: `48.1 TFLOPS, 31.2 GB/s, 1.08 x floor`."""
    parts = [format_flops(numbers.flops_per_s), f"{numbers.bytes_per_s / 1e9:.3g} GB/s"]
    if numbers.over_floor:
        parts.append(f"{numbers.over_floor:.3g} x floor")
    return ", ".join(parts)
