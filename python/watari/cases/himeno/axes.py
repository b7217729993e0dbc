"""Values and defaults of the axes of case `himeno`: styles, grids and their names.

Named grids count all points that are allocated; MFLOPS count the interior ones, 34 flops each.
"""

from __future__ import annotations

import math
import re
from collections import Counter

from watari.case.axis import MOST_BYTES, Machine, Parameters, whole
from watari.common.errors import UsageError

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
MOST_RANKS = 4096
ARRAYS, FIELD = 14, 4  # of a grid; bytes of an element
BYTES_PER_POINT = ARRAYS * FIELD
DIRECTIVES = ("acc-", "omp-")  # how the names of styles in directives begin


def parse_triple(text: str) -> tuple[int, int, int]:
    """(2, 1, 1) of `2x1x1`. Raises UsageError."""
    match = re.fullmatch(r"([1-9]\d*)x([1-9]\d*)x([1-9]\d*)", text, re.ASCII)
    if not match:
        raise UsageError(f"'{text}' is not three numbers such as 64x64x128")
    i, j, k = (whole(number) for number in match.groups())
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
    if 2 * BYTES_PER_POINT * math.prod(points) > MOST_BYTES:
        raise UsageError(f"grid {text} is beyond what any machine has")
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


def parse_split(text: str) -> str:
    """Ranks along i, j, k as text. Raises UsageError."""
    parts = parse_triple(text)
    if math.prod(parts) > MOST_RANKS:
        raise UsageError(f"'{text}' is more than {MOST_RANKS} ranks")
    return "x".join(map(str, parts))


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


def ranks_beside(machine: Machine, parameters: Parameters) -> int:
    """Ranks on the host with the most of them, where the host of each rank is known."""
    ranks = int(parameters["ranks"])
    placed = machine["hosts"][:ranks]
    return max(Counter(placed).values()) if len(placed) == ranks else ranks


def default_halo(machine: Machine, parameters: Parameters) -> str:
    """What the style is written for: by the host, by a pointer, or from GPU to GPU, which is within
    one host; what surely crosses hosts is `staged`."""
    style = parameters["style"]
    if parameters["processor"] == "cpu" or style in ("acc-data", "omp-target"):
        return "staged"
    if style.startswith("acc-"):
        return "device"
    one_host = ranks_beside(machine, parameters) == int(parameters["ranks"])
    return "peer" if one_host else "staged"


def default_threads(machine: Machine, parameters: Parameters) -> int:
    """One a core, shared by the ranks of a host."""
    return max(1, int(machine["processors"][0]["cores"]) // ranks_beside(machine, parameters))
