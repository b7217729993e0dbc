"""Case kernel: first and settled rates in each memory, and settled rates over the size."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Any

import altair as alt

from watari.cases.kernel import files
from watari.cases.kernel.words import memory, settled_seconds, special
from watari.charts import style
from watari.charts.figure import Drawn, Figure
from watari.charts.panels import Look, decades, lines_panel, logarithmic, size_axis, split
from watari.charts.style import INK, RATE, Panel, rows
from watari.common.units import format_rate, format_size
from watari.results.measured import FIRST, SETTLED, Measured, drawable

LOOK = Look(width=380)
Row = dict[str, Any]


def named(m: Measured) -> str:
    """Memory, hint and unusual first touches."""
    return ", ".join(part for part in (memory(m.parameters), special(m.parameters)) if part)


def title(m: Measured) -> str:
    """`saxpy of saxpy.cu`, with the GPU's number if it is not the first."""
    other = "" if m["processor"] == "gpu" else f" on {m['processor']}"
    return f"{m['kernel']} of {files.name_of(m['source'])}{other}"


def bar_row(m: Measured) -> Row:
    """First and settled rate, or the reason why there is none."""
    row: Row = {"memory": named(m), "kind": m["memory"], "drawn": m.drawn, "why": m.reason}
    if not m.drawn:
        return {**row, "text": m.status}
    first, settled = (float(f"{m.part(which):.4g}") for which in (FIRST, SETTLED))
    text = format_rate(settled) + (" above the limit" if m.flagged else "")
    return {**row, "first": first, "settled": settled, "right": max(first, settled), "text": text}


def bars(same: Sequence[Measured]) -> Panel:
    """From the first launch (hollow) to the settled ones (filled), a row for each memory."""
    data = [bar_row(m) for m in same]
    scale = logarithmic(
        [row[end] for row in data if row["drawn"] for end in ("first", "settled")], 2.5
    )
    axis = style.log_axis(scale.domain, labels=True, ticks=True)
    base = alt.Chart(rows(data)).encode(
        y=alt.Y(
            "memory:N",
            sort=[row["memory"] for row in data],
            title=None,
            axis=alt.Axis(grid=False, ticks=False, labelPadding=10),
        ),
        color=alt.Color("kind:N", legend=None, scale=style.kind_scale()),
        tooltip=style.tips(
            "memory:N", alt.Tooltip("first:Q", title="first launch"), "settled:Q", "why:N"
        ),
    )

    def at(field: str) -> alt.X:
        return alt.X(f"{field}:Q", scale=scale, title=RATE, axis=axis)

    drawn, absent = base.transform_filter("datum.drawn"), base.transform_filter("!datum.drawn")
    layers = [
        drawn.mark_rule(strokeWidth=1.5, opacity=0.5).encode(x=at("first"), x2=alt.X2("settled:Q")),
        drawn.mark_point(filled=False, size=34, opacity=0.9).encode(x=at("first")),
        drawn.mark_point(filled=True, size=60, opacity=1).encode(x=at("settled")),
        drawn.mark_text(align="left", dx=9, opacity=0.85).encode(
            x=at("right"), text=alt.Text("text:N"), color=alt.ColorValue(INK)
        ),
        absent.mark_text(align="left", dx=6, opacity=0.5, fontStyle="italic").encode(
            x=alt.value(0), text=alt.Text("text:N"), color=alt.ColorValue(INK)
        ),
    ]
    return alt.layer(*layers).properties(width=380, height=22 * len(data))


def by_memory(cases: Sequence[Measured]) -> Drawn:
    """A chart for each run, kernel and size."""
    mine = [m for m in cases if m.case == "kernel"]
    charts: Drawn = []
    for heading, same in split(mine, ("source", "kernel", "processor", "size"), title):
        if any(m.drawn for m in same):
            text = f"{heading}, arrays of {format_size(same[0]['size'])}"
            charts.append((text, bars(same), same))
    return charts


def point(m: Measured) -> Row:
    """The median over trials of the settled rate, and their range."""
    rates = sorted(m.bytes_per_sample / seconds / 1e9 for seconds in settled_seconds(m))
    return {
        "path": named(m),
        "kind": style.kind_of(m["memory"]),
        "direction": "read",
        "at": m["size"],
        "size": format_size(m["size"]),
        "rate": float(f"{median(rates):.4g}"),
        "low": float(f"{rates[0]:.4g}"),
        "high": float(f"{rates[-1]:.4g}"),
        "flagged": m.flagged,
    }


def over_size(cases: Sequence[Measured]) -> Drawn:
    """A chart for each run and kernel that has several sizes."""
    mine = [m for m in drawable(cases, "kernel") if m.bytes_per_sample]
    charts: Drawn = []
    for heading, same in split(mine, ("source", "kernel", "processor"), title):
        sizes = sorted({int(m["size"]) for m in same})
        if len(sizes) < 2:
            continue
        points = [point(m) for m in same]
        domain = decades([row[end] for row in points for end in ("low", "high")])
        x = size_axis("bytes of an array", sizes, 1)
        charts.append((heading, lines_panel(points, domain, x, "", True, LOOK), same))
    return charts


FIGURES = (
    Figure(
        "kernel",
        "Kernels of one's own",
        ("kernel",),
        "Bytes in a second, as the source declares them. Hollow: the first launch, in which pages "
        "may move. Filled: the settled rate, the median of the last quarter. The copy to device "
        "memory and prefetches are in the table.",
        by_memory,
        group="Memory",
    ),
    Figure(
        "kernel-sizes",
        "Kernels of one's own over size",
        ("kernel",),
        "The settled rate in each memory; the band is the range of the trials.",
        over_size,
        group="Memory",
        over=("size",),
    ),
)
