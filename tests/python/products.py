"""Matrices in .npy files, their products, and what an unfinished one leaves."""

from __future__ import annotations

from pathlib import Path

import numpy

JOURNAL = Path("C.npy.partial.journal")
RNG = numpy.random.default_rng(20)


def save(name, rows, columns, dtype=numpy.float32):
    """A random matrix in a file."""
    matrix = RNG.standard_normal((rows, columns)).astype(dtype)
    numpy.save(name, matrix)
    return matrix


def factors(m=300, n=270, k=200, dtype=numpy.float32):
    """A.npy and B.npy."""
    return save("A.npy", m, k, dtype), save("B.npy", k, n, dtype)


def assert_product(a, b, c, alpha=1.0, beta=0.0, old=None):
    """Every element within what rounding allows, against NumPy in double."""
    wide = [x.astype(numpy.float64) for x in (a, b)]
    exact = alpha * (wide[0] @ wide[1])
    size = abs(alpha) * (abs(wide[0]) @ abs(wide[1]))
    if beta:
        exact = exact + beta * old.astype(numpy.float64)
        size = size + abs(beta * old.astype(numpy.float64))
    allowed = (a.shape[1] + 4) * numpy.finfo(a.dtype).eps * size
    assert c.dtype == a.dtype
    assert c.shape == exact.shape
    assert (abs(c - exact) <= allowed).all()


def left_over():
    """What lies beside the matrices."""
    return sorted({path.name for path in Path().iterdir()} - {"A.npy", "B.npy", "C.npy"})


def state():
    """Names, sizes and times of all files."""
    return {p.name: (p.lstat().st_size, p.lstat().st_mtime_ns) for p in Path().iterdir()}


def finished_tiles() -> int:
    """How many tiles the journal has."""
    lines = JOURNAL.read_text().split("\n")[:-1] if JOURNAL.exists() else []
    return sum(len(line.split()) // 2 for line in lines if line.startswith("tiles "))
