"""Rates of copies: from memory to memory, over the size of the array and over streams."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import altair as alt

from watari.case.axes import KINDS
from watari.cases.memory import words
from watari.charts import style
from watari.charts.panels import decades, groups, heading, largest, lines_panel, size_axis
from watari.charts.style import INK, Panel, rows
from watari.common.units import format_rate, format_size
from watari.results.measured import Measured, drawable, runs

CELL_WIDTH, CELL_HEIGHT = 54, 36
MOST_TICKS = 8  # of sizes; beyond this only some have labels


def cell(kinds: dict[str, str | None], source: str, to: str, m: Measured | None) -> dict[str, Any]:
    """One cell of the matrix: a rate, or the reason why it has none."""
    empty = {"from": source, "to": to, "state": "not measured", "text": "", "why": "not measured"}
    if m and m.drawn:
        text = format_rate(m.median) + ("*" if m.flagged else "")
        measured_cell = {"rate": m.median, "text": text, "size": format_size(m["size"])}
        why = f"{len(m.trials)} of {m.planned} trials" + (
            f"; {', '.join(m.flags)}" if m.flagged else ""
        )
        return {**empty, **measured_cell, "state": "flagged" if m.flagged else "ok", "why": why}
    if m:
        text = {"unsupported": "n/a", "failed": "fail"}.get(m.status, m.status)
        return {**empty, "state": m.status, "text": text, "why": m.reason}
    for kind in (source, to):
        if kinds.get(style.kind_of(kind)) is not None:
            return {
                **empty,
                "state": "unsupported",
                "text": "n/a",
                "why": str(kinds[style.kind_of(kind)]),
            }
    return empty


def matrix_rows(cases: Sequence[Measured]) -> list[dict[str, Any]]:
    """Every cell of one executor's matrix."""
    kinds = {
        row["kind"]: None if row["supported"] else row["reason"] or row["needs"]
        for row in cases[0].machine["memories"]
    }
    more = sorted({m[end] for m in cases for end in ("from", "to")} - set(KINDS))
    by_path = groups(cases, "from", "to")
    used = {m[end] for m in cases if m.drawn for end in ("from", "to")}
    names = [*(kind for kind in KINDS if kinds.get(kind) is None or kind in used), *more]
    return [cell(kinds, s, t, largest(by_path.get((s, t), []))) for s in names for t in names]


def matrix_panel(cells: list[dict[str, Any]], heading: str, domain: list[float]) -> Panel:
    """One matrix: rows are read, columns are written."""
    names = list(dict.fromkeys(c["from"] for c in cells))
    middle = math.sqrt(domain[0] * domain[1])
    for c in cells:
        c["ink"] = "light" if c["state"] == "ok" and c["rate"] > middle else "dark"
    axis = alt.Axis(grid=False, ticks=False, labelAngle=0, labelPadding=6)
    base = alt.Chart(rows(cells)).encode(
        x=alt.X("to:N", sort=names, title="written to", axis=axis, scale=alt.Scale(padding=0.06)),
        y=alt.Y("from:N", sort=names, title="read from", axis=axis, scale=alt.Scale(padding=0.06)),
        tooltip=[alt.Tooltip(f"{field}:N") for field in ("from", "to", "text", "size", "why")],
    )
    empty = base.transform_filter("datum.state != 'ok'").mark_rect(
        color=INK, fillOpacity=0.045, cornerRadius=3
    )
    hollow = base.transform_filter("datum.state == 'flagged'").mark_rect(
        fillOpacity=0, stroke=INK, strokeDash=[3, 2], cornerRadius=3
    )
    full = (
        base.transform_filter("datum.state == 'ok'")
        .mark_rect(cornerRadius=3)
        .encode(
            color=alt.Color(
                "rate:Q",
                legend=None,
                scale=alt.Scale(
                    type="log", domain=domain, range=style.SEQUENTIAL, interpolate="lab", clamp=True
                ),
            )
        )
    )
    text = base.mark_text(fontSize=12, fontWeight=600)
    number = text.transform_filter("datum.state == 'ok'").encode(
        text="text:N",
        color=alt.Color(
            "ink:N",
            legend=None,
            scale=alt.Scale(domain=["light", "dark"], range=["#ffffff", "#10202e"]),
        ),
    )
    other = (
        base.transform_filter("datum.state != 'ok'")
        .mark_text(fontSize=11, opacity=0.5)
        .encode(text="text:N")
    )
    return (
        alt.layer(empty, hollow, full, number, other)
        .resolve_scale(color="independent")
        .properties(
            width=CELL_WIDTH * len(names),
            height=CELL_HEIGHT * len(names),
            title=style.title(heading),
        )
    )


def matrix(cases: Sequence[Measured]) -> Panel | None:
    """One matrix of memories for each executor and run, at the largest array of each path; None if
    fewer than two cells have a rate."""
    copies = [c for c in map(words.as_copy, cases) if c.case == "copy" and words.plain(c)]
    panels = {}
    for run in runs(copies):
        for executor, same in by_executor([m for m in copies if m.run == run]).items():
            if any(m.drawn for m in same):
                panels[run, executor] = matrix_rows(same)
    rates = [c["rate"] for cells in panels.values() for c in cells if c["state"] == "ok"]
    if len(rates) < 2:
        return None
    low, high = min(rates), max(rates)
    domain = [low, high] if high > 1.5 * low else [low / 2, high * 1.2]
    return alt.concat(
        *(
            matrix_panel(cells, heading(cases, *key), domain).properties(name=f"whole_{i}")
            for i, (key, cells) in enumerate(panels.items())
        ),
        columns=3 if len(runs(copies)) == 1 else len({executor for _, executor in panels}),
    )


def by_executor(cases: Sequence[Measured]) -> dict[str, list[Measured]]:
    """Copies by executor: CPU, GPU kernel, copy engine."""
    grouped: dict[str, list[Measured]] = defaultdict(list)
    for m in cases:
        grouped[words.executor(m.parameters)].append(m)
    return {
        executor: grouped[executor]
        for executor in sorted(grouped, key=lambda name: (name != "CPU", "engine" in name, name))
    }


def path_row(m: Measured, axis: str) -> dict[str, Any]:
    """One point of a path's line."""
    far = m["to"] if style.kind_of(m["from"]) == "device" else m["from"]
    return {
        "path": f"{m['from']} → {m['to']}",
        "kind": style.kind_of(far),
        "direction": "written" if far != m["from"] else "read",
        "at": m[axis],
        "size": format_size(m["size"]),
        "rate": float(f"{m.median:.4g}"),
        "low": float(f"{min(m.summary.medians):.4g}"),
        "high": float(f"{max(m.summary.medians):.4g}"),
        "flagged": m.flagged,
    }


def lines(cases: Sequence[Measured], axis: str, x: alt.X, log: bool = True) -> Panel | None:
    """A panel for each run and executor, of the paths that have several values of an axis."""
    panels = {}
    for run in runs(cases):
        for executor, copies in by_executor([m for m in cases if m.run == run]).items():
            several = [
                m
                for same in groups(copies, "from", "to").values()
                if len({m[axis] for m in same}) > 1
                for m in same
            ]
            if several:
                panels[run, executor] = [path_row(m, axis) for m in several]
    if not panels:
        return None
    rates = [p[end] for points in panels.values() for p in points for end in ("low", "high")]
    domain = decades(rates) if log else (0.0, 1.1 * max(rates))
    return alt.concat(
        *(lines_panel(p, domain, x, heading(cases, *key), log) for key, p in panels.items()),
        columns=3,
    )


def over_size(cases: Sequence[Measured]) -> Panel | None:
    """Bandwidth over the size of one array; if a point was measured twice, with more trials."""
    plain = [m for m in drawable(cases, "copy") if words.plain(m)]
    same = groups(plain, "run", "processor", "means", "from", "to", "size").values()
    copies = [max(group, key=lambda m: len(m.trials)) for group in same]
    sizes = sorted({int(m["size"]) for m in copies})
    if not sizes:
        return None
    x = size_axis("size of one array", sizes, -(-len(sizes) // MOST_TICKS))
    return lines(copies, "size", x)


# axes of a copy that are no size and no number of streams
PLACE = ("processor", "means", "from", "to", "stores", "thp", "page", "numa")


def one_way(m: Measured) -> bool:
    """A copy by one process in one direction."""
    return not m["bidirectional"] and m["processes"] in (None, 1)


def over_streams(cases: Sequence[Measured]) -> Panel | None:
    """Bandwidth over the number of streams, at the largest array that several numbers copied."""
    copies = [m for m in drawable(cases, "copy") if one_way(m)]
    chosen: list[Measured] = []
    for same in groups(copies, *PLACE).values():
        several = [g for g in groups(same, "run", "size").values() if len(g) > 1]
        sizes = [int(g[0]["size"]) for g in several]
        chosen += several[sizes.index(max(sizes))] if several else []
    counts = sorted({m["streams"] for m in chosen})
    x = alt.X("at:O", title="streams", axis=alt.Axis(labelAngle=0, grid=False))
    return lines(chosen, "streams", x, log=False) if counts else None
