"""Case `himeno`: grids and their names, the reference values, whether a run was right.

Named grids count all points that are allocated; MFLOPS count the interior ones, 34 flops each.
"""

from __future__ import annotations

import math
import re
from typing import Any

from watari.axes import Machine, Parameters
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
    "acc-managed-all",
    "acc-managed",
    "omp-target",
)
HALOS = ("none", "staged", "device", "nccl", "peer")  # `none` is that of one rank
DIRECTIVES = ("acc-", "omp-")  # how the names of styles in directives begin
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


def points(grid: str) -> int:
    """All points of a grid, with the boundary."""
    return math.prod(shape(grid))


def interior(grid: str) -> int:
    """Points that an iteration updates."""
    i, j, k = shape(grid)
    return (i - 2) * (j - 2) * (k - 2)


def footprint(parameters: Parameters) -> int:
    """Bytes of the 14 arrays, on both sides where a style has two copies."""
    copies = 2 if parameters["style"] in TWO_COPIES else 1
    return copies * ARRAYS * 4 * points(parameters["grid"])


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


def parse_split(text: str) -> str:
    """Ranks along i, j, k as text. Raises UsageError."""
    return "x".join(str(parts) for parts in parse_triple(text))


def settle(given: Parameters) -> Parameters:
    """What was given, with ranks and split made one; one rank has no halo, whatever was given.

    Raises UsageError for what contradicts itself.
    """
    split = given.get("split")
    wanted = math.prod(parse_triple(split)) if split else 1
    ranks = given.get("ranks", wanted)
    if split and wanted != ranks:
        raise UsageError(f"himeno: split={split} is for {wanted} ranks, and ranks={ranks}")
    split = split or f"{ranks}x1x1"
    settled = {**given, "ranks": ranks, "split": split}
    if ranks == 1:
        return {**settled, "halo": "none", "overlap": False}
    if given.get("halo") == "none":
        raise UsageError(f"himeno: {ranks} ranks have a halo: take {', '.join(HALOS[1:])}")
    if ":" in given.get("processor", ""):
        raise UsageError(f"himeno: {ranks} ranks take a GPU each: write processor=gpu")
    if given.get("overlap") and split != f"{ranks}x1x1":
        raise UsageError(f"himeno: overlap=yes needs a split along i alone, not {split}")
    return settled


def require_sense(parameters: Parameters) -> None:
    """Raises UsageError for a grid that has fewer inner planes than ranks along an axis."""
    points, parts = shape(parameters["grid"]), parse_triple(parameters["split"])
    for axis, inner, ranks in zip("ijk", points, parts, strict=True):
        if inner - 2 < ranks:
            raise UsageError(
                f"himeno: grid {parameters['grid']} has {inner - 2} inner planes along {axis}, "
                f"fewer than the {ranks} ranks of split={parameters['split']}"
            )


def default_halo(machine: Machine, parameters: Parameters) -> str:
    """What the style is written for: by the host, by a pointer, or from GPU to GPU."""
    style = parameters["style"]
    if parameters["processor"] == "cpu" or style in ("acc-data", "omp-target"):
        return "staged"
    return "device" if style.startswith("acc-") else "peer"


def default_threads(machine: Machine, parameters: Parameters) -> int:
    """One a core, shared by the ranks."""
    return max(1, int(machine["processors"][0]["cores"]) // int(parameters["ranks"]))


def gives_gpu_memory_to_mpi(parameters: Parameters) -> bool:
    """Whether only an MPI that knows CUDA survives it."""
    given = parameters.get("halo") == "device" and parameters["processor"] != "cpu"
    return given and parameters["style"] in ("explicit", "acc-host-data")


def native(parameters: Parameters) -> Parameters:
    """The parameters as the compiled module takes them."""
    points, parts = shape(parameters["grid"]), parse_triple(parameters["split"])
    return {**parameters, "shape": points, "split": parts}


def run(parameters: Parameters) -> dict[str, Any]:
    """One trial; every rank calls it."""
    from watari import _native

    trial: dict[str, Any] = _native.himeno(native(parameters))
    del trial["wrong_elements"]
    try:
        trial["verified"] = check(parameters, trial["series"]["gosa"])
    except WrongResultError as error:
        trial |= {"verified": False, "status": error.status, "error": str(error)}
    return trial
