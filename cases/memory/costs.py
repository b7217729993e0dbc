"""Figures of costs: access by pattern, touch by operation."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Any

import altair as alt

from watari.cases.memory import words
from watari.charts import style
from watari.charts.figure import Drawn
from watari.charts.panels import groups, largest, logarithmic, split
from watari.charts.style import INK, RATE, Panel, rows
from watari.common.units import format_rate, format_size
from watari.results.measured import FIRST, SETTLED, Measured, drawable

NS = 1e9


def pattern_row(m: Measured) -> dict[str, Any]:
    """First and settled rate of one access pattern, or the reason why it has none."""
    row = {
        "memory": words.memory(m.parameters),
        "kind": m["memory"],
        "drawn": m.drawn,
        "flagged": m.flagged,
        "text": m.status,
        "why": m.reason,
    }
    if not m.drawn:
        return row
    first, settled = (float(f"{m.part(which):.4g}") for which in (FIRST, SETTLED))
    text = format_rate(settled) + (" above the limit" if m.flagged else "")
    right = max(first, settled)
    return {**row, "first": first, "settled": settled, "right": right, "text": text}


def patterns(cases: Sequence[Measured]) -> Drawn:
    """The first sample and the settled rate of every access pattern, for each memory in which one
    ran."""
    charts: Drawn = []
    cases = [m for m in cases if words.plain(m)]
    ran = {(m.run, words.memory(m.parameters)) for m in drawable(cases, "access")}
    access = [m for m in cases if m.case == "access" and (m.run, words.memory(m.parameters)) in ran]
    for title, same in split(access, ("size",), lambda m: f"Arrays of {format_size(m['size'])}"):
        if any(m.drawn for m in same):
            charts.append((title, patterns_chart(same), same))
    return charts


def patterns_chart(cases: Sequence[Measured]) -> Panel:
    """A panel for each pattern: the CPU's four at the left, the GPU's four at the right."""
    drawn = [m for m in cases if m.drawn]
    rates = [m.part(which) for m in drawn for which in (FIRST, SETTLED)]
    scale = logarithmic(rates, 2.5)
    by_pattern = groups(cases, "processor", "source", "destination")
    both = len({key[0] for key in by_pattern}) > 1
    order = {(p, s, d): ((s, d), p) if both else (p, s, d) for p, s, d in by_pattern}
    ordered = sorted(by_pattern, key=lambda key: order[key])
    bottom = len(ordered) - (2 if both else 1)
    panels = [patterns_panel(by_pattern[key], scale, i >= bottom) for i, key in enumerate(ordered)]
    return alt.concat(*panels, columns=2 if both else 1, spacing=14).resolve_scale(
        x="independent", y="independent"
    )


def patterns_panel(cases: Sequence[Measured], scale: alt.Scale, last: bool) -> Panel:
    """From the first sample (hollow) to the settled rate (filled), a row for each memory."""
    data = [pattern_row(m) for m in cases]
    number = words.pattern_number(cases[0].parameters)
    base = alt.Chart(rows(data)).encode(
        y=alt.Y(
            "memory:N",
            sort=[row["memory"] for row in data],
            title=None,
            axis=alt.Axis(grid=False, ticks=False, labelPadding=10, minExtent=130),
        ),
        color=alt.Color("kind:N", legend=None, scale=style.kind_scale()),
        tooltip=style.tips(
            "memory:N", alt.Tooltip("first:Q", title="first sample"), "settled:Q", "why:N"
        ),
    )
    axis = style.log_axis(scale.domain, labels=last, ticks=last)
    x = alt.X("settled:Q", scale=scale, title=RATE if last else None, axis=axis)
    start = alt.X("first:Q", scale=scale, title=RATE if last else None, axis=axis)
    right = alt.X("right:Q", scale=scale, title=RATE if last else None, axis=axis)
    drawn, absent = base.transform_filter("datum.drawn"), base.transform_filter("!datum.drawn")
    good = drawn.transform_filter("!datum.flagged").mark_point(filled=True, size=60, opacity=1)
    doubtful = drawn.transform_filter("datum.flagged").mark_point(
        filled=False, size=60, strokeDash=[2, 2]
    )
    layers = [
        drawn.mark_rule(strokeWidth=1.5, opacity=0.5).encode(x=start, x2=alt.X2("settled:Q")),
        drawn.mark_point(filled=False, size=34, opacity=0.9).encode(x=start),
        good.encode(x=x),
        doubtful.encode(x=x),
        drawn.mark_text(align="left", dx=9, opacity=0.85).encode(
            x=right, text=alt.Text("text:N"), color=alt.ColorValue(INK)
        ),
        absent.mark_text(align="left", dx=6, opacity=0.5, fontStyle="italic").encode(
            x=alt.value(0), text=alt.Text("text:N"), color=alt.ColorValue(INK)
        ),
    ]
    return alt.layer(*layers).properties(
        width=350,
        height=20 * len(data),
        title=alt.TitleParams(f"({number}) {words.pattern(cases[0].parameters)}", offset=6),
    )


def level(m: Measured, name: str) -> float:
    """Seconds of a series: the median of the trials' medians; 0 without values."""
    series = [t["host_s"] if name == "host_s" else (t["series"] or {}).get(name) for t in m.trials]
    return median(medians) if (medians := [median(s) for s in series if s]) else 0.0


def touch_rows(m: Measured) -> list[dict[str, Any]]:
    """Cost per GB and per page: of a touch, beside the same pass again, and of a call until it
    returns."""
    text = words.touch_words(m.parameters)
    returned = level(m, "return_s")
    timed = {f"{text}: until done" if returned else text: (level(m, "host_s"), True)}
    timed |= {f"{text}: until the call returns": (returned, False)} if returned else {}
    per_gb, per_page = 1e12 / int(m["size"]), int(m.machine["page_size"]) / int(m["size"]) * NS
    again = level(m, "second_pass_s") if m["operation"] != "prefetch" else 0.0
    data = []
    for operation, (seconds, whole) in timed.items():
        row = {"what": operation, "memory": m["memory"]}
        for unit, scale in (("gb", per_gb), ("page", per_page)):
            row[unit] = float(f"{seconds * scale:.4g}")
            row[f"{unit}_text"] = format_rate(seconds * scale)
            row[f"{unit}_again"] = float(f"{again * scale:.4g}") if whole and again else None
        data.append(row)
    return [row for row in data if row["gb"] > 0]


def touch_order(m: Measured) -> tuple[int, str, str]:
    """First touch, prefetch, faults; then by memory and processor."""
    return list(words.OPERATIONS).index(m["operation"]), str(m["memory"]), str(m["processor"])


def touch(cases: Sequence[Measured]) -> Drawn:
    """Cost of first touch, prefetch and faults, per GB and per page, at the largest array."""
    drawn: Drawn = []
    for title, same in split(drawable(cases, "touch"), (), lambda m: ""):
        alike = groups(same, "processor", "memory", "operation").values()
        chosen = sorted((m for m in map(largest, alike) if m), key=touch_order)
        data = [row for m in chosen for row in touch_rows(m)]
        page = same[0].machine["page_size"]
        charts = [
            cost_chart(data, "gb", "ms per GB", True),
            cost_chart(data, "page", f"ns per page of {format_size(page)}", False),
        ]
        drawn.append((title, alt.hconcat(*charts), chosen))
    return drawn


def cost_chart(data: list[dict[str, Any]], unit: str, title: str, labelled: bool) -> Panel:
    """One row a cost: a dot and its value, and a ring for the same pass again."""
    scale = logarithmic([v for row in data for v in (row[unit], row[f"{unit}_again"]) if v], 2.2)
    axis = alt.Axis(grid=False, ticks=False, labelPadding=10) if labelled else None
    base = alt.Chart(rows(data)).encode(
        y=alt.Y("what:N", sort=[row["what"] for row in data], title=None, axis=axis),
        color=alt.Color("memory:N", legend=None, scale=style.kind_scale()),
        tooltip=style.tips(
            "what:N",
            alt.Tooltip(f"{unit}:Q", title=title),
            alt.Tooltip(f"{unit}_again:Q", title="again"),
        ),
    )
    x = alt.X(f"{unit}:Q", scale=scale, title=title, axis=style.log_axis(scale.domain))
    ring_x = alt.X(f"{unit}_again:Q", scale=scale, title=title)
    again = base.transform_filter(f"datum.{unit}_again != null")
    stem = again.mark_rule(strokeWidth=1.5, opacity=0.45).encode(x=x, x2=f"{unit}_again:Q")
    ring = again.mark_point(filled=False, size=36, opacity=0.9).encode(x=ring_x)
    dot = base.mark_point(filled=True, size=60, opacity=1).encode(x=x)
    number = base.mark_text(align="left", dx=8, opacity=0.85).encode(
        x=x, text=f"{unit}_text:N", color=alt.ColorValue(INK)
    )
    return alt.layer(stem, ring, dot, number).properties(width=330, height=len(data) * 24)
