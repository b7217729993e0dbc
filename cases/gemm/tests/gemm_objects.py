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


def uploaded(server: object_server.Server, maker: str, name: str, values: Any, **how: Any) -> str:
    """The address of an array that a maker has made."""
    folder = Path(name)
    folder.mkdir()
    path, words = stored.MAKERS[maker](folder, values, **how)
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            server.kept.objects[f"/bucket/{file}"] = file.read_bytes()
    address = f"s3://bucket/{path}"
    if words:
        shape = "x".join(map(str, words["shape"]))
        address += f"::{numpy.dtype(words['dtype']).name}:{shape}"
    return address


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
