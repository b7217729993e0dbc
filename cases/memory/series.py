"""Series: every sample of every trial, in order, as in figures 5.1 to 5.7 of Yoshida 2024.

A trial is one row that holds its whole series; the page unfolds it. So a hundred thousand samples
stay some hundred kilobytes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import altair as alt

from watari.cases.memory import words
from watari.charts import style
from watari.charts.figure import Drawn
from watari.charts.panels import decades, digits, grid, groups, heading, split
from watari.charts.style import FAINT, INK, RATE, Panel, rows
from watari.common.units import format_duration, format_rate, format_size
from watari.results.measured import FIRST, SETTLED, Measured, drawable, settled

WIDTH, HEIGHT = 205, 120
COLUMNS = 4
MOVING = 270  # pixels of a panel of migration: three side by side
WIDE = 30  # times: phases that differ more are drawn on a logarithmic axis
STEADY = 1.1  # ratio of rates; copies that differ more are shown
LARGE = 4e9  # bytes, as in Yoshida (2024); smaller arrays are drawn only for paths without one
ARRAYS = ("source", "destination")
GONE = "off the CPU"


def unfolded(chart: alt.Chart, *names: str) -> Panel:
    """One row a sample from one row a trial; samples count from 1."""
    return chart.transform_calculate(
        sample=f"sequence(1, length(datum['{names[0]}']) + 1)"
    ).transform_flatten([*names, "sample"])


def phases(m: Measured) -> list[dict[str, Any]]:
    """The phases of a series, named as they are to be read: `gpu-1` is `GPU`."""
    return [
        {"first": p["first"] + 1, "last": p["last"], "name": p["name"].split("-")[0].upper()}
        for p in (m.trials[0].get("phases") or [])
    ]


def lines(m: Measured, width: int, height: int, last: bool = True, log: bool = False) -> Panel:
    """All trials overlaid, one thin line each, with the phases marked."""
    domain = decades(samples(m)) if log else ()
    data = [{"trial": i + 1, "rate": digits(rates)} for i, rates in enumerate(m.rates)]
    count = max(len(rates) for rates in m.rates)
    x = alt.X(
        "sample:Q",
        title="sample" if last else None,
        scale=alt.Scale(domain=[1, max(count, 2)], nice=False),
        axis=alt.Axis(tickCount=4, grid=False, format="d", labels=last, ticks=last),
    )
    colour = style.COLOURS[kind(m)]
    few = count <= 12
    layers: list[Any] = [
        unfolded(alt.Chart(rows(data)), "rate")
        .mark_line(
            color=colour,
            strokeWidth=1.1,
            opacity=0.6,
            point=alt.OverlayMarkDef(color=colour, size=14) if few else False,
            strokeDash=[2, 2] if m.flagged else [1, 0],
        )
        .encode(
            x=x,
            y=alt.Y(
                "rate:Q",
                title=None,
                scale=alt.Scale(type="log", domain=list(domain)) if log else alt.Scale(domainMin=0),
                axis=style.log_axis(domain, minExtent=32)
                if log
                else alt.Axis(tickCount=4, format=style.NUMBER, minExtent=32),
            ),
            detail=alt.Detail("trial:N"),
            tooltip=style.tips("trial:N"),
        )
    ]
    marks = phases(m)
    if marks:
        base = alt.Chart(rows(marks))
        layers.append(
            base.transform_filter("datum.first > 1")
            .mark_rule(strokeDash=[3, 3], opacity=0.45)
            .encode(x=alt.X("first:Q"))
        )
        layers.append(
            base.transform_calculate(middle="(datum.first + datum.last) / 2")
            .mark_text(fontSize=10, opacity=FAINT, dy=-11)
            .encode(x=alt.X("middle:Q"), y=alt.value(0), text=alt.Text("name:N"))
        )
    return alt.layer(*layers).properties(width=width, height=height)


def samples(m: Measured) -> list[float]:
    """The rates of all samples that the clock could see."""
    return [rate for rates in m.rates for rate in rates if rate > 0]


def kind(m: Measured) -> str:
    """The memory whose colour a series has."""
    if m["memory"] is not None:
        return str(m["memory"])
    far = m["to"] if style.kind_of(m["from"]) == "device" else m["from"]
    return style.kind_of(far)


def facts(m: Measured) -> str:
    """The subtitle of a panel: the rates of its series."""
    if not m.drawn:
        return m.status
    flag = ", above limit" if m.flagged else ""
    first, settled = m.part(FIRST), m.part(SETTLED)
    if not 0.8 < first / settled < 1.25:
        return f"{format_rate(first)}, then {format_rate(settled)} {RATE}{flag}"
    return f"{format_rate(m.median)} {RATE}{flag}"


def panel(m: Measured, text: str, more: str = "") -> Panel:
    """One series under its title, or the reason why it has none."""
    about = f"{more} · {facts(m)}" if more else facts(m)
    head = alt.TitleParams(text, subtitle=about, offset=14)
    if not m.drawn:
        return style.message(m.reason or m.status, WIDTH, HEIGHT, head)
    return lines(m, WIDTH, HEIGHT).properties(title=head)


def steady(m: Measured) -> bool:
    """Whether neither the first samples nor any trial are far from the rest."""
    ratio = m.part(FIRST) / m.part(SETTLED)
    return 1 / STEADY < ratio < STEADY and m.summary.spread < STEADY - 1


def unsteady_copies(cases: Sequence[Measured]) -> Drawn:
    """The copies that a rate alone does not describe."""
    return copies(cases, lambda m: not steady(m))


def copies(cases: Sequence[Measured], wanted: Callable[[Measured], bool] = lambda m: True) -> Drawn:
    """Copies: the two largest arrays of at least 4 GB of each path, or else its largest one."""
    charts: Drawn = []
    all_copies = [m for m in drawable(cases, "copy") if words.plain(m)]
    for title, same in split(all_copies, (), lambda m: ""):
        chosen = []
        for path in groups(same, "processor", "means", "from", "to").values():
            ordered = sorted(path, key=lambda m: int(m["size"]))
            chosen += [m for m in ordered if m["size"] >= LARGE][-2:] or ordered[-1:]
        chosen = [m for m in chosen if wanted(m)]
        panels = [
            panel(
                m,
                f"{m['from']} → {m['to']}",
                f"{words.executor(m.parameters)}, {format_size(m['size'])}",
            )
            for m in chosen
        ]
        if panels:
            charts.append((title, grid(panels), chosen))
    return charts


def access(cases: Sequence[Measured]) -> Drawn:
    """The eight access patterns: the CPU's four above, the GPU's four below."""
    charts: Drawn = []
    alone: dict[tuple[Any, ...], list[Measured]] = defaultdict(list)
    patterns = [m for m in cases if m.case == "access" and words.plain(m)]
    for title, same in split(patterns, ("memory", "hint", "size"), access_title):
        if len(same) < 3:
            alone[same[0].run, same[0]["size"]] += same
        elif any(m.drawn for m in same):
            charts.append((title, *pattern_grid(same, False)))
    for (run, size), same in alone.items():
        if any(m.drawn for m in same):
            title = heading(cases, run, f"By memory and hint, {format_size(size)}")
            charts.append((title, *pattern_grid(same, True)))
    return charts


def access_title(m: Measured) -> str:
    """`Managed memory, prefetch, 4 GB`."""
    hint = "" if m["hint"] == "none" else f", {m['hint']}"
    return f"{str(m['memory']).capitalize()} memory{hint}, {format_size(m['size'])}"


def pattern_grid(same: Sequence[Measured], name_memory: bool) -> tuple[Panel, list[Measured]]:
    """Panels in the order of Yoshida's (2024) numbers."""
    chosen = sorted(same, key=lambda m: words.pattern_number(m.parameters))
    panels = [
        panel(
            m,
            f"({words.pattern_number(m.parameters)}) {words.pattern(m.parameters)}",
            words.memory(m.parameters) if name_memory else "",
        )
        for m in chosen
    ]
    return grid(panels), chosen


def fractions(m: Measured) -> list[dict[str, Any]]:
    """The percentage of each array not mapped on the CPU side, one row for each trial and array."""
    return [
        {
            "trial": i + 1,
            "array": array,
            "gone": digits([100 * (1 - f) for f in trial["series"][name]]),
        }
        for i, trial in enumerate(m.trials)
        for array in ARRAYS
        if (name := f"cpu_mapped_fraction.{array}") in (trial.get("series") or {})
    ]


def migrated(m: Measured, width: int) -> Panel:
    """The fraction of source and destination that has left the CPU side, sample by sample."""
    data = fractions(m)
    marks = [p["first"] for p in phases(m) if p["first"] > 1]
    dash = alt.StrokeDash(
        "array:N", legend=None, scale=alt.Scale(domain=list(ARRAYS), range=[[1, 0], [4, 3]])
    )
    line = (
        unfolded(alt.Chart(rows(data)), "gone")
        .mark_line(
            color=style.COLOURS[kind(m)], interpolate="step-after", strokeWidth=1.4, opacity=0.75
        )
        .encode(
            x=alt.X(
                "sample:Q",
                title="sample",
                scale=alt.Scale(domain=[1, max(len(row["gone"]) for row in data)], nice=False),
                axis=alt.Axis(grid=False, tickCount=6, format="d"),
            ),
            y=alt.Y(
                "gone:Q",
                title=f"% {GONE}",
                scale=alt.Scale(domain=[0, 100]),
                axis=alt.Axis(tickCount=3, minExtent=32),
            ),
            strokeDash=dash,
            detail=alt.Detail("trial:N"),
        )
    )
    rule = (
        alt.Chart(rows([{"at": at} for at in marks]))
        .mark_rule(strokeDash=[3, 3], opacity=0.45)
        .encode(x=alt.X("at:Q"))
    )
    return alt.layer(line, rule).properties(width=width, height=64)


def migration_panel(m: Measured, title: str) -> Panel:
    """Bandwidth above, the migrated fraction below, over the same samples."""
    width = MOVING
    head = alt.TitleParams(title, subtitle=migration_facts(m), offset=16)
    below = bool(fractions(m))
    log = max(samples(m)) > WIDE * min(samples(m))
    above = alt.layer(lines(m, width, 170, last=not below, log=log), ends(m))
    if not below:
        return above.properties(title=head)
    return alt.vconcat(above, migrated(m, width), spacing=8).properties(title=head)


def migration_facts(m: Measured) -> list[str]:
    """Plateaus and the end of migration, phase by phase."""
    texts = [
        f"{s.phase}: {format_rate(s.before)} → {format_rate(s.after)} {RATE} "
        f"after {s.end} sample{'s'[: s.end > 1]} ({format_duration(s.seconds)})"
        for s in settled(m)
    ] or [facts(m), "no phase changes its level"]
    return [*texts, *[" "] * (3 - len(texts))]  # three lines each, so that panels stay level


def ends(m: Measured) -> Panel:
    """A triangle over each phase at the sample from which it has settled."""
    at = [{"at": s.first + s.end + 1, "settled": f"{s.phase}, {s.end} samples"} for s in settled(m)]
    return (
        alt.Chart(rows(at))
        .mark_point(shape="triangle-down", filled=True, size=55, color=INK, opacity=0.8, dy=5)
        .encode(x=alt.X("at:Q"), y=alt.value(3), tooltip=alt.Tooltip("settled:N"))
    )


def migration(cases: Sequence[Measured]) -> Drawn:
    """A chart for each run and size, a panel for each memory and hint that ran; the page names the
    others, with the reason."""
    charts: Drawn = []
    moving = drawable(cases, "migration")
    for title, same in split(moving, ("size",), lambda m: f"Arrays of {format_size(m['size'])}"):
        panels = [migration_panel(m, words.memory(m.parameters).capitalize()) for m in same]
        charts.append((title, grid(panels, columns=3), same))
    return charts
