"""Case `himeno`: grids and their names, the reference values, whether a run was right.

Named grids count all points that are allocated; MFLOPS count the interior ones, 34 flops each.
"""

from __future__ import annotations

import math
import re
from typing import Any

from watari.axes import Parameters
from watari.errors import UsageError, WrongResultError

GRIDS = {
    "XS": (32, 32, 64),
    "S": (64, 64, 128),
    "M": (128, 128, 256),
    "L": (256, 256, 512),
    "XL": (512, 512, 1024),
    "XXL": (1024, 1024, 2048),
}
STYLES = (
    "explicit",
    "pinned",
    "managed",
    "managed-prefetch",
    "system",
    "acc-data",
    "acc-host-data",
    "acc-managed",
    "acc-managed-all",
    "omp-target",
)
TWO_COPIES = ("explicit", "acc-data", "acc-host-data", "omp-target")
ARRAYS = 14
FLOPS = 34  # a point, by convention
PENTIUM_III = 82.84  # MFLOPS of the machine that scores 1

# gosa of the n-th iteration on standard data: float fields, the sum in double
REFERENCE = {
    "XS": {3: 6.229796415e-03, 100: 2.317158918e-03, 1000: 8.341751582e-06},
    "S": {3: 3.296793931e-03, 64: 2.394869096e-03},
    "M": {3: 1.693458809e-03, 103: 1.379210325e-03},
    "L": {3: 8.606862321e-04, 103: 7.796341958e-04},
    "XL": {3: 4.383944939e-04},
}
TOLERANCE = 1e-6


def parse_triple(text: str) -> tuple[int, int, int]:
    """(2, 1, 1) of `2x1x1`. Raises UsageError."""
    match = re.fullmatch(r"([1-9]\d*)x([1-9]\d*)x([1-9]\d*)", text)
    if not match:
        raise UsageError(f"'{text}' is not three numbers such as 64x64x128")
    i, j, k = (int(number) for number in match.groups())
    return i, j, k


def parse_grid(text: str) -> str:
    """The name of a grid, or IxJxK. Raises UsageError."""
    if text.upper() in GRIDS:
        return text.upper()
    try:
        points = parse_triple(text)
    except UsageError:
        known = ", ".join(GRIDS)
        raise UsageError(f"'{text}' is not a grid; write {known} or IxJxK") from None
    if min(points) < 3:
        raise UsageError(f"grid {text}: 3 points or more along each axis, two of them boundary")
    return next((name for name, known in GRIDS.items() if known == points), text)


def shape(grid: str) -> tuple[int, int, int]:
    """Points along i, j, k."""
    return GRIDS.get(grid) or parse_triple(grid)


def interior(grid: str) -> int:
    """Points that an iteration updates."""
    i, j, k = shape(grid)
    return (i - 2) * (j - 2) * (k - 2)


def footprint(parameters: Parameters) -> int:
    """Bytes of the 14 arrays, on both sides where a style has two copies."""
    copies = 2 if parameters["style"] in TWO_COPIES else 1
    return copies * ARRAYS * 4 * math.prod(shape(parameters["grid"]))


def bytes_per_sample(parameters: Parameters) -> int:
    """13 floats read and 1 written a point; a second kernel reads and writes one more."""
    return interior(parameters["grid"]) * (56 if parameters["form"] == "fused" else 64)


def check(parameters: Parameters, gosa: Any) -> bool | None:
    """Whether gosa is right where the reference has it; None where it has nothing.

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


def run(parameters: Parameters) -> dict[str, Any]:
    """One trial."""
    from watari import _native

    trial: dict[str, Any] = _native.himeno({**parameters, "shape": shape(parameters["grid"])})
    del trial["wrong_elements"]
    try:
        trial["verified"] = check(parameters, trial["series"]["gosa"])
    except WrongResultError as error:
        trial |= {"verified": False, "status": error.status, "error": str(error)}
    return trial
