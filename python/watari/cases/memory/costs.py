"""What things cost: access by pattern, touch by operation, and ours beside published values."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Any

import altair as alt

from watari import published, view
from watari.figures import style
from watari.figures.panels import groups
from watari.figures.paths import largest
from watari.figures.series import Drawn, split
from watari.figures.style import INK, RATE, Panel, rows
from watari.view import Measured

NS = 1e9


def logarithmic(values: Sequence[float], room: float = 1.0) -> alt.Scale:
    """A logarithmic scale around values, with room for a label at its right."""
    return alt.Scale(type="log", domain=[min(values) / 1.3, max(values) * 1.3 * room], nice=False)


def pattern_row(m: Measured) -> dict[str, Any]:
    """First and settled rate of one access pattern, or why there is none."""
    row = {
        "memory": view.memory(m.parameters),
        "kind": m["memory"],
        "drawn": m.drawn,
        "flagged": m.flagged,
        "text": m.status,
        "why": m.reason,
    }
    if not m.drawn:
        return row
    first, settled = (float(f"{m.part(which):.4g}") for which in (view.FIRST, view.SETTLED))
    text = view.rate(settled) + (" above the limit" if m.flagged else "")
    right = max(first, settled)
    return {**row, "first": first, "settled": settled, "right": right, "text": text}


def patterns(cases: Sequence[Measured]) -> Drawn:
    """The first sample and the settled rate of every access pattern, memory beside memory."""
    found: Drawn = []
    access = [m for m in cases if m.case == "access"]
    for title, same in split(access, ("size",), lambda m: f"Arrays of {view.size(m['size'])}"):
        if any(m.drawn for m in same):
            found.append((title, patterns_chart(same), same))
    return found


def patterns_chart(cases: Sequence[Measured]) -> Panel:
    """A panel for each pattern: the CPU's four at the left, the GPU's four at the right."""
    drawn = [m for m in cases if m.drawn]
    rates = [m.part(which) for m in drawn for which in (view.FIRST, view.SETTLED)]
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
    number = view.pattern_number(cases[0].parameters)
    base = alt.Chart(rows(data)).encode(
        y=alt.Y(
            "memory:N",
            sort=[row["memory"] for row in data],
            title=None,
            axis=alt.Axis(grid=False, ticks=False, labelPadding=10, minExtent=130),
        ),
        color=alt.Color("kind:N", legend=None, scale=style.kind_scale()),
        tooltip=["memory:N", alt.Tooltip("first:Q", title="first sample"), "settled:Q", "why:N"],
    )
    axis = style.log_axis(scale.domain, labels=last, ticks=last)
    x = alt.X("settled:Q", scale=scale, title=RATE if last else None, axis=axis)
    start = alt.X("first:Q", scale=scale, title=RATE if last else None, axis=axis)
    right = alt.X("right:Q", scale=scale, title=RATE if last else None, axis=axis)
    here, absent = base.transform_filter("datum.drawn"), base.transform_filter("!datum.drawn")
    good = here.transform_filter("!datum.flagged").mark_point(filled=True, size=60, opacity=1)
    doubtful = here.transform_filter("datum.flagged").mark_point(
        filled=False, size=60, strokeDash=[2, 2]
    )
    layers = [
        here.mark_rule(strokeWidth=1.5, opacity=0.5).encode(x=start, x2="settled:Q"),
        here.mark_point(filled=False, size=34, opacity=0.9).encode(x=start),
        good.encode(x=x),
        doubtful.encode(x=x),
        here.mark_text(align="left", dx=9, opacity=0.85).encode(
            x=right, text="text:N", color=alt.value(INK)
        ),
        absent.mark_text(align="left", dx=6, opacity=0.5, fontStyle="italic").encode(
            x=alt.value(0), text="text:N", color=alt.value(INK)
        ),
    ]
    return alt.layer(*layers).properties(
        width=350,
        height=20 * len(data),
        title=alt.TitleParams(f"({number}) {view.pattern(cases[0].parameters)}", offset=6),
    )


def level(m: Measured, name: str) -> float:
    """Seconds of a series: the median of the trials' medians; 0 where there is none."""
    series = [t["host_s"] if name == "host_s" else (t["series"] or {}).get(name) for t in m.trials]
    return median(found) if (found := [median(s) for s in series if s]) else 0.0


def touch_rows(m: Measured) -> list[dict[str, Any]]:
    """Cost per GB and per page: of the touch beside the same pass again, and of a call's return."""
    text = view.words("touch", m.parameters)
    returned = level(m, "return_s")
    timed = {f"{text}: until done" if returned else text: (level(m, "host_s"), True)}
    timed |= {f"{text}: until the call returns": (returned, False)} if returned else {}
    per_gb, per_page = 1e12 / int(m["size"]), int(m.machine["page_size"]) / int(m["size"]) * NS
    again = level(m, "second_pass_s") if m["operation"] != "prefetch" else 0.0
    found = []
    for what, (seconds, whole) in timed.items():
        row = {"what": what, "memory": m["memory"]}
        for unit, scale in (("gb", per_gb), ("page", per_page)):
            row[unit] = float(f"{seconds * scale:.4g}")
            row[f"{unit}_text"] = view.rate(seconds * scale)
            row[f"{unit}_again"] = float(f"{again * scale:.4g}") if whole and again else None
        found.append(row)
    return [row for row in found if row["gb"] > 0]


def touch_order(m: Measured) -> tuple[int, str, str]:
    """First touch, prefetch, faults; then by memory and processor."""
    return list(view.OPERATIONS).index(m["operation"]), str(m["memory"]), str(m["processor"])


def touch(cases: Sequence[Measured]) -> Drawn:
    """Cost of first touch, prefetch and faults, per GB and per page, at the largest array."""
    found: Drawn = []
    for title, same in split(view.drawable(cases, "touch"), (), lambda m: ""):
        alike = groups(same, "processor", "memory", "operation").values()
        chosen = sorted((m for m in map(largest, alike) if m), key=touch_order)
        data = [row for m in chosen for row in touch_rows(m)]
        page = same[0].machine["page_size"]
        charts = [
            cost_chart(data, "gb", "ms per GB", True),
            cost_chart(data, "page", f"ns per page of {view.size(page)}", False),
        ]
        found.append((title, alt.hconcat(*charts), chosen))
    return found


def cost_chart(data: list[dict[str, Any]], unit: str, title: str, labelled: bool) -> Panel:
    """One row a cost: a dot and its value, and a ring for the same pass again."""
    scale = logarithmic([v for row in data for v in (row[unit], row[f"{unit}_again"]) if v], 2.2)
    axis = alt.Axis(grid=False, ticks=False, labelPadding=10) if labelled else None
    base = alt.Chart(rows(data)).encode(
        y=alt.Y("what:N", sort=[row["what"] for row in data], title=None, axis=axis),
        color=alt.Color("memory:N", legend=None, scale=style.kind_scale()),
        tooltip=[
            "what:N",
            alt.Tooltip(f"{unit}:Q", title=title),
            alt.Tooltip(f"{unit}_again:Q", title="again"),
        ],
    )
    x = alt.X(f"{unit}:Q", scale=scale, title=title, axis=style.log_axis(scale.domain))
    ring_x = alt.X(f"{unit}_again:Q", scale=scale, title=title)
    again = base.transform_filter(f"datum.{unit}_again != null")
    stem = again.mark_rule(strokeWidth=1.5, opacity=0.45).encode(x=x, x2=f"{unit}_again:Q")
    ring = again.mark_point(filled=False, size=36, opacity=0.9).encode(x=ring_x)
    dot = base.mark_point(filled=True, size=60, opacity=1).encode(x=x)
    number = base.mark_text(align="left", dx=8, opacity=0.85).encode(
        x=x, text=f"{unit}_text:N", color=alt.value(INK)
    )
    return alt.layer(stem, ring, dot, number).properties(width=330, height=len(data) * 24)


def is_of(m: Measured, quantity: published.Quantity) -> bool:
    """Whether a case measured this quantity, with nothing special about it."""
    like = view.as_copy(m)
    return m.drawn and view.plain(like) and quantity.matches(like.case, like.parameters)


def ours(quantity: published.Quantity, cases: Sequence[Measured]) -> list[dict[str, Any]]:
    """What was measured here of a published quantity: the largest array of each memory and run."""
    like = [view.as_copy(m) for m in cases if is_of(m, quantity)]
    found, ceilings = [], {}
    for same in groups(like, "run", "memory", "from", "to").values():
        m = largest(same)
        if not m:
            continue
        value = m.part(quantity.sample)
        more = [str(m["memory"])] if m["memory"] and m.case != "touch" else []
        if quantity.name == "cpu-copy":
            more.append(f"{m['from']} → {m['to']}")
        found.append(
            {
                "machine": ", ".join([m.run, *more, view.size(m["size"])]),
                "kind": "this run",
                "low": value,
                "high": value,
                "source": "this run",
                "flagged": m.flagged,
                "text": view.rate(value) + (" above the limit" if m.flagged else ""),
            }
        )
        bound = view.limit(m)
        if bound and quantity.sample == "all":
            ceilings[m.run] = {
                "machine": f"{m.run} (theoretical)",
                "kind": "theoretical",
                "low": bound,
                "high": bound,
                "text": view.rate(bound),
                "source": "probe",
                "flagged": False,
            }
    return [*found, *ceilings.values()]


def theirs(entry: published.Published) -> dict[str, Any]:
    """One published value as a row."""
    mark = {"theoretical": ", theoretical", "second-hand": ", second-hand"}.get(entry.kind, "")
    size = f", {view.size(entry.size)}" if entry.size else ""
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
    """Ours beside what was published, one panel a quantity that both have."""
    entries = published.values()
    quantities = published.quantities()
    data = {}
    for name, quantity in quantities.items():
        if quantity.unit != RATE:
            continue
        here = ours(quantity, cases)
        there = [theirs(e) for e in sorted(entries, key=rank) if e.quantity == name]
        if here and there:
            data[quantity.title] = numbered(here + there)
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
    """Rows that keep their order though two may have one name."""
    return [
        {**row, "row": f"{i:02d}{row['machine']}", "middle": (row["low"] + row["high"]) / 2}
        for i, row in enumerate(data)
    ]


def beside_panel(title: str, data: list[dict[str, Any]], scale: alt.Scale, last: bool) -> Panel:
    """Ours filled, published hollow, theoretical a tick; a line where a range was given."""
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
        tooltip=["machine:N", "kind:N", alt.Tooltip("text:N", title=RATE), "source:N"],
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
            x=alt.X("low:Q", scale=scale), x2="high:Q"
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
            x=alt.X("high:Q", scale=scale, axis=axis), text="text:N"
        ),
    ]
    return alt.layer(*layers).properties(
        width=540, height=20 * len(data), title=alt.TitleParams(title, frame="bounds", offset=6)
    )
