"""One trial of case `les`, and whether its flow stayed sound."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from watari.case.axis import Parameters
from watari.case.native import module, passed
from watari.cases.les import axes, mist, picture, trees
from watari.cases.les.city import city
from watari.cases.les.radiation import radiation
from watari.common.errors import WrongResultError

Progress = Callable[[int, float], None]


def run(
    parameters: Parameters, progress: Progress | None = None, keep: bool = False
) -> dict[str, Any]:
    """One trial; every rank calls it. `progress` gets step and simulated seconds; with `keep` the
    trial has the arrays u, v, w, theta, in moist air q and l, with radiation that on people, the
    heights, and the cells with leaves."""
    shape, split = axes.shape(parameters["grid"]), axes.parse_triple(parameters["split"])
    spacing = parameters["spacing"]
    heights = city.heights(parameters["city"], shape, spacing)
    planes = {"plan": picture.low_plane(shape[2], spacing), "cut": picture.full_row(heights)}
    complete = passed(parameters) | {"grid": shape, "split": split, "city": heights, **planes}
    complete["mist"] = mist.nozzles(parameters["mist"], shape, spacing, heights)
    complete["trees"] = trees.leaves(parameters["trees"], shape, spacing, heights)
    complete["spacing"] = (spacing,) * 3
    for name in radiation.BEFORE:
        complete.pop(name, None)
    complete |= radiation.passed(parameters)
    trial: dict[str, Any] = module(__package__).les(complete, progress, keep)
    rate = trial["quantities"]["cells_per_s"]["value"]
    moved = axes.step_bytes(parameters) // axes.cells(parameters) * rate
    trial["quantities"]["step_bytes_per_s"] = {"value": moved, "unit": "B/s"}
    for name, value in city.densities(heights).items():
        trial["quantities"][name] = {"value": value, "unit": "1"}
    seen, unsound = trial.pop("seen", None), trial.pop("wrong_elements")
    trial["verified"] = not unsound
    if unsound:
        trial |= {"status": WrongResultError.status, "error": trial["notes"][-1]}
    if seen is not None and not unsound:
        trial["pictures"] = picture.pictures(seen[0], heights, spacing, **planes)
    if keep:
        trial |= {"heights": heights, "trees": complete["trees"]}
    return trial
