"""Bad files and objects, by every command that takes them: one line, exit code 2, no output."""

from __future__ import annotations

import json
import os
import struct
import subprocess
from pathlib import Path

import commanded
import numpy
import object_server
import pytest
import stored

from watari import _native

VALUES = numpy.random.default_rng(8).random((256, 256), "float32")


@pytest.fixture(autouse=True)
def server(
    server: object_server.Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> object_server.Server:
    monkeypatch.chdir(tmp_path)
    numpy.save("B.npy", VALUES)
    return server


def watari(words: list[str], code: int | None = None) -> subprocess.CompletedProcess[str]:
    return commanded.watari(Path.cwd(), tuple(words), os.environ, code=code)


def refused(words: list[str], match: str) -> None:
    before = sorted(str(path) for path in Path().rglob("*"))
    ended = watari(words, code=2)
    assert match in ended.stderr
    assert len(ended.stderr.strip().splitlines()) == 1, ended.stderr
    assert "zq-secret-zq" not in ended.stdout + ended.stderr
    assert sorted(str(path) for path in Path().rglob("*")) == before


def hdf5(**how: object) -> str:
    h5py = pytest.importorskip("h5py")
    with h5py.File("a.h5", "w") as file:
        file.create_dataset("a", data=VALUES, chunks=(64, 64), **how)
    return "a.h5"


def chunked_hdf5() -> str:
    return hdf5()


def compressed_hdf5() -> str:
    return hdf5(compression="gzip")


def zarr_with_holes() -> str:
    path, _ = stored.zarr(Path(), VALUES, chunks=(128, 128))
    (Path(path) / "c" / "1" / "0").unlink()
    return path


def compressed_zarr() -> str:
    zarr = pytest.importorskip("zarr")
    zarr.create_array("a.zarr", shape=VALUES.shape, dtype="f4", chunks=(128, 128))[...] = VALUES
    return "a.zarr"


def overlapping_safetensors() -> str:
    size = VALUES.nbytes
    tensors = {
        name: {"dtype": "F32", "shape": [256, 256], "data_offsets": [first, first + size]}
        for name, first in (("a", 0), ("b", size - 4))
    }
    header = json.dumps(tensors).encode()
    content = struct.pack("<Q", len(header)) + header + bytes(2 * size - 4)
    Path("a.safetensors").write_bytes(content)
    return "a.safetensors::a"


def missing_bucket() -> str:
    return "s3://nowhere/a.npy"


def missing_object() -> str:
    return "s3://bucket/a.npy"


BAD = [
    (chunked_hdf5, "is stored in chunks without a filter"),
    (compressed_hdf5, "is stored in chunks by the filter"),
    (zarr_with_holes, "1 of 4 chunks have no file"),
    (compressed_zarr, "chunks are encoded by"),
    (overlapping_safetensors, "tensors a and b overlap"),
    (missing_bucket, "there is no such bucket"),
    (missing_object, "there is no such object"),
]


@pytest.mark.parametrize(("make", "match"), BAD, ids=[make.__name__ for make, _ in BAD])
def test_bad_input(make: object, match: str) -> None:
    assert callable(make)
    path = make()
    if path.startswith("s3://") and _native.objects_absent_reason():
        pytest.skip(_native.objects_absent_reason())
    refused(["gemm", path, "B.npy", "-o", "C.npy"], match)
    refused(["gemm", "B.npy", path, "-o", "C.zarr"], match)
    refused(["run", "storage", f"file={path}", "-o", "run.json"], match)


@pytest.mark.skipif(bool(_native.objects_absent_reason()), reason=_native.objects_absent_reason())
def test_outputs_in_a_bucket_that_is_not_there(server: object_server.Server) -> None:
    refused(["gemm", "B.npy", "B.npy", "-o", "s3://nowhere/C.npy"], "there is no such bucket")
    charges = ["--charges", "s3://nowhere/charges.npy"]
    refused(["bem", "icosphere:1", "-o", "c.vtu", *charges], "there is no such bucket")
    refused(["uploads", "s3://nowhere/"], "there is no such bucket")
    assert not server.kept.objects


@pytest.mark.skipif(bool(_native.objects_absent_reason()), reason=_native.objects_absent_reason())
def test_charges_become_an_object(server: object_server.Server) -> None:
    words = ["bem", "icosphere:1", "-o", "c.vtu", "--charges", "s3://bucket/charges.npy"]
    watari(words, code=0)
    content = server.kept.objects["/bucket/charges.npy"]
    Path("read.npy").write_bytes(content)
    charges = numpy.load("read.npy")
    assert charges.ndim == 1
    assert (charges > 0).all()


@pytest.mark.skipif(bool(_native.objects_absent_reason()), reason=_native.objects_absent_reason())
@pytest.mark.parametrize(
    "words",
    [
        ["gemm", "s3://bucket/a.npy", "B.npy", "-o", "C.npy"],
        ["run", "storage", "file=s3://bucket/a.npy", "-o", "run.json"],
        ["bem", "icosphere:1", "-o", "c.vtu", "--charges", "s3://bucket/charges.npy"],
        ["uploads", "s3://bucket/"],
    ],
    ids=lambda words: words[0],
)
def test_plain_http_to_another_machine(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Refused without --insecure; with it, asked for: nobody answers at this address."""
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1.invalid:9")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    refused(words, "--insecure")
    ended = watari([*words, "--insecure"])
    assert ended.returncode != 0
    assert "attempts failed" in ended.stderr
    assert "--insecure" not in ended.stderr
