"""Files that `watari wind` writes and reads, for the tests of outputs and tests/hostile/."""

from __future__ import annotations

import io

import numpy

ONE_STEP = ["--grid", "XS", "--steps", "1"]


def heights() -> bytes:
    """A map of heights."""
    made = io.BytesIO()
    numpy.save(made, numpy.where(numpy.arange(1024).reshape(32, 32) % 7 == 0, 8.0, 0.0))
    return made.getvalue()


def leaves() -> bytes:
    """Leaf area densities of two planes."""
    made = io.BytesIO()
    numpy.save(made, numpy.where(numpy.arange(2048).reshape(2, 32, 32) % 5 == 0, 0.5, 0.0))
    return made.getvalue()


# words before the output, its option, and an output of 0.7 MB
WRITES = [(["wind", "flat", *ONE_STEP], "-o", "o.vti")]
# the words that read a file, {}; its suffix and content; and the output that comes after them
READS = [
    (["wind", "file:{}", *ONE_STEP, "-o"], ".npy", heights, "o.vti"),
    (["wind", "flat", "--trees", "{}", *ONE_STEP, "-o"], ".npy", leaves, "o.vti"),
]
