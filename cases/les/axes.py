"""Values and defaults of the axes of case `les`: styles, grids and their names, memory."""

from __future__ import annotations

import math
import re

from watari.case import ranks
from watari.case.axes import by_compiler
from watari.case.axis import MOST_BYTES, Parameters
from watari.common import library
from watari.common.errors import UsageError

# cells along x, y, z
GRIDS = {
    "XS": (32, 32, 32),
    "S": (128, 128, 64),
    "M": (256, 256, 64),
    "L": (512, 512, 128),
    "XL": (1024, 1024, 128),
}
STYLES = library.styles(__file__)
ADVECTIONS = ("central", "third")
TOUCHES = ("none", "facets", "planes", "all")
SPLIT = "1x2x1"  # an example of a split
LEAST_CELLS = 8  # along an axis
ROUGHNESS = 0.05  # m, of walls and ground
ARRAYS = 19  # numbers of a cell, beside a byte
WET = 4  # numbers more in moist air
COARSE = 1.01  # numbers of a cell in the coarser levels


def parse_triple(text: str) -> tuple[int, int, int]:
    """(128, 128, 64) of `128x128x64`. Raises UsageError."""
    x, y, z = ranks.parse_extents(text, "128x128x64")
    return x, y, z


def parse_grid(text: str) -> str:
    """The name of a grid, or XxYxZ. Raises UsageError."""
    name, cells = ranks.parse_named(text, GRIDS, "128x128x64", "grid of XxYxZ")
    if any(n < LEAST_CELLS or n % 2 for n in cells):
        nearest = "x".join(str(max(LEAST_CELLS, n + n % 2)) for n in cells)
        raise UsageError(
            f"grid {text}: {LEAST_CELLS} cells or more along each axis, all even; "
            f"the nearest valid grid is {nearest}"
        )
    if 200 * math.prod(cells) > MOST_BYTES or math.prod(n + 2 for n in cells) >= 2**31:
        raise UsageError(f"grid {text} has more cells than a rank can have, 2^31")
    return name


def parse_length(text: str) -> float:
    """Metres between cells. Raises UsageError."""
    value = positive(text)
    if value <= 4 * ROUGHNESS:
        raise UsageError(
            f"'{text}' m is too fine: the law of the wall turns over at 4 z0 = {4 * ROUGHNESS} m"
        )
    return value


def positive(text: str) -> float:
    """A number above 0. Raises UsageError."""
    match = re.fullmatch(r"\d{1,9}(\.\d{1,9})?|\.\d{1,9}", text, re.ASCII)
    if not match or float(text) <= 0:
        raise UsageError(f"'{text}' is not a number above 0")
    return float(text)


def parse_split(text: str) -> str:
    """Ranks along x, y, z as text. Raises UsageError."""
    x, y, z = parse_triple(text)
    if z != 1:
        raise UsageError(f"split {text}: z is not divided; write {x}x{y * z}x1")
    return ranks.parse_split(text, SPLIT)


def along_y(ranks: int) -> str:
    """The split of ranks along y alone."""
    return f"1x{ranks}x1"


def settle(given: Parameters) -> Parameters:
    """The given values, with ranks and split that agree. Raises UsageError."""
    return ranks.settle("les", by_compiler(given, STYLES), SPLIT, along_y)


def shape(grid: str) -> tuple[int, int, int]:
    """Cells along x, y, z."""
    return GRIDS.get(grid) or parse_triple(grid)


def transpires(parameters: Parameters) -> bool:
    """Whether leaves give vapour: their light is known by radiation between facets alone."""
    off = parameters.get("trees", "none") == "none" or parameters.get("radiation", "none") == "none"
    return not off


def is_moist(parameters: Parameters) -> bool:
    """Whether a trial has vapour and droplets."""
    return parameters["mist"] != "none" or transpires(parameters)


def cells(parameters: Parameters) -> int:
    """All cells."""
    return math.prod(shape(parameters["grid"]))


def number_bytes(parameters: Parameters) -> int:
    """Bytes of a number."""
    return 4 if parameters["precision"] == "single" else 8


def step_bytes(parameters: Parameters) -> int:
    """Bytes of a step, by the table of kernels (cases/les/native/flow/simulation.hpp): in fp32
    283 a cell and 96 for each iteration of each of the three stages. If a stage has several
    iterations, the last one has 12 less. Mist has 131 more, advection=third 159. The lists of
    facets, nozzles and leaves are not counted."""
    number, cycles = number_bytes(parameters), int(parameters["cycles"])
    of_cell = 69 * number + 7 + 3 * cycles * (45 * number // 2 + 6)
    if cycles > 1:
        of_cell -= 9 * number
    if is_moist(parameters):  # native/flow/water/moisture.hpp
        of_cell += 32 * number + 3
    if parameters["advection"] == "third":  # native/flow/upwind.hpp
        of_cell += 39 * number + 3
    return of_cell * cells(parameters)


def plane_bytes(parameters: Parameters) -> int:
    """Bytes of a plane of an array, with the halo; rows begin at multiples of eight numbers."""
    x, y, _ = shape(parameters["grid"])
    return (-(-x // 8) * 8 + 8) * (y + 2) * number_bytes(parameters)


def array_bytes(parameters: Parameters) -> int:
    """Bytes of an array, with the halo."""
    return plane_bytes(parameters) * (shape(parameters["grid"])[2] + 2)


def memory_bytes(parameters: Parameters) -> int:
    """Bytes of all arrays, with the halo."""
    numbers = ARRAYS + COARSE + 1 / number_bytes(parameters)  # and a byte
    if is_moist(parameters):
        numbers += WET
    if is_moist(parameters) or parameters["advection"] == "third":
        numbers += 1 / number_bytes(parameters)  # another flag
    return round(array_bytes(parameters) * numbers)


def touched_bytes(parameters: Parameters) -> int:
    """Bytes that the CPU reads and writes at a touch: facets (about two a column), then fields."""
    x, y, z = shape(parameters["grid"])
    number, touch = number_bytes(parameters), parameters["cpu-touch"]
    if touch == "none":
        return 0
    if touch == "all":
        return 4 * number * x * y * z
    facets = 3 * number * 2 * x * y
    return facets + (4 * number * (x * y + x * z) if touch == "planes" else 0)
