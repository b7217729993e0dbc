"""Case atomic: updates a second by contention, a group for each processor and memory."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Any

import altair as alt

from watari.cases.atomic.case import bins
from watari.cases.atomic.words import rates, spread_words
from watari.charts import style
from watari.charts.figure import Drawn, Figure
from watari.charts.panels import decades, groups, heading
from watari.charts.style import Panel, rows
from watari.results.measured import Measured

WIDTH, BAR = 380, 20
Row = dict[str, Any]


def who(m: Measured) -> str:
    """`GPU, managed`, `GPU + CPU, managed`."""
    both = " + CPU" if m["together"] else ""
    return f"{m['processor'].upper()}{both}, {m['memory']}"


def point(m: Measured) -> Row:
    """The median over trials, and their range."""
    found = rates(m)
    return {
        "who": who(m),
        "spread": spread_words(m.parameters),
        "kind": style.kind_of(m["memory"]),
        "rate": float(f"{median(found):.4g}"),
        "low": float(f"{min(found):.4g}"),
        "high": float(f"{max(found):.4g}"),
    }


def crowd(m: Measured) -> float:
    """The sort key: from one counter for all threads to one counter a thread."""
    return float("inf") if m["contention"] == "none" else bins(m.parameters)


def panel(same: Sequence[Measured]) -> Panel:
    """A dot for each case with the range of its trials, a group for each processor and memory."""
    points = [point(m) for m in sorted(same, key=crowd)]
    order = list(dict.fromkeys(row["spread"] for row in points))
    domain = decades([row[end] for row in points for end in ("low", "high")])
    scale = alt.Scale(type="log", domain=list(domain), nice=False)
    base = alt.Chart(rows(points)).encode(
        y=alt.Y("spread:N", sort=order, title=None),
        color=alt.Color("kind:N", scale=style.kind_scale(), legend=None),
        tooltip=["who:N", "spread:N", alt.Tooltip("rate:Q", title="million/s"), "low:Q", "high:Q"],
    )
    x = alt.X("rate:Q", scale=scale, title="million updates a second", axis=style.log_axis(domain))
    span = base.mark_rule(strokeWidth=2).encode(
        x=alt.X("low:Q", scale=scale, title="million updates a second"), x2="high:Q"
    )
    dots = base.mark_point(filled=True, size=60, opacity=1).encode(x=x)
    return (
        alt.layer(span, dots)
        .properties(width=WIDTH, height=alt.Step(BAR))
        .facet(
            row=alt.Row(
                "who:N",
                title=None,
                sort=list(dict.fromkeys(row["who"] for row in points)),
                header=alt.Header(labelOrient="top", labelAnchor="start"),
            )
        )
    )


def updates(same: Sequence[Measured]) -> str:
    """`4,194,304 updates a sample`: updates by each processor."""
    counts = sorted({int(m["updates"]) for m in same})
    return f"{' and '.join(f'{count:,}' for count in counts)} updates a sample"


def by_contention(cases: Sequence[Measured]) -> Drawn:
    """A chart for each run."""
    chosen = [m for m in cases if m.case == "atomic" and m.drawn and m.bytes_per_sample]
    return [
        (heading(chosen, same[0].run, updates(same)), panel(same), same)
        for same in groups(chosen, "run").values()
    ]


FIGURES = (
    Figure(
        "atomic",
        "Counters that threads share",
        ("atomic",),
        "Updates a second: all threads at one counter, at the bins of a histogram, or each thread "
        "at a counter of its own. With both processors at once, the sample ends when the slower "
        "one has made its updates. The line is the range over trials.",
        by_contention,
        group="Memory",
    ),
)
