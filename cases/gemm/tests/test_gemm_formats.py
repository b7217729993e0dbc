"""Products of factors in every format, by rows and by columns, of every element type, against
NumPy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy
import pytest
import stored
from gemm_objects import Stopping, factors, named

import watari
from watari.common.errors import FileError, UsageError

M, K = 300, 520  # of A


def product(tmp_path: Path, a: str, b: str, processor: str = "cpu", **how: Any) -> Any:
    watari.gemm(a, b, tmp_path / "C.npy", processor=processor, fast_memory="8MiB", **how)
    return numpy.load(tmp_path / "C.npy")


def stored_as(maker: Any, folder: Path, values: Any, **how: Any) -> str:
    folder.mkdir()
    return named(*maker(folder, values, **how))


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize(
    "maker", ["npy", "npy_by_columns", "raw", "hdf5", "hdf5_behind_a_block", "safetensors"]
)
def test_formats_in_one_piece(maker: str, transposed: bool, tmp_path: Path) -> None:
    a, b = factors()
    make = stored.MAKERS[maker]
    first = stored_as(make, tmp_path / "a", a.T.copy() if transposed else a)
    second = stored_as(stored.npy, tmp_path / "b", b)
    found = product(tmp_path, first, second, transpose_a=transposed)
    numpy.testing.assert_array_equal(found, a @ b)
    third = stored_as(make, tmp_path / "c", b.T.copy() if transposed else b)
    found = product(tmp_path, first, third, transpose_a=transposed, transpose_b=transposed)
    numpy.testing.assert_array_equal(found, a @ b)


@pytest.mark.parametrize("engine", ["posix", "uring", "mmap", "queue"])
@pytest.mark.parametrize(
    ("chunks", "how"),
    [
        ((128, 256), {}),
        ((256, K), {}),  # whole rows
        ((M, 128), {}),  # whole columns
        ((384, 640), {}),  # one chunk, larger than the matrix
        ((128, 128), {"zarr_format": 2}),
        ((128, 256), {"zarr_format": 2, "order": "F"}),
    ],
)
def test_zarr_of_whole_tiles(
    chunks: tuple[int, int], how: dict[str, Any], engine: str, tmp_path: Path
) -> None:
    a, b = factors()
    first = stored_as(stored.zarr, tmp_path / "a", a, chunks=chunks, **how)
    second = stored_as(stored.npy, tmp_path / "b", b)
    found = product(tmp_path, first, second, engine=engine)
    numpy.testing.assert_array_equal(found, a @ b)
    other = product(tmp_path, second, first, engine=engine, transpose_a=True, transpose_b=True)
    numpy.testing.assert_array_equal(other, b.T @ a.T)


HALVES = [
    ("float16", maker) for maker in ("npy", "npy_by_columns", "raw", "zarr", "safetensors")
] + [("bfloat16", "raw"), ("bfloat16", "safetensors")]


@pytest.mark.parametrize("engine", ["posix", "uring", "queue"])
@pytest.mark.parametrize(("dtype", "maker"), HALVES)
def test_halves_are_multiplied_as_float32(
    dtype: str, maker: str, engine: str, tmp_path: Path
) -> None:
    kind = numpy.float16 if dtype == "float16" else pytest.importorskip("ml_dtypes").bfloat16
    how = {"chunks": (128, 256)} if maker == "zarr" else {}
    a, b = factors(dtype=kind)
    first = stored_as(stored.MAKERS[maker], tmp_path / "a", a, **how)
    second = stored_as(stored.MAKERS[maker], tmp_path / "b", b, **how)
    expected = a.astype("float32") @ b.astype("float32")
    found = product(tmp_path, first, second, engine=engine)
    assert found.dtype == "float32"
    numpy.testing.assert_array_equal(found, expected)
    wide = stored_as(stored.npy, tmp_path / "wide", b.astype("float32"))
    numpy.testing.assert_array_equal(product(tmp_path, first, wide, engine=engine), expected)


@pytest.mark.gpu
@pytest.mark.parametrize("engine", ["posix", "uring", "gpu"])
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_zarr_and_columns_on_a_gpu(dtype: str, engine: str, tmp_path: Path) -> None:
    a, b = factors(dtype=dtype)
    first = stored_as(stored.zarr, tmp_path / "a", a, chunks=(128, 256))
    second = stored_as(stored.npy_by_columns, tmp_path / "b", b)
    found = product(tmp_path, first, second, processor="gpu", engine=engine)
    numpy.testing.assert_array_equal(found, a.astype("float32") @ b.astype("float32"))


def test_every_float16(tmp_path: Path) -> None:
    """All 65,536 of them, by a product with the unit matrix; NaN and infinite ones too."""
    bits = numpy.arange(2**16, dtype=numpy.uint16).view(numpy.float16)
    finite = numpy.where(numpy.isfinite(bits), bits, 0).reshape(256, 256)
    row = numpy.array([[numpy.inf], [-numpy.inf], [numpy.nan]], numpy.float16)
    for halves in (finite, row):
        numpy.save(tmp_path / "a.npy", halves)
        numpy.save(tmp_path / "one.npy", numpy.eye(halves.shape[1], dtype="float32"))
        found = product(tmp_path, str(tmp_path / "a.npy"), str(tmp_path / "one.npy"))
        numpy.testing.assert_array_equal(found, halves.astype("float32"))


def test_what_no_product_takes(tmp_path: Path) -> None:
    a, b = factors()
    second = stored_as(stored.npy, tmp_path / "b", b)

    def refused(path: str, match: str, kind: Any = FileError, **how: Any) -> None:
        with pytest.raises(kind, match=match):
            product(tmp_path, path, second, **how)
        assert not list(tmp_path.glob("C.npy*"))

    for name, chunks, match in [
        ("small", (100, 60), "no common tile"),
        ("odd", (150, 130), "no common tile"),
    ]:
        refused(stored_as(stored.zarr, tmp_path / name, a, chunks=chunks), match)
    good = stored_as(stored.zarr, tmp_path / "good", a, chunks=(256, 256))
    refused(good, r"are no whole tiles of 384", UsageError, tile=384)
    refused(stored_as(stored.raw, tmp_path / "i", a.astype("i4")), "elements are int32")
    refused(stored_as(stored.safetensors, tmp_path / "t", a.ravel()), "must be a matrix")
    refused(stored_as(stored.raw, tmp_path / "d", a.astype("f8")), "float64 and .* of float32")
    refused(f"{tmp_path}/missing.h5", "no such file")
    (tmp_path / "good" / "a.zarr" / "c" / "1" / "1").write_bytes(b"short")
    refused(good, "5 bytes, while an uncompressed chunk has 262144")


def test_a_product_of_zarr_resumes_unless_a_chunk_changed(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("watari.cases.gemm.product.INTERVAL", 0.0)
    a, b = factors()
    first = stored_as(stored.zarr, tmp_path / "a", a, chunks=(128, 256))
    second = stored_as(stored.npy, tmp_path / "b", b)
    with pytest.raises(KeyboardInterrupt):
        product(tmp_path, first, second, tile=128, progress=Stopping())
    chunk = tmp_path / "a" / "a.zarr" / "c" / "2" / "1"
    content = bytearray(chunk.read_bytes())
    chunk.write_bytes(bytes(4) + content[4:])
    with pytest.raises(UsageError, match="is of another product: A was changed since"):
        product(tmp_path, first, second, tile=128)
    chunk.write_bytes(content)
    found = product(tmp_path, first, second, tile=128, fresh=True)
    numpy.testing.assert_array_equal(found, a @ b)
