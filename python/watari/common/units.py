"""Sizes, rates and times as people read them: the only module that formats them."""

from __future__ import annotations

BINARY = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
DECIMAL = {"K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}


def exact_size(size: int) -> str:
    """The shortest exact text that parse_size reads back."""
    units = [(f"{p}iB", scale) for p, scale in BINARY.items() if p]
    units += [(f"{p}B", scale) for p, scale in DECIMAL.items()]
    texts = [f"{size // scale}{suffix}" for suffix, scale in units if size % scale == 0]
    return min([*texts, str(size)], key=len)


def format_size(number: int) -> str:
    """A size for people, exact where it is round in one system: `4 GB`, `64 KiB`, `1.07 GB`."""
    if number < 1024:
        return f"{number} B"
    for base, suffix in ((1024, "iB"), (1000, "B")):
        for power, prefix in enumerate("KMGT", start=1):
            count, rest = divmod(number, base**power)
            if rest == 0 and 0 < count < base:
                return f"{count} {prefix}{suffix}"
    return f"{number / 1e9:.3g} GB" if number >= 1e8 else f"{number / 1e6:.3g} MB"


def format_bytes(size: float) -> str:
    """Bytes for people: `3.22 GB`, `41.9 MB`, `1.54 kB`."""
    for unit, name in ((1e15, "PB"), (1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if size >= 0.9995 * unit:  # 999.5 of a unit is 1 of the next one
            return f"{size / unit:.3g} {name}"
    return f"{size:.0f} B"


def format_flops(per_second: float) -> str:
    """Flops per second for people: `98.4 GFLOPS`, `50.1 TFLOPS`."""
    for scale, unit in ((1e12, "TFLOPS"), (1e9, "GFLOPS"), (1e6, "MFLOPS")):
        if per_second >= 0.9995 * scale:
            return f"{per_second / scale:.3g} {unit}"
    return f"{per_second:.3g} FLOPS"


def format_rate(value: float) -> str:
    """A rate in GB/s with three digits: `3980`, `55.3`, `0.52`."""
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def format_times(ratio: float, digits: int = 2) -> str:
    """How many times as much: `1.7`, `98`, `220`; no exponent beyond so many digits."""
    return f"{ratio:.{digits}g}" if ratio < 10**digits - 0.5 else f"{ratio:.0f}"


def format_speed(low: float, high: float | None = None) -> str:
    """A rate of GB/s with the unit that reads best, or a range of it: `4.28 TB/s`, `54–56 GB/s`."""
    ends = (low,) if high is None else (low, high)
    unit, scale = ("TB/s", 1e3) if min(ends) >= 999.5 else ("GB/s", 1.0)
    return f"{'–'.join(f'{end / scale:.3g}' for end in ends)} {unit}"


def format_duration(seconds: float) -> str:
    """A time: `1.2 s`, `0.55 ms`, `under 1 µs`, `130 s`, `3.1 h`, `40 days`."""
    if seconds < 9.95e-7:
        return "under 1 µs"
    for below, scale, unit, digits in (
        (9.95e-5, 1e-6, "µs", ".2g"),
        (9.95e-3, 1e-3, "ms", ".2g"),
        (99.5, 1, "s", ".2g"),
        (3 * 3600, 1, "s", ".0f"),
        (3 * 86400, 3600, "h", ".3g"),
    ):
        if seconds < below:
            return f"{seconds / scale:{digits}} {unit}"
    return f"{seconds / 86400:.0f} days"


def format_count(number: float) -> str:
    """Requests per second for people: `71.5k`, `11.1M`."""
    for scale, suffix in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= scale:
            return f"{number / scale:.3g}{suffix}"
    return f"{number:.3g}"


def counted(number: int, one: str, many: str) -> str:
    """`1 kernel`, `2 kernels`."""
    return f"{format_count(number)} {one if number == 1 else many}"


def format_latency(seconds: float) -> str:
    """A latency for people: `64 µs`, `1.2 ms`, `0.31 s`."""
    for scale, unit in ((1.0, "s"), (1e-3, "ms")):
        if seconds >= 0.9995 * scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds * 1e6:.3g} µs"
