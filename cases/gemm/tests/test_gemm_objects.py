"""Products of factors in objects, and products that become Zarr arrays, plain files or objects,
from the small server of tests/python/objects/ (stopped uploads: test_gemm_uploads.py)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy
import object_server
import pytest
from gemm_objects import Stopping, content, factors, product, saved, uploaded

from watari import _native
from watari.cases.gemm.product import Silent
from watari.common.errors import ChangedError, FileError, UsageError

pytestmark = pytest.mark.skipif(
    bool(_native.objects_absent_reason()), reason=_native.objects_absent_reason()
)


FORMATS = ("npy", "npy_by_columns", "raw", "hdf5", "zarr", "safetensors")


@pytest.mark.parametrize("engine", ["posix", "queue"])
@pytest.mark.parametrize("maker", FORMATS)
def test_factors_of_every_format(
    maker: str, engine: str, server: object_server.Server, tmp_path: Path
) -> None:
    a, b = factors()
    how = {"chunks": (128, 256)} if maker == "zarr" else {}
    first = uploaded(server, maker, "a", a, **how)
    numpy.save("b.npy", b)
    product(first, "b.npy", engine=engine)
    numpy.testing.assert_array_equal(numpy.load("C.npy"), a @ b)
    numpy.save("bt.npy", b.T.copy())
    product("bt.npy", first, engine=engine, transpose_b=True)
    numpy.testing.assert_array_equal(numpy.load("C.npy"), b.T @ a.T)


@pytest.mark.parametrize("maker", ["npy", "zarr"])
def test_halves_in_objects(maker: str, server: object_server.Server) -> None:
    a, b = factors(dtype="float16")
    how = {"chunks": (128, 128)} if maker == "zarr" else {}
    first = uploaded(server, maker, "a", a, **how)
    second = uploaded(server, maker, "b", b, **how)
    product(first, second)
    numpy.testing.assert_array_equal(numpy.load("C.npy"), a.astype("float32") @ b.astype("float32"))


def test_a_chunk_of_a_tile_is_few_requests(server: object_server.Server) -> None:
    """Rows of a tile that follow one another are one range of up to 1 MiB."""
    a, b = factors(512, 512, 128)
    first = uploaded(server, "zarr", "a", a, chunks=(256, 256))
    numpy.save("b.npy", b)
    before = len(server.kept.seen)
    product(first, "b.npy", tile=256)
    ranges = [
        fields["Range"]
        for method, path, fields in server.kept.seen[before:]
        if method == "GET" and "/c/" in path
    ]
    assert len(ranges) == 4
    assert set(ranges) == {f"bytes=0-{256 * 256 * 4 - 1}"}


NAMES = ("C.npy", "C.bin", "C.zarr")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("where", ["", "s3://bucket/out/"])
def test_outputs(where: str, name: str, server: object_server.Server) -> None:
    a, b = saved()
    done = product("a.npy", "b.npy", where + name, tile=128)
    numpy.testing.assert_array_equal(content(where + name, (300, 270)), a @ b)
    assert done.finished_before == 0
    left = {path.name for path in Path().iterdir()} - {"a.npy", "b.npy"}
    assert left == (set() if where else {name})
    assert not server.kept.uploads
    if name == "C.zarr" and not where:
        zarr = pytest.importorskip("zarr")
        numpy.testing.assert_array_equal(zarr.open_array(name)[...], a @ b)
        assert zarr.open_array(name).chunks == (128, 128)
    if name == "C.bin" and not where:
        assert Path(name).read_bytes() == (a @ b).tobytes()
        product("a.npy", "b.npy", name, beta=1)
        assert Path(name).read_bytes() == (2 * (a @ b)).tobytes()


def refused(match: str, *words: Any, kind: Any = (UsageError, FileError), **how: Any) -> None:
    before = sorted(path.name for path in Path().iterdir())
    with pytest.raises(kind, match=match):
        product(*words, **how)
    assert before == sorted(path.name for path in Path().iterdir())


def test_what_is_refused(server: object_server.Server) -> None:
    saved()
    both = ("a.npy", "b.npy")
    refused("beta adds to C in a local .npy or plain file", *both, "s3://bucket/C.npy", beta=1)
    refused("beta adds to C in a local .npy or plain file", *both, "C.zarr", beta=1)
    refused("no such bucket", *both, "s3://nowhere/C.npy")
    refused("names a bucket", *both, "s3://bucket")
    refused("folder of the work file is not there", *both, "s3://bucket/C.npy", work="missing")
    refused("--work is for C in objects", *both, "C.npy", work=".")
    refused("no such object", "s3://bucket/none.npy", "b.npy")
    refused("no such bucket", "s3://nowhere/a.npy", "b.npy")
    refused("unknown value 's3'", *both, engine="s3")
    Path("C.zarr").mkdir()
    refused("exists already", *both, "C.zarr")
    Path("C.bin").write_bytes(b"short")
    refused("to add to it, it must be 300 x 270", *both, "C.bin", beta=1)
    assert not server.kept.objects


def test_a_factor_that_changes_is_an_error(server: object_server.Server) -> None:
    a, b = factors()
    first = uploaded(server, "npy", "a", a)
    numpy.save("b.npy", b)
    (key,) = server.kept.objects

    class Changing(Silent):
        def start(self, work: Any, finished: int) -> None:
            server.kept.objects[key] = server.kept.objects[key][:-4] + b"zzzz"

    with pytest.raises((FileError, ChangedError), match="changed while it was read"):
        product(first, "b.npy", progress=Changing())
    assert not list(Path().glob("C.npy*"))


def test_a_product_of_objects_resumes_unless_one_changed(
    server: object_server.Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("watari.cases.gemm.product.INTERVAL", 0.0)
    a, b = factors()
    first = uploaded(server, "zarr", "a", a, chunks=(128, 256))
    second = uploaded(server, "npy", "b", b)
    to = "s3://bucket/C.npy"
    with pytest.raises(KeyboardInterrupt):
        product(first, second, to, tile=128, progress=Stopping())
    key = next(key for key in server.kept.objects if key.endswith("c/2/1"))
    content_before = server.kept.objects[key]
    server.kept.objects[key] = bytes(4) + content_before[4:]
    with pytest.raises(UsageError, match="is of another product: A was changed since"):
        product(first, second, to, tile=128)
    server.kept.objects[key] = content_before
    done = product(first, second, to, tile=128)
    assert done.finished_before > 0
    numpy.testing.assert_array_equal(content(to, (300, 270)), a @ b)


def command(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "watari", "gemm", *words, "--processor", "cpu"],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def test_the_command(server: object_server.Server) -> None:
    a, b = factors()
    first = uploaded(server, "npy", "a", a)
    numpy.save("b.npy", b)
    ended = command(first, "b.npy", "-o", "s3://bucket/C.npy", "--fast-memory", "8MiB")
    assert ended.returncode == 0, ended.stderr
    assert "s3://bucket/C.npy: 300 x 270" in ended.stdout
    assert "; stored in " in ended.stdout
    assert "zq-secret-zq" not in ended.stdout + ended.stderr
    assert f"{first}: requests of 512 B, one for each row of a tile" in ended.stdout
    whole = command(first, "b.npy", "-o", "s3://bucket/D.npy", "--tile", "1024", "--dry-run")
    assert "requests of" not in whole.stdout
    for words in (
        (first, "b.npy", "-o", "s3://nowhere/C.npy"),
        ("s3://nowhere/a.npy", "b.npy", "-o", "C.npy"),
        ("s3://bucket/none.npy", "b.npy", "-o", "C.npy"),
    ):
        ended = command(*words)
        assert ended.returncode == 2, ended.stderr
        assert len(ended.stderr.strip().splitlines()) == 1
        assert sorted(p.name for p in Path().iterdir()) == ["a", "b.npy"]


def test_plain_http_to_another_machine_needs_an_option(
    server: object_server.Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    numpy.save("b.npy", numpy.ones((4, 4), "float32"))
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://192.0.2.1:9")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    words = ("s3://bucket/a.npy", "b.npy", "-o", "C.npy")
    ended = command(*words)
    assert ended.returncode == 2
    assert "--insecure" in ended.stderr
