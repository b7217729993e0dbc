"""Products with an H-matrix: time over the resident fraction, and over the size of a
batch; a line for each engine.

Hanawa (2025) has one point of this plane without its coordinates: GPU threads were at most about
1.31 times as fast as one thread of the CPU in all, and 1.71 times in reading.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import altair as alt

from watari.cases.hmatrix.words import product, short, value
from watari.charts import style
from watari.charts.figure import Drawn, Figure
from watari.charts.panels import decades, groups, heading
from watari.charts.style import Panel, rows
from watari.common.units import format_size
from watari.results import published
from watari.results.measured import Measured, drawable

WIDTH, HEIGHT = 420, 260
SAME = (
    "run",
    "processor",
    "mesh",
    "eps",
    "eta",
    "recompress",
    "precision",
    "rhs",
    "store",
    "ranks",
)
SOLVE = ("solver", "preconditioner", "tolerance", "inner", "steps", "pinned")
RATIOS = {  # of a solve's times, by their published quantities
    "solve_s": ("hmatrix-gpu-over-posix", "in all"),
    "read_s": ("hmatrix-gpu-over-posix-reading", "in reading"),
}
BOTH = ("gpu", "uring")  # engines compared with one thread of posix

ITERATION_RATIOS = {
    "iteration_s": RATIOS["solve_s"],
    "iteration_read_s": RATIOS["read_s"],
}

Axis = Callable[[Measured], float]


def name(m: Measured, cases: Sequence[Measured]) -> str:
    """The name of a case's line: its engine, with threads if several numbers were measured."""
    threads = {other["threads"] for other in cases if other["engine"] == m["engine"]}
    if len(threads) < 2 and m["engine"] != "posix":
        return str(m["engine"])
    return f"{m['engine']}, {m['threads']} thread{'s' if m['threads'] > 1 else ''}"


def share(m: Measured) -> float:
    """The part of the matrix that is resident in fast memory."""
    return value(m, "resident_fraction") or 0.0


def points(cases: Sequence[Measured], over: Axis) -> list[dict[str, Any]]:
    """One row a case: seconds of a product."""
    data = [
        {
            "name": name(m, cases),
            "engine": m["engine"],
            "over": float(f"{over(m):.4g}"),
            "seconds": float(f"{product(m):.4g}"),
        }
        for m in cases
    ]
    return sorted(data, key=lambda row: (row["name"], row["over"]))


def budget(m: Measured) -> tuple[Any, ...]:
    """What may stay in memory, and the reads."""
    return m["fast-memory"], m["batch"], m["pinned"]


def ratios(cases: Sequence[Measured], of: Mapping[str, tuple[str, str]] = RATIOS) -> str:
    """The largest ratios of the time of `posix` with one thread to that of an engine, as text."""
    slow = {budget(m): m for m in cases if name(m, cases) == "posix, 1 thread"}
    texts = []
    for engine in BOTH:
        pairs = [(slow[budget(m)], m) for m in cases if m["engine"] == engine and budget(m) in slow]
        best = [f"{gain(pairs, quantity):.2f}x" for quantity in of if gain(pairs, quantity)]
        if len(best) == len(of):
            texts.append(f"{engine}: {best[0]} in all, {best[1]} in reading")
    if not texts:
        return ""
    return f"Time of posix, 1 thread, over that of {'; '.join(texts)}"


def theirs() -> str:
    """The published ratios: upper bounds, at a point that the source does not state."""
    entries = {entry.quantity: entry for entry in published.values()}
    given = [(entries[name], what) for name, what in RATIOS.values() if name in entries]
    bounds = ", ".join(f"{entry.high:g}x {what}" for entry, what in given)
    sources = {entry.source for entry, _ in given}
    return (
        f"{', '.join(sources)}, over that of GPU threads: at most about {bounds}" if given else ""
    )


def gain(pairs: Sequence[tuple[Measured, Measured]], quantity: str) -> float:
    """The largest ratio of two cases' times; 0 without one."""
    times = [(value(one, quantity), value(other, quantity)) for one, other in pairs]
    return max((one / other for one, other in times if one and other), default=0.0)


def panel(cases: Sequence[Measured], over: Axis, x: alt.X, text: str) -> Panel:
    """A line an engine, with a legend."""
    data = points(cases, over)
    domain = decades([row["seconds"] for row in data])
    names = sorted({row["name"] for row in data})
    engines = {row["name"]: row["engine"] for row in data}
    colours = [style.ENGINES[engines[each]] for each in names]
    dashes = [[4, 2] if each.endswith(", 1 thread") else [1, 0] for each in names]
    legend = alt.Legend(title=None, orient="bottom", columns=4, symbolType="stroke")
    return (
        alt.Chart(rows(data))
        .mark_line(point={"filled": True, "size": 30})
        .encode(
            x=x,
            y=alt.Y(
                "seconds:Q",
                title="seconds of a product",
                scale=alt.Scale(type="log", domain=list(domain), nice=False),
                axis=style.log_axis(domain),
            ),
            color=alt.Color("name:N", scale=alt.Scale(domain=names, range=colours), legend=legend),
            strokeDash=alt.StrokeDash(
                "name:N", scale=alt.Scale(domain=names, range=dashes), legend=None
            ),
            tooltip=["name:N", "over:Q", "seconds:Q"],
        )
        .properties(
            width=WIDTH,
            height=HEIGHT,
            title=alt.Title([text, theirs()] if text else "", fontSize=11, anchor="start"),
        )
    )


def what(m: Measured) -> str:
    """The title of a chart."""
    parts = [
        m["mesh"],
        f"eps {short(m['eps'])}",
        "" if m["recompress"] else "not recompressed",
        "" if m["precision"] == "double" else "single",
        "" if m["rhs"] == 1 else f"{m['rhs']} right-hand sides",
        "" if m["ranks"] == 1 else f"{m['ranks']} ranks",
        {"ram": "store in memory", "file": "files"}.get(m["store"], m["store"]),
        "on the CPU" if m["processor"] == "cpu" else "",
    ]
    return ", ".join(part for part in parts if part)


def over_share(cases: Sequence[Measured]) -> Drawn:
    """A chart for each size of a batch that has several shares."""
    charts: Drawn = []
    x = alt.X(
        "over:Q",
        title="resident fraction of the matrix",
        scale=alt.Scale(domain=[0, 1], nice=False),
        axis=alt.Axis(format="%", grid=False),
    )
    for same in groups(drawable(cases, "hmatrix"), *SAME, *SOLVE, "batch").values():
        if len({m["fast-memory"] for m in same}) > 1:
            text = f"{what(same[0])}, batches of {format_size(same[0]['batch'])}"
            charts.append(
                (heading(cases, same[0].run, text), panel(same, share, x, ratios(same)), same)
            )
    return charts


def over_batch(cases: Sequence[Measured]) -> Drawn:
    """A chart for each fast memory that has several sizes of a batch."""
    charts: Drawn = []
    for same in groups(drawable(cases, "hmatrix"), *SAME, *SOLVE, "fast-memory").values():
        sizes = sorted({int(m["batch"]) for m in same})
        if len(sizes) < 2:
            continue
        written = " : ".join(f"datum.value == {size} ? '{format_size(size)}'" for size in sizes)
        x = alt.X(
            "over:Q",
            title="bytes of a batch",
            scale=alt.Scale(type="log", base=2, domain=[sizes[0], sizes[-1]], nice=False),
            axis=alt.Axis(values=sizes, labelExpr=f"{written} : ''", grid=False),
        )
        size = same[0]["fast-memory"]
        within = f"in {format_size(size)}" if size else "all in memory"
        chart = panel(same, lambda m: float(m["batch"]), x, ratios(same))
        charts.append((heading(cases, same[0].run, f"{what(same[0])}, {within}"), chart, same))
    return charts


FIGURES = (
    Figure(
        "hmatrix",
        "H-matrix larger than fast memory",
        ("hmatrix",),
        "Seconds of a product over the resident fraction of the matrix, a line for "
        "each engine that reads the rest. Lines meet if arithmetic hides the reading.",
        over_share,
        over=("fast-memory",),
    ),
    Figure(
        "hmatrix-batch",
        "H-matrix by the size of a batch",
        ("hmatrix",),
        "Seconds of a product over the bytes that are read at once. Small batches show the cost "
        "of a request with each engine.",
        over_batch,
        over=("batch",),
    ),
)
