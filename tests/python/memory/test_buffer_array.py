"""`watari.Buffer` as NumPy and DLPack see it, its life in `with`, and its errors."""

from __future__ import annotations

import ast
import warnings
from pathlib import Path
from typing import Any

import numpy
import pytest

import watari
from watari import _native as native
from watari.common.errors import BeyondMemoryError, UnsupportedError, UsageError

DTYPES = ("bool", "int8", "uint16", "int32", "uint64", "float16", "float32", "float64")


@pytest.mark.parametrize("dtype", [*DTYPES, "complex64", "complex128"])
def test_numpy_and_dlpack_see_the_same_memory_without_a_copy(dtype: str) -> None:
    with watari.Buffer("pageable", shape=(3, 5), dtype=dtype) as buffer:
        one, other = numpy.asarray(buffer), numpy.from_dlpack(buffer)
        assert one.dtype == other.dtype == buffer.dtype == numpy.dtype(dtype)
        assert one.shape == other.shape == buffer.shape == (3, 5)
        assert (len(buffer), buffer.nbytes) == (3, 15 * one.itemsize)
        one[:] = numpy.arange(15).reshape(3, 5) % 2
        assert (other == one).all()
        assert other.sum() == 7
        assert other.__array_interface__["data"][0] == one.__array_interface__["data"][0]
        del one, other


def test_an_array_of_another_type_is_a_copy_that_must_be_allowed() -> None:
    buffer = watari.Buffer("pageable", "1KiB")
    numpy.asarray(buffer)[:] = 2.5
    assert buffer.__array__("float32").dtype == numpy.float32
    assert not numpy.shares_memory(buffer.__array__(copy=True), buffer.array())
    with pytest.raises(ValueError, match="would be a copy"):
        buffer.__array__("float32", copy=False)
    with pytest.raises(BufferError, match="never a copy"):
        buffer.__dlpack__(copy=True)
    with pytest.raises(BufferError, match=r"not on DLPack's device \(2, 0\)"):
        buffer.__dlpack__(dl_device=(2, 0))
    assert numpy.from_dlpack(buffer).sum() == 2.5 * 128


def test_the_end_of_with_frees_the_memory_unless_an_array_views_it() -> None:
    with watari.Buffer("pageable", "64KiB") as buffer:
        assert not buffer.closed
    assert buffer.closed
    assert repr(buffer) == "<closed Buffer('pageable', '64KiB')>"
    for use in (buffer.array, buffer.residency, buffer.__enter__, lambda: buffer.fill("cpu")):
        with pytest.raises(ValueError, match="operation on <closed Buffer"):
            use()
    buffer.close()  # again: nothing happens
    held = watari.Buffer("pageable", "64KiB")
    view = held.array()
    with pytest.raises(BufferError, match="an array still views its memory"):
        held.close()
    view[:] = 1
    del view
    held.close()


def test_a_view_outlives_the_block_and_says_so() -> None:
    buffer = watari.Buffer("pageable", shape=4).__enter__()
    view = numpy.asarray(buffer)
    view[:] = 7
    with pytest.warns(ResourceWarning, match="an array still views"):
        buffer.__exit__(None, None, None)
    assert buffer.closed
    assert view.tolist() == [7, 7, 7, 7]
    with pytest.raises(ValueError, match="operation on <closed Buffer"):
        buffer.array()


def test_a_copy_does_not_hold_the_memory() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with watari.Buffer("pageable", shape=4) as buffer:
            buffer.array()[:] = 7
            kept = numpy.array(buffer)
    assert kept.tolist() == [7, 7, 7, 7]


def test_an_error_inside_with_closes_a_buffer_whose_array_lives_on() -> None:
    broken = watari.Buffer("pageable", 8)
    kept = broken.array()
    with pytest.raises(ZeroDivisionError), broken:
        _ = 1 / 0
    assert broken.closed
    kept[:] = 3  # the array keeps its memory alive


def test_the_repr_makes_the_same_buffer() -> None:
    for text in (
        "Buffer('pageable', '4KiB')",
        "Buffer('pageable', '4KiB', dtype='float32')",
        "Buffer('pageable', '24', dtype='int8', shape=(2, 3, 4))",
    ):
        assert repr(eval(text, {"Buffer": watari.Buffer})) == text


@pytest.mark.parametrize(
    ("error", "reason", "words", "more"),
    [
        (ValueError, "pageable, pinned, device, managed, system, not 'pined'", ("pined", 8), {}),
        (ValueError, "'1 furlong' is not a size", ("pageable", "1 furlong"), {}),
        (ValueError, "size must be positive", ("pageable", 0), {}),
        (ValueError, "size must be positive", ("pageable", -8), {}),
        (ValueError, "not a multiple of the 8 bytes of a float64", ("pageable", 12), {}),
        (ValueError, "takes 96 bytes, not 100", ("pageable", 100), {"shape": (3, 4)}),
        (ValueError, "every side", ("pageable",), {"shape": (3, 0)}),
        (TypeError, "a number of bytes or a text", ("pageable", 1.5), {}),
        (TypeError, "needs a size or a shape", ("pageable",), {}),
        *(
            (TypeError, "have no type code in DLPack", ("pageable", 64), {"dtype": dtype})
            for dtype in (object, "datetime64[s]", "U4", ">f8", "longdouble")
        ),
    ],
)
def test_what_is_no_buffer(error: Any, reason: str, words: Any, more: Any) -> None:
    with pytest.raises(error, match=reason):
        watari.Buffer(*words, **more)


def test_errors_are_those_of_python() -> None:
    with pytest.raises(MemoryError) as raised:
        watari.Buffer("pageable", 2**50)
    assert isinstance(raised.value, BeyondMemoryError)
    buffer = watari.Buffer("pageable", 800)
    with pytest.raises(ValueError, match="tpu") as word:
        buffer.fill("tpu")
    assert isinstance(word.value, UsageError)
    with pytest.raises(ValueError, match="longer than the buffers"):
        buffer.copy_from(watari.Buffer("pageable", 80), by="cpu", count=11)
    buffer.copy_from(watari.Buffer("pageable", 80), by="cpu")  # to the end of the shorter one
    watari.Buffer("pageable", 80).copy_from(buffer, by="cpu")
    with pytest.raises(TypeError, match="must be a Buffer, not list"):
        buffer.copy_from([], by="cpu")  # type: ignore[arg-type]
    if native.unsupported("pinned"):
        with pytest.raises(NotImplementedError) as absent:
            watari.Buffer("pinned", 8)
        assert isinstance(absent.value, UnsupportedError)


def test_a_copy_without_a_range_is_of_the_shorter_buffer() -> None:
    one, other = watari.Buffer("pageable", 800), watari.Buffer("pageable", 1600)
    one.fill("cpu", seed=4)
    other.fill("cpu", seed=5)
    other.copy_from(one, by="cpu")
    assert (other.array()[:100] == one.array()).all()
    assert other.mismatches("cpu", seed=5) == 100


@pytest.mark.gpu
@pytest.mark.parametrize(("kind", "number"), [("device", 2), ("managed", 13), ("pinned", 3)])
def test_dlpack_says_where_the_memory_is(kind: str, number: int) -> None:
    buffer = watari.Buffer(kind, 800)
    assert buffer.__dlpack_device__() == (number, 0)
    if kind == "device":
        with pytest.raises(TypeError, match="the CPU cannot address device memory"):
            numpy.asarray(buffer)
        with pytest.raises(BufferError, match="not on DLPack's device"):
            buffer.__dlpack__(dl_device=(1, 0))
        return
    numpy.asarray(buffer)[:] = 2
    assert numpy.from_dlpack(buffer).sum() == 200


def test_the_stub_has_every_name_of_the_compiled_module() -> None:
    stub = ast.parse((Path(watari.__file__).parent / "_native.pyi").read_text())
    defined = (ast.ClassDef, ast.FunctionDef)
    written = {node.name: node for node in stub.body if isinstance(node, defined)}
    constants = {
        node.target.id
        for node in stub.body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }
    names = {name for name in dir(native) if not name.startswith("_")}
    assert set(written) | constants == names
    for name, node in written.items():
        if not isinstance(node, ast.ClassDef):
            arguments = getattr(native, name).__nb_signature__[0][0]
            assert [f"{each.arg}:" in arguments for each in node.args.args].count(False) == 0
            continue
        members = {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
        found = vars(getattr(native, name))
        assert members - {"__init__"} == {each for each in found if not each.startswith("_")}


def test_every_public_name_is_documented() -> None:
    assert set(watari.__all__) <= set(dir(watari))
    assert watari.__version__
    for name in set(watari.__all__) - {"__version__"}:
        assert getattr(watari, name).__doc__
    for name, member in vars(watari.Buffer).items():
        if not name.startswith("_") and name != "nbytes":
            assert member.__doc__, name
