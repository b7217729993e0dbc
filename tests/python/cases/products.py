"""Matrices in .npy files, their products, and the files that an unfinished product leaves."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import numpy
import pytest

import watari
from watari.cases.gemm import product

FAST = 2**21  # bytes
JOURNAL = Path("C.npy.partial.journal")
RNG = numpy.random.default_rng(20)


def save(name, rows, columns, dtype=numpy.float32):
    """A random matrix in a file."""
    matrix = RNG.standard_normal((rows, columns)).astype(dtype)
    numpy.save(name, matrix)
    return matrix


def factors(m=300, n=270, k=200, dtype=numpy.float32):
    """Saves random factors as A.npy and B.npy."""
    return save("A.npy", m, k, dtype), save("B.npy", k, n, dtype)


def assert_product(a, b, c, alpha=1.0, beta=0.0, old=None):
    """Expects every element within the rounding error, compared with NumPy in double."""
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
    """The names of the files beside the matrices."""
    return sorted({path.name for path in Path().iterdir()} - {"A.npy", "B.npy", "C.npy"})


def state():
    """Names, sizes and times of all files."""
    return {p.name: (p.lstat().st_size, p.lstat().st_mtime_ns) for p in Path().iterdir()}


def finished_tiles() -> int:
    """The number of tiles in the journal. A column that was half done is computed again, so that
    some of its tiles come twice."""
    lines = JOURNAL.read_text().split("\n")[:-1] if JOURNAL.exists() else []
    words = [line.split()[1:] for line in lines if line.startswith("tiles ")]
    return len({(w[i], w[i + 1]) for w in words for i in range(0, len(w) - 2, 3)})


def gemm(**more):
    """Multiplies A.npy and B.npy into C.npy on the CPU."""
    given = {"fast_memory": FAST, "processor": "cpu"}
    return watari.gemm("A.npy", "B.npy", "C.npy", **{**given, **more})


class Listener(product.Silent):
    """A progress listener that calls a function."""

    def __init__(self, act):
        self.act = act
        self.work = None

    def start(self, work, finished):
        self.work = work
        self.act(finished)

    def advance(self, fraction, finished):
        self.act(finished)


def unfinished(count=3, number=signal.SIGINT, **more):
    """Stops a product when `count` tiles are completed. Returns its message."""

    def stop(finished):
        if finished >= count:
            signal.raise_signal(number)

    with pytest.raises(product.Interrupted) as raised:
        gemm(**more, progress=Listener(stop))
    assert finished_tiles() >= count
    return str(raised.value)


def on_processor(*words):
    """`watari gemm` of A.npy and B.npy on the CPU."""
    line = ["gemm", "A.npy", "B.npy", "-o", "C.npy", "--fast-memory", "2MiB"]
    return [*line, "--processor", "cpu", *words]


def cut(path, size):
    """Truncates a file to its first `size` bytes."""
    os.truncate(path, size)


def write(path, data):
    Path(path).write_bytes(data)


def with_header(text):
    """Replaces the text in the header of A.npy."""
    data = numpy.load("A.npy").tobytes()
    text = f"{text:118}"  # data begin at byte 128
    Path("A.npy").write_bytes(b"\x93NUMPY\x01\x00\x76\x00" + text.encode() + data)
