"""Case storage: bandwidth and latency over the size of a request, one line an engine.

The medium decides, so each chart has one: files on disk, memory (the store `ram`, or a file that is
in the page cache), or a modelled SSD. If a point was measured with several depths or threads, the
fastest is drawn; its latencies are those at that rate.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

import altair as alt

from watari.cases.storage import disk_figures
from watari.cases.storage.numbers import model_error
from watari.cases.storage.trial import PERCENTILES
from watari.charts import style
from watari.charts.figure import Drawn, Figure
from watari.charts.panels import Look, decades, groups, heading, lines_panel, size_axis
from watari.charts.style import RATE
from watari.common.units import format_size
from watari.results import published
from watari.results.measured import Measured

RATES = Look(RATE, colours=style.ENGINES, width=420)
TIMES = Look(
    "time of a request",
    "datum.value >= 1e6 ? datum.value / 1e6 + ' s' : "
    "datum.value >= 1e3 ? datum.value / 1e3 + ' ms' : datum.value + ' µs'",
    style.ENGINES,
)
TICK = 48  # pixels of a tick's text
MICRO = 1e6
DISK, MEMORY = "files on disk", "memory: store ram, or a file in the page cache"
Row = dict[str, Any]


def medium(m: Measured) -> str:
    """The medium behind the engine: files on disk, memory, or a modelled SSD."""
    if m["store"] == "ram" or (m["store"] == "file" and m["cache"] == "warm"):
        return MEMORY
    if m["store"] == "file":
        return DISK
    error = "".join(f"; its error: {text}" for text in model_error(m).values())
    return f"{m['store'].replace(':', ' ')}{error}"


def line(m: Measured, cases: Sequence[Measured]) -> str:
    """The name of a line: the engine, and other values that distinguish lines of the chart."""
    with_gpu = any(other["processor"] != "cpu" for other in cases if other.drawn)
    parts = [
        m["engine"],
        m["direction"] if m["direction"] == "write" else "",
        "CPU memory" if with_gpu and m["processor"] == "cpu" else "",
        f"{m['files']} {'files' if m['store'] == 'file' else 'SSDs'}" if m["files"] != 1 else "",
        "cold cache" if m["cache"] == "cold" else "",
    ]
    return ", ".join(part for part in parts if part)


def fastest(cases: Sequence[Measured]) -> list[Measured]:
    """One case for each line and block, without faults."""
    names = ("engine", "direction", "processor", "files", "cache", "store", "block")
    alike = groups([m for m in cases if m.drawn and m["fault"] == "none"], *names)
    return [max(same, key=lambda m: m.median) for same in alike.values()]


def row(m: Measured, cases: Sequence[Measured], values: Sequence[float]) -> Row:
    """One point: the median over trials, and their range."""
    return {
        "path": line(m, cases),
        "kind": m["engine"],
        "direction": "written" if m["direction"] == "write" else "read",
        "at": m["block"],
        "size": format_size(m["block"]),
        "rate": float(f"{median(values):.4g}"),
        "low": float(f"{min(values):.4g}"),
        "high": float(f"{max(values):.4g}"),
        "flagged": m.flagged,
    }


def percentile(name: str) -> Callable[[Measured], list[float]]:
    """A function that returns this percentile of each trial, in µs."""
    return lambda m: [MICRO * t["quantities"][f"latency_{name}"]["value"] for t in m.trials]


def timed(m: Measured) -> bool:
    """Whether every trial has timed its requests."""
    names = [f"latency_{name}" for name in PERCENTILES]
    times = [t["quantities"].get(name, {}).get("value", 0) for t in m.trials for name in names]
    return all(value > 0 for value in times)


def axis(cases: Sequence[Measured], look: Look) -> alt.X:
    """Sizes of a request, each twice the one before; as many labels as fit."""
    blocks = sorted({int(m["block"]) for m in cases})
    return size_axis("size of a request", blocks, -(-len(blocks) * TICK // look.width))


def panels(cases: Sequence[Measured]) -> list[tuple[str, list[Measured]]]:
    """The charts of a figure: the drawn cases by run, order of the blocks and medium."""
    chosen = [m for m in cases if m.case == "storage"]
    order = sorted({medium(m) for m in chosen}, key=lambda name: (name != DISK, name != MEMORY))
    charts = []
    for same in groups(chosen, "run", "pattern").values():
        for name in order:
            chart_cases = [m for m in same if medium(m) == name]
            if len({m["block"] for m in fastest(chart_cases)}) > 1:
                title = heading(cases, chart_cases[0].run, f"{chart_cases[0]['pattern']}, {name}")
                charts.append((title, chart_cases))
    return charts


def absent(cases: Sequence[Measured]) -> list[str]:
    """Engines that the machine lacks, with the reason."""
    reasons: dict[str, list[str]] = {}
    drawn = {m["engine"] for m in cases if m.drawn}
    for m in cases:
        if m.status == "unsupported" and m["engine"] not in drawn:
            engines = reasons.setdefault(m.reason, [])
            engines += [] if m["engine"] in engines else [m["engine"]]
    return [f"not here: {' and '.join(engines)} ({why})" for why, engines in reasons.items()]


def ratios(cases: Sequence[Measured]) -> list[str]:
    """Published ratios of one engine over another, beside the same ratio here."""
    known = published.quantities()
    texts = []
    for entry in published.values():
        quantity = known[entry.quantity]
        if not quantity.over:
            continue
        numerator = [m for m in cases if m.drawn and quantity.matches(m.case, m.parameters)]
        other = {**quantity.parameters, **quantity.over}
        denominator = [
            m for m in cases if m.drawn and all(m[n] in allowed(v) for n, v in other.items())
        ]
        if numerator and denominator:
            block = min(m["block"] for m in numerator)
            one, two = (
                max(m.median for m in side if m["block"] == block)
                for side in (numerator, denominator)
            )
            words = f"{quantity.parameters['engine']} over {quantity.over['engine']}"
            theirs = f"{entry.machine}: {entry.text} ({entry.source})"
            texts.append(f"{words} at {format_size(block)}: here {one / two:.3g}; {theirs}")
    return texts


def allowed(wanted: Any) -> list[Any]:
    """The values that a quantity's parameter may have."""
    return wanted if isinstance(wanted, list) else [wanted]


def bandwidth(cases: Sequence[Measured]) -> Drawn:
    """GB/s over the size of a request, a chart for each medium."""
    charts: Drawn = []
    for title, same in panels(cases):
        best = fastest(same)
        points = [row(m, same, m.summary.medians) for m in best]
        domain = decades([p[end] for p in points for end in ("low", "high")])
        chart = lines_panel(points, domain, axis(best, RATES), "", True, RATES)
        if notes := [*absent(same), *ratios(same)]:
            chart.title = alt.TitleParams(notes, fontSize=11, fontWeight="normal")
        charts.append((title, chart, same))
    return charts


def latency(cases: Sequence[Measured]) -> Drawn:
    """Percentiles of the time of a request, in panels side by side with one scale."""
    percentile_charts: Drawn = []
    for title, same in panels(cases):
        best = [m for m in fastest(same) if timed(m)]
        if not best:
            continue
        points = {p: [row(m, same, percentile(p)(m)) for m in best] for p in PERCENTILES}
        every = [r[end] for rows in points.values() for r in rows for end in ("low", "high")]
        domain = decades(every)
        charts = [
            lines_panel(rows, domain, axis(best, TIMES), name, True, TIMES)
            for name, rows in points.items()
        ]
        percentile_charts.append((title, alt.concat(*charts, columns=3), same))
    return percentile_charts


FIGURES = (
    Figure(
        "storage-bandwidth",
        "Storage: bandwidth over the size of a request",
        ("storage",),
        "Each point is the median over trials, the band their range; dashed lines are writes. The "
        "engines of a GPU move blocks to its own memory. Of several depths or numbers of threads "
        "the fastest is drawn. Engines queue and gpu submit NVMe commands to software queues; the "
        "others call the operating system or cuFile.",
        bandwidth,
        group="Storage",
        over=("block",),
    ),
    Figure(
        "storage-latency",
        "Storage: latency over the size of a request",
        ("storage",),
        "Time from the submission of a request until its data have arrived, in the same cases. "
        "Half of the requests took less than p50, one in a hundred longer than p99, one in a "
        "thousand longer than p99.9. Engines that keep many requests in flight gain bandwidth and "
        "lose latency.",
        latency,
        group="Storage",
        folded=True,
        over=("block",),
    ),
    *disk_figures.FIGURES,
)
