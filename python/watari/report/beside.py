"""Measured beside published values, quantity by quantity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from watari.cases import presentation
from watari.cases.notes import limit
from watari.charts import style
from watari.charts.figure import Drawn
from watari.charts.panels import groups, largest, logarithmic
from watari.charts.style import INK, RATE, Panel, rows
from watari.common.units import format_rate, format_size
from watari.results import published
from watari.results.measured import Measured


def alike(m: Measured) -> Measured:
    """A case in the words of another case, if both measure the same."""
    return presentation(m.case).alike(m)


def is_of(m: Measured, quantity: published.Quantity) -> bool:
    """Whether a case measured this quantity, without unusual values."""
    like = alike(m)
    usual = m.drawn and presentation(like.case).plain(like)
    return usual and quantity.matches(like.case, like.parameters)


def ours(quantity: published.Quantity, cases: Sequence[Measured]) -> list[dict[str, Any]]:
    """Values measured here of a published quantity, at the largest array of each memory and run,
    then the theoretical ones."""
    like = [alike(m) for m in cases if is_of(m, quantity)]
    measured_here, ceilings = [], {}
    for same in groups(like, "run", "memory", "from", "to").values():
        m = largest(same)
        if not m:
            continue
        value = m.part(quantity.sample)
        fixed = isinstance(quantity.parameters.get("memory"), str)
        more = [str(m["memory"])] if m["memory"] and not fixed else []
        if quantity.name == "cpu-copy":
            more.append(f"{m['from']} → {m['to']}")
        measured_here.append(
            {
                "machine": ", ".join([m.run, *more, format_size(m["size"])]),
                "kind": "this run",
                "low": value,
                "high": value,
                "source": "this run",
                "flagged": m.flagged,
                "text": format_rate(value) + (" above the limit" if m.flagged else ""),
            }
        )
        bound = limit(m)
        if bound and quantity.sample == "all":
            ceilings[m.run] = {
                "machine": f"{m.run} (theoretical)",
                "kind": "theoretical",
                "low": bound,
                "high": bound,
                "text": format_rate(bound),
                "source": "probe",
                "flagged": False,
            }
    return [*measured_here, *ceilings.values()]


def theirs(entry: published.Published) -> dict[str, Any]:
    """One published value as a row."""
    mark = {"theoretical": ", theoretical", "second-hand": ", second-hand"}.get(entry.kind, "")
    size = f", {format_size(entry.size)}" if entry.size else ""
    return {
        "machine": f"{entry.machine}{size} ({entry.source}{mark})",
        "kind": entry.kind,
        "low": entry.low,
        "high": entry.high,
        "text": entry.text,
        "flagged": False,
        "source": f"{entry.source}: {entry.title}; {entry.where}. {entry.note}".strip(),
    }


def beside(cases: Sequence[Measured]) -> Drawn:
    """Measured beside published values, one panel for each quantity that both have."""
    entries = published.values()
    quantities = published.quantities()
    data = {}
    for name, quantity in quantities.items():
        if quantity.unit != RATE:
            continue
        own = ours(quantity, cases)
        others = [theirs(e) for e in sorted(entries, key=rank) if e.quantity == name]
        if own and others:
            data[quantity.title] = numbered(own + others)
    if not data:
        return []
    values = [row[end] for part in data.values() for row in part for end in ("low", "high")]
    scale = logarithmic(values, 1.6)
    panels = [
        beside_panel(title, part, scale, i == len(data) - 1)
        for i, (title, part) in enumerate(data.items())
    ]
    shown = [q for q in quantities.values() if q.title in data]
    used = [m for m in cases if any(is_of(m, quantity) for quantity in shown)]
    return [("", alt.vconcat(*panels, spacing=14), used)]


def rank(entry: published.Published) -> tuple[int, str, str]:
    """Measured before second-hand before theoretical, then by machine."""
    order = ("measured", "second-hand", "theoretical")
    return order.index(entry.kind), entry.machine, entry.source


def numbered(data: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows with numbered names, which keep their order even if two have the same name."""
    return [
        {**row, "row": f"{i:02d}{row['machine']}", "middle": (row["low"] + row["high"]) / 2}
        for i, row in enumerate(data)
    ]


def beside_panel(title: str, data: list[dict[str, Any]], scale: alt.Scale, last: bool) -> Panel:
    """Measured here filled, published hollow, theoretical a tick; a range is a line."""
    kinds = ["this run", "measured", "second-hand", "theoretical"]
    base = alt.Chart(rows(data)).encode(
        y=alt.Y(
            "row:N",
            title=None,
            axis=alt.Axis(
                grid=False,
                ticks=False,
                labelPadding=10,
                minExtent=330,
                maxExtent=330,
                labelExpr="slice(datum.value, 2)",
            ),
        ),
        tooltip=style.tips("machine:N", "kind:N", alt.Tooltip("text:N", title=RATE), "source:N"),
    )
    axis = style.log_axis(scale.domain, labels=last, ticks=last)
    x = alt.X("middle:Q", scale=scale, title=RATE if last else None, axis=axis)
    colour = alt.Color(
        "kind:N",
        legend=None,
        scale=alt.Scale(domain=kinds, range=[style.COLOURS["device"], INK, INK, INK]),
    )
    layers = [
        base.mark_rule(strokeWidth=5, opacity=0.25).encode(
            x=alt.X("low:Q", scale=scale), x2=alt.X2("high:Q")
        ),
        base.transform_filter("datum.kind == 'this run' && !datum.flagged")
        .mark_point(filled=True, size=85, opacity=1)
        .encode(x=x, color=colour),
        base.transform_filter("datum.kind == 'this run' && datum.flagged")
        .mark_point(filled=False, size=85, opacity=1, strokeDash=[2, 2])
        .encode(x=x, color=colour),
        base.transform_filter("datum.kind == 'measured' || datum.kind == 'second-hand'")
        .mark_point(shape="diamond", filled=False, size=70, strokeWidth=1.5, opacity=0.75)
        .encode(x=x, color=colour),
        base.transform_filter("datum.kind == 'theoretical'")
        .mark_tick(orient="vertical", size=13, thickness=2, opacity=0.75)
        .encode(x=x, color=colour),
        base.mark_text(align="left", dx=11, opacity=0.85, fontSize=11).encode(
            x=alt.X("high:Q", scale=scale, axis=axis), text=alt.Text("text:N")
        ),
    ]
    return alt.layer(*layers).properties(
        width=540, height=20 * len(data), title=alt.TitleParams(title, frame="bounds", offset=6)
    )
