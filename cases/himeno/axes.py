"""Values and defaults of the axes of case `himeno`: styles, grids and their names.

Named grids count all points that are allocated; MFLOPS count the interior ones, 34 flops each.
"""

from __future__ import annotations

import math

from watari.case import ranks
from watari.case.axes import by_compiler
from watari.case.axis import MOST_BYTES, Machine, Parameters
from watari.common import library
from watari.common.errors import UsageError

GRIDS = {
    "XS": (32, 32, 64),
    "S": (64, 64, 128),
    "M": (128, 128, 256),
    "L": (256, 256, 512),
    "XL": (512, 512, 1024),
    "XXL": (1024, 1024, 2048),
}
STYLES = library.styles(__file__)
ARRAYS, FIELD = 14, 4  # arrays of a grid; bytes of an element
BYTES_PER_POINT = ARRAYS * FIELD
SPLIT = "2x2x1"  # an example of a split


def parse_triple(text: str) -> tuple[int, int, int]:
    """(64, 64, 128) of `64x64x128`. Raises UsageError."""
    i, j, k = ranks.parse_extents(text, "64x64x128")
    return i, j, k


def parse_grid(text: str) -> str:
    """The name of a grid, or IxJxK. Raises UsageError."""
    name, points = ranks.parse_named(text, GRIDS, "64x64x128", "grid of IxJxK")
    if min(points) < 3:
        raise UsageError(f"grid {text}: 3 points or more along each axis, two of them boundary")
    if 2 * BYTES_PER_POINT * math.prod(points) > MOST_BYTES:
        raise UsageError(f"grid {text} is larger than any machine can hold")
    return name


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


def settle(given: Parameters) -> Parameters:
    """The given values, with ranks and split that agree. Raises UsageError."""
    settled = ranks.settle("himeno", by_compiler(given, STYLES), SPLIT)
    if settled.get("overlap") and settled["split"] != ranks.along_first(settled["ranks"], SPLIT):
        raise UsageError(f"himeno: overlap=yes needs a split along i alone, not {settled['split']}")
    return settled


def require_sense(parameters: Parameters) -> None:
    """Raises UsageError for a grid that has fewer inner planes than ranks along an axis."""
    points, parts = shape(parameters["grid"]), parse_triple(parameters["split"])
    for axis, inner, several in zip("ijk", points, parts, strict=True):
        if inner - 2 < several:
            raise UsageError(
                f"himeno: grid {parameters['grid']} has {inner - 2} inner planes along {axis}, "
                f"fewer than the {several} ranks of split={parameters['split']}"
            )


def default_halo(machine: Machine, parameters: Parameters) -> str:
    """The halo that a style in directives is written for on a GPU; else the fastest one."""
    return ranks.halo_of(STYLES[parameters["style"]], machine, parameters)
