"""Arrays stored by the libraries of their formats, each as `make(folder, values)`: the words for
`watari.open`. A library that is missing skips the test, with the reason."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pytest

Made = tuple[str, dict[str, Any]]


def npy(folder: Path, values: Any) -> Made:
    numpy.save(folder / "a.npy", values)
    return str(folder / "a.npy"), {}


def npy_by_columns(folder: Path, values: Any) -> Made:
    return npy(folder, numpy.asfortranarray(values))


def npy_other_bytes(folder: Path, values: Any) -> Made:
    return npy(folder, values.astype(values.dtype.newbyteorder()))


def raw(folder: Path, values: Any) -> Made:
    values.tofile(folder / "a.bin")
    return str(folder / "a.bin"), {"shape": values.shape, "dtype": values.dtype}


def raw_in_words(folder: Path, values: Any) -> Made:
    path, how = raw(folder, values)
    return f"{path}::{how['dtype'].name}:{'x'.join(map(str, how['shape']))}", {}


def hdf5(folder: Path, values: Any, **how: Any) -> Made:
    h5py = pytest.importorskip("h5py")
    with h5py.File(folder / "a.h5", "w", **how) as file:
        file["group/other"] = numpy.arange(5)
        file["group/a"] = values
    return f"{folder / 'a.h5'}::group/a", {}


def hdf5_behind_a_block(folder: Path, values: Any) -> Made:
    return hdf5(folder, values, userblock_size=1024)


def zarr(folder: Path, values: Any, **how: Any) -> Made:
    package = pytest.importorskip("zarr")
    chunks = tuple(max(1, (2 * side) // 5) for side in values.shape)
    made = package.create_array(
        folder / "a.zarr",
        shape=values.shape,
        dtype=values.dtype,
        chunks=how.pop("chunks", chunks),
        compressors=None,
        filters=how.pop("filters", None),
        config={"write_empty_chunks": True},
        **how,
    )
    made[...] = values
    return str(folder / "a.zarr"), {}


def zarr_2(folder: Path, values: Any) -> Made:
    return zarr(folder, values, zarr_format=2)


def zarr_2_by_columns(folder: Path, values: Any) -> Made:
    return zarr(folder, values, zarr_format=2, order="F")


def zarr_2_nested(folder: Path, values: Any) -> Made:
    keys = {"name": "v2", "separator": "/"}
    return zarr(folder, values, zarr_format=2, chunk_key_encoding=keys)


def zarr_by_columns(folder: Path, values: Any) -> Made:
    codecs = pytest.importorskip("zarr.codecs")
    order = tuple(reversed(range(values.ndim)))
    return zarr(folder, values, filters=[codecs.TransposeCodec(order=order)])


def zarr_of_rows(folder: Path, values: Any) -> Made:
    return zarr(folder, values, chunks=(7, *values.shape[1:]))


def safetensors(folder: Path, values: Any) -> Made:
    package = pytest.importorskip("safetensors.numpy")
    tensors = {"a": values, "other": numpy.arange(3, dtype=numpy.int8)}
    package.save_file(tensors, folder / "a.safetensors", metadata={"by": "a test"})
    return f"{folder / 'a.safetensors'}::a", {}


MAKERS: dict[str, Callable[[Path, Any], Made]] = {
    each.__name__: each
    for each in (
        npy,
        npy_by_columns,
        npy_other_bytes,
        raw,
        raw_in_words,
        hdf5,
        hdf5_behind_a_block,
        zarr,
        zarr_2,
        zarr_2_by_columns,
        zarr_2_nested,
        zarr_by_columns,
        zarr_of_rows,
        safetensors,
    )
}
