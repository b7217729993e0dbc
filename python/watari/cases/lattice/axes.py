"""Values and defaults of the axes of case `lattice`: styles, lattices and their names."""

from __future__ import annotations

import math
import re

from watari.case.axis import MOST_BYTES, Machine, Parameters, whole
from watari.common.errors import UsageError

# the classes of the CCS QCD benchmark: extents along x, y, z, t
CLASSES = {
    "class1": (8, 8, 8, 32),
    "class2": (32, 32, 32, 32),
    "class3": (64, 64, 64, 32),
}
STYLES = ("explicit", "pinned", "managed", "managed-prefetch", "system")
HALOS = ("none", "staged", "device", "nccl", "peer")  # `none` is that of one rank
MOST_RANKS = 4096
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


def parse_split(text: str) -> str:
    """Ranks along x, y, z, t as text. Raises UsageError."""
    parts = parse_extents(text)
    if math.prod(parts) > MOST_RANKS:
        raise UsageError(f"'{text}' is more than {MOST_RANKS} ranks")
    return "x".join(map(str, parts))


def along_x(ranks: int) -> str:
    """The split of ranks along x alone."""
    return f"{ranks}x1x1x1"


def settle(given: Parameters) -> Parameters:
    """What was given, with ranks and split made one; one rank has no halo, whatever was given.

    Raises UsageError for what contradicts itself.
    """
    split = given.get("split")
    wanted = math.prod(parse_extents(split)) if split else 1
    ranks = given.get("ranks", wanted)
    if split and wanted != ranks:
        raise UsageError(f"lattice: split={split} is for {wanted} ranks, and ranks={ranks}")
    settled = {**given, "ranks": ranks, "split": split or along_x(ranks)}
    if ranks == 1:
        return {**settled, "halo": "none", "overlap": False}
    if given.get("halo") == "none":
        raise UsageError(f"lattice: {ranks} ranks have a halo: take {', '.join(HALOS[1:])}")
    if ":" in given.get("processor", ""):
        raise UsageError(f"lattice: {ranks} ranks take a GPU each: write processor=gpu")
    return settled


def require_sense(parameters: Parameters) -> None:
    """Raises UsageError for a split that leaves a rank an odd extent."""
    extents, parts = shape(parameters["lattice"]), parse_extents(parameters["split"])
    for axis, points, ranks in zip("xyzt", extents, parts, strict=True):
        if points % (2 * ranks):
            raise UsageError(
                f"lattice: {points} sites along {axis} of lattice {parameters['lattice']} are no "
                f"even number for each of {ranks} ranks (split={parameters['split']})"
            )


def default_halo(machine: Machine, parameters: Parameters) -> str:
    """From GPU to GPU; on CPUs by the host."""
    return "staged" if parameters["processor"] == "cpu" else "peer"


def default_threads(machine: Machine, parameters: Parameters) -> int:
    """One a core, shared by the ranks."""
    return max(1, int(machine["processors"][0]["cores"]) // int(parameters["ranks"]))


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
    the matrix does not take the sums: the shared kernel, several ranks)."""
    vector = parameters["rhs"] * 2 * SPINOR * number_bytes(parameters)
    summed = parameters["kernel"] == "tuned" and parameters["ranks"] == 1
    vectors = 15 if summed else 18
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
