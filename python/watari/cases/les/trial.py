"""One trial of case `les`, and whether its flow stayed sound."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from watari.case.axis import Parameters
from watari.case.native import compiled
from watari.cases.les import axes, city
from watari.common.errors import WrongResultError

Progress = Callable[[int, float], None]


def run(
    parameters: Parameters, progress: Progress | None = None, keep: bool = False
) -> dict[str, Any]:
    """One trial; every rank calls it. `progress` gets step and simulated seconds; with `keep` the
    trial has the arrays u, v, w, theta and the heights."""
    shape, split = axes.shape(parameters["grid"]), axes.parse_triple(parameters["split"])
    heights = city.heights(parameters["city"], shape, parameters["spacing"])
    complete = {**parameters, "shape": shape, "split": split, "heights": heights}
    trial = compiled("les")(complete, progress, keep)
    for name, value in city.densities(heights).items():
        trial["quantities"][name] = {"value": value, "unit": "1"}
    unsound = trial.pop("wrong_elements")
    trial["verified"] = not unsound
    if unsound:
        trial |= {"status": WrongResultError.status, "error": trial["notes"][-1]}
    if keep:
        trial["heights"] = heights
    return trial
