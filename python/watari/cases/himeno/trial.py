"""One trial of case `himeno`, and the check of its gosa against reference values."""

from __future__ import annotations

import math
from typing import Any

from watari.case.axis import Parameters
from watari.case.native import compiled
from watari.cases.himeno.axes import parse_triple, shape
from watari.common.errors import WrongResultError

# gosa of the n-th iteration on standard data: float fields, the sum in double
REFERENCE = {
    "XS": {3: 6.229796415e-03, 100: 2.317158918e-03, 1000: 8.341751582e-06},
    "S": {3: 3.296793931e-03, 64: 2.394869096e-03},
    "M": {3: 1.693458809e-03, 103: 1.379210325e-03},
    "L": {3: 8.606862321e-04, 103: 7.796341958e-04},
    "XL": {3: 4.383944939e-04},
}
TOLERANCE = 1e-6


def check(parameters: Parameters, gosa: Any) -> bool | None:
    """Returns True if gosa agrees with the reference, None if the reference has no value for it.

    Raises WrongResultError with both values.
    """
    if not all(math.isfinite(value) for value in gosa):
        raise WrongResultError("gosa is not finite")
    if parameters["data"] != "standard":
        return None
    known = REFERENCE.get(parameters["grid"], {})
    compared = {n: value for n, value in known.items() if n <= len(gosa)}
    for n, value in compared.items():
        if abs(gosa[n - 1] - value) > TOLERANCE * value:
            raise WrongResultError(f"gosa of iteration {n} is {gosa[n - 1]:.9e}, not {value:.9e}")
    return True if compared else None


def native(parameters: Parameters) -> Parameters:
    """The parameters as the compiled module takes them."""
    points, parts = shape(parameters["grid"]), parse_triple(parameters["split"])
    return {**parameters, "shape": points, "split": parts}


def run(parameters: Parameters) -> dict[str, Any]:
    """One trial; every rank calls it."""
    trial = compiled("himeno")(native(parameters))
    del trial["wrong_elements"]
    try:
        trial["verified"] = check(parameters, trial["series"]["gosa"])
    except WrongResultError as error:
        trial |= {"verified": False, "status": error.status, "error": str(error)}
    return trial
