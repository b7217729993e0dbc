"""The figure of predictions: a tick a style in its interval, a diamond for a measurement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import altair as alt

from watari.charts import style
from watari.charts.file import converted
from watari.charts.panels import logarithmic
from watari.charts.style import INK, rows
from watari.common.errors import UsageError
from watari.common.files import write_atomically
from watari.model.predict import Prediction
from watari.model.render import beside, case_of, spent

WIDTH, ROW = 460, 24


def panel(title: str, predictions: Sequence[Prediction], seen: Mapping[str, float]) -> Any:
    """One program: styles by seconds."""
    known = sorted((p for p in predictions if not p.reason), key=lambda p: p.total.middle)
    data: list[dict[str, Any]] = []
    for p in known:
        value = beside(case_of(title), p, seen)
        total = p.total
        text = spent(total.middle)
        text += f" · measured {spent(value)}" if value is not None else ""
        right = max(total.high, value or 0)
        data.append(
            {
                "style": p.style,
                "seconds": total.middle,
                "low": total.low,
                "high": total.high,
                "measured": value,
                "right": right,
                "text": text,
            }
        )
    scale = logarithmic([row[end] for row in data for end in ("low", "right")], 4.0)
    axis = style.log_axis(scale.domain, labels=True, ticks=True)
    base = alt.Chart(rows(data)).encode(
        y=alt.Y(
            "style:N", sort=[row["style"] for row in data], title=None, axis=alt.Axis(grid=False)
        )
    )

    def x(field: str) -> alt.X:
        return alt.X(f"{field}:Q", scale=scale, title="seconds", axis=axis)

    layers = [
        base.mark_rule(strokeWidth=7, opacity=0.3).encode(x=x("low"), x2="high:Q"),
        base.mark_tick(orient="vertical", size=15, thickness=2.5).encode(x=x("seconds")),
        base.transform_filter("datum.measured != null")
        .mark_point(shape="diamond", filled=False, size=60, color=INK, opacity=1)
        .encode(x=x("measured")),
        base.mark_text(align="left", dx=8, color=INK).encode(x=x("right"), text="text:N"),
    ]
    return alt.layer(*layers).properties(width=WIDTH, height=ROW * len(data), title=title)


def spec(
    asked: Sequence[tuple[str, Sequence[Prediction]]], seen: Mapping[str, float]
) -> dict[str, Any]:
    """The figure as Vega-Lite. Raises UsageError where nothing is predicted."""
    drawn = [(title, p) for title, p in asked if any(not one.reason for one in p)]
    if not drawn:
        raise UsageError("nothing to draw: no style of these can be predicted")
    chart = alt.vconcat(*(panel(title, p, seen) for title, p in drawn), spacing=18)
    return {**style.unfold(chart.to_dict(validate=False)), "config": style.config()}


def write(
    asked: Sequence[tuple[str, Sequence[Prediction]]],
    seen: Mapping[str, float],
    output: Path,
) -> None:
    """Writes the figure; the suffix of the file is its format. Raises UsageError, FileError."""
    (content,) = converted([spec(asked, seen)], output.suffix[1:])
    write_atomically(output, content)
