"""The figure of the wind around the buildings: the pictures that a trial kept of its last flow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from watari.cases.les.picture import DIGITS, SOLID
from watari.charts import image, style
from watari.charts.figure import Drawn, Figure
from watari.charts.panels import heading
from watari.charts.style import Panel, rows
from watari.results.measured import Measured, drawable

WIDTH = 380  # pixels of a panel
TALLEST = 3  # times as high as wide
ENLARGED = 4  # pixels of a cell, along each axis
BUILDING = (0xB9, 0xBC, 0xC4)
FLOW = (
    "grid",
    "spacing",
    "city",
    "dt",
    "steps",
    "cycles",
    "precision",
    "advection",
    "mist",
    "trees",
)  # and touches of the CPU


def url(picture: dict[str, Any]) -> str:
    """The picture as an image, the top row first."""
    last = len(DIGITS) - 1
    colours = [image.between(image.VIRIDIS, level / last) for level in range(len(DIGITS))]
    levels = {ord(sign): level for level, sign in enumerate(DIGITS + SOLID)}
    lines = [bytes(levels[ord(sign)] for sign in row) for row in reversed(picture["rows"])]
    return image.png(lines, [*colours, BUILDING], ENLARGED)


def axis(name: str, metres: float, title: str) -> dict[str, Any]:
    """An axis from 0 to `metres`."""
    scale = alt.Scale(domain=[0, metres], nice=False)
    return {
        "shorthand": f"{name}:Q",
        "title": title,
        "scale": scale,
        "axis": alt.Axis(grid=False, tickCount=5),
    }


def panel(picture: dict[str, Any], title: str, up: str) -> Panel:
    """The image between its axes, and the scale of its colours."""
    width, height, most = picture["width"], picture["height"], picture["most"]
    pixels = round(WIDTH * min(TALLEST, height / width))
    stops = [most * n / (len(image.VIRIDIS) - 1) for n in range(len(image.VIRIDIS))]
    base = alt.Chart(rows([{"url": url(picture), "x": 0, "y": height, "speed": most}]))
    x, y = alt.X(**axis("x", width, "x, m")), alt.Y(**axis("y", height, f"{up}, m"))
    shown = base.mark_image(
        width=WIDTH,
        height=pixels,
        align="left",
        baseline="top",
        aspect=False,
        description=f"wind speed, {title}",
    ).encode(x=x, y=y, url="url:N")
    key = base.mark_point(opacity=0).encode(  # an image has no scale of colours
        x=x,
        y=y,
        color=alt.Color(
            "speed:Q",
            title=picture["unit"],
            scale=alt.Scale(domain=stops, range=list(image.VIRIDIS)),
            legend=alt.Legend(
                orient="right", direction="vertical", gradientLength=min(pixels, 160)
            ),
        ),
    )
    return alt.layer(shown, key).properties(width=WIDTH, height=pixels, title=style.title(title))


def panels(pictures: dict[str, dict[str, Any]]) -> Panel:
    """The plan above the cut, each with its own colours."""
    plan, cut = pictures["speed.plan"], pictures["speed.cut"]
    return alt.vconcat(
        panel(plan, f"{plan['at']:g} m above the ground", "y"),
        panel(cut, f"Cut at y = {cut['at']:g} m", "z"),
    ).resolve_scale(color="independent")


def wind(cases: Sequence[Measured]) -> Drawn:
    """A chart for each flow: styles and touches hardly change it, so one case stands for all."""
    mine = [m for m in drawable(cases, "les") if m.trials[0].get("pictures")]
    flows = {(m.run, *(m[name] for name in FLOW)): m for m in reversed(mine)}
    return [
        (
            heading(
                mine,
                m.run,
                f"Grid {m['grid']}, {m['city']}, "
                f"after {m.quantity('simulated'):.4g} s ({m['steps']} steps)",
            ),
            panels(m.trials[0]["pictures"]),
            [m],
        )
        for m in reversed(flows.values())
    ]


WIND = Figure(
    "les-wind",
    "A city's air: the wind around the buildings",
    ("les",),
    "The wind's speed at the end of a trial: in the cells 2 m above the ground and in the vertical "
    "cut through most of the buildings, which are grey. Each square is the mean over its air.",
    wind,
)
