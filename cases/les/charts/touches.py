"""The figures of a touch of the CPU: the time of the steps around it in each style, and the speed
over N, the steps from touch to touch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from statistics import median
from typing import Any

import altair as alt

from watari.cases.les.forecast import model
from watari.cases.les.words import touch_name
from watari.charts import style
from watari.charts.figure import Drawn, Figure
from watari.charts.panels import grid, groups, heading
from watari.charts.style import Panel, rows
from watari.results.measured import Measured, drawable

BEFORE, AFTER = 3, 6  # steps beside a touch
CLEAR = 10  # least N that shows the effect of a single touch; the largest N if all are smaller
WIDTH, HEIGHT, COLUMNS = 300, 190, 2


def by_touch(
    cases: Sequence[Measured], drawn: Callable[[Sequence[Measured], Sequence[Measured]], Panel]
) -> Drawn:
    """A chart for each run, processor and grid, a panel for each touch that has two N or more than
    one step between."""
    alone = [m for m in drawable(cases, "les") if m.ranks == 1]
    touched = [m for m in alone if m["cpu-touch"] != "none"]
    charts: Drawn = []
    for same in groups(touched, "run", "processor", "grid").values():
        of: dict[str, list[Measured]] = {}
        for m in same:
            of.setdefault(touch_name(m), []).append(m)
        panels = [made for each in of.values() if (made := drawn(each, cases)) is not None]
        if panels:
            title = heading(touched, same[0].run, f"Grid {same[0]['grid']}")
            charts.append((title, grid(panels, COLUMNS), same))
    return charts


def colours(of: Sequence[Measured]) -> alt.Color:
    """A colour for each measured style."""
    names = {m["style"] for m in of}
    known = {name: colour for name, colour in style.STYLES.items() if name in names}
    return alt.Color("style:N", scale=style.table_scale(known), title=None)


def around(m: Measured) -> Iterator[dict[str, Any]]:
    """The median over all touches of the step with the touch and of each step beside it, without
    the first step of a trial."""
    every = int(m["every"])
    for at in range(-min(BEFORE, every - 1), min(AFTER, every - 1) + 1):
        found = [
            trial["host_s"][n - 1]
            for trial in m.trials
            for n in range(every + at, len(trial["host_s"]) + 1, every)
            if n > 1
        ]
        if found:
            yield {"style": m["style"], "at": at, "ms": float(f"{1e3 * median(found):.4g}")}


def steps_panel(of: Sequence[Measured], cases: Sequence[Measured]) -> Panel:
    """A line for each style; None where every step has a touch."""
    several = sorted({int(m["every"]) for m in of})
    every = next((n for n in several if n >= CLEAR), several[-1])
    if every < 2:
        return None
    chosen = [m for m in of if m["every"] == every]
    costs = [f"{m['style']} {1e3 * model.touch_seconds(m, cases):.3g}" for m in chosen]
    says = f"ms that a touch takes: {', '.join(costs)}"
    title = style.title(f"{touch_name(of[0])}, N = {every}", says)
    return (
        alt.Chart(rows([row for m in chosen for row in around(m)]))
        .mark_line(point=True)
        .encode(
            x=alt.X(
                "at:Q",
                title="steps after the touch",
                axis=alt.Axis(values=list(range(-BEFORE, AFTER + 1)), format="d"),
            ),
            y=alt.Y("ms:Q", title="ms", scale=alt.Scale(domainMin=0)),
            color=colours(of),
            tooltip=["style:N", "at:Q", "ms:Q"],
        )
        .properties(width=WIDTH, height=HEIGHT, title=title)
    )


def points_over_n(same: Sequence[Measured], cases: Sequence[Measured]) -> list[dict[str, Any]]:
    """Measured points, the model's line with the times of the smallest N, and the N from which a
    touch is free by the model."""
    found: list[dict[str, Any]] = []
    most = max(int(m["every"]) for m in same)
    for of in groups(same, "style").values():
        first = min(of, key=lambda m: int(m["every"]))
        step, touch = model.base_of(first, cases), model.touch_seconds(first, cases)
        common = {"style": first["style"]}
        cells = model.cells_of(first) / 1e6
        if step > 0:
            free = model.free_from(touch, step)
            steps = sorted(
                {n for n in (1, 2, 3, 5, 7, 10, 20, 30, 50, 70, 100, 200, 300) if n <= most}
                | {most}
            )
            found += [{**common, "n": n, "model": n * cells / (n * step + touch)} for n in steps]
            if free <= most:
                found.append({**common, "n": free, "free": free * cells / (free * step + touch)})
        found += [
            {**common, "n": int(m["every"]), "measured": m.quantity("cells_per_s") / 1e6}
            for m in of
        ]
    return found


def free_words(of: Sequence[Measured], cases: Sequence[Measured]) -> str:
    """`explicit: free from N = 2 by the model, 3 as measured`, of cases of one style."""
    first = min(of, key=lambda m: int(m["every"]))
    step, touch = model.base_of(first, cases), model.touch_seconds(first, cases)
    return (
        f"{first['style']}: free from N = {model.free_from(touch, step)} by the model, "
        f"{model.measured_free_from(of, cases)} as measured"
    )


def over_n_panel(same: Sequence[Measured], cases: Sequence[Measured]) -> Panel:
    """Dots are measured, lines are the model's; None with a single N."""
    most = max(int(m["every"]) for m in same)
    if len({m["every"] for m in same}) < 2:
        return None
    base = alt.Chart(rows(points_over_n(same, cases))).encode(
        x=alt.X(
            "n:Q",
            scale=alt.Scale(type="log", domain=[1, most], nice=False),
            axis=style.log_axis([1, most]),
            title="N, steps from touch to touch",
        ),
        color=colours(same),
        tooltip=["style:N", "n:Q", "measured:Q", "model:Q"],
    )

    def layer(name: str, mark: alt.Chart) -> alt.Chart:
        y = alt.Y(f"{name}:Q", title="Mcells/s", scale=alt.Scale(domainMin=0))
        return mark.transform_filter(f"isValid(datum.{name})").encode(y=y)

    words = [free_words(of, cases) for of in groups(same, "style").values()]
    return alt.layer(
        layer("model", base.mark_line(opacity=0.5)),
        layer("measured", base.mark_point(filled=True, size=45, opacity=1)),
        layer("free", base.mark_point(shape="diamond", filled=False, size=110, opacity=1)),
    ).properties(
        width=WIDTH,
        height=HEIGHT,
        title=alt.TitleParams(touch_name(same[0]), subtitle=words),
    )


TOUCHES = (
    Figure(
        "les-touch",
        "A city's air: step by step around a touch of the CPU",
        ("les",),
        "Time of the step with the touch (0) and of its neighbours, the median over all touches. "
        "If pages move by faults, the step after a touch brings them back.",
        lambda cases: by_touch(cases, steps_panel),
    ),
    Figure(
        "les-every",
        "A city's air: speed over N",
        ("les",),
        "Cells a second over the steps from one touch of the CPU to the next. Dots are measured. "
        "Lines are N steps and one touch, with the times measured at the smallest N. A touch is "
        "free if it takes less than a tenth of the steps between. The diamond on the line is the "
        "model's N; the measured N is interpolated between dots.",
        lambda cases: by_touch(cases, over_n_panel),
        folded=True,
    ),
)
