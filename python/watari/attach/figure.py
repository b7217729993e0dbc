"""The figure of `watari try`: seconds of each style, a dot a run, a tick at their median."""

from __future__ import annotations

from pathlib import Path
from statistics import median
from typing import Any

import altair as alt

from watari.attach.measure import Measured
from watari.attach.styles import AS_IS
from watari.attach.table import seconds
from watari.charts import style
from watari.charts.file import converted
from watari.charts.style import INK, rows
from watari.common.files import write_atomically

WIDTH, ROW = 460, 26
OTHER = "#8c8f96"
COLOURS = {
    AS_IS: style.COLOURS["device"],
    "managed": style.COLOURS["managed"],
    "managed-prefetch": style.STYLES["managed-prefetch"],
    "mapped": style.COLOURS["file"],
    "pinned": style.COLOURS["pinned"],
    "system": style.COLOURS["system"],
}


def chart(measured: Measured) -> Any:
    """Styles by seconds, the fastest above."""
    times = {s: t for s in measured.styles if (t := seconds(measured.of(s)))}
    order = sorted(times, key=lambda name: median(times[name]))
    dots = [{"style": s, "seconds": t, "colour": colour(s)} for s in order for t in times[s]]
    medians = [
        {
            "style": s,
            "seconds": median(times[s]),
            "right": max(times[s]),
            "colour": colour(s),
            "text": f"{median(times[s]):.3g} s",
        }
        for s in order
    ]
    y = alt.Y("style:N", sort=order, title=None, axis=alt.Axis(grid=False))
    x = alt.X(
        "seconds:Q",
        title="seconds of the whole program",
        scale=alt.Scale(domainMin=0),
        axis=alt.Axis(tickCount=6),
    )
    fill = alt.Color("colour:N", scale=None)
    base = alt.Chart(rows(medians)).encode(y=y)
    layers = [
        base.mark_bar(opacity=0.3, height=14).encode(x=x, color=fill),
        base.mark_tick(orient="vertical", size=16, thickness=2.5).encode(x=x, color=fill),
        alt.Chart(rows(dots)).mark_point(filled=True, size=24).encode(x=x, y=y, color=fill),
        base.mark_text(align="left", dx=8, color=INK).encode(x="right:Q", text="text:N"),
    ]
    return alt.layer(*layers).properties(
        width=WIDTH, height=ROW * len(order), title=measured.start.text[:80]
    )


def colour(name: str) -> str:
    """That of the memory which the style gives."""
    return COLOURS.get(name, OTHER)


def write(measured: Measured, path: Path) -> None:
    """The figure as a file; its format by the name."""
    spec = style.unfold(chart(measured).to_dict(validate=False))
    write_atomically(path, converted({**spec, "config": style.config()}, path.suffix[1:]))
