"""Arrays in memory of a GPU: slices of every format, from files by each engine and from objects,
for PyTorch and CuPy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy
import object_server
import pytest
import stored

import watari
from watari import _native

pytestmark = pytest.mark.gpu

VALUES = numpy.random.default_rng(6).random((700, 384), "float32")
KEYS = [
    ...,
    slice(100, 600),
    (slice(None), slice(128, 256)),
    (slice(10, None, 7), slice(None, None, -1)),
    (slice(3, 4), 5),
]
MAKERS = ["npy", "npy_by_columns", "raw_in_words", "hdf5", "zarr", "safetensors"]


def cupy(buffer: Any) -> Any:
    library = pytest.importorskip("cupy")
    return library.asnumpy(library.from_dlpack(buffer))


def torch(buffer: Any) -> Any:
    library = pytest.importorskip("torch")
    return library.from_dlpack(buffer).cpu().numpy()


@pytest.mark.parametrize("library", [cupy, torch])
@pytest.mark.parametrize("engine", ["posix", "uring", "mmap", "cufile"])
@pytest.mark.parametrize("maker", MAKERS)
def test_slices_of_files(maker: str, engine: str, library: Any, tmp_path: Path) -> None:
    path, how = stored.MAKERS[maker](tmp_path, VALUES)
    with watari.open(path, engine=engine, **how) as array:
        for key in KEYS:
            numpy.testing.assert_array_equal(library(array.to("gpu", key)), VALUES[key])


@pytest.mark.skipif(bool(_native.objects_absent_reason()), reason=_native.objects_absent_reason())
@pytest.mark.parametrize("library", [cupy, torch])
@pytest.mark.parametrize("maker", MAKERS)
def test_slices_of_objects(
    maker: str, library: Any, server: object_server.Server, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    path, how = stored.MAKERS[maker](Path(), VALUES)
    for file in Path().rglob("*"):
        if file.is_file():
            server.kept.objects[f"/bucket/{file}"] = file.read_bytes()
    with watari.open(f"s3://bucket/{path}", **how) as array:
        for key in KEYS:
            numpy.testing.assert_array_equal(library(array.to("gpu", key)), VALUES[key])
        blocks = [library(block) for block in array.blocks("256KiB", device="gpu")]
        numpy.testing.assert_array_equal(numpy.concatenate(blocks), VALUES)
