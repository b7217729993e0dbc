"""Case storage: bandwidth over the number of disks, until a link or the threads limit."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Any

import altair as alt

from watari.cases.storage.numbers import model_error
from watari.charts import style
from watari.charts.figure import Drawn, Figure
from watari.charts.panels import Look, decades, groups, heading, lines_panel
from watari.charts.style import RATE
from watari.common.units import format_size
from watari.results.measured import Measured

LOOK = Look(RATE, colours=style.ENGINES, width=420)
Row = dict[str, Any]


def behind(m: Measured) -> str:
    """The disks of a chart: a model with its error, or folders."""
    if m["store"] == "file":
        return "files"
    error = "".join(f"; its error: {text}" for text in model_error(m).values())
    return f"SSDs {str(m['store']).replace(':', ' ')}{error}"


def row(m: Measured) -> Row:
    """One point: the median over trials, and their range."""
    values = m.summary.medians
    block = format_size(m["block"])
    return {
        "path": f"{m['engine']}, {block}",
        "kind": m["engine"],
        "direction": "written" if m["direction"] == "write" else "read",
        "at": m["files"],
        "size": f"{block} x {m['files']}",
        "rate": float(f"{median(values):.4g}"),
        "low": float(f"{min(values):.4g}"),
        "high": float(f"{max(values):.4g}"),
        "flagged": m.flagged,
    }


def axis(counts: Sequence[int], title: str) -> alt.X:
    """Numbers of disks, in powers of two."""
    return alt.X(
        "at:Q",
        title=title,
        scale=alt.Scale(type="log", base=2, domain=[counts[0], counts[-1]], nice=False),
        axis=alt.Axis(values=list(counts), format="d", grid=False),
    )


def over_disks(cases: Sequence[Measured]) -> Drawn:
    """A chart for each run, store and direction with several numbers of disks."""
    chosen = [m for m in cases if m.case == "storage" and m.drawn and m["fault"] == "none"]
    charts: Drawn = []
    for same in groups(chosen, "run", "store", "direction", "pattern").values():
        counts = sorted({int(m["files"]) for m in same})
        if len(counts) < 2:
            continue
        points = [row(m) for m in same]
        domain = decades([point[end] for point in points for end in ("low", "high")])
        first = same[0]
        text = f"{first['pattern']} {first['direction']}, {behind(first)}"
        x = axis(counts, "files" if first["store"] == "file" else "SSDs")
        chart = lines_panel(points, domain, x, "", True, LOOK)
        charts.append((heading(cases, first.run, text), chart, same))
    return charts


FIGURES = (
    Figure(
        "storage-disks",
        "Storage: bandwidth over the number of disks",
        ("storage",),
        "The store is striped over files or modelled SSDs. A line rises with their number until "
        "the link to the memory, or the threads that serve the queues, are the limit. Each point "
        "is the median over trials, the band their range.",
        over_disks,
        group="Storage",
        over=("files",),
    ),
)
