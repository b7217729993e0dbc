"""A sweep of any case over its own axis: one chart a case, a line for each set of the other values.

A page has such a chart for each sweep of numbers that no figure of the case runs along, and a line
for each axis of words that neither a figure nor a case's words show. `watari report --x --by` draws
what the user names.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import altair as alt

from watari import cases
from watari.case.axis import as_text, unknown
from watari.cases import notes
from watari.charts import style
from watari.charts.figure import Drawing, Figure
from watari.charts.panels import digits
from watari.charts.style import Panel
from watari.common.errors import UsageError
from watari.common.units import format_size
from watari.plan.request import LENGTHS
from watari.results import statistics
from watari.results.measured import Measured

LEAST = 3  # values of a sweep
MOST = 8  # lines that a chart distinguishes
# axes that follow others, or say how often: they tell no two lines apart
FOLLOW = ("samples", "requests", "iterations", "oversubscribe", "folder")
COLOURS = [*style.COLOURS.values(), "#c4503e", "#7564bd", "#5d8a3a"]
WIDTH, HEIGHT = 420, 240
SEPARATION = 8  # pixels between labels, which are wider in other fonts
SYMBOL, LETTER = 40, 6  # pixels of a legend's symbol with its room, and of a letter
RUN = "run"  # `--by run`
SWEEPS = Figure(
    "sweeps",
    "Sweeps",
    (),
    "The median over trials at each value of an axis, the band their range; a line for each set of "
    "other values.",
    lambda cases: [],
    group="Data",
)


@dataclass(frozen=True)
class Lines:
    """The lines of one chart: label and cases, by ascending value of the axis `x`."""

    case: str
    x: str
    lines: dict[str, list[Measured]]

    @property
    def cases(self) -> list[Measured]:
        """All cases of the chart."""
        return [m for line in self.lines.values() for m in line]


def number(value: Any) -> bool:
    """Whether a value of an axis is a number."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def text(axis: str, value: Any) -> str:
    """A value of an axis for people."""
    return format_size(value) if axis in LENGTHS and type(value) is int else as_text(value)


def key(m: Measured, without: Collection[str]) -> tuple[tuple[str, str], ...]:
    """The run and the values of all axes but these, as text."""
    others = ((n, text(n, v)) for n, v in m.parameters.items() if n not in (*without, *FOLLOW))
    return ((RUN, m.run), *others)


def grouped(same: Sequence[Measured], x: str) -> list[list[Measured]]:
    """The cases that differ in `x` alone, by ascending value; of equal ones that with most
    trials."""
    found: dict[Any, dict[Any, Measured]] = {}
    for m in same:
        row = found.setdefault(key(m, (x,)), {})
        if m[x] not in row or len(row[m[x]].trials) < len(m.trials):
            row[m[x]] = m
    return [
        [row[value] for value in (sorted(row) if all(map(number, row)) else row)]
        for row in found.values()
    ]


def lines(same: Sequence[Measured], x: str, by: str = "", least: int = 2) -> Lines:
    """The lines of one case over an axis; with `by`, in the order of its values."""
    groups = [group for group in grouped(same, x) if len(group) >= least]
    if by:
        groups.sort(key=lambda group: (not number(group[0][by]), group[0][by] or 0))
    labels = next(filter(apart, (name(groups, x, by) for name in (values_of, words_of, axes_of))))
    return Lines(same[0].case, x, dict(zip(labels, groups, strict=True)))


def apart(labels: Sequence[str]) -> bool:
    """Whether labels tell all lines apart."""
    return len({*labels}) == len(labels)


def values_of(groups: Sequence[list[Measured]], x: str, by: str) -> list[str]:
    """The value of `by` as the name of each line."""
    return [text(by, group[0][by]) if by else "" for group in groups]


def words_of(groups: Sequence[list[Measured]], x: str, by: str) -> list[str]:
    """The words of the case as the name of each line, with the run if there are several; the same
    name for all where the words have the axis."""
    said = [{cases.words(m.case, m.parameters) for m in group} for group in groups]
    if any(len(words) > 1 for words in said):
        return [""] * len(groups)
    several = len({group[0].run for group in groups}) > 1
    return [
        f"{group[0].run}: {words.pop()}" if several else words.pop()
        for group, words in zip(groups, said, strict=True)
    ]


def axes_of(groups: Sequence[list[Measured]], x: str, by: str) -> list[str]:
    """Every axis that differs from line to line, as the name of each."""
    keys = [dict(key(group[0], (x,))) for group in groups]
    every = list(dict.fromkeys(name for values in keys for name in values))
    differ = [n for n in every if len({values.get(n) for values in keys}) > 1]
    return [", ".join(f"{n}={values.get(n, '')}" for n in differ) for values in keys]


def points(one: Lines) -> list[dict[str, Any]]:
    """A row for each value of each line: the median over trials, and their range."""
    shown = cases.presentation(one.case)
    rows = []
    for label, group in one.lines.items():
        for m in group:
            levels = [median(statistics.seconds(trial)) for trial in m.trials]
            values = digits([shown.value(each, m.bytes_per_sample) for each in levels])
            rows.append(
                {
                    "line": label,
                    "at": m[one.x],
                    "text": text(one.x, m[one.x]),
                    "value": median(values),
                    "low": min(values),
                    "high": max(values),
                    "flagged": m.flagged,
                }
            )
    return rows


def axis(one: Lines) -> alt.X:
    """The axis `x`: logarithmic where its numbers span a factor of eight, words in their order."""
    values = list(dict.fromkeys(m[one.x] for m in one.cases))
    if not all(map(number, values)):
        order = [text(one.x, value) for value in values]
        return alt.X("text:N", title=one.x, sort=order, axis=alt.Axis(labelAngle=0, grid=False))
    ordered = sorted(values)
    log = ordered[0] > 0 and ordered[-1] >= 8 * ordered[0]
    labels = {value: text(one.x, value) for value in ordered}
    return alt.X(
        "at:Q",
        title=one.x,
        scale=alt.Scale(type="log", base=2, nice=False) if log else alt.Scale(zero=False),
        axis=alt.Axis(
            values=ordered,
            labelExpr=f"({labels})[datum.value]".replace("'", '"'),
            labelOverlap="greedy",
            labelFlush=False,
            labelSeparation=SEPARATION,
            grid=False,
        ),
    )


def chart(one: Lines, width: int) -> Panel:
    """The chart; the legend is above it, so that no name is wider than the paper."""
    rows = points(one)
    values = [row["value"] for row in rows]
    log = min(values) > 0 and max(values) > 20 * min(values)
    domain = [min(values) / 1.3, max(values) * 1.3] if log else [0, 1.1 * max(values)]
    scale = alt.Scale(type="log" if log else "linear", domain=domain, nice=False)
    unit = cases.presentation(one.case).unit
    names = list(one.lines)
    columns = max(1, width // (SYMBOL + LETTER * max(map(len, names))))
    legend = alt.Legend(
        title=None,
        columns=columns if columns < len(names) else 0,
        labelLimit=width - SYMBOL,
        symbolOpacity=1,
        symbolType="circle",
    )
    base = alt.Chart(style.rows(rows)).encode(
        x=axis(one),
        color=alt.Color(
            "line:N",
            scale=alt.Scale(domain=names, range=COLOURS[: len(names)]),
            legend=legend if len(names) > 1 else None,
        ),
        tooltip=style.tips("line:N", "text:N", alt.Tooltip("value:Q", title=unit)),
    )
    y = alt.Y("value:Q", scale=scale, title=unit, axis=style.rate_axis(domain, log))
    band = base.mark_area(opacity=0.18).encode(
        y=alt.Y("low:Q", scale=scale, title=unit), y2=alt.Y2("high:Q")
    )
    dots = base.mark_point(filled=True, size=26, opacity=1).encode(y=y)
    return alt.layer(band, base.mark_line().encode(y=y), dots).properties(
        width=width, height=HEIGHT
    )


def drawing(one: Lines, width: int = WIDTH) -> Drawing:
    """The chart of some lines as a part of the figure SWEEPS; `width` in pixels."""
    most = sorted(one.lines, key=lambda name: -len(one.lines[name]))[:MOST]
    kept = Lines(one.case, one.x, {name: one.lines[name] for name in one.lines if name in most})
    left = len(one.lines) - len(kept.lines)
    heading = f"{one.case} over {one.x}" + f"; {left} more lines are in the tables" * bool(left)
    return Drawing(f"{one.case}-over-{one.x}", SWEEPS, heading, chart(kept, width), kept.cases)


def by_case(measured: Sequence[Measured]) -> dict[str, list[Measured]]:
    """The cases that have something to draw, by name."""
    found: dict[str, list[Measured]] = {}
    for m in measured:
        if m.drawn and (m.bytes_per_sample or m.trials):
            found.setdefault(m.case, []).append(m)
    return found


def asked(
    measured: Sequence[Measured], x: str, by: str, width: float | None = None
) -> list[Drawing]:
    """The charts that a user names: each case that has the axis `x`; `width` in pixels. Raises
    UsageError."""
    found = by_case(measured)
    axes = list(dict.fromkeys(n for same in found.values() for m in same for n in m.parameters))
    for option, name in (("--x", x), ("--by", by)):
        if name and name not in (*axes, RUN):
            raise UsageError(f"{option}: {unknown('axis of these cases', name, axes)}")
    if x == RUN:
        raise UsageError("--x: name an axis; --by run gives each run a line")
    made = [lines(same, x, by) for same in found.values() if x in same[0].parameters]
    drawn = [drawing(one, int(width or WIDTH)) for one in made if one.lines]
    if not drawn:
        raise UsageError(f"--x {x}: no case here has two values of it that differ in nothing else")
    return drawn


def swept(same: Sequence[Measured]) -> list[str]:
    """The axes of numbers of which a line has LEAST values or more."""
    names = [n for n, v in same[0].parameters.items() if number(v) and n not in FOLLOW]
    return [n for n in names if any(len(group) >= LEAST for group in grouped(same, n))]


def left_out(measured: Sequence[Measured], drawings: Sequence[Drawing]) -> list[Drawing]:
    """A chart for each sweep of numbers that no figure runs along."""
    made = []
    for same in by_case(measured).values():
        for name in swept(same):
            seen = {id(m) for d in drawings if name in d.figure.over for m in d.cases}
            rest = [
                m
                for group in grouped(same, name)
                if len(group) >= LEAST and not all(id(m) in seen for m in group)
                for m in group
            ]
            if rest:
                made.append(drawing(lines(rest, name, least=LEAST)))
    return made


def not_drawn(measured: Sequence[Measured]) -> list[str]:
    """`copy over thp (default, always)`: axes of words that no figure shows."""
    said = []
    for name, same in by_case(measured).items():
        hidden = {
            part.partition("=")[0]
            for texts in notes.extras(same)
            for part in texts.split(", ")
            if "=" in part
        }
        for axis_name in sorted(hidden):
            values = dict.fromkeys(text(axis_name, m[axis_name]) for m in same)
            if len(values) > 1 and not all(number(m[axis_name]) for m in same):
                said.append(f"{name} over {axis_name} ({', '.join(values)})")
    return said
