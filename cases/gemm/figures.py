"""Matrix products larger than memory: time over the size of a tile, above the two floors.

The floors are those of the fastest engine at each tile: all bytes read and written at the rate of
the store (the disk, or the link to memory), and all flops at the rate of the BLAS, both measured in
the same trials. Larger tiles are read less often; small ones cost more requests and slower
products.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median
from typing import Any

import altair as alt

from watari.cases.gemm import axes, numbers
from watari.charts import style
from watari.charts.figure import Drawn, Figure
from watari.charts.panels import apart, decades, groups, heading
from watari.charts.style import INK, Panel, rows
from watari.results import published
from watari.results.measured import Measured, drawable

WIDTH, HEIGHT = 330, 260
ASIDE = 1.25  # ratio to a tile's position on its axis: a floor extends so far to either side
ALIKE = ("run", "processor", "precision", "m", "n", "k", "rows", "store", "layout", "schedule")
FLOORS = {"store": [6, 3], "arithmetic": [2, 2]}
HANAWA_TILE = 2048  # Hanawa (2025)
RATIO = "gemm-gpu-over-posix"  # the published quantity


def name(m: Measured, cases: Sequence[Measured]) -> str:
    """The name of a case's line: its engine, with threads if several numbers were measured."""
    threads = {other["threads"] for other in cases if other["engine"] == m["engine"]}
    if len(threads) < 2:
        return str(m["engine"])
    return f"{m['engine']}, {m['threads']} thread{'s' if m['threads'] > 1 else ''}"


def points(cases: Sequence[Measured]) -> list[dict[str, Any]]:
    """One row a case: seconds of a product, median and range over trials."""
    data = []
    for m in cases:
        speed = numbers.speed(m.flops_per_sample, m.trials)
        seconds = [median(trial["host_s"]) for trial in m.trials]
        data.append(
            {
                "name": name(m, cases),
                "engine": m["engine"],
                "tile": m["tile"],
                "seconds": float(f"{speed.seconds:.4g}"),
                "low": float(f"{min(seconds):.4g}"),
                "high": float(f"{max(seconds):.4g}"),
                "speed": numbers.speed_text(speed),
                "store": speed.store_floor,
                "arithmetic": speed.blas_floor,
            }
        )
    return sorted(data, key=lambda row: (row["name"], row["tile"]))


def floors(data: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Both floors at each tile, if trials reported them."""
    marks = []
    for tile in sorted({row["tile"] for row in data}):
        for floor in FLOORS:
            times = [row[floor] for row in data if row["tile"] == tile and row[floor]]
            if times:
                ends = {"tile": tile / ASIDE, "end": tile * ASIDE}
                marks.append({"name": floor, **ends, "seconds": float(f"{min(times):.4g}")})
    return marks


def labels(
    data: Sequence[dict[str, Any]], domain: tuple[float, float], right: float
) -> list[dict[str, Any]]:
    """The name at the right end of each line and floor, without overlaps."""
    last = {row["name"]: row for row in data}
    low, high = map(math.log, domain)
    wanted = [HEIGHT * (high - math.log(row["seconds"])) / (high - low) for row in last.values()]
    return [
        {"name": row["name"], "engine": row.get("engine", ""), "tile": right, "label": y}
        for row, y in zip(last.values(), apart(wanted, HEIGHT), strict=True)
    ]


def panel(cases: Sequence[Measured]) -> Panel:
    """Time over tile, one line an engine, named at its end; the band is the trials' range."""
    data = points(cases)
    low = floors(data)
    tiles = sorted({row["tile"] for row in data})
    domain = decades([row[end] for row in data for end in ("low", "high")] + seconds(low))
    x = alt.X(
        "tile:Q",
        title="tile, elements",
        scale=alt.Scale(
            type="log", base=2, domain=[tiles[0] / ASIDE, tiles[-1] * ASIDE], nice=False
        ),
        axis=alt.Axis(values=tiles, format="d", grid=False),
    )
    scale = alt.Scale(type="log", domain=list(domain), nice=False)
    y = alt.Y("seconds:Q", title="seconds", scale=scale, axis=style.log_axis(domain))
    colour = alt.Color("engine:N", scale=style.table_scale(style.ENGINES), legend=None)
    base = alt.Chart(rows(data)).encode(
        x=x,
        color=colour,
        detail="name:N",
        tooltip=["name:N", "tile:Q", "seconds:Q", "low:Q", "high:Q", "speed:N"],
    )
    band = base.mark_area(opacity=0.18).encode(y=alt.Y("low:Q", scale=scale), y2="high:Q")
    dash = alt.StrokeDash("name:N", legend=None, scale=dashes(data))
    line = base.mark_line(point={"filled": True, "size": 30}).encode(y=y, strokeDash=dash)
    floor = (
        alt.Chart(rows(low))
        .mark_rule(strokeWidth=1.4, opacity=0.7)
        .encode(x=x, x2="end:Q", y=y, strokeDash=dash, tooltip=["name:N", "seconds:Q"])
    )
    text = alt.Chart(rows(labels([*data, *low], domain, tiles[-1] * ASIDE))).mark_text(
        align="left", dx=8
    )
    label = text.encode(x=x, y=alt.Y("label:Q", scale=None), text="name:N")
    return alt.layer(
        band,
        floor,
        line,
        label.transform_filter("datum.engine != ''").encode(color=colour),
        label.transform_filter("datum.engine == ''").encode(color=alt.value(INK)),
    ).properties(width=WIDTH, height=HEIGHT, title=style.title(ratio(cases)))


def seconds(data: Sequence[dict[str, Any]]) -> list[float]:
    """Seconds of the rows."""
    return [row["seconds"] for row in data]


def dashes(data: Sequence[dict[str, Any]]) -> alt.Scale:
    """Each floor has dashes of its own; an engine's line with one thread is dashed too."""
    names = sorted({row["name"] for row in data})
    whole: list[int] = [1, 0]
    shown = {name: [4, 2] if name.endswith(", 1 thread") else whole for name in names}
    every = {**shown, **FLOORS}
    return alt.Scale(domain=list(every), range=list(every.values()))


def ratio(cases: Sequence[Measured]) -> str:
    """The comparison of Hanawa (2025), measured here and published: `gpu` over `posix` with one
    thread, at the tile of that paper or the largest below it."""
    times = {}
    for m in cases:
        if m["engine"] == "gpu" or (m["engine"], m["threads"]) == ("posix", 1):
            speed = numbers.speed(m.flops_per_sample, m.trials)
            times[m["engine"], m["tile"]] = speed.seconds
    tiles = {tile for _, tile in times if {("gpu", tile), ("posix", tile)} <= times.keys()}
    tile = max((tile for tile in tiles if tile <= HANAWA_TILE), default=None)
    if tile is None:
        return block_rows(cases)
    here = f"gpu {times['posix', tile] / times['gpu', tile]:.3g}x posix with 1 thread, tile {tile}"
    if cases[0]["schedule"] != "naive" or tile != HANAWA_TILE:
        return here
    return f"{here} ({theirs()})"


def theirs() -> str:
    """The published ratio."""
    entries = [entry for entry in published.values() if entry.quantity == RATIO]
    return "; ".join(f"{entry.source}: {entry.text}x" for entry in entries)


def block_rows(cases: Sequence[Measured]) -> str:
    """Seconds of a block row at that tile by each engine, where a part of the product was computed,
    beside the published ratio."""
    texts = []
    for m in cases:
        trials = [t["quantities"] for t in m.trials if "block_row_s" in t["quantities"]]
        if m["rows"] and m["tile"] == HANAWA_TILE and trials:
            seconds = median(each["block_row_s"]["value"] for each in trials)
            texts.append(f"{name(m, cases)} {seconds:.3g} s")
    if not texts:
        return ""
    return f"A block row: {', '.join(texts)} ({theirs()} through the CPU to GPU threads)"


def title(m: Measured) -> str:
    """The title of a chart: `16384, each product reads its tiles, row-major in memory`."""
    reads = "blocks of C stay" if m["schedule"] == "reuse" else "each product reads its tiles"
    where = {"ram": "memory", "file": "files"}.get(m["store"], m["store"])
    parts = [
        axes.sides(m.parameters),
        f"{m['rows']} block row{'s' if m['rows'] > 1 else ''} alone" if m["rows"] else "",
        "" if m["precision"] == "single" else "double precision",
        reads,
        f"{m['layout']} in {where}",
        "on the CPU" if m["processor"] == "cpu" else "",
    ]
    return ", ".join(part for part in parts if part)


def over_tile(cases: Sequence[Measured]) -> Drawn:
    """A chart for each store and schedule that has more than one point."""
    charts: Drawn = []
    for same in groups(drawable(cases, "gemm"), *ALIKE).values():
        if len({(m["engine"], m["threads"], m["tile"]) for m in same}) > 1:
            text = heading(cases, same[0].run, title(same[0]))
            charts.append((text, panel(same), same))
    return charts


def several_tiles(cases: Sequence[Measured]) -> Drawn:
    """The charts with lines."""
    return [drawn for drawn in over_tile(cases) if len({m["tile"] for m in drawn[2]}) > 1]


def one_tile(cases: Sequence[Measured]) -> Drawn:
    """The charts of points above each other."""
    return [drawn for drawn in over_tile(cases) if len({m["tile"] for m in drawn[2]}) == 1]


FIGURES = (
    Figure(
        "gemm",
        "Matrix product larger than memory",
        ("gemm",),
        "Seconds of C = alpha A B + beta C over the edge of a tile, a line for each engine that "
        "moves tiles. The floors below: all bytes read and written at the rate of the store, and "
        "all flops at the rate of the BLAS, both measured in the same trials. A run that overlaps "
        "everything lies on the higher floor.",
        several_tiles,
        over=("tile",),
    ),
    Figure(
        "gemm-one-tile",
        "Matrix products of one tile size",
        ("gemm",),
        "Engines on the same product and tile, above the two floors.",
        one_tile,
        folded=True,
    ),
)
