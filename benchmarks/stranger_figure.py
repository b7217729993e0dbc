"""The figure of strangers: predicted over measured seconds of each program in each style."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import altair as alt
from stranger_judge import Pair

from watari.charts import style
from watari.charts.file import converted
from watari.charts.panels import decades
from watari.charts.style import INK, rows
from watari.common.errors import UsageError
from watari.common.files import write_atomically

SIZE = 300
NAMES = {"watari": "Predicted by watari advise", "bytes": "By the model of bytes alone"}
COLOURS = {"managed": "managed", "managed-prefetch": "managed-prefetch", "pinned": "pinned"}


def colours() -> alt.Scale:
    """Colours of styles, those of reports where they have one."""
    given = {name: style.STYLES[word] for name, word in COLOURS.items()}
    given |= {"mapped": style.COLOURS["system"], "other hints": style.COLOURS["pageable"]}
    return style.table_scale(given)


def panel(title: str, pairs: Sequence[Pair], domain: tuple[float, float]) -> Any:
    """One model: the line is where predicted and measured are equal."""
    named = {*COLOURS, "mapped"}
    data = [
        {
            "program": pair.program,
            "style": pair.style if pair.style in named else "other hints",
            "measured": pair.measured,
            "predicted": min(max(pair.predicted, domain[0]), domain[1]),
        }
        for pair in pairs
    ]
    scale = alt.Scale(type="log", domain=list(domain), nice=False)
    axis = style.log_axis(domain)
    x = alt.X("measured:Q", scale=scale, title="measured, seconds", axis=axis)
    y = alt.Y("predicted:Q", scale=scale, title="predicted, seconds", axis=axis)
    ends = [{"measured": end, "predicted": end} for end in domain]
    line = alt.Chart(rows(ends)).mark_line(color=INK, opacity=0.4, strokeWidth=1).encode(x=x, y=y)
    dots = (
        alt.Chart(rows(data))
        .mark_point(filled=True, size=34, opacity=0.8)
        .encode(
            x=x,
            y=y,
            color=alt.Color("style:N", scale=colours(), title=None),
            tooltip=style.tips("program:N", "style:N", "measured:Q", "predicted:Q"),
        )
    )
    return alt.layer(line, dots).properties(width=SIZE, height=SIZE, title=style.title(title))


def write(found: Sequence[Pair], baseline: Sequence[Pair], output: Path) -> None:
    """Writes the figure; the suffix of the file is its format. Raises UsageError, FileError."""
    if not found and not baseline:
        raise UsageError("nothing to draw: no style of these programs is predicted")
    both = [*found, *baseline]
    domain = decades([p.measured for p in both] + [p.predicted for p in found])
    panels = [
        panel(NAMES[name], pairs, domain)
        for name, pairs in (("watari", found), ("bytes", baseline))
        if pairs
    ]
    spec = style.unfold(alt.hconcat(*panels, spacing=24).to_dict(validate=False))
    (content,) = converted([{**spec, "config": style.config()}], output.suffix[1:])
    write_atomically(output, content)
