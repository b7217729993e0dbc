"""Values and defaults of the axes of case `lattice`: styles, lattices and their names."""

from __future__ import annotations

import math
import re

from watari.case.axis import MOST_BYTES, Parameters, whole
from watari.common.errors import UsageError

# the classes of the CCS QCD benchmark: extents along x, y, z, t
CLASSES = {
    "class1": (8, 8, 8, 32),
    "class2": (32, 32, 32, 32),
    "class3": (64, 64, 64, 32),
}
STYLES = ("explicit", "pinned", "managed", "managed-prefetch", "system")
PRECISIONS = ("double", "single", "mixed")
MOST_RHS = 12
SPINOR, PACKED = 12, 36  # complex numbers of a site: a spinor, the inverse of the clover term


def parse_extents(text: str) -> tuple[int, int, int, int]:
    """(8, 8, 8, 16) of `8x8x8x16`. Raises UsageError."""
    match = re.fullmatch(r"([1-9]\d*)x([1-9]\d*)x([1-9]\d*)x([1-9]\d*)", text, re.ASCII)
    if not match:
        raise UsageError(f"'{text}' is not four numbers such as 8x8x8x16")
    x, y, z, t = (whole(number) for number in match.groups())
    return x, y, z, t


def parse_lattice(text: str) -> str:
    """The name of a class, or XxYxZxT. Raises UsageError."""
    if text.lower() in CLASSES:
        return text.lower()
    try:
        extents = parse_extents(text)
    except UsageError:
        known = ", ".join(CLASSES)
        raise UsageError(f"'{text}' is not a lattice; write {known} or XxYxZxT") from None
    if any(n % 2 for n in extents):
        raise UsageError(f"lattice {text}: every extent must be even, since sites are even or odd")
    if 4096 * math.prod(extents) > MOST_BYTES:
        raise UsageError(f"lattice {text} is beyond what any machine has")
    return next((name for name, known in CLASSES.items() if known == extents), text)


def shape(lattice: str) -> tuple[int, int, int, int]:
    """Extents along x, y, z, t."""
    return CLASSES.get(lattice) or parse_extents(lattice)


def sites(lattice: str) -> int:
    """All sites."""
    return math.prod(shape(lattice))


def number_bytes(parameters: Parameters) -> int:
    """Of a real number in a solver's iterations."""
    return 8 if parameters["precision"] == "double" else 4


def hop_bytes(parameters: Parameters) -> int:
    """Of an even site in one hop with the clover inverse: src/watari/cases/lattice/counts.hpp."""
    reals = 8 * parameters["links"] + 2 * PACKED + parameters["rhs"] * 4 * SPINOR
    return int(reals * number_bytes(parameters))


def step_bytes(parameters: Parameters) -> int:
    """Of a step of BiCGStab: two matrices of two hops and a spinor each, and 15 vectors (18 where
    the matrix does not take the sums)."""
    vector = parameters["rhs"] * 2 * SPINOR * number_bytes(parameters)
    vectors = 15 if parameters["kernel"] == "tuned" else 18
    site = 2 * (2 * hop_bytes(parameters) + vector) + vectors * vector
    return int(site * sites(parameters["lattice"]) // 2)


def memory_bytes(parameters: Parameters) -> int:
    """Of all arrays: links, clover inverse, source, solution and six vectors of the solver; with
    mixed precision all but two of them once more in float."""
    number = 4 if parameters["precision"] == "single" else 8
    half, vector = sites(parameters["lattice"]) // 2, 2 * SPINOR * parameters["rhs"]
    operator = 8 * parameters["links"] + 2 * 2 * PACKED
    mixed = parameters["precision"] == "mixed"
    wide = (operator + (4 if mixed else 8) * vector) * number
    narrow = (operator + 7 * vector) * 4 if mixed else 0
    return int(half * (wide + narrow))
