"""Every format gives the elements that its own library stored, by every kind of slice."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy
import pytest
import stored

import watari
from watari import _native
from watari.arrays import zarr, zarr_plain
from watari.common.errors import UnsupportedError

SHAPES = [(31, 17), (60,), (9, 8, 7), (5, 3, 4, 6)]
ENGINES = [row["name"] for row in _native.FILE_ENGINES if row["name"] in ("posix", "uring", "mmap")]


def values_of(shape: tuple[int, ...], dtype: str = "float32") -> Any:
    return numpy.random.default_rng(1).integers(-1000, 1000, shape).astype(dtype)


def some_key(chance: random.Random, shape: tuple[int, ...]) -> Any:
    """A basic index of any kind."""

    def bound(side: int) -> int | None:
        return None if chance.random() < 0.3 else chance.randrange(-side - 3, side + 3)

    def of_axis(side: int) -> Any:
        if chance.random() < 0.25:
            return chance.choice([int, numpy.int32])(chance.randrange(-side, side))
        step = chance.choice([1, 1, 1, 2, 3, 7, -1, -2])
        return slice(bound(side), bound(side), step)

    keys: list[Any] = [of_axis(side) for side in shape]
    cut = chance.randrange(len(keys) + 1)
    if chance.random() < 0.3:
        return (..., *keys[cut:])
    if chance.random() < 0.3:
        keys.insert(cut, None)
    return tuple(keys[: chance.randrange(1, len(keys) + 1)])


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("maker", stored.MAKERS)
def test_slices_are_those_of_numpy(maker: str, shape: tuple[int, ...], tmp_path: Any) -> None:
    values, chance = values_of(shape), random.Random(7)
    path, how = stored.MAKERS[maker](tmp_path, values)
    with watari.open(path, **how) as array:
        assert (array.shape, array.dtype.newbyteorder("=")) == (values.shape, values.dtype)
        assert (array.ndim, array.size, array.nbytes) == (values.ndim, values.size, values.nbytes)
        numpy.testing.assert_array_equal(numpy.asarray(array), values)
        for _ in range(80):
            key = some_key(chance, shape)
            found, expected = array[key], values[key]
            assert numpy.shape(found) == expected.shape, key
            numpy.testing.assert_array_equal(found, expected, err_msg=str(key))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("maker", ["npy", "npy_by_columns", "zarr"])
def test_engines(maker: str, engine: str, tmp_path: Any) -> None:
    values = values_of((700, 900), "float64")  # 5 MB: several requests, and threads
    path, how = stored.MAKERS[maker](tmp_path, values)
    try:
        with watari.open(path, engine=engine, **how) as array:
            numpy.testing.assert_array_equal(array[...], values)
            numpy.testing.assert_array_equal(array[3:650, 100:200], values[3:650, 100:200])
            numpy.testing.assert_array_equal(array[::3, ::-5], values[::3, ::-5])
    except UnsupportedError as reason:
        pytest.skip(str(reason))


@pytest.mark.parametrize("dtype", ["?", "i1", "<u2", ">i4", "<f2", "<f8", ">c16", "S5", "<M8[s]"])
def test_element_types(dtype: str, tmp_path: Any) -> None:
    values = numpy.arange(120).astype(dtype)
    path, how = stored.npy(tmp_path, values.reshape(15, 8))
    with watari.open(path, **how) as array:
        assert array.dtype == numpy.dtype(dtype)
        assert array[2:9:2].tobytes() == values.reshape(15, 8)[2:9:2].tobytes()


def test_far_apart_elements_and_many_small_chunks(tmp_path: Any) -> None:
    values = values_of((40, 30_000))  # rows of 120 kB: further apart than what is read between
    path, how = stored.npy(tmp_path, values)
    with watari.open(path, **how) as array:
        numpy.testing.assert_array_equal(array[:, 5], values[:, 5])
        numpy.testing.assert_array_equal(array[::-3, 5:50:9], values[::-3, 5:50:9])
    path, how = stored.zarr(tmp_path, values[:, :600], chunks=(1, 20))  # 1200 files
    with watari.open(path, **how) as array:
        numpy.testing.assert_array_equal(array[1:, ::7], values[1:, :600:7])


def test_arrays_of_no_elements_and_of_one(tmp_path: Any) -> None:
    for values in (numpy.zeros((0, 5)), numpy.float32(3)[...], numpy.zeros((4, 0, 2), "i2")):
        path, how = stored.npy(tmp_path, values)
        with watari.open(path, **how) as array:
            numpy.testing.assert_array_equal(array[...], values)
            assert array.shape == values.shape


def test_bfloat16_of_safetensors(tmp_path: Any) -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    values = values_of((20, 30)).astype(ml_dtypes.bfloat16)
    path, how = stored.safetensors(tmp_path, values)
    with watari.open(path, **how) as array:
        assert array.dtype == ml_dtypes.bfloat16
        numpy.testing.assert_array_equal(array[::2, 3:9], values[::2, 3:9])


def test_bfloat16_without_its_package_is_its_bits(tmp_path: Any, monkeypatch: Any) -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    values = values_of((6, 5)).astype(ml_dtypes.bfloat16)
    path, how = stored.safetensors(tmp_path, values)
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    with watari.open(path, **how) as array:
        numpy.testing.assert_array_equal(array[1:]["bfloat16"], values[1:].view("u2"))


def test_an_array_is_recognised_by_its_first_bytes(tmp_path: Any) -> None:
    values = values_of((4, 5))
    path, _ = stored.npy(tmp_path, values)
    os.rename(path, tmp_path / "data")
    numpy.testing.assert_array_equal(watari.open(tmp_path / "data")[...], values)


def test_importing_watari_imports_no_library_of_a_format() -> None:
    code = "import watari, sys; watari.open, watari.create\n"
    code += "print([m for m in ('h5py', 'zarr', 'ml_dtypes', 'safetensors') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


ZARRS = [name for name in stored.MAKERS if name.startswith("zarr")]


@pytest.mark.parametrize("dtype", ["float32", "int16", ">f8", "bool", "uint8", "complex64"])
@pytest.mark.parametrize("maker", ZARRS)
def test_plain_metadata_are_read_as_the_package_reads_them(
    maker: str, dtype: str, tmp_path: Path
) -> None:
    values = numpy.arange(60).reshape(5, 3, 4).astype(dtype)
    path, _ = stored.MAKERS[maker](tmp_path, values)
    (file,) = (each for name in zarr.METADATA if (each := Path(path) / name).exists())
    content = file.read_bytes()
    found = zarr_plain.plain(content)
    assert found
    described = zarr.described("a", content)
    kind, by_columns = zarr.encoding("a", described)
    assert (found.shape, found.chunks) == (described.shape, described.chunks)
    assert (found.dtype, found.by_columns) == (kind, by_columns)
    for at in numpy.ndindex(2, 2, 2):
        assert found.key(at) == described.metadata.encode_chunk_key(at)


@pytest.mark.parametrize(
    "change",
    [
        {"compressor": {"id": "zlib", "level": 1}},
        {"filters": [{"id": "delta", "dtype": "<f4"}]},
        {"dtype": "|O"},
        {"dtype": "<M8[s]"},
        {"dtype": [["x", "<f4"]]},
        {"chunks": [2]},
        {"shape": [-1, 4]},
        {"shape": [2.5, 4]},
        {"order": "A"},
        {"unknown": 1},
        {"zarr_format": 4},
        {"dimension_separator": "_"},
    ],
)
def test_metadata_of_anything_else_are_left_to_the_package(change: dict[str, Any]) -> None:
    whole: dict[str, Any] = {"zarr_format": 2, "shape": [5, 4], "chunks": [2, 2], "dtype": "<f4"}
    whole |= {"compressor": None, "fill_value": 0, "order": "C", "filters": None}
    assert zarr_plain.plain(json.dumps(whole).encode())
    assert zarr_plain.plain(json.dumps(whole | change).encode()) is None
    assert zarr_plain.plain(b"{") is None
    assert zarr_plain.plain(b"[]") is None


def test_a_plain_array_opens_without_the_package(tmp_path: Path) -> None:
    path, _ = stored.zarr(tmp_path, numpy.arange(12.0).reshape(3, 4))
    text = "import sys, watari; a = watari.open(sys.argv[1]); print(a[1, 2], 'zarr' in sys.modules)"
    found = subprocess.check_output([sys.executable, "-c", text, path], text=True)
    assert found.split() == ["6.0", "False"]
