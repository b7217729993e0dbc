"""The figure of a fleet: nodes by cases, coloured by the distance from the median of the nodes."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import altair as alt

from watari.charts import style
from watari.charts.file import converted
from watari.charts.style import INK, rows
from watari.common.errors import UsageError
from watari.common.files import write_atomically
from watari.report.fleet.judge import LOST, Fleet, Group, Judged, gravity
from watari.report.fleet.node import whole
from watari.report.fleet.table import case_names
from watari.results.significance import SLOWER

CELL = 13  # pixels
MOST_NODES = 60  # the others are one column: their median
MOST = math.log(2)  # distance at which the colour ends
COLOURS = ["#8c2d04", "#d95f0e", "#fdbe85", "#f1f1f1", "#9ecae1", "#4292c6", "#08519c"]
WIDER = 1.0  # pixels of a letter that fonts of other viewers are wider, at most
OTHERS = "others, median"


def write(fleet: Fleet, output: Path) -> None:
    """Writes the figure; the suffix of the file is its format. Raises UsageError, FileError."""
    drawn = [group for group in fleet.groups if group.typical]
    if not drawn:
        raise UsageError("nothing to draw: no case that three nodes of the same hardware measured")
    chart = alt.vconcat(*(panel(group) for group in drawn), spacing=30)
    spec = style.unfold(chart.to_dict(validate=False))
    longest = max(len(name) for group in drawn for name in case_names(group).values())
    config = style.config()
    config["padding"] = {**config["padding"], "left": 6 + round(WIDER * longest)}
    (content,) = converted([{**spec, "config": config}], output.suffix[1:])
    write_atomically(output, content)


def cells(group: Group, shown: list[Judged], names: dict[str, str]) -> list[dict[str, Any]]:
    """A cell for each node and case: the logarithm of its speed over the median, and its mark."""
    data = []
    for one in shown:
        own = {ratio.name: ratio for ratio in one.ratios}
        for name in group.typical:
            cell = {"node": one.node.host, "case": names[name], "distance": 0.0, "mark": ""}
            if name in own:
                ratio = own[name]
                distance = max(-MOST, min(MOST, math.log(ratio.ratio)))
                mark = "•" if ratio.verdict == SLOWER else ""
                data.append({**cell, "distance": distance, "mark": mark})
            elif whole(name) in one.node.bad:
                data.append({**cell, "mark": "×"})
    return data


def others(group: Group, rest: list[Judged], names: dict[str, str]) -> list[dict[str, Any]]:
    """One column for nodes that have none of their own."""
    return [
        {"node": OTHERS, "case": names[name], "distance": 0.0, "mark": ""}
        for name in (group.typical if rest else ())
    ]


def panel(group: Group) -> Any:
    """The nodes of one kind of hardware; the suspects first."""
    names = case_names(group)
    ordered = sorted(group.nodes, key=gravity)
    shown, rest = ordered[:MOST_NODES], ordered[MOST_NODES:]
    data = cells(group, shown, names) + others(group, rest, names)
    columns = [one.node.host for one in shown] + [OTHERS] * bool(rest)
    lost = sum(one.verdict == LOST for one in ordered)
    says = [
        "speed beside the median of the nodes",
        "a dot: slower beyond scatter and threshold",
        "a cross: not ok there",
    ]
    if rest:
        says.append(f"{len(rest)} nodes nearer to the median are one column")
    title = f"{group.hardware}: {len(ordered)} nodes" + f", {lost} lost something" * bool(lost)
    base = alt.Chart(rows(data)).encode(
        x=alt.X(
            "node:N",
            sort=columns,
            title=None,
            axis=alt.Axis(orient="top", labelAngle=-90, labelLimit=160, grid=False),
        ),
        y=alt.Y(
            "case:N",
            sort=list(names.values()),
            title=None,
            axis=alt.Axis(labelLimit=460, grid=False),
        ),
    )
    ticks = [0.5, 0.7, 0.9, 1, 1.1, 1.4, 2]
    scale = alt.Scale(domain=[-MOST, MOST], range=COLOURS, interpolate="lab", clamp=True)
    legend = alt.Legend(
        title="its speed / median",
        values=[math.log(tick) for tick in ticks],
        labelExpr="format(exp(datum.value), '.2~f')",
        gradientLength=220,
        orient="top",
    )
    layers = [
        base.transform_filter("datum.mark != '×'")
        .mark_rect(stroke="white", strokeWidth=0.5, aria=False)
        .encode(color=alt.Color("distance:Q", scale=scale, legend=legend)),
        base.transform_filter("datum.mark != ''")
        .mark_text(color=INK, fontSize=10, baseline="middle", aria=False)
        .encode(text="mark:N"),
    ]
    size = {"width": CELL * len(columns), "height": CELL * len(names)}
    heading = alt.TitleParams(title, subtitle=says, anchor="start", frame="bounds")
    return alt.layer(*layers).properties(**size, title=heading)
