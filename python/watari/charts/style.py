"""The look of figures: one colour a memory kind, calm axes, ink that follows the page.

Text, axes and grid are `currentColor`: black on paper, and the text colour of the page in the
report, light or dark. The colours of kinds differ in lightness too, so that colour-blind readers
and grey printers distinguish them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

import altair as alt

INK = "currentColor"
FAINT = 0.62
FONT = "system-ui, 'Helvetica Neue', Arial, 'Liberation Sans', sans-serif"

COLOURS = {
    "pageable": "#8c8f96",
    "pinned": "#e08a1e",
    "device": "#2c76b5",
    "managed": "#14967c",
    "system": "#b2569b",
    "explicit": "#2c76b5",
    "file": "#a08a3c",
}
# styles of applications: those of CUDA have the colours of their memory, managed ones are green
STYLES = {
    "explicit": "#2c76b5",
    "explicit-struct": "#8fb8dc",
    "packed": "#6fa8d6",
    "pinned": "#e08a1e",
    "managed": "#14967c",
    "managed-struct": "#4aa992",
    "managed-prefetch": "#79c2ae",
    "system": "#b2569b",
    "system-prefetch": "#d79cc6",
    "acc-data": "#7564bd",
    "acc-host-data": "#aea3e0",
    "acc-managed-all": "#7f8f26",
    "acc-managed": "#bcc65a",
    "acc-system": "#4b3f8f",
    "omp-target": "#c4503e",
    "omp-device-ptr": "#a8651f",
    "omp-system": "#e39a8c",
    "f-acc-data": "#9a8fd6",
    "f-acc-host-data": "#c6bff0",
    "f-acc-managed-all": "#a3b04e",
    "f-acc-managed": "#d6dd93",
    "f-omp-target": "#d98375",
    "f-do-concurrent": "#5f7f8c",
    "f-cpu": "#8a8d94",
}
# paths of a halo, if one style has several: through the host grey, GPU to GPU in colour
HALOS = {
    "none": "#8c8f96",
    "staged": "#8c8f96",
    "device": "#e08a1e",
    "nccl": "#14967c",
    "peer": "#2c76b5",
}
# engines that move blocks: calls of the operating system warm or grey, queues blue
ENGINES = {
    "posix": "#8c8f96",
    "mmap": "#b2569b",
    "uring": "#e08a1e",
    "cufile": "#14967c",
    "queue": "#7db3de",
    "gpu": "#2c76b5",
    "s3": "#5d8a3a",
    "pinned": "#a08a3c",
    "managed": "#c4503e",
}
# parts of the time of a run: warm outside the loop, blue within
SPENT = {
    "allocate": "#c9a53a",
    "transfer in": "#e08a1e",
    "first iteration": "#14508c",
    "migrating": "#4f93cf",
    "steady": "#a9cbe6",
    "halo": "#b2569b",
    "transfer out": "#c4502e",
    "release": "#8c8f96",
}
SEQUENTIAL = ["#e4eef6", "#b7d3e8", "#7fb2d6", "#4589bd", "#1f629b", "#0d3f6e"]
Panel = Any  # a chart; Altair's operators return unions too wide for a type

RATE = "GB/s"
GFLOPS = "GFLOPS"
NUMBER = ".4~r"  # 4000 and 0.5, not 4e+3


def tips(*fields: str | alt.Tooltip) -> list[alt.Tooltip]:
    """The tooltip of a mark. Altair takes long to find the class of a shorthand, here as in other
    channels: figures of many charts write the class, `alt.Text("text:N")`."""
    return [alt.Tooltip(field) if isinstance(field, str) else field for field in fields]


def rows(values: Sequence[dict[str, Any]]) -> alt.InlineData:
    """Plain rows as a chart's data: as text, since Altair copies other values at every step."""
    return alt.InlineData(values=json.dumps(list(values)))


def unfold(spec: dict[str, Any]) -> dict[str, Any]:
    """A specification with the rows of `rows` as rows again; Altair keeps them in `datasets`."""
    data = spec.get("datasets", {})
    return {**spec, "datasets": {name: json.loads(text) for name, text in data.items()}}


def kind_of(word: str) -> str:
    """The kind whose colour a memory has: `device:1` is `device`."""
    return word.split(":")[0]


def table_scale(colours: dict[str, str]) -> alt.Scale:
    """A colour for each name, whether it occurs or not."""
    return alt.Scale(domain=list(colours), range=list(colours.values()))


def tint(colour: str, part: float) -> str:
    """A colour mixed with a part of white, 0 to 1."""
    channels = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return "#" + "".join(f"{round(c + (255 - c) * part):02x}" for c in channels)


def kind_scale() -> alt.Scale:
    """The colours of memories: always the whole table, since panels of one figure share it."""
    return table_scale(COLOURS)


def log_axis(domain: Sequence[float], **more: Any) -> alt.Axis:
    """A logarithmic axis with few lines: every power of ten, and 2 and 5 where few decades show."""
    low, high = domain[0], domain[-1]
    steps = (1, 2, 5) if high / low < 300 else (1,)
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    marks = [float(f"{step}e{power}") for power in powers for step in steps]
    return alt.Axis(values=[m for m in marks if low <= m <= high], format=NUMBER, **more)


def rate_axis(domain: Sequence[float], log: bool) -> alt.Axis:
    """The axis of rates, logarithmic or from zero."""
    return log_axis(domain) if log else alt.Axis(tickCount=5, format=NUMBER)


def title(text: str, subtitle: str = "") -> alt.TitleParams:
    """The heading of one panel."""
    return alt.TitleParams(text, subtitle=subtitle) if subtitle else alt.TitleParams(text)


def message(text: str, width: int, height: int, heading: alt.TitleParams) -> Panel:
    """A panel with the reason why it has nothing to draw."""
    wide = max(20, width // 6)
    lines, line = [], ""
    for word in text.split():
        if line and len(line) + len(word) >= wide:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}".strip()
    lines = [*lines, line]
    if len(lines) > 5:
        lines = [*lines[:4], f"{lines[4]} …"]
    chart = alt.Chart(rows([{}]), width=width, height=height, title=heading)
    return chart.mark_text(
        text=lines,
        lineBreak="\n",
        fontSize=10.5,
        opacity=FAINT,
        baseline="middle",
        dy=-6 * len(lines),
    ).encode(x=alt.value(width / 2), y=alt.value(height / 2))


def config() -> dict[str, Any]:
    """One look for every figure."""
    text = {"labelColor": INK, "titleColor": INK, "labelFontSize": 11, "titleFontSize": 11}
    return {
        "background": "transparent",
        "font": FONT,
        # names at the ends of lines are as wide as the viewer's fonts, and those differ
        "padding": {"left": 6, "top": 6, "right": 24, "bottom": 6},
        "view": {"stroke": None},
        "axis": {
            **text,
            "labelOpacity": 0.75,
            "titleOpacity": 0.75,
            "titleFontWeight": "normal",
            "titlePadding": 8,
            "grid": True,
            "gridColor": INK,
            "gridOpacity": 0.1,
            "domain": False,
            "tickColor": INK,
            "tickOpacity": 0.25,
            "tickSize": 4,
            "labelLimit": 320,
        },
        "legend": {
            **text,
            "titleFontWeight": "normal",
            "labelOpacity": 0.85,
            "titleOpacity": 0.75,
            "symbolStrokeWidth": 2,
            "orient": "top",
            "direction": "horizontal",
            "labelLimit": 320,
        },
        "title": {
            "color": INK,
            "subtitleColor": INK,
            "fontSize": 12,
            "subtitleFontSize": 11,
            "fontWeight": 600,
            "anchor": "start",
            "frame": "group",
            "offset": 10,
        },
        "header": {**text, "labelFontSize": 12, "labelFontWeight": 600, "labelAnchor": "start"},
        "text": {"color": INK, "fontSize": 11},
        "rule": {"color": INK},
        "line": {"strokeWidth": 1.8, "strokeCap": "round"},
        "concat": {"spacing": 26},
    }
