"""Small products of files: the request, the bits of an undisturbed product, and the files that it
leaves.

Promise: C is whole or unchanged, and after any kill it has the same bits as without one (with the
same fast memory and engine).
"""

from __future__ import annotations

import hashlib
import random
import time
from dataclasses import dataclass
from pathlib import Path

import numpy
from attacks import Broken
from commands import Ended, end, start, watari
from kills import await_file

ENGINES = ("posix", "uring", "mmap")  # files by a CPU
EPSILON = {"float32": 2.0**-23, "float64": 2.0**-52}


@dataclass(frozen=True)
class Product:
    """A command in a folder, C before it, and the right C after it."""

    folder: Path
    words: list[str]
    old: bytes | None
    right: bytes
    right_anew: bytes  # of the same command once more, which then adds to C itself
    time: tuple[float, float]  # seconds undisturbed, and of these after C.npy.partial was there

    @property
    def c(self) -> Path:
        return self.folder / "C.npy"

    def content(self) -> bytes | None:
        return self.c.read_bytes() if self.c.exists() else None

    def left_over(self) -> list[str]:
        """Names beside the matrices."""
        known = {"A.npy", "B.npy", "C.npy"}
        return sorted({path.name for path in self.folder.iterdir()} - known)


def save(path: Path, rng: numpy.random.Generator, rows: int, columns: int, dtype: str) -> None:
    numpy.save(path, rng.standard_normal((rows, columns)).astype(dtype))


def command(rng: random.Random, beta: bool) -> list[str]:
    """`gemm A.npy B.npy ...` with one of the engines, and small fast memory."""
    words = ["gemm", "A.npy", "B.npy", "-o", "C.npy", "--processor", "cpu", "--tile", "128"]
    words += ["--fast-memory", rng.choice(["1MiB", "2MiB", "4MiB"]), "--threads", "2"]
    words += ["--engine", rng.choice(ENGINES), "--alpha", rng.choice(["1", "-0.5", "3"])]
    return [*words, "--beta", rng.choice(["1", "0.25"])] if beta else words


def near(folder: Path, words: list[str], old: numpy.ndarray | None) -> bool:
    """Whether C is within rounding of NumPy's product in double precision."""
    a, b, c = (numpy.load(folder / f"{name}.npy") for name in "ABC")
    alpha = float(words[words.index("--alpha") + 1])
    wide, wide_b = a.astype(float), b.astype(float)
    exact, size = alpha * (wide @ wide_b), abs(alpha) * (abs(wide) @ abs(wide_b))
    if old is not None:
        beta = float(words[words.index("--beta") + 1])
        exact, size = exact + beta * old, size + abs(beta * old)
    return bool((abs(c - exact) <= (a.shape[1] + 8) * EPSILON[str(a.dtype)] * size).all())


def prepare(rng: random.Random, folder: Path, may_add: bool = True) -> Product:
    """Matrices, the command (with --beta only if it `may_add`), and its undisturbed result. Raises
    Broken if that is wrong."""
    draw = numpy.random.default_rng(rng.getrandbits(32))
    dtype = rng.choice(list(EPSILON))
    m, n, k = (rng.randrange(low, low + 700) for low in (300, 300, 600))
    beta = may_add and rng.random() < 0.3
    save(folder / "A.npy", draw, m, k, dtype)
    save(folder / "B.npy", draw, k, n, dtype)
    if beta or rng.random() < 0.5:
        save(folder / "C.npy", draw, m, n, dtype)
    old = (folder / "C.npy").read_bytes() if (folder / "C.npy").exists() else None
    before = numpy.load(folder / "C.npy") if beta else None
    words = command(rng, beta)
    took = undisturbed(words, folder)
    if not near(folder, words, before):
        raise Broken(f"the undisturbed product is wrong: {words}")
    right = (folder / "C.npy").read_bytes()
    right_anew = right
    if beta:
        whole(watari(words, folder))
        right_anew = (folder / "C.npy").read_bytes()
    if old is None:
        (folder / "C.npy").unlink()
    else:
        (folder / "C.npy").write_bytes(old)
    return Product(folder, words, old, right, right_anew, took)


def undisturbed(words: list[str], folder: Path) -> tuple[float, float]:
    """Runs the command; its seconds, and those after C.npy.partial was there."""
    began = time.monotonic()
    process = start(words, folder)
    await_file(process, folder / "C.npy.partial")
    made = time.monotonic()
    whole(end(process, words))
    return time.monotonic() - began, time.monotonic() - made


def whole(ended: Ended) -> None:
    """Raises Broken if an undisturbed command does not succeed."""
    if ended.code != 0:
        raise Broken(f"refused without a reason: {ended}")


def check_old(product: Product, ended: Ended) -> bool:
    """Whether C is right already. Raises Broken if it is neither the old one nor right."""
    content = product.content()
    if content == product.right:
        return True
    if content == product.old:
        return False
    size = "gone" if content is None else f"{len(content)} bytes, {digest(content)}"
    raise Broken(f"C is neither the old one nor right ({size}) after {ended}")


def check_done(product: Product, ended: Ended, right: bytes) -> None:
    """Raises Broken if a command that succeeded left another C, or any other file."""
    if product.content() != right:
        raise Broken(f"a wrong C after {ended}")
    if product.left_over():
        raise Broken(f"left lying: {product.left_over()} after {ended}")


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:12]
