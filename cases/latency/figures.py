"""Case latency: nanoseconds of a load over the size of the array, one line a memory.

A processor has a panel of its own, since its caches are marked there: a line rises behind the mark
of a cache that its array no longer fits. Diamonds are values that others published.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Any

import altair as alt

from watari.cases.latency.sizes import caches
from watari.cases.latency.words import latencies, special
from watari.charts import style
from watari.charts.figure import Drawn, Figure
from watari.charts.panels import Look, decades, groups, heading, lines_panel, size_axis
from watari.charts.style import INK, Panel, rows
from watari.common.units import format_bytes, format_size
from watari.results import published
from watari.results.measured import Measured

UNIT = "ns"
LOOK = Look("ns a load", width=420)
TICK = 48  # pixels of a tick's text
Row = dict[str, Any]


def point(m: Measured) -> Row:
    """The median over trials, and their range."""
    found = latencies(m)
    return {
        "path": ", ".join(part for part in (m["memory"], special(m.parameters)) if part),
        "kind": style.kind_of(m["memory"]),
        "way": "written" if m.parameters.get("thp") == "never" else "read",  # dashed
        "at": m["size"],
        "size": format_size(m["size"]),
        "rate": float(f"{median(found):.4g}"),
        "low": float(f"{min(found):.4g}"),
        "high": float(f"{max(found):.4g}"),
        "flagged": m.flagged,
    }


def others(same: Sequence[Measured], unit: str) -> list[published.Published]:
    """Published values of the processor and memories of a panel, in this unit."""
    known = published.quantities()
    return [
        entry
        for entry in published.values()
        if entry.unit == unit
        and any(known[entry.quantity].matches(m.case, m.parameters) for m in same)
    ]


def diamonds(same: Sequence[Measured]) -> list[Row]:
    """Published values at their array sizes, if these are within the sizes measured here."""
    ours = [m["size"] for m in same]
    return [
        {
            "at": entry.size,
            "rate": entry.low,
            "machine": entry.machine,
            "size": format_bytes(entry.size),
            "source": f"{entry.source}: {entry.title}; {entry.where}",
        }
        for entry in others(same, UNIT)
        if min(ours) <= entry.size <= max(ours)
    ]


def notes(same: Sequence[Measured], shown: Sequence[Row]) -> list[str]:
    """Lines that name the machines of the diamonds, and values that are published in cycles."""
    found = [f"Diamonds: {name}" for name in dict.fromkeys(row["machine"] for row in shown)]
    cycles: dict[str, list[str]] = {}
    for entry in others(same, "cycles"):
        text = f"{entry.text} at {format_bytes(entry.size)}"
        cycles.setdefault(f"{entry.machine} ({entry.source})", []).append(text)
    return [*found, *(f"Cycles of {who}: {', '.join(texts)}" for who, texts in cycles.items())]


def marks(m: Measured, low: int, high: int) -> list[Row]:
    """The caches of the panel's processor that are within its sizes."""
    found = caches(m.machine, m["processor"])
    return [
        {"at": size, "name": f"{name} {format_size(size)}"}
        for name, size in found.items()
        if low < size < high
    ]


def panel(same: Sequence[Measured]) -> Panel:
    """One processor's lines, its caches, and what others published."""
    points = [point(m) for m in same]
    theirs = diamonds(same)
    sizes = sorted({int(row["at"]) for row in points})
    beyond = [sizes[0], *([2 * sizes[0]] if len(sizes) == 1 else sizes[1:])]
    x = size_axis("size of the array", beyond, -(-len(beyond) * TICK // LOOK.width))
    values = [row[end] for row in points for end in ("low", "high")]
    domain = decades([*values, *(row["rate"] for row in theirs)])
    layers = [lines_panel(points, domain, x, "", True, LOOK)]
    if caches_here := marks(same[0], beyond[0], beyond[-1]):
        base = alt.Chart(rows(caches_here)).encode(x=x)
        layers.append(base.mark_rule(color=INK, opacity=0.25, strokeDash=[2, 3]))
        layers.append(
            base.mark_text(dy=-3, opacity=style.FAINT, baseline="bottom", clip=False).encode(
                y=alt.value(0), text="name:N"
            )
        )
    if theirs:
        y = alt.Y("rate:Q", scale=alt.Scale(type="log", domain=list(domain), nice=False))
        layers.append(
            alt.Chart(rows(theirs))
            .mark_point(shape="diamond", filled=False, size=60, color=INK, opacity=0.75)
            .encode(x=x, y=y, tooltip=["machine:N", "size:N", "rate:Q", "source:N"])
        )
    chart = alt.layer(*layers).properties(width=LOOK.width, title="")
    if lines := notes(same, theirs):
        chart.title = alt.TitleParams(lines, fontSize=11, fontWeight="normal")
    return chart


def over_size(cases: Sequence[Measured]) -> Drawn:
    """A chart for each run and processor."""
    chosen = [m for m in cases if m.case == "latency" and m.drawn and m.bytes_per_sample]
    found: Drawn = []
    for same in groups(chosen, "run", "processor").values():
        title = heading(chosen, same[0].run, f"One thread of {same[0]['processor'].upper()}")
        found.append((title, panel(same), same))
    return found


FIGURES = (
    Figure(
        "latency",
        "Latency over size",
        ("latency",),
        "Time of a load that depends on the one before, in random order. Each point is the median "
        "over trials, the band their range. Dotted: the processor's caches (of one core if each "
        "core has its own). Diamonds are published by others.",
        over_size,
        group="Memory",
        over=("size",),
    ),
)
