"""Factors and products in objects, for the tests of case `gemm`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy
import object_server
import stored

import watari
from watari.cases.gemm.product import Silent


def factors(m: int = 300, k: int = 520, n: int = 270, dtype: Any = "float32") -> tuple[Any, Any]:
    """Factors whose product is exact in float32."""
    chance = numpy.random.default_rng(3)
    return tuple(
        chance.integers(-8, 9, shape).astype("float32").astype(dtype) for shape in [(m, k), (k, n)]
    )


def saved(*sides: int) -> tuple[Any, Any]:
    """Factors in a.npy and b.npy."""
    a, b = factors(*sides)
    numpy.save("a.npy", a)
    numpy.save("b.npy", b)
    return a, b


def named(path: str, words: dict[str, Any]) -> str:
    """An array of a file as a command takes it."""
    if not words:
        return path
    return f"{path}::{numpy.dtype(words['dtype']).name}:{'x'.join(map(str, words['shape']))}"


def uploaded(server: object_server.Server, maker: str, name: str, values: Any, **how: Any) -> str:
    """The address of an array that a maker has made."""
    folder = Path(name)
    folder.mkdir()
    path, words = stored.MAKERS[maker](folder, values, **how)
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            server.kept.objects[f"/bucket/{file}"] = file.read_bytes()
    return named(f"s3://bucket/{path}", words)


def product(a: str, b: str, out: str = "C.npy", **how: Any) -> Any:
    return watari.gemm(a, b, out, processor="cpu", fast_memory="8MiB", **how)


class Stopping(Silent):
    """Interrupts a product once it has completed a tile."""

    def advance(self, fraction: float, finished: int) -> None:
        if finished:
            raise KeyboardInterrupt


def content(path: str, shape: tuple[int, int]) -> Any:
    """The elements of a product, by its own library where there is one."""
    if path.endswith(".bin"):
        with watari.open(path, shape=shape, dtype="float32") as found:
            return found[...]
    with watari.open(path) as found:
        return found[...]
