"""The figure of `watari try`: seconds of each style, a dot a run, a tick at their median."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import altair as alt

from watari.attach import measure
from watari.attach.record import CASE
from watari.attach.styles import AS_IS
from watari.attach.table import seconds
from watari.charts import style
from watari.charts.figure import Drawn, Figure
from watari.charts.file import converted
from watari.charts.style import INK, rows
from watari.common.files import write_atomically
from watari.results import statistics
from watari.results.measured import Measured

WIDTH, ROW = 460, 26
LETTER = 7.5  # pixels, at most: a viewer may lack the font in which names are measured
OTHER = "#8c8f96"
COLOURS = {
    AS_IS: style.COLOURS["device"],
    "managed": style.COLOURS["managed"],
    "managed-prefetch": style.STYLES["managed-prefetch"],
    "mapped": style.COLOURS["file"],
    "pinned": style.COLOURS["pinned"],
    "system": style.COLOURS["system"],
}


def chart(heading: str, times: Mapping[str, Sequence[float]]) -> Any:
    """Styles by seconds, the fastest above."""
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
    widest = LETTER * max(map(len, order), default=0)
    y = alt.Y("style:N", sort=order, title=None, axis=alt.Axis(grid=False, minExtent=widest))
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
    made = alt.layer(*layers).properties(width=WIDTH, height=ROW * len(order))
    return made.properties(title=heading[:80]) if heading else made


def colour(name: str) -> str:
    """The colour of the memory that the style gives."""
    return COLOURS.get(name, OTHER)


def write(measured: measure.Measured, path: Path) -> None:
    """Writes the figure; the suffix of the file is its format."""
    times = {s: t for s in measured.styles if (t := seconds(measured.of(s)))}
    spec = style.unfold(chart(measured.start.text, times).to_dict(validate=False))
    (content,) = converted([{**spec, "config": style.config()}], path.suffix[1:])
    write_atomically(path, content)


def drawn(cases: Sequence[Measured]) -> Drawn:
    """A chart for each program of the result files and each `only`, its selection of
    allocations."""
    mine = [case for case in cases if case.case == CASE]
    choices: dict[tuple[str, ...], dict[str, None]] = {}  # values of `only` by program, in order
    for case in mine:
        if case.parameters["style"] != AS_IS:
            choices.setdefault(program_of(case), {})[str(case.parameters["only"])] = None
    charts: dict[tuple[str, ...], list[Measured]] = {}
    for case in mine:
        every = choices.get(program_of(case), {"": None})
        only = every if case.parameters["style"] == AS_IS else [str(case.parameters["only"])]
        for choice in only if case.drawn else []:
            charts.setdefault((*program_of(case), choice), []).append(case)
    return [(heading_of(*of), chart("", times_of(styles)), styles) for of, styles in charts.items()]


def program_of(case: Measured) -> tuple[str, str, str]:
    """Run, program and number of ranks."""
    return case.run, str(case.parameters["program"]), str(case.parameters["ranks"])


def heading_of(run: str, program: str, ranks: str, only: str) -> str:
    """Heading of a chart: program, selected allocations, ranks and run."""
    words = [program, f"only {only}" if only else "", f"{ranks} ranks" if ranks != "1" else "", run]
    return ", ".join(word for word in words if word)


def times_of(cases: Sequence[Measured]) -> dict[str, list[float]]:
    """Seconds of each run, by style."""
    return {
        str(case.parameters["style"]): [s for t in case.trials for s in statistics.seconds(t)]
        for case in cases
    }


FIGURE = Figure(
    "try",
    "Programs in each memory style",
    (CASE,),
    "Seconds of the whole program: a dot a run, a tick at their median.",
    drawn,
)
