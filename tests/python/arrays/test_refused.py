"""Bad input: one line of a typed error that names the file and the reason."""

from __future__ import annotations

import json
import os
import struct
import sys
from pathlib import Path
from typing import Any

import numpy
import pytest
import stored

import watari
from watari.common.errors import FileError, UnsupportedError, UsageError

VALUES = numpy.arange(600, dtype="float32").reshape(30, 20)


def refused(path: Any, match: str, kind: type[Exception] = FileError, **how: Any) -> None:
    with pytest.raises(kind, match=match) as caught:
        watari.open(path, **how)
    assert "\n" not in str(caught.value)


# ---- HDF5


def hdf5(folder: Path, **how: Any) -> str:
    h5py = pytest.importorskip("h5py")
    with h5py.File(folder / "a.h5", "w") as file:
        file.create_dataset("x", **{"data": VALUES, **how})
    return str(folder / "a.h5")


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        ({"chunks": (10, 20)}, "stored in chunks without a filter"),
        ({"compression": "gzip"}, "by the filter deflate"),
        ({"compression": "lzf"}, "by the filter lzf"),
        (
            {"shuffle": True, "fletcher32": True, "chunks": True},
            "by the filter shuffle, fletcher32",
        ),
        ({"scaleoffset": 3, "data": VALUES.astype("i4")}, "by the filter scaleoffset"),
        ({"data": ["text", "of any length"]}, "no fixed bytes"),
        ({"data": None, "shape": (3, 4), "dtype": "f4"}, "nothing was written"),
        ({"external": [("other", 0, 2400)]}, r"in other files \(external\)"),
    ],
)
def test_hdf5_that_is_not_plain(how: dict[str, Any], reason: str, tmp_path: Path, monkeypatch: Any):
    monkeypatch.chdir(tmp_path)
    refused(hdf5(tmp_path, **how), reason)


def test_hdf5_in_the_header_virtual_or_of_odd_elements(tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    path = hdf5(tmp_path)
    with h5py.File(path, "a") as file:
        made = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        made.set_layout(h5py.h5d.COMPACT)
        space = h5py.h5s.create_simple((4,))
        h5py.h5d.create(file.id, b"compact", h5py.h5t.STD_I32LE, space, made)
        layout = h5py.VirtualLayout(VALUES.shape, "f4")
        layout[...] = h5py.VirtualSource(path, "x", VALUES.shape)
        file.create_virtual_dataset("virtual", layout)
        odd = h5py.h5t.STD_I32LE.copy()
        odd.set_precision(24)
        h5py.h5d.create(file.id, b"odd", odd, space)
        file["null"] = h5py.Empty("f4")
        file["group/inner"] = 1.0
    refused(f"{path}::compact", r"in the header \(compact\)")
    refused(f"{path}::virtual", "in other datasets")
    refused(f"{path}::odd", "stored otherwise than NumPy's int32")
    refused(f"{path}::null", "null dataset")
    refused(f"{path}::group", "is a group")
    refused(path, "has 6 datasets: name one")
    refused(f"{path}::missing", "has no dataset missing; it has")


def test_hdf5_that_is_damaged(tmp_path: Path) -> None:
    path = hdf5(tmp_path, data=numpy.ones((300, 200)))
    os.truncate(path, 100_000)
    refused(path, "HDF5")
    (tmp_path / "b.h5").write_bytes(b"no such format")
    refused(tmp_path / "b.h5", "HDF5")


# ---- Zarr


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        ({}, "encoded by zstd"),
        ({"zarr_format": 2}, "encoded by zstd"),
        ({"compressors": None, "shards": (20, 20)}, "sharding_indexed"),
        ({"compressors": None, "zarr_format": 2, "filters": "delta"}, "encoded by delta"),
    ],
)
def test_zarr_that_is_not_plain(how: dict[str, Any], reason: str, tmp_path: Path) -> None:
    zarr = pytest.importorskip("zarr")
    if how.get("filters") == "delta":
        numcodecs = pytest.importorskip("numcodecs")
        how = {**how, "filters": [numcodecs.Delta(dtype="f4")]}
    made = zarr.create_array(
        tmp_path / "a.zarr", shape=(30, 20), dtype="f4", chunks=(10, 20), **how
    )
    made[...] = VALUES
    refused(tmp_path / "a.zarr", reason)


def test_zarr_with_holes(tmp_path: Path) -> None:
    path, _ = stored.zarr(tmp_path, VALUES, chunks=(10, 10))
    os.remove(f"{path}/c/1/0")
    os.remove(f"{path}/c/2/1")
    refused(path, r"2 of 6 chunks have no file, the first is .*/c/1/0")


def test_zarr_with_a_short_chunk(tmp_path: Path) -> None:
    path, _ = stored.zarr(tmp_path, VALUES, chunks=(10, 10))
    chunk = f"{path}/c/1/0"
    os.truncate(chunk, 399)
    refused(path, "c/1/0: 399 bytes, while an uncompressed chunk has 400")
    os.remove(chunk)
    os.symlink(chunk, chunk)
    refused(path, "c/1/0: cannot be read: Too many levels of symbolic links")


def test_zarr_with_more_chunks_than_can_be_listed(tmp_path: Path) -> None:
    path, _ = stored.zarr(tmp_path, VALUES, chunks=(10, 10))
    metadata = Path(path, "zarr.json")
    described = json.loads(metadata.read_text())
    described["chunk_grid"]["configuration"]["chunk_shape"] = [1, 1]
    metadata.write_text(json.dumps({**described, "shape": [2**40, 10]}))
    refused(path, "10995116277760 chunks, more than 16777216: write it again in larger chunks")


def test_zarr_groups_and_damaged_metadata(tmp_path: Path) -> None:
    zarr = pytest.importorskip("zarr")
    group = zarr.create_group(tmp_path / "g.zarr")
    made = group.create_array("x", shape=(4,), dtype="i4", chunks=(2,), compressors=None)
    made[:] = [1, 2, 3, 4]
    refused(tmp_path / "g.zarr", "is a Zarr group")
    numpy.testing.assert_array_equal(watari.open(f"{tmp_path}/g.zarr::x")[:], [1, 2, 3, 4])
    refused(f"{tmp_path}/g.zarr::y", "no Zarr array is there")
    metadata = tmp_path / "g.zarr" / "x" / "zarr.json"
    described = json.loads(metadata.read_text())
    for shape in ([-4], [2**63], [2**40, 2**40], "x", None):
        metadata.write_text(json.dumps({**described, "shape": shape}))
        refused(f"{tmp_path}/g.zarr::x", "g.zarr::x: ")
    metadata.write_text("{")
    refused(f"{tmp_path}/g.zarr::x", "metadata cannot be read")
    refused(tmp_path / "missing.zarr", "no Zarr array is there")


# ---- safetensors


def tensors(folder: Path, header: Any, data: int = 64) -> Path:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    path = folder / "a.safetensors"
    path.write_bytes(struct.pack("<Q", len(text)) + text + bytes(data))
    return path


def tensor(first: int, last: int, shape: Any = (4,), dtype: str = "F32") -> dict[str, Any]:
    return {"dtype": dtype, "shape": list(shape), "data_offsets": [first, last]}


HEADERS: dict[str, tuple[Any, str]] = {
    "overlap": ({"a": tensor(0, 48, (12,)), "b": tensor(32, 64, (8,))}, "a and b overlap"),
    "equal": ({"a": tensor(0, 64, (16,)), "b": tensor(0, 64, (16,))}, "a and b overlap"),
    "gap": ({"a": tensor(0, 16), "b": tensor(32, 64, (8,))}, "the 16 bytes before b"),
    "more": ({"a": tensor(0, 16)}, "no tensor has its last 48 bytes"),
    "short": ({"a": tensor(0, 128, (32,))}, "cut short: 64 bytes of data"),
    "size": ({"a": tensor(0, 64, (15,))}, r"shape \(15,\) of F32 has 60"),
    "negative": ({"a": tensor(0, 64, (-4, -4))}, "negative side"),
    "large": ({"a": tensor(0, 64, (2**40, 2**40))}, "larger than any file"),
    "hidden": ({"a": tensor(0, 0, (2**40, 2**40, 0)), "b": tensor(0, 64, (16,))}, "larger than"),
    "reverse": ({"a": tensor(64, 0)}, "no dtype, shape and data_offsets"),
    "text": ({"a": {**tensor(0, 64), "shape": "4"}}, "no dtype, shape and data_offsets"),
    "truth": ({"a": tensor(0, 64, (True,))}, "no dtype, shape and data_offsets"),
    "type": ({"a": tensor(0, 64, (64,), "F8_E4M3")}, "elements are F8_E4M3"),
    "list": ([1], "no names"),
    "twice": (b'{"a": 1, "a": 2}', "a name stands twice"),
    "json": (b"{", "no JSON"),
    "deep": (b"[" * 100_000, "no JSON"),
}


@pytest.mark.parametrize("name", HEADERS)
def test_safetensors_headers(name: str, tmp_path: Path) -> None:
    header, reason = HEADERS[name]
    path = tensors(tmp_path, header)
    refused(f"{path}::a", reason)
    if name not in ("type", "list", "json", "deep"):  # the library refuses it too
        package = pytest.importorskip("safetensors")
        with pytest.raises(Exception, match=r".+"), package.safe_open(path, "numpy") as opened:
            opened.get_tensor("a")


def test_safetensors_that_are_short(tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    path.write_bytes(b"abc")
    refused(path, "less than 8 bytes")
    path.write_bytes(struct.pack("<Q", 2**63) + b"{}")
    refused(path, "a header of 9223372036854775808 bytes in a file of 10")
    path = tensors(tmp_path, {"a": tensor(0, 16), "b": tensor(16, 64, (12,))})
    refused(path, r"has 2 tensors: name one, .*::a \(a, b\)")
    refused(f"{path}::c", "has no tensor c; it has a, b")


# ---- .npy and files without a header


def npy_with(header: str, data: int = 64) -> bytes:
    text = header.encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + bytes(data)


def fields(shape: str, descr: str = "'<f4'") -> str:
    return f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}}}"


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        (fields("(17,)"), "cut short: 192 bytes, while it needs 196"),
        (fields("(-4,)"), "negative side"),
        (fields(f"({2**62}, 4)"), "larger than any file"),
        (fields(f"({2**62}, 4, 0)"), "larger than any file"),
        (fields("(4,)", "'|O'"), "Python objects"),
        (fields("(4,)", "[('a', '|O')]"), "Python objects"),
        (fields("(4,)", "'<q9'"), "not a .npy file"),
        (fields("(4,)", "'|V0'"), "no bytes"),
        (fields("'x'"), "not a .npy file"),
        ("{}", "not a .npy file"),
        ("(", "not a .npy file"),
    ],
)
def test_npy_headers(header: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "a.npy").write_bytes(npy_with(header))
    refused(tmp_path / "a.npy", reason)


def test_npy_of_other_versions_and_short_files(tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    for content, reason in [
        (b"", "not a .npy file"),
        (b"\x93NUMPY", "not a .npy file"),
        (b"\x93NUMPY\x09\x00" + bytes(100), "version"),
        (b"\x93NUMPY\x01\x00\xff\xff{", "not a .npy file"),
    ]:
        path.write_bytes(content)
        refused(path, reason)
    path.write_bytes(npy_with(fields("(16,)")))
    refused(f"{path}::x", "a .npy file has one array", UsageError)


def test_files_without_a_header(tmp_path: Path) -> None:
    path, _ = stored.raw(tmp_path, VALUES)
    for shape, reason in [
        ((30, 19), "2400 bytes, while .* has 2280"),
        ((30, 21), "cut short"),
        ((-30, -20), "negative side"),
        ((2**70,), "larger than any file"),
    ]:
        refused(path, reason, shape=shape, dtype="f4")
    refused(path, "Python objects", shape=(600,), dtype=object)
    refused(path, "dtype: ", UsageError, shape=(600,), dtype="float33")
    refused(path, "needs both shape and dtype", UsageError, shape=(600,))
    refused(path, "of no format that is known")


# ---- paths


@pytest.mark.parametrize("suffix", [".npy", ".h5", ".safetensors", ".bin"])
def test_paths_that_lead_to_no_file(suffix: str, tmp_path: Path) -> None:
    loop, folder, pipe = (tmp_path / f"{name}{suffix}" for name in ("loop", "folder", "pipe"))
    loop.symlink_to(loop)
    folder.mkdir()
    os.mkfifo(pipe)
    refused(tmp_path / f"missing{suffix}", "no such file")
    refused(loop, "cannot be read: Too many levels of symbolic links")
    refused(folder, "cannot be read: a folder")
    refused(pipe, "not a regular file")
    refused("/dev/zero", "not a regular file")
    refused(f"nul\0{suffix}", "cannot be read")
    refused(f"ftp://host/a{suffix}", "paths are those of files, or begin with s3://")


def test_a_package_that_is_missing_is_named(tmp_path: Path, monkeypatch: Any) -> None:
    zarr, _ = stored.zarr(tmp_path, VALUES, attributes={"name": "a"})
    metadata = Path(zarr) / "zarr.json"  # with a field that is not plain
    metadata.write_text(metadata.read_text().replace("{", '{"another": 1,', 1))
    paths = {"h5py": hdf5(tmp_path), "zarr": zarr}
    for package, path in paths.items():
        monkeypatch.setitem(sys.modules, package, None)
        refused(path, rf"needs the Python package {package}: pip install", UnsupportedError)
