"""Values and defaults of the axes of case `lattice`: styles, lattices and their names."""

from __future__ import annotations

import math

from watari.case import ranks
from watari.case.axes import by_compiler
from watari.case.axis import MOST_BYTES, Machine, Parameters
from watari.common import library
from watari.common.errors import UsageError

# the classes of the CCS QCD benchmark: extents along x, y, z, t
CLASSES = {
    "class1": (8, 8, 8, 32),
    "class2": (32, 32, 32, 32),
    "class3": (64, 64, 64, 32),
}
STYLES = library.styles(__file__)
PRECISIONS = ("double", "single", "mixed")
SPLIT = "1x2x2x1"  # an example of a split
MOST_RHS = 12
# flops of an even site: in a hop 1320 and 576 for the clover inverse; in a step of BiCGStab, as the
# benchmark counts, 2 x (2 x 1896 + 48) and 1008 for vectors
HOP_FLOPS, STEP_FLOPS = 1896, 8688
SPINOR, PACKED = 12, 36  # complex numbers of a site: a spinor, the inverse of the clover term


def parse_extents(text: str) -> tuple[int, int, int, int]:
    """(8, 8, 8, 16) of `8x8x8x16`. Raises UsageError."""
    x, y, z, t = ranks.parse_extents(text, "8x8x8x16")
    return x, y, z, t


def parse_lattice(text: str) -> str:
    """The name of a class, or XxYxZxT. Raises UsageError."""
    name, extents = ranks.parse_named(text, CLASSES, "8x8x8x16", "lattice of XxYxZxT")
    if any(n % 2 for n in extents):
        raise UsageError(f"lattice {text}: every extent must be even, since sites are even or odd")
    if 4096 * math.prod(extents) > MOST_BYTES:
        raise UsageError(f"lattice {text} is larger than any machine can hold")
    return name


def settle(given: Parameters) -> Parameters:
    """The given values, with ranks and split that agree. Raises UsageError."""
    return ranks.settle("lattice", by_compiler(given, STYLES), SPLIT)


def require_sense(parameters: Parameters) -> None:
    """Raises UsageError for a split that leaves a rank an odd extent."""
    extents, parts = shape(parameters["lattice"]), parse_extents(parameters["split"])
    for axis, points, several in zip("xyzt", extents, parts, strict=True):
        if points % (2 * several):
            raise UsageError(
                f"lattice: {points} sites along {axis} of lattice {parameters['lattice']} are no "
                f"even number for each of {several} ranks (split={parameters['split']})"
            )


def in_directives(parameters: Parameters) -> bool:
    """Whether the style is written in directives, which have loops of their own."""
    return STYLES[parameters["style"]].in_directives


def usual_kernel(parameters: Parameters) -> str:
    """`tuned`, the processor's own; `shared` for directives, which have one source for all."""
    return "shared" if in_directives(parameters) else "tuned"


def default_halo(machine: Machine, parameters: Parameters) -> str:
    """The halo that a style in directives is written for on a GPU; else the fastest one."""
    return ranks.halo_of(STYLES[parameters["style"]], machine, parameters)


def shape(lattice: str) -> tuple[int, int, int, int]:
    """Extents along x, y, z, t."""
    return CLASSES.get(lattice) or parse_extents(lattice)


def sites(lattice: str) -> int:
    """All sites."""
    return math.prod(shape(lattice))


def number_bytes(parameters: Parameters) -> int:
    """Bytes of a real number in a solver's iterations."""
    return 8 if parameters["precision"] == "double" else 4


def hop_reals(parameters: Parameters) -> int:
    """Real numbers of an even site in one hop with the clover inverse: eight links, the inverse,
    and for each right-hand side a spinor read and one written."""
    return int(8 * parameters["links"] + 2 * PACKED + parameters["rhs"] * 4 * SPINOR)


def step_bytes(parameters: Parameters) -> int:
    """Bytes of a step of BiCGStab: two matrices of two hops and a spinor each, and 13 vectors, as
    src/watari/krylov/bytes.hpp counts them; 16 if the matrix does not compute the sums: the shared
    kernel, or ranks along t. What ranks read and compute again at edges is not counted."""
    vector = parameters["rhs"] * 2 * SPINOR * number_bytes(parameters)
    *_, along_t = parse_extents(parameters["split"])
    summed = parameters["kernel"] == "tuned" and (parameters["ranks"] == 1 or along_t == 1)
    vectors = 13 if summed else 16
    hop = hop_reals(parameters) * number_bytes(parameters)
    site = 2 * (2 * hop + vector) + vectors * vector
    return int(site * sites(parameters["lattice"]) // 2)


def memory_bytes(parameters: Parameters) -> int:
    """Bytes of all arrays: links, clover inverse, source, solution and six vectors of the solver;
    with mixed precision two of these vectors, and in float the operator and seven vectors."""
    number = 4 if parameters["precision"] == "single" else 8
    half, vector = sites(parameters["lattice"]) // 2, 2 * SPINOR * parameters["rhs"]
    operator = 8 * parameters["links"] + 2 * 2 * PACKED
    mixed = parameters["precision"] == "mixed"
    wide = (operator + (4 if mixed else 8) * vector) * number
    narrow = (operator + 7 * vector) * 4 if mixed else 0
    return int(half * (wide + narrow))


def arrays(parameters: Parameters) -> dict[str, int]:
    """Bytes of the operator, the source and the other vectors."""
    number = 4 if parameters["precision"] == "single" else 8
    half, vector = sites(parameters["lattice"]) // 2, 2 * SPINOR * parameters["rhs"] * number
    known = {
        "links": half * 8 * parameters["links"] * number,
        "clover": half * 4 * PACKED * number,
        "source": half * vector,
    }
    return known | {"vectors": memory_bytes(parameters) - sum(known.values())}
