"""What NumPy does with an array, an array in a file does too: keys, arrays without axes, processes,
and assignments."""

from __future__ import annotations

import os
import pickle
import signal
from pathlib import Path
from typing import Any

import numpy
import pytest

import watari

VALUES = numpy.arange(24.0).reshape(2, 3, 4)
S = numpy.s_
KEYS = [
    *((), ..., (0, 1, 2), (..., 0, 1, 2), (0, 1, 2, ...), (0, ..., 2), (1, None, 2), (..., None)),
    *(S[::-1, None, 1, ::-3], S[:: 2**80], S[-(2**80) :: -1], S[5:1], S[:, :, 3:0:-2]),
    *(numpy.uint64(1), slice(numpy.int64(0), numpy.uint8(1)), (None, ..., None)),
]


def stored(values: Any) -> watari.arrays.array.Array:
    numpy.save("a.npy", values)
    return watari.open("a.npy")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("key", KEYS, ids=repr)
def test_a_key_gives_what_it_gives_in_memory(key: Any) -> None:
    with stored(VALUES) as array:
        found, right = array[key], VALUES[key]
    assert type(found) is type(right)
    assert found.shape == right.shape
    numpy.testing.assert_array_equal(found, right)


def test_an_array_without_axes() -> None:
    with stored(numpy.array(3.5)) as array:
        assert numpy.asarray(array) == 3.5
        assert array[()] == 3.5
        assert isinstance(array[...], numpy.ndarray)
        for use in (iter, len):
            with pytest.raises(TypeError, match="without axes"):
                use(array)


def test_iteration_is_over_the_first_axis() -> None:
    with stored(VALUES) as array:
        numpy.testing.assert_array_equal(list(array), list(VALUES))


def test_a_child_reads_ahead_with_threads_of_its_own() -> None:
    with stored(VALUES) as array:
        assert array.prefetch(0).result().shape == (3, 4)
        child = os.fork()
        if child == 0:
            signal.alarm(60)
            right = numpy.array_equal(numpy.concatenate(list(array.blocks(96))), VALUES)
            os._exit(0 if right else 1)
        assert os.waitpid(child, 0)[1] == 0


def test_an_open_array_is_not_copied() -> None:
    with stored(VALUES) as array, pytest.raises(TypeError, match="pass its path"):
        pickle.dumps(array)


@pytest.mark.parametrize(
    "values", [1.5, [1, 2, 3], numpy.ones((1, 1, 3)), numpy.arange(3, dtype="i2")]
)
def test_values_are_converted_as_in_memory(values: Any) -> None:
    right = numpy.zeros((2, 3), "f4")
    right[...] = values
    with watari.create("b.npy", (2, 3), "f4") as made:
        made[...] = values
    numpy.testing.assert_array_equal(numpy.load("b.npy"), right)


def test_values_of_another_shape_are_refused_in_numpys_words() -> None:
    made = watari.create("b.npy", (2, 3))
    with pytest.raises(ValueError, match=r"from shape \(4,\) into shape \(2,3\)"):
        made[...] = numpy.ones(4)
    made.abort()


def test_sides_are_whole_numbers() -> None:
    numpy.ones(3, "f4").tofile("a.bin")
    assert watari.open("a.bin", shape=numpy.int64(3), dtype="f4").shape == (3,)
    with pytest.raises(TypeError):
        watari.open("a.bin", shape=(3.5,), dtype="f4")
    with pytest.raises(TypeError):
        watari.create("b.npy", (2.5,))


def test_a_suffix_in_capitals_is_the_same_format() -> None:
    with watari.create("B.NPY", (3,), "f4") as made:
        made[:] = [1, 2, 3]
    numpy.testing.assert_array_equal(numpy.load("B.NPY"), [1, 2, 3])
    numpy.testing.assert_array_equal(watari.open("B.NPY")[:], [1, 2, 3])


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::FutureWarning")
@pytest.mark.parametrize("dtype", ["V5", [("a", "<i4"), ("b", ">f8")], "?", "c16", "U3"], ids=str)
def test_zarr_takes_elements_of_any_kind(dtype: Any) -> None:
    zarr = pytest.importorskip("zarr")
    values = numpy.zeros(3, dtype)
    with watari.create("b.zarr", values.shape, values.dtype) as made:
        made[:] = values
    numpy.testing.assert_array_equal(zarr.open_array("b.zarr", mode="r")[...], values)
