"""Requests of a case on a made-up machine, and what its trials and its charts have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import synthetic

from watari.case.axis import Machine
from watari.plan.request import Request, resolve

if TYPE_CHECKING:
    from watari.charts.figure import Drawing, Figure

CPU, GPU = synthetic.cpu_machine(), synthetic.gpu_machine()


def request(case: str, machine: Machine = CPU, **given: Any) -> Request:
    """The one request of these axes; `fast_memory` and `from_` stand for fast-memory and from."""
    axes = {name.rstrip("_").replace("_", "-"): value for name, value in given.items()}
    (one,) = resolve(case, axes, machine)
    return one


def quantities(trial: Mapping[str, Any]) -> dict[str, float]:
    """The values of a trial's quantities."""
    return {name: quantity["value"] for name, quantity in trial["quantities"].items()}


def rows_of(drawing: Drawing) -> list[dict[str, Any]]:
    """The rows of data of a drawn chart."""
    return [row for rows in drawing.spec()["datasets"].values() for row in rows]


def rows_for_vega(figure: Figure, chart: Any) -> list[dict[str, Any]]:
    """The rows of data of a figure's chart, which Vega has to accept."""
    import vl_convert

    from watari.charts.figure import Drawing
    from watari.report import page

    drawing = Drawing(figure.name, figure, "", chart, [])
    vl_convert.vegalite_to_vega(drawing.spec(), vl_version=page.VEGA_LITE)
    return rows_of(drawing)
