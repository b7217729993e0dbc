"""Case gather: the rate over the share of hits in the cache of a file."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Any

import altair as alt

from watari.cases.gather.axes import elements, of_file
from watari.cases.passes import passes
from watari.charts import style
from watari.charts.figure import Drawn, Figure
from watari.charts.panels import Look, decades, groups, heading, lines_panel
from watari.common.units import format_size
from watari.results.measured import Measured

LOOK = Look("million elements a second", width=380)


def point(m: Measured) -> dict[str, Any]:
    """The median over trials, and their range, at the measured share of hits."""
    count = elements(m.parameters) / 1e6
    rates = sorted(count / median(seconds) for seconds in passes(m))
    hits = median(trial["quantities"]["hit_share"]["value"] for trial in m.trials)
    return {
        "path": f"{format_size(m['element'])} elements",
        "kind": style.kind_of(m["memory"]),
        "direction": "read",
        "at": float(f"{hits:.3f}"),
        "size": f"{hits:.1%} hits",
        "rate": float(f"{median(rates):.4g}"),
        "low": float(f"{rates[0]:.4g}"),
        "high": float(f"{rates[-1]:.4g}"),
        "flagged": m.flagged,
    }


def over_hits(cases: Sequence[Measured]) -> Drawn:
    """A chart for each run, processor, file and cache with several shares."""
    chosen = [m for m in cases if m.case == "gather" and m.drawn and of_file(m.parameters)]
    charts: Drawn = []
    for same in groups(chosen, "run", "processor", "size", "cache").values():
        points = [point(m) for m in same]
        if len({row["at"] for row in points}) < 2:
            continue
        first = same[0]
        text = (
            f"By {first['processor'].upper()}, from a file of {format_size(first['size'])}, cache "
            f"of {format_size(first['cache'])}"
        )
        domain = decades([row[end] for row in points for end in ("low", "high")])
        x = alt.X("at:Q", title="share of hits", scale=alt.Scale(domain=[0, 1], nice=False))
        chart = lines_panel(points, domain, x, "", True, LOOK)
        charts.append((heading(chosen, first.run, text), chart, same))
    return charts


FIGURES = (
    Figure(
        "gather-hits",
        "Elements of a file behind a cache",
        ("gather",),
        "Elements that a second collects from a file through the cache of array<T>, over the share "
        "of them whose page is in the cache: measured, not the one that was asked for.",
        over_hits,
        group="Storage",
        over=("hits",),
    ),
)
