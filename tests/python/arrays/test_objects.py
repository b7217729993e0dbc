"""Arrays in objects, by a service in memory: what is asked of it, and what it has afterwards."""

from __future__ import annotations

import sys
import types
from typing import Any

import numpy
import pytest
import stored

import watari
from watari.common.errors import FileError

VALUES = numpy.arange(300 * 40, dtype="float64").reshape(300, 40)


class Service:
    """Objects by path. `requests` has the ranges of each read."""

    def __init__(self) -> None:
        self.objects: dict[str, bytes] = {}
        self.requests: list[list[tuple[int, int]]] = []
        self.failing: set[str] = set()
        self.aborted: list[str] = []

    def open(self, path: str) -> Any:
        if path not in self.objects:
            raise FileError(f"{path}: no such object")
        return Opened(self, self.objects[path])

    def create(self, path: str) -> Any:
        return Created(self, path)


class Opened:
    def __init__(self, service: Service, content: bytes) -> None:
        self.service, self.content = service, content
        self.size, self.etag = len(content), "1"

    def read_into(self, ranges: Any) -> None:
        places = [(offset, memoryview(place).cast("B")) for offset, place in ranges]
        self.service.requests.append([(offset, len(place)) for offset, place in places])
        for offset, place in places:
            assert offset + len(place) <= self.size
            place[:] = self.content[offset : offset + len(place)]

    def close(self) -> None:
        pass


class Created:
    def __init__(self, service: Service, path: str) -> None:
        self.service, self.path, self.content = service, path, b""

    def write(self, content: Any) -> None:
        if self.path in self.service.failing:
            raise FileError(f"{self.path}: denied")
        self.content += bytes(content)

    def complete(self) -> None:
        self.service.objects[self.path] = self.content

    def abort(self) -> None:
        self.service.aborted.append(self.path)


@pytest.fixture
def service(monkeypatch: Any) -> Service:
    service, module = Service(), types.ModuleType("watari.objects")
    module.open, module.create = service.open, service.create  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "watari.objects", module)
    return service


@pytest.mark.parametrize(
    "maker", ["npy", "npy_by_columns", "raw_in_words", "hdf5", "zarr", "zarr_2", "safetensors"]
)
def test_every_format_is_read_from_objects(maker: str, service: Service, tmp_path: Any) -> None:
    path, _ = stored.MAKERS[maker](tmp_path, VALUES)
    for file in tmp_path.rglob("*"):
        if file.is_file():
            service.objects[f"s3://bucket/{file.relative_to(tmp_path)}"] = file.read_bytes()
    with watari.open(path.replace(str(tmp_path), "s3://bucket")) as array:
        numpy.testing.assert_array_equal(array[...], VALUES)
        for key in [(slice(3, 200), slice(4, 30)), (..., slice(None, None, -3)), 5, (slice(9), 2)]:
            numpy.testing.assert_array_equal(array[key], VALUES[key])
        numpy.testing.assert_array_equal(numpy.concatenate(list(array.blocks(9000))), VALUES)
        numpy.testing.assert_array_equal(numpy.from_dlpack(array.to("cpu")), VALUES)


def test_columns_near_one_another_are_one_request(service: Service, tmp_path: Any) -> None:
    stored.npy(tmp_path, VALUES)
    service.objects["s3://b/a.npy"] = (tmp_path / "a.npy").read_bytes()
    array = watari.open("s3://b/a.npy")
    service.requests.clear()
    numpy.testing.assert_array_equal(array[10:200, 5], VALUES[10:200, 5])
    assert [len(each) for each in service.requests] == [1]


def test_a_missing_chunk_is_an_error_of_the_read(service: Service, tmp_path: Any) -> None:
    stored.zarr(tmp_path, VALUES, chunks=(100, 40))
    for name in ("zarr.json", "c/0/0", "c/2/0"):
        service.objects[f"s3://b/a.zarr/{name}"] = (tmp_path / "a.zarr" / name).read_bytes()
    service.objects["s3://b/a.zarr/c/2/0"] += b"x"
    array = watari.open("s3://b/a.zarr")
    numpy.testing.assert_array_equal(array[:100], VALUES[:100])
    with pytest.raises(FileError, match="c/1/0: no such object"):
        array[:101]
    with pytest.raises(
        FileError, match="c/2/0: 32001 bytes, while an uncompressed chunk has 32000"
    ):
        array[200:]


@pytest.mark.parametrize("name", ["a.npy", "a.bin"])
def test_an_object_is_written_from_its_beginning(name: str, service: Service) -> None:
    path = f"s3://b/{name}"
    with watari.create(path, VALUES.shape) as array:
        array[:100] = VALUES[:100]
        for wrong in (slice(0, 100), slice(101, 102), (slice(100, 200), slice(3))):
            with pytest.raises(IndexError, match="the next slice must begin at index 100"):
                array[wrong] = VALUES[wrong]
        assert not service.objects
        array[100:] = VALUES[100:]
    how = {} if name == "a.npy" else {"shape": VALUES.shape, "dtype": "f8"}
    numpy.testing.assert_array_equal(watari.open(path, **how)[...], VALUES)
    assert service.aborted == []


def test_an_object_is_complete_or_absent(service: Service) -> None:
    with (
        pytest.raises(FileError, match="32000 of 96000 bytes"),
        watari.create("s3://b/a.npy", VALUES.shape) as array,
    ):
        array[:100] = VALUES[:100]
    with pytest.raises(RuntimeError), watari.create("s3://b/c.npy", VALUES.shape) as array:
        raise RuntimeError
    assert (service.objects, service.aborted) == ({}, ["s3://b/a.npy", "s3://b/c.npy"])


def test_zarr_in_objects_has_its_metadata_last(service: Service) -> None:
    pytest.importorskip("zarr")
    with watari.create("s3://b/a.zarr", VALUES.shape, chunks=(70, 30)) as array:
        array[140:] = VALUES[140:]
        with pytest.raises(IndexError, match="whole chunks"):
            array[100:140] = 0
        array[:140, :30] = VALUES[:140, :30]
        array[:140, 30:] = VALUES[:140, 30:]
        assert "s3://b/a.zarr/zarr.json" not in service.objects
    numpy.testing.assert_array_equal(watari.open("s3://b/a.zarr")[...], VALUES)
    with (
        pytest.raises(FileError, match="9 chunks were not assigned"),
        watari.create("s3://b/b.zarr", VALUES.shape, chunks=(70, 30)) as array,
    ):
        array[:70, :30] = 0
    service.failing.add("s3://b/c.zarr/c/0/1")
    with (
        pytest.raises(FileError, match="denied"),
        watari.create("s3://b/c.zarr", VALUES.shape, chunks=(70, 30)) as array,
    ):
        array[:] = 0
    assert not {f"s3://b/{name}.zarr/zarr.json" for name in "bc"} & set(service.objects)
