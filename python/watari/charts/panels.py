"""Parts that figures share: groups of cases, scales, labels at ends of lines, panels of lines."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import altair as alt

from watari.charts import style
from watari.charts.style import RATE, Panel, rows
from watari.common.units import format_size
from watari.results.measured import Measured, runs

PANEL_WIDTH, PANEL_HEIGHT = 220, 240
LABEL_HEIGHT = 13


@dataclass(frozen=True)
class Look:
    """The look of a panel of lines: the title of its values, their format (a Vega expression; plain
    numbers if empty), the colour of each kind, the width."""

    values: str = RATE
    written: str = ""
    colours: dict[str, str] = field(default_factory=lambda: style.COLOURS)
    width: int = PANEL_WIDTH

    def axis(self, domain: tuple[float, float], log: bool) -> alt.Axis:
        """The axis of the values."""
        axis = style.rate_axis(domain, log)
        return alt.Axis(values=axis.values, labelExpr=self.written) if self.written else axis


USUAL = Look()


def groups(cases: Sequence[Measured], *names: str) -> dict[tuple[Any, ...], list[Measured]]:
    """Cases that share these parameters, in order of appearance."""
    grouped: dict[tuple[Any, ...], list[Measured]] = defaultdict(list)
    for m in cases:
        grouped[tuple(m[name] for name in names)].append(m)
    return dict(grouped)


def heading(cases: Sequence[Measured], run: str, text: str) -> str:
    """A panel's title, with the run if there are several."""
    text = text[:1].upper() + text[1:]
    several = len(runs(cases)) > 1
    return ": ".join(part for part in (run if several else "", text) if part)


def by_ranks(on_cpu: bool) -> alt.X:
    """Groups of bars, one for each number of ranks; each rank on GPUs has its own GPU."""
    return alt.X(
        "ranks:O",
        title="CPU ranks" if on_cpu else "GPUs",
        axis=alt.Axis(labelAngle=0, grid=False),
        scale=alt.Scale(paddingInner=0.2, paddingOuter=0.1),
    )


def apart(wanted: Sequence[float], height: float) -> list[float]:
    """Pixels from the top for labels wanted at these places, moved apart so that none overlap."""
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    at = [wanted[i] for i in order]
    for i in range(1, len(at)):
        at[i] = max(at[i], at[i - 1] + LABEL_HEIGHT)
    below = height
    for i in reversed(range(len(at))):  # labels below the panel move up again
        at[i] = below = min(at[i], below)
        below -= LABEL_HEIGHT
    placed = [0.0] * len(at)
    for i, pixels in zip(order, at, strict=True):
        placed[i] = pixels
    return placed


def decades(values: Iterable[float]) -> tuple[float, float]:
    """The domain of a logarithmic axis: a little beyond positive values, at 1, 2 or 5."""
    numbers = list(values)
    first, last = (math.floor(math.log10(value)) for value in (min(numbers), max(numbers)))
    steps = [float(f"{step}e{power}") for power in range(first - 1, last + 2) for step in (1, 2, 5)]
    low = max(step for step in steps if step <= min(numbers))
    high = min(step for step in steps if step >= max(numbers))
    return (low, high) if high > low else (low / 2, high * 2)


def size_axis(title: str, sizes: Sequence[int], step: int) -> alt.X:
    """Sizes, ascending, each twice the one before; every `step`-th has a label."""
    ticks = {size: format_size(size) for size in sizes[::step]}
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
    """Rate over `x`, one line a path, named at its end; the band is the trials' range."""
    scale = alt.Scale(type="log" if log else "linear", domain=list(domain), nice=False)
    kinds = style.table_scale(look.colours)
    base = alt.Chart(rows(points)).encode(
        x=x,
        color=alt.Color("kind:N", scale=kinds, legend=None),
        detail=alt.Detail("path:N"),
        tooltip=style.tips(
            "path:N", "size:N", alt.Tooltip("rate:Q", title=look.values), "low:Q", "high:Q"
        ),
    )
    y = alt.Y("rate:Q", scale=scale, title=look.values, axis=look.axis(domain, log))
    band = base.mark_area(opacity=0.18).encode(
        y=alt.Y("low:Q", scale=scale, title=look.values), y2=alt.Y2("high:Q")
    )
    dash = alt.StrokeDash(
        "direction:N",
        legend=None,
        scale=alt.Scale(domain=["read", "written"], range=[[1, 0], [5, 3]]),
    )
    line = base.mark_line().encode(y=y, strokeDash=dash)
    dots = base.transform_filter("!datum.flagged").mark_point(filled=True, size=26, opacity=1)
    rings = base.transform_filter("datum.flagged").mark_point(filled=False, size=44, opacity=1)
    label = (
        alt.Chart(rows(ends(points, domain, log)))
        .mark_text(align="left", dx=8)
        .encode(
            x=x, y=alt.Y("label:Q", scale=None), text=alt.Text("path:N"), color=base.encoding.color
        )
    )
    return alt.layer(band, line, dots.encode(y=y), rings.encode(y=y), label).properties(
        width=look.width, height=PANEL_HEIGHT, title=style.title(heading)
    )


def logarithmic(values: Sequence[float], room: float = 1.0) -> alt.Scale:
    """A logarithmic scale around values, with room for a label at its right."""
    return alt.Scale(type="log", domain=[min(values) / 1.3, max(values) * 1.3 * room], nice=False)


def digits(values: Sequence[float]) -> list[float]:
    """Four digits: more than can be seen, and half the bytes of the page."""
    return [float(f"{v:.4g}") for v in values]


def split(
    cases: Sequence[Measured], names: Sequence[str], title: Callable[[Measured], str]
) -> list[tuple[str, list[Measured]]]:
    """The cases of one chart each: same run and same values of these parameters."""
    grouped = groups(cases, "run", *names).values()
    return [(heading(cases, same[0].run, title(same[0])), same) for same in grouped]


def grid(panels: Sequence[Panel], columns: int = 4) -> Panel:
    """Panels side by side, each with its own scales."""
    return alt.concat(*panels, columns=columns).resolve_scale(x="independent", y="independent")


def largest(cases: Iterable[Measured]) -> Measured | None:
    """The case with the largest array among those that ran; among all if none ran."""
    return max(cases, key=lambda m: (m.drawn, m["size"]), default=None)
