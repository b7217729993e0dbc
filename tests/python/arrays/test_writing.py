"""New arrays: the library of their format reads what was written, and no name is half-written."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy
import pytest

import watari
from watari.common.errors import FileError, UnsupportedError, UsageError

VALUES = numpy.random.default_rng(2).random((130, 90)).astype("float32")
FORMATS = {"a.npy": {}, "a.bin": {}, "a.zarr": {"chunks": (40, 30)}}


def zero() -> int:
    return 0


def read(path: Path) -> Any:
    """What the library of a format reads."""
    if path.suffix == ".npy":
        return numpy.load(path)
    if path.suffix == ".zarr":
        return pytest.importorskip("zarr").open_array(path, mode="r")[...]
    return numpy.fromfile(path, VALUES.dtype).reshape(VALUES.shape)


@pytest.fixture(params=FORMATS)
def new(request: Any, tmp_path: Path) -> Any:
    """A path, and an array that is being written there."""
    if request.param == "a.zarr":
        pytest.importorskip("zarr")
    path = tmp_path / request.param
    return path, watari.create(path, VALUES.shape, "float32", **FORMATS[request.param])


def test_slices_of_every_kind(new: Any) -> None:
    path, array = new
    expected = numpy.zeros_like(VALUES)
    with array:
        for key in [slice(0, 50), (slice(50, 130), slice(10, 85)), 7, (slice(3, 90), 4), (5, 6)]:
            array[key] = VALUES[key]
            expected[key] = VALUES[key]
        array[100:, 1:7] = 5  # broadcast, and of another type
        expected[100:, 1:7] = 5
        assert not path.exists()
    numpy.testing.assert_array_equal(read(path), expected)
    assert os.listdir(path.parent) == [path.name]


def test_all_of_it_by_threads(new: Any) -> None:
    path, array = new

    def write(first: int) -> None:
        array[first : first + 40] = VALUES[first : first + 40]

    with array, ThreadPoolExecutor(4) as threads:
        list(threads.map(write, range(0, 130, 40)))
    numpy.testing.assert_array_equal(read(path), VALUES)


def test_an_error_leaves_nothing(new: Any) -> None:
    path, array = new
    array[:30] = 1
    with pytest.raises(ZeroDivisionError), array:
        array[30] = 1 / zero()
    assert os.listdir(path.parent) == []


@pytest.mark.parametrize("name", FORMATS)
def test_an_array_that_is_dropped_leaves_nothing(name: str, tmp_path: Path) -> None:
    if name == "a.zarr":
        pytest.importorskip("zarr")
    array = watari.create(tmp_path / name, (3, 4))
    array[0] = 1
    assert len(os.listdir(tmp_path)) == 1
    del array
    assert os.listdir(tmp_path) == []


def test_after_close_and_wrong_slices(new: Any) -> None:
    path, array = new
    for key in (slice(None, None, 2), slice(None, None, -1), None, [1, 2], 130, (0, 0, 0)):
        with pytest.raises(IndexError):
            array[key] = 0
    with pytest.raises(ValueError, match="broadcast"):
        array[:3] = numpy.zeros((4, 90))
    array.close()
    array.close()
    with pytest.raises(ValueError, match="closed"):
        array[0] = 1
    numpy.testing.assert_array_equal(read(path), 0)


def test_a_file_is_replaced_whole_or_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    numpy.save(path, VALUES)
    with pytest.raises(ZeroDivisionError), watari.create(path, (3, 4)) as array:
        array[:] = 1 / zero()
    numpy.testing.assert_array_equal(numpy.load(path), VALUES)
    with watari.create(path, (3, 4)) as array:
        array[:] = 1
        numpy.testing.assert_array_equal(numpy.load(path), VALUES)
    numpy.testing.assert_array_equal(numpy.load(path), numpy.ones((3, 4)))


def test_data_begin_on_a_page(tmp_path: Path) -> None:
    watari.create(tmp_path / "a.npy", (3, 4)).close()
    assert (tmp_path / "a.npy").stat().st_size == 4096 + 96
    assert numpy.load(tmp_path / "a.npy", mmap_mode="r").offset == 4096


def test_bfloat16_and_other_types(tmp_path: Path) -> None:
    pytest.importorskip("ml_dtypes")
    with watari.create(tmp_path / "a.bin", (4, 3), "bfloat16") as array:
        array[:] = numpy.arange(12).reshape(4, 3)
    numpy.testing.assert_array_equal(
        watari.open(f"{tmp_path}/a.bin::bfloat16:4x3")[:].astype("f4"),
        numpy.arange(12).reshape(4, 3),
    )
    for dtype in ("?", "<i2", ">f8", "c16"):
        with watari.create(tmp_path / "a.npy", (6,), dtype) as array:
            array[:] = [0, 1, 0, 1, 1, 0]
        assert numpy.load(tmp_path / "a.npy").dtype == dtype
        numpy.testing.assert_array_equal(numpy.load(tmp_path / "a.npy"), [0, 1, 0, 1, 1, 0])


def test_what_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "folder.npy").mkdir()
    (tmp_path / "loop.npy").symlink_to(tmp_path / "loop.npy")
    (tmp_path / "old.zarr").mkdir()
    rows: list[tuple[str, str, type[Exception], tuple[Any, ...], dict[str, Any]]] = [
        ("folder.npy", "not a regular file", FileError, ((3, 4),), {}),
        ("loop.npy", "Too many levels", FileError, ((3, 4),), {}),
        ("missing/a.npy", "No such file", FileError, ((3, 4),), {}),
        ("missing/a.zarr", "No such file", FileError, ((3, 4),), {}),
        ("old.zarr", "exists already", UsageError, ((3, 4),), {}),
        ("a.npy", "negative side", FileError, ((-3, 4),), {}),
        ("a.npy", "Python objects", FileError, ((3, 4), object), {}),
        ("a.npy", r"File too large|No space left", FileError, ((2**50,),), {}),
        ("a.npy", "only Zarr", UsageError, ((3, 4),), {"chunks": (1, 2)}),
        ("a.zarr", r"a\.zarr: ", UsageError, ((3, 4),), {"chunks": (1, 2, 3)}),
    ]
    for name, reason, kind, words, more in rows:
        with pytest.raises(kind, match=reason):
            watari.create(tmp_path / name, *words, **more)
    assert sorted(os.listdir(tmp_path)) == ["folder.npy", "loop.npy", "old.zarr"]


def test_zarr_without_its_package(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setitem(sys.modules, "zarr", None)
    with pytest.raises(UnsupportedError, match="needs the Python package zarr"):
        watari.create(tmp_path / "a.zarr", (3, 4))
    assert os.listdir(tmp_path) == []
