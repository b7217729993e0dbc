"""One trial of case `himeno`, and the check of its gosa and field against known values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from watari.case.axis import Parameters
from watari.case.native import module, passed
from watari.cases.himeno import known
from watari.cases.himeno.axes import STYLES, parse_triple, shape
from watari.common.errors import WrongResultError


def check(parameters: Parameters, gosa: Sequence[float], fingerprint: float) -> int:
    """Compares gosa with each known value that the trial has, and the field at the end if that is
    known. Returns the last iteration whose gosa is known, 0 for none.

    Raises WrongResultError with both values.
    """
    if not all(math.isfinite(value) for value in gosa):
        raise WrongResultError("gosa is not finite")
    if parameters["data"] != "standard":
        return 0
    before, directives = parameters["rehearsal"], STYLES[parameters["style"]].in_directives
    last = 0
    for n, value, tolerance in known.gosa(parameters["grid"], directives):
        if not before < n <= before + len(gosa):
            continue
        if abs(gosa[n - before - 1] - value) > tolerance * value:
            raise WrongResultError(
                f"gosa of iteration {n} is {gosa[n - before - 1]:.9e}, not {value:.9e}"
            )
        last = max(last, n)
    field = known.fingerprint(parameters["grid"], before + len(gosa))
    if field is not None and fingerprint != field and not directives:
        raise WrongResultError(
            f"the fingerprint of the field after iteration {before + len(gosa)} is "
            f"{fingerprint:.0f}, not {field}"
        )
    return last


def run(parameters: Parameters) -> dict[str, Any]:
    """One trial; every rank calls it."""
    points, parts = shape(parameters["grid"]), parse_triple(parameters["split"])
    trial: dict[str, Any] = module(__package__).himeno(
        {**passed(parameters), "grid": points, "split": parts}
    )
    del trial["wrong_elements"]
    gosa, field = trial["series"]["gosa"], trial["quantities"]["fingerprint"]["value"]
    try:
        last = check(parameters, gosa, field)
        trial["verified"] = True if last else None
        trial["quantities"]["verified_iteration"] = {"value": float(last), "unit": "1"}
    except WrongResultError as error:
        trial |= {"verified": False, "status": error.status, "error": str(error)}
    return trial
