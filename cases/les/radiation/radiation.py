"""The radiation between facets as axes: on which processor, from which sun, to which surfaces; and
the folder that keeps the view factors of a city."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from watari.case import axes, cache
from watari.case.axis import Parameters
from watari.cases.les.radiation import sun, surfaces
from watari.common.errors import UsageError

NONE = "none"
PROCESSORS = (NONE, "cpu", "gpu")
SWEEPS, NONZERO_BYTES, ROW_BYTES = 5, 8, 68  # cases/les/native/radiation/products.hpp
NUMBER_BYTES = 4  # cases/les/native/radiation/radiosity.hpp
# of a facet on one core: 256 rays, and five sweeps over the 207 others that it has in a dense city
TRACE_SECONDS, UPDATE_SECONDS = 1e-4, 1.7e-6
BEFORE: dict[str, Any] = {"radiation": NONE, "sun": sun.SOUTH, "surfaces": surfaces.USUAL}
AXES = (
    replace(  # `gpu` in a run without one: the CPU computes it
        axes.words("radiation", "where radiation between facets is computed", NONE, *PROCESSORS),
        needs=False,
        before=NONE,
    ),
    replace(
        axes.axis("sun", f"south (45 degrees high), or {sun.FORM} in UT", sun.parse, sun.SOUTH),
        before=sun.SOUTH,
    ),
    replace(
        axes.axis(
            "surfaces", "kinds of surfaces: usual, or file:PATH", surfaces.parse, surfaces.USUAL
        ),
        before=surfaces.USUAL,
    ),
)


def is_on(parameters: Parameters) -> bool:
    """Whether facets exchange radiation."""
    return bool(parameters.get("radiation", NONE) != NONE)


def words(parameters: Parameters) -> str:
    """`radiation on the cpu`; empty without it."""
    return f"radiation on the {parameters['radiation']}" if is_on(parameters) else ""


def require_sense(parameters: Parameters) -> None:
    """Raises UsageError for a sun or surfaces that nothing reads, for radiation without facets, and
    for several ranks."""
    if not is_on(parameters):
        for name in ("sun", "surfaces"):
            if parameters[name] != BEFORE[name]:
                raise UsageError(f"{name}={parameters[name]} needs radiation=cpu or radiation=gpu")
        return
    on = f"radiation={parameters['radiation']}"
    if parameters["cpu-touch"] == "none":
        raise UsageError(f"{on} is a part of the touch of facets; cpu-touch=none has none")
    if parameters["ranks"] > 1:
        raise UsageError(f"{on} is for one rank: each facet sees those of other ranks")
    surfaces.rows(parameters["surfaces"])


def passed(parameters: Parameters) -> dict[str, Any]:
    """The parameters of the compiled part. Raises UsageError, FileError."""
    if not is_on(parameters):
        return {"radiation": NONE}
    return {
        "radiation": parameters["radiation"],
        "sun": sun.place(parameters["sun"]),
        "surfaces": surfaces.rows(parameters["surfaces"]),
        "view_folder": str(cache.folder("views")),
    }


def update_bytes(nonzeros: float, facets: float) -> float:
    """Bytes of an update: five sweeps, and once a row what facets emit and receive, with the number
    of its facet read twice."""
    of_row = (SWEEPS + 1) * ROW_BYTES + 2 * NUMBER_BYTES
    return SWEEPS * NONZERO_BYTES * nonzeros + of_row * facets


def cpu_seconds(shape: tuple[int, int, int], touches: int) -> float:
    """Seconds of one core, about, with two facets a column."""
    return 2 * shape[0] * shape[1] * (TRACE_SECONDS + touches * UPDATE_SECONDS)
