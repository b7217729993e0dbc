"""Known results of Himeno on standard data: float fields, gosa summed in double.

REFERENCE has values of a separate program. REGRESSION has values of this program:
`watari run himeno processor=cpu grid=XS,S,M,L` with these iterations, and for XL the CUDA styles
(`results/`), which have the bits of the CPU. It detects a change, not a mistake.
"""

from __future__ import annotations

# gosa of the n-th iteration, by grid and n
REFERENCE: dict[str, dict[int, float]] = {
    "XS": {3: 6.229796415e-03, 100: 2.317158918e-03, 1000: 8.341751582e-06},
    "S": {3: 3.296793931e-03, 64: 2.394869096e-03},
    "M": {3: 1.693458809e-03, 103: 1.379210325e-03},
    "L": {3: 8.606862321e-04, 103: 7.796341958e-04},
    "XL": {3: 4.383944939e-04},
}
# gosa of the n-th iteration and the fingerprint of the field after it
REGRESSION: dict[str, dict[int, tuple[float, int]]] = {
    "XS": {
        3: (0.0062297963487178976, 7000081440562033),
        5: (0.005909573777918897, 7453783083517089),
        60: (0.003143877663264903, 6973893439508363),
        100: (0.0023171589021623667, 5954917852892808),
        200: (0.0011866378270932055, 1156859341170548),
        1000: (8.341751581538521e-06, 1098152230156968),
    },
    "S": {
        3: (0.0032967939231347554, 498085058628530),
        5: (0.003214947373995025, 1129341846863816),
        60: (0.002427556224515633, 2080813948927192),
        64: (0.0023948690863168634, 5109106585833933),
        100: (0.002147504488277042, 8876491589217420),
        200: (0.0016884804604336088, 5121183561321041),
        1000: (0.0004409135914570262, 4620476212941234),
        3000: (2.176635709155742e-05, 3192418460273142),
    },
    "M": {
        3: (0.0016934588063829553, 2882109446899630),
        5: (0.001672893119146604, 3252590568546757),
        60: (0.001464295973900921, 424007660841464),
        100: (0.001384431806147526, 8970934853095505),
        103: (0.0013792103226544388, 3970841418578031),
        200: (0.0012456561916375113, 839072877877183),
        1000: (0.0007579365680747012, 8215516674554607),
        3000: (0.00032684261235919497, 8931429015786374),
    },
    "L": {
        3: (0.0008606862309159004, 8279524385730592),
        5: (0.0008549384705589858, 8511046351834156),
        60: (0.0008007997273978035, 7172339789623019),
        100: (0.0007807692157075851, 3316649465328152),
        103: (0.0007796341948453711, 4948413688688277),
        200: (0.0007415543584720747, 7489913184962201),
    },
    "XL": {
        5: (0.0004364719838476545, 6383477382164948),
        60: (0.0004244369259935922, 6308462446326817),
        200: (0.00040777466200675564, 2913607710247925),
        1000: (0.00036535548508927294, 8743118788292479),
        3000: (0.0003151009490236969, 447359275161526),
    },
}
# Relative differences of gosa. The separate program rounds products and sums in another order. This
# one has the same bits everywhere, but adds gosa in another order. GCC contracts directives.
OF_REFERENCE, OF_REGRESSION, OF_DIRECTIVES = 1e-7, 1e-10, 1e-6


def gosa(grid: str, directives: bool) -> list[tuple[int, float, float]]:
    """The known values of gosa of a grid: iteration, value, relative tolerance."""
    least = OF_DIRECTIVES if directives else 0.0
    return [
        *((n, value, max(least, OF_REFERENCE)) for n, value in REFERENCE.get(grid, {}).items()),
        *((n, v, max(least, OF_REGRESSION)) for n, (v, _) in REGRESSION.get(grid, {}).items()),
    ]


def fingerprint(grid: str, iterations: int) -> int | None:
    """The fingerprint of the field after these iterations; None if it is not known."""
    values = REGRESSION.get(grid, {}).get(iterations)
    return values[1] if values else None
