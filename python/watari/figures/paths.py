"""Copies: which memory to which at what rate, over the size of the array and over streams."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import altair as alt

from watari import view
from watari.cases import KINDS
from watari.figures import style
from watari.figures.style import INK, RATE, Panel, rows
from watari.view import Measured

CELL_WIDTH, CELL_HEIGHT = 54, 36
PANEL_WIDTH, PANEL_HEIGHT = 220, 240
LABEL_HEIGHT = 13
MOST_TICKS = 8  # of sizes, before only some are told


@dataclass(frozen=True)
class Look:
    """What a panel of lines is drawn with: the title of its values, how they are written (a Vega
    expression; as numbers if empty), the colour of each kind."""

    values: str = RATE
    written: str = ""
    colours: dict[str, str] = field(default_factory=lambda: style.COLOURS)
    width: int = PANEL_WIDTH

    def axis(self, domain: tuple[float, float], log: bool) -> alt.Axis:
        """The axis of the values."""
        found = style.rate_axis(domain, log)
        return alt.Axis(values=found.values, labelExpr=self.written) if self.written else found


USUAL = Look()


def largest(cases: Iterable[Measured]) -> Measured | None:
    """The case with the largest array; one that ran before one that did not."""
    return max(cases, key=lambda m: (m.drawn, m["size"]), default=None)


def groups(cases: Sequence[Measured], *names: str) -> dict[tuple[Any, ...], list[Measured]]:
    """Cases that share these parameters, in order of appearance."""
    found: dict[tuple[Any, ...], list[Measured]] = defaultdict(list)
    for m in cases:
        found[tuple(m[name] for name in names)].append(m)
    return dict(found)


def cell(kinds: dict[str, str | None], source: str, to: str, m: Measured | None) -> dict[str, Any]:
    """One cell of the matrix: a rate, or why there is none."""
    empty = {"from": source, "to": to, "state": "not measured", "text": "", "why": "not measured"}
    if m and m.drawn:
        text = view.rate(m.median) + ("*" if m.flagged else "")
        found = {"rate": m.median, "text": text, "size": view.size(m["size"])}
        why = f"{len(m.trials)} of {m.planned} trials" + (
            f"; {', '.join(m.flags)}" if m.flagged else ""
        )
        return {**empty, **found, "state": "flagged" if m.flagged else "ok", "why": why}
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
    names = [*KINDS, *more]
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
    """One matrix of memories for each executor and run, at the largest array of each path."""
    copies = [c for c in map(view.as_copy, cases) if c.case == "copy" and view.plain(c)]
    panels = {}
    for run in view.runs(copies):
        for who, found in by_executor([m for m in copies if m.run == run]).items():
            if any(m.drawn for m in found):
                panels[run, who] = matrix_rows(found)
    rates = [c["rate"] for cells in panels.values() for c in cells if c["state"] == "ok"]
    if not rates:
        return None
    low, high = min(rates), max(rates)
    domain = [low, high] if high > 1.5 * low else [low / 2, high * 1.2]
    return alt.concat(
        *(matrix_panel(cells, heading(cases, *key), domain) for key, cells in panels.items()),
        columns=3 if len(view.runs(copies)) == 1 else len({who for _, who in panels}),
    )


def heading(cases: Sequence[Measured], run: str, text: str) -> str:
    """A panel's title: the run is named where there are several."""
    text = text[:1].upper() + text[1:]
    several = len(view.runs(cases)) > 1
    return ": ".join(part for part in (run if several else "", text) if part)


def by_executor(cases: Sequence[Measured]) -> dict[str, list[Measured]]:
    """Copies by who makes them: CPU, GPU kernel, copy engine."""
    found: dict[str, list[Measured]] = defaultdict(list)
    for m in cases:
        found[view.executor(m.parameters)].append(m)
    return {who: found[who] for who in sorted(found, key=lambda w: (w != "CPU", "engine" in w, w))}


def apart(wanted: Sequence[float], height: float) -> list[float]:
    """Pixels from the top for labels that would like to be at these, none over its neighbour."""
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    at = [wanted[i] for i in order]
    for i in range(1, len(at)):
        at[i] = max(at[i], at[i - 1] + LABEL_HEIGHT)
    below = height
    for i in reversed(range(len(at))):  # what now lies under the panel goes up again
        at[i] = below = min(at[i], below)
        below -= LABEL_HEIGHT
    placed = [0.0] * len(at)
    for i, pixels in zip(order, at, strict=True):
        placed[i] = pixels
    return placed


def decades(values: Iterable[float]) -> tuple[float, float]:
    """The domain of a logarithmic axis: a little beyond the values, at 1, 2 or 5."""
    steps = [step * 10.0**power for power in range(-6, 8) for step in (1, 2, 5)]
    found = list(values)
    low = max(step for step in steps if step <= min(found))
    high = min(step for step in steps if step >= max(found))
    return (low, high) if high > low else (low / 2, high * 2)


def path_row(m: Measured, axis: str) -> dict[str, Any]:
    """One point of a path's line."""
    far = m["to"] if style.kind_of(m["from"]) == "device" else m["from"]
    return {
        "path": f"{m['from']} → {m['to']}",
        "kind": style.kind_of(far),
        "way": "written" if far != m["from"] else "read",
        "at": m[axis],
        "size": view.size(m["size"]),
        "rate": float(f"{m.median:.4g}"),
        "low": float(f"{min(m.summary.medians):.4g}"),
        "high": float(f"{max(m.summary.medians):.4g}"),
        "flagged": m.flagged,
    }


def ends(
    points: list[dict[str, Any]], domain: tuple[float, float], log: bool
) -> list[dict[str, Any]]:
    """The label at the right end of each line."""
    scale = math.log if log else float
    low, high = scale(domain[0]), scale(domain[1])
    last = {p["path"]: p for p in sorted(points, key=lambda p: p["at"])}
    right = max(p["at"] for p in points)
    wanted = [PANEL_HEIGHT * (high - scale(p["rate"])) / (high - low) for p in last.values()]
    at = apart(wanted, PANEL_HEIGHT)
    return [{**p, "at": right, "label": y} for p, y in zip(last.values(), at, strict=True)]


def lines_panel(
    points: list[dict[str, Any]],
    domain: tuple[float, float],
    x: alt.X,
    heading: str,
    log: bool,
    look: Look = USUAL,
) -> Panel:
    """Rate over something, one line a path, named at its end; the band is the trials' range."""
    scale = alt.Scale(type="log" if log else "linear", domain=list(domain), nice=False)
    kinds = style.table_scale(look.colours)
    base = alt.Chart(rows(points)).encode(
        x=x,
        color=alt.Color("kind:N", scale=kinds, legend=None),
        detail="path:N",
        tooltip=["path:N", "size:N", alt.Tooltip("rate:Q", title=look.values), "low:Q", "high:Q"],
    )
    y = alt.Y("rate:Q", scale=scale, title=look.values, axis=look.axis(domain, log))
    band = base.mark_area(opacity=0.18).encode(
        y=alt.Y("low:Q", scale=scale, title=look.values), y2="high:Q"
    )
    dash = alt.StrokeDash(
        "way:N", legend=None, scale=alt.Scale(domain=["read", "written"], range=[[1, 0], [5, 3]])
    )
    line = base.mark_line().encode(y=y, strokeDash=dash)
    dots = base.transform_filter("!datum.flagged").mark_point(filled=True, size=26, opacity=1)
    rings = base.transform_filter("datum.flagged").mark_point(filled=False, size=44, opacity=1)
    label = (
        alt.Chart(rows(ends(points, domain, log)))
        .mark_text(align="left", dx=8)
        .encode(x=x, y=alt.Y("label:Q", scale=None), text="path:N", color=base.encoding.color)
    )
    return alt.layer(band, line, dots.encode(y=y), rings.encode(y=y), label).properties(
        width=look.width, height=PANEL_HEIGHT, title=style.title(heading)
    )


def lines(cases: Sequence[Measured], axis: str, x: alt.X, log: bool = True) -> Panel | None:
    """A panel for each run and executor, of the paths that have several values of an axis."""
    panels = {}
    for run in view.runs(cases):
        for who, found in by_executor([m for m in cases if m.run == run]).items():
            several = [
                m
                for same in groups(found, "from", "to").values()
                if len({m[axis] for m in same}) > 1
                for m in same
            ]
            if several:
                panels[run, who] = [path_row(m, axis) for m in several]
    if not panels:
        return None
    rates = [p[end] for points in panels.values() for p in points for end in ("low", "high")]
    domain = decades(rates) if log else (0.0, 1.1 * max(rates))
    return alt.concat(
        *(lines_panel(p, domain, x, heading(cases, *key), log) for key, p in panels.items()),
        columns=3,
    )


def size_axis(title: str, sizes: Sequence[int], step: int) -> alt.X:
    """Sizes, ascending, each twice the one before; every `step`-th of them is told."""
    ticks = {size: view.size(size) for size in sizes[::step]}
    return alt.X(
        "at:Q",
        title=title,
        scale=alt.Scale(type="log", base=2, domain=[sizes[0], sizes[-1]], nice=False),
        axis=alt.Axis(
            values=list(ticks),
            labelExpr=f"({json.dumps(ticks)})[datum.value]",
            labelOverlap="greedy",
            labelFlush=False,
            grid=False,
        ),
    )


def over_size(cases: Sequence[Measured]) -> Panel | None:
    """Bandwidth over the size of one array; of a point measured twice, the one of more trials."""
    plain = [m for m in view.drawable(cases, "copy") if view.plain(m)]
    same = groups(plain, "run", "processor", "means", "from", "to", "size").values()
    copies = [max(group, key=lambda m: len(m.trials)) for group in same]
    sizes = sorted({int(m["size"]) for m in copies})
    if not sizes:
        return None
    x = size_axis("size of one array", sizes, -(-len(sizes) // MOST_TICKS))
    return lines(copies, "size", x)


def over_streams(cases: Sequence[Measured]) -> Panel | None:
    """Bandwidth over the number of streams, at the largest array that several were tried on."""
    copies = [m for m in view.drawable(cases, "copy") if not m["bidirectional"]]
    chosen: list[Measured] = []
    for same in groups(copies, "processor", "means", "from", "to", "thp", "numa").values():
        several = [g for g in groups(same, "run", "size").values() if len(g) > 1]
        sizes = [int(g[0]["size"]) for g in several]
        chosen += several[sizes.index(max(sizes))] if several else []
    counts = sorted({m["streams"] for m in chosen})
    x = alt.X("at:O", title="streams", axis=alt.Axis(labelAngle=0, grid=False))
    return lines(chosen, "streams", x, log=False) if counts else None
