"""The residual of a solver with an H-matrix over its iterations, a line a method."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from watari.cases.hmatrix.words import short, value
from watari.charts import style
from watari.charts.figure import Drawn, Figure
from watari.charts.panels import decades, groups, heading
from watari.charts.style import Panel, rows
from watari.results.measured import Measured, drawable

WIDTH, HEIGHT = 420, 260
METHOD = ("solver", "preconditioner", "restart", "inner", "rhs", "precision", "eps")
AFTER = "residual_"  # the quantity of a number of iterations


def name(m: Measured) -> str:
    """`gmres with block-jacobi, restart 60`."""
    jacobi = "" if m["preconditioner"] == "none" else f" with {m['preconditioner']}"
    parts = [
        f"{m['solver']}{jacobi}",
        f"restart {m['restart']}" if m["restart"] else "",
        f"{m['inner']} inner iterations" if m["inner"] else "",
        f"{m['rhs']} right-hand sides" if m["rhs"] > 1 else "",
        "" if m["eps"] == 1e-6 else f"eps {short(m['eps'])}",
        "" if m["precision"] == "double" else "single",
    ]
    return ", ".join(part for part in parts if part)


def points(m: Measured) -> list[dict[str, Any]]:
    """The residual after 1, 2, 4, ... iterations, and the true one at the end."""
    found = {
        int(quantity.removeprefix(AFTER)): value(m, quantity)
        for quantity in m.trials[0]["quantities"]
        if quantity.startswith(AFTER)
    }
    last = value(m, "iterations")
    if found and last:
        found[int(last)] = value(m, "residual")
    return [
        {"name": name(m), "iterations": at, "residual": float(f"{residual:.3g}")}
        for at, residual in sorted(found.items())
        if residual
    ]


def panel(data: Sequence[dict[str, Any]]) -> Panel:
    """A line a method, both axes in logarithms."""
    domain = decades([row["residual"] for row in data])
    steps = [2**power for power in range(max(row["iterations"] for row in data).bit_length())]
    return (
        alt.Chart(rows(data))
        .mark_line(point={"filled": True, "size": 30})
        .encode(
            x=alt.X(
                "iterations:Q",
                title="iterations",
                scale=alt.Scale(type="log", base=2, nice=False),
                axis=alt.Axis(values=steps, format="d", grid=False),
            ),
            y=alt.Y(
                "residual:Q",
                title="|b - A x| / |b|",
                scale=alt.Scale(type="log", domain=list(domain), nice=False),
                axis=style.log_axis(domain),
            ),
            color=alt.Color("name:N", legend=alt.Legend(title=None, orient="bottom", columns=2)),
            tooltip=["name:N", "iterations:Q", "residual:Q"],
        )
        .properties(width=WIDTH, height=HEIGHT)
    )


def by_method(cases: Sequence[Measured]) -> Drawn:
    """A chart a mesh; engines and budgets have the same residuals, so one of them is drawn."""
    charts: Drawn = []
    whole = [m for m in drawable(cases, "hmatrix") if not m["steps"] and points(m)]
    for same in groups(whole, "run", "mesh").values():
        drawn = [alike[0] for alike in groups(same, *METHOD).values()]
        data = [row for m in drawn for row in points(m)]
        charts.append((heading(cases, same[0].run, same[0]["mesh"]), panel(data), drawn))
    return charts


FIGURE = Figure(
    "hmatrix-convergence",
    "H-matrix: convergence",
    ("hmatrix",),
    "The residual after 1, 2, 4, ... iterations, and the true residual after the last one. An "
    "iteration of BiCGStab has two products, one of GMRES has one.",
    by_method,
    folded=True,
)
