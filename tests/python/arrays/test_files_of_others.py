"""Files that other programs name and divide: links to other files, indices of several files,
archives, unusual names, and names of formats that are only read."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import numpy
import pytest
import stored

import watari
from watari.common.errors import FileError, UsageError

VALUES = numpy.arange(600, dtype="float32").reshape(30, 20)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def refused(path: Any, match: str, kind: type[Exception] = FileError, **how: Any) -> None:
    with pytest.raises(kind, match=match) as caught:
        watari.open(path, **how)
    assert "\n" not in str(caught.value)


def test_a_link_to_another_hdf5_file_is_not_read_from_this_one() -> None:
    h5py = pytest.importorskip("h5py")
    with h5py.File("other.h5", "w") as file:
        file["x"] = VALUES
    with h5py.File("a.h5", "w") as file:
        file["much"] = -numpy.ones(5000, "f4")
        file["link"] = h5py.ExternalLink("other.h5", "/x")
        file["near"] = h5py.SoftLink("/much")
    refused("a.h5::link", r"a\.h5::link: is a link to another file: open that one, .*other\.h5::/x")
    assert watari.open("a.h5::near").shape == (5000,)


@pytest.mark.parametrize("name", ["a.nc", "a.hdf", "a"])
def test_hdf5_is_recognised_by_its_first_bytes(name: str) -> None:
    stored.hdf5(Path(), VALUES)
    shutil.move("a.h5", name)
    numpy.testing.assert_array_equal(watari.open(f"{name}::group/a")[:], VALUES)


def test_names_of_hdf5() -> None:
    h5py = pytest.importorskip("h5py")
    with h5py.File("a.h5", "w") as file:
        for number in range(1200):
            file[f"d{number}"] = number
    refused("a.h5", "has 1000 or more datasets: name one")
    refused("a.h5::", "has 1000 or more datasets: name one")
    refused("a.h5::/", r"a\.h5::/: is a group")


def index(weights: Any) -> str:
    Path("m.safetensors.index.json").write_text(json.dumps({"weight_map": weights}))
    return "m.safetensors.index.json"


def test_an_index_of_several_safetensors_files() -> None:
    stored.safetensors(Path(), VALUES)
    os.rename("a.safetensors", "m-1.safetensors")
    path = index({"a": "m-1.safetensors", "b": "m-2.safetensors"})
    numpy.testing.assert_array_equal(watari.open(f"{path}::a")[3:5], VALUES[3:5])
    numpy.testing.assert_array_equal(watari.open(Path.cwd() / path, "a")[:], VALUES)
    refused(path, "has 2 tensors: name one")
    refused(f"{path}::c", "has no tensor c; it has a, b")
    refused(f"{path}::b", r"m-2\.safetensors: no such file")


@pytest.mark.parametrize("file", ["../m.safetensors", "/etc/passwd", "", "..", 3, None])
def test_an_index_names_files_beside_it(file: Any) -> None:
    refused(f"{index({'a': file})}::a", "no file beside the index")


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"weight_map": 3}'])
def test_what_is_no_index(content: str) -> None:
    Path("m.safetensors.index.json").write_text(content)
    refused("m.safetensors.index.json::a", "not an index of safetensors files")


def test_archives_are_named_as_such() -> None:
    numpy.savez("a.npz", x=VALUES)
    refused("a.npz", "a .npz file is an archive: numpy.load")
    refused("a.npz::x", "a .npz file is an archive: numpy.load")


def test_names_of_fields_that_are_not_latin() -> None:
    values = numpy.array([(1,), (2,)], [("日本", "<i4")])
    with pytest.warns(UserWarning, match="format 3.0"):
        numpy.save("a.npy", values)  # version 3.0
    found = watari.open("a.npy")[:]
    assert found.dtype == values.dtype
    numpy.testing.assert_array_equal(found, values)
    content = Path("a.npy").read_bytes()
    for damaged in (content.replace(b"(2,)", b"'2,'"), content.replace(b"False", b"    3")):
        Path("a.npy").write_bytes(damaged)
        refused("a.npy", "not a .npy file")


def test_zarr_groups_of_version_2_and_no_codecs() -> None:
    zarr = pytest.importorskip("zarr")
    zarr.create_group("g.zarr", zarr_format=2)
    refused("g.zarr", "is a Zarr group: name one of its arrays")
    path, _ = stored.zarr(Path(), VALUES)
    described = json.loads(Path(path, "zarr.json").read_text())
    Path(path, "zarr.json").write_text(json.dumps({**described, "codecs": []}))
    refused(path, "its metadata cannot be read")


@pytest.mark.parametrize("engine", ["s3", "gpu", "queue", "none"])
def test_engines_that_read_no_arrays(engine: str) -> None:
    numpy.save("a.npy", VALUES)
    refused("a.npy", f"engine={engine}: arrays are read by posix, uring", UsageError, engine=engine)


def test_the_library_refuses_an_engine_of_objects() -> None:
    from watari import _native

    numpy.save("a.npy", VALUES)
    memory = numpy.zeros(8, numpy.uint8)
    row = numpy.array([[0, 0, 8, 1, 0, memory.ctypes.data]], numpy.int64)
    with pytest.raises(UsageError, match="engine s3 reads objects, not files"):
        _native.RangeFiles(["a.npy"]).move(row, memory.ctypes.data, 8, "s3", "cpu")


@pytest.mark.parametrize("name", ["c.h5", "c.hdf5", "c.safetensors", "c.npz", "c.h5::x", "C.H5"])
def test_formats_that_are_only_read_are_not_written(name: str) -> None:
    with pytest.raises(UsageError, match="this format is not written"):
        watari.create(name, (3,))
    assert not os.listdir()


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://b.example/k.npy?X-Amz-Signature=zq-secret", "https://b.example/k.npy: paths"),
        ("https://id:zq-secret@b.example/k.npy", "https://b.example/k.npy: paths"),
        ("ftp://id:zq/secret@b.example/k.npy", "ftp://b.example/k.npy: paths"),
    ],
)
def test_a_url_of_another_kind_is_shown_without_its_secret(url: str, shown: str) -> None:
    for use in (watari.open, lambda path: watari.create(path, (3,))):
        with pytest.raises(FileError, match=shown) as caught:
            use(url)
        assert "secret" not in str(caught.value)
