"""Figures of the lattice, after figures 6 to 9 of Doi (2016): the solver in each style on one
processor, and on several ranks."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

import altair as alt

from watari.cases.lattice import axes
from watari.charts import ranks, style
from watari.charts.figure import Drawn, Figure
from watari.charts.panels import groups, heading
from watari.charts.ranks import Row
from watari.charts.style import GFLOPS, INK, Panel, rows
from watari.results.measured import Measured

WIDTH, ROW = 420, 26
NUMBER = 1.25  # end of the scale over the longest bar, with room for a number
PROGRAM = ("precision", "links", "rhs")


def title_of(lattice: str) -> str:
    """`Class 2` of `class2`; other lattices have no name."""
    return lattice.replace("class", "Class ") if lattice.startswith("class") else lattice


def program(m: Measured) -> str:
    """`mixed, links of 12`: unusual values of the axes that change a solver's rate."""
    precision = "" if m["precision"] == "double" else m["precision"]
    rhs = "" if m["rhs"] == 1 else f"{m['rhs']} right-hand sides"
    links = "" if m["links"] == 18 else f"links of {m['links']}"
    return ", ".join(part for part in (precision, links, rhs) if part)


def steady(m: Measured) -> float:
    """GFLOPS of a step after the first: the median, by the host's clock."""
    steps = [times for trial in m.trials for times in trial["host_s"][1:] or trial["host_s"]]
    return float(m.flops_per_sample / median(steps) / 1e9)


def bars(same: Sequence[Measured]) -> list[Row]:
    """GFLOPS of the whole solve and of a steady step; or the reason why a case has none."""
    numbers = {"solve": lambda m: float(m.quantity("flops_per_s") / 1e9), "steady": steady}
    named = zip(same, names(same), strict=True)
    return [ranks.bar(m, name, numbers, "solve") for m, name in named]


def along(m: Measured) -> str:
    """`along y and z`: the axes that are divided."""
    parts = axes.parse_extents(m["split"])
    return "along " + " and ".join(a for a, part in zip("xyzt", parts, strict=True) if part > 1)


def names(same: Sequence[Measured]) -> list[str]:
    """A name for each bar: style and program; kernel, halo, axes of the split and overlap if bars
    of the same style, ranks and program differ in them. A split has its numbers if its axes do not
    tell it from another."""
    alike = groups(same, "style", "ranks", *PROGRAM)
    result = []
    for m in same:
        others = alike[tuple(m[axis] for axis in ("style", "ranks", *PROGRAM))]
        unlike = [a for a in ("kernel", "compiler", "halo") if len({o[a] for o in others}) > 1]
        parts = [m["style"], program(m), *(f"{axis} {m[axis]}" for axis in unlike)]
        splits = {o["split"]: along(o) for o in others}
        if len(splits) > 1:
            known = list(splits.values()).count(along(m)) == 1
            parts += [along(m) if known else f"split {m['split']}"]
        parts += ["overlapped"] if m["overlap"] and not all(o["overlap"] for o in others) else []
        result.append(", ".join(part for part in parts if part))
    return result


def shades(data: Sequence[Row]) -> dict[str, str]:
    """The colour of each bar: the colour of its style, or of its halo if a single style has
    several; lighter for each further bar of it."""
    several = {one["style"] for one in data if one["ranks"] > 1}
    by_halo = len(several) == 1 and len({one["halo"] for one in data if one["ranks"] > 1}) > 1
    own: dict[str, str] = {}
    for one in data:
        halo = by_halo and one["ranks"] > 1
        colour = style.HALOS[one["halo"]] if halo else style.STYLES[one["style"]]
        own.setdefault(one["name"], colour)
    return ranks.shades(own)


def value_scale(data: Sequence[Row]) -> alt.Scale:
    """GFLOPS from zero, with room for the numbers behind the bars."""
    most = max(max(one["solve"], one["steady"]) for one in data)
    return alt.Scale(domain=[0, NUMBER * most or 1], nice=False)


def speed_panel(same: Sequence[Measured]) -> Panel:
    """A bar a style. Pale: a steady step. Solid, and the number: the whole solve."""
    data = bars(same)
    scale = value_scale(data)
    order = [one["name"] for one in data]
    base = alt.Chart(rows(data)).encode(
        y=alt.Y("name:N", sort=order, title=None, axis=alt.Axis(grid=False)),
        color=alt.Color("name:N", legend=None, scale=style.table_scale(shades(data))),
        tooltip=["name:N", "steady:Q", "solve:Q", "why:N"],
    )
    drawn, ink = base.transform_filter("datum.drawn"), alt.value(INK)

    def x(field: str) -> alt.X:
        axis = alt.Axis(tickCount=6, format=style.NUMBER)
        return alt.X(f"{field}:Q", title=GFLOPS, scale=scale, axis=axis)

    layers = [
        drawn.mark_bar(height=16, opacity=0.32, cornerRadiusEnd=2).encode(x=x("steady")),
        drawn.mark_bar(height=8, opacity=1, cornerRadiusEnd=2).encode(x=x("solve")),
        drawn.transform_calculate(end="max(datum.steady, datum.solve)")
        .mark_text(align="left", dx=8, opacity=0.85)
        .encode(x=x("end"), text="text:N", color=ink),
        base.transform_filter("!datum.drawn")
        .mark_text(align="left", dx=4, opacity=0.5, fontStyle="italic")
        .encode(x=alt.value(0), text="text:N", color=ink),
    ]
    return alt.layer(*layers).properties(width=WIDTH, height=ROW * len(order))


def chosen(cases: Sequence[Measured]) -> list[Measured]:
    """All cases of the lattice, also those that could not run here."""
    return [m for m in cases if m.case == "lattice"]


def speeds(cases: Sequence[Measured]) -> Drawn:
    """A chart for each run, processor and lattice: the usual program in each style, then others."""
    alone = [m for m in chosen(cases) if m.ranks == 1]
    charts: Drawn = []
    for same in groups(alone, "run", "processor", "lattice").values():
        if not any(m.drawn for m in same):
            continue
        ordered = sorted(same, key=lambda m: (program(m) != "", program(m)))
        where = " on the CPU" if same[0]["processor"] == "cpu" else ""
        title = heading(alone, same[0].run, f"{title_of(same[0]['lattice'])}{where}")
        charts.append((title, speed_panel(ordered), ordered))
    return charts


def ranks_panel(same: Sequence[Measured]) -> Panel:
    """Bars side by side for each number of ranks; a tick at perfect scaling."""
    data = bars(sorted(same, key=lambda m: m.ranks))
    alone = {one["style"]: one["solve"] for one in data if one["ranks"] == 1 and one["drawn"]}
    columns = 1 + ranks.BAR * 9 * len({one["name"] for one in data}) // 1000
    return ranks.panel(
        ranks.with_ideals(data, "solve", alone, "style"),
        {"solve": {}},
        shades(data),
        alt.Legend(columns=columns),
        same[0]["processor"] == "cpu",
    )


def several(cases: Sequence[Measured]) -> Drawn:
    """A chart for each lattice and program that ran on more than one number of ranks."""
    every = chosen(cases)
    charts: Drawn = []
    for same in groups(every, "run", "processor", "lattice", *PROGRAM).values():
        if len({m.ranks for m in same}) > 1 and any(m.drawn and m.ranks > 1 for m in same):
            parts = (title_of(same[0]["lattice"]), program(same[0]))
            title = heading(every, same[0].run, ", ".join(part for part in parts if part))
            charts.append((title, ranks_panel(same), same))
    return charts


FIGURES = (
    Figure(
        "lattice-speed",
        "Lattice QCD: speed of each style",
        ("lattice",),
        "GFLOPS as the benchmark counts, one processor (as figures 6 and 7 of Doi 2016). Solid, "
        "and the number: the whole solve, with first step and migration. Pale: a step of the "
        "steady state.",
        speeds,
    ),
    Figure(
        "lattice-gpus",
        "Lattice QCD on several GPUs or CPU ranks",
        ("lattice",),
        "GFLOPS of the whole solve by style and number of ranks (as figures 8 and 9 of Doi 2016). "
        "The tick is perfect scaling from one GPU.",
        several,
        over=("ranks",),
    ),
)
