"""Products of factors in objects, and products that become Zarr arrays, plain files or objects,
from the small server of tests/python/objects/ (stopped uploads: test_gemm_uploads.py)."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import commanded
import numpy
import object_server
import pytest
from gemm_objects import Stopping, content, factors, product, saved, uploaded

import watari
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


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_rows_of_a_tile_are_few_requests(
    dtype: str, transposed: bool, server: object_server.Server
) -> None:
    """Rows of narrow tiles come with what lies between them, as was foreseen."""
    a, b = factors(1300, 1100, 900, dtype)
    first = uploaded(server, "npy", "a", a.T.copy() if transposed else a)
    second = uploaded(server, "npy", "b", b)
    before = len(server.kept.seen)
    how = {"transpose_a": transposed, "tile": 128}
    plan = product(first, second, dry_run=True, **how)
    done = product(first, second, **how)
    exact = a.astype("float32") @ b.astype("float32")
    numpy.testing.assert_array_equal(numpy.load("C.npy"), exact)
    sizes = [
        int(last) - int(start) + 1
        for method, _, fields in server.kept.seen[before:]
        if method == "GET" and "Range" in fields
        for start, last in [fields["Range"].removeprefix("bytes=").split("-")]
        if int(start) >= 64  # not a header
    ]
    assert sum(sizes) == done.bytes_received == plan.bytes_received
    assert done.bytes_received >= done.bytes_read == plan.bytes_read
    assert max(sizes) <= 2**20
    rows = 1300 + 1100  # each at least once, as one request before
    assert len(sizes) < rows / 8


@pytest.mark.slow
def test_blocks_are_wide_where_tiles_are_narrow(server: object_server.Server) -> None:
    """Most of what comes from an object is used, although a tile is a small part of its rows."""
    a, b = factors(128, 128, 128)
    a, b = numpy.tile(a, (20, 20))[:, :2500], numpy.tile(b, (20, 20))[:2500]
    numpy.save("a.npy", a)
    numpy.save("b.npy", b)
    remote = [uploaded(server, "npy", f"in_{name}", each) for name, each in (("a", a), ("b", b))]
    product("a.npy", "b.npy")
    before = len(server.kept.seen)
    done = product(*remote, "D.npy")
    numpy.testing.assert_array_equal(numpy.load("D.npy"), numpy.load("C.npy"))
    assert done.bytes_received < 3 * done.bytes_read  # a tile is a twentieth of its rows
    assert len(server.kept.seen) - before < done.bytes_read / 512 / 100  # a row of a tile


def test_chunks_of_whole_rows_are_read_by_wide_loads(server: object_server.Server) -> None:
    a, b = factors(1300, 1100, 900)
    first = uploaded(server, "zarr", "a", a, chunks=(256, 1100))
    second = uploaded(server, "zarr", "b", b, chunks=(384, 900))
    done = product(first, second, tile=128)
    numpy.testing.assert_array_equal(numpy.load("C.npy"), a @ b)
    assert done.bytes_received < 1.5 * done.bytes_read


@pytest.mark.gpu
@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_rows_of_tiles_come_to_a_gpu(
    dtype: str, transposed: bool, server: object_server.Server
) -> None:
    a, b = factors(1300, 1100, 900, dtype)
    first = uploaded(server, "npy", "a", a.T.copy() if transposed else a)
    second = uploaded(server, "npy", "b", b)
    how = {"transpose_a": transposed, "tile": 128, "fast_memory": "8MiB"}
    done = watari.gemm(first, second, "C.npy", processor="gpu", **how)
    exact = a.astype("float32") @ b.astype("float32")
    numpy.testing.assert_array_equal(numpy.load("C.npy"), exact)
    # 8 MiB suffice for blocks of whole rows of float32: then nothing lies between them
    whole_rows = dtype == "float32" and not transposed
    assert (done.bytes_received == done.bytes_read) == whole_rows


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
    refused("would write over", "s3://bucket/x.npy", "b.npy", "s3://bucket/x.npy")
    refused("would write over", "a.npy", "s3://bucket/x.zarr::y", "s3://bucket/x.zarr/")
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
    return commanded.watari(Path.cwd(), ("gemm", *words, "--processor", "cpu"), os.environ)


def test_the_command(server: object_server.Server) -> None:
    a, b = factors()
    first = uploaded(server, "npy", "a", a)
    numpy.save("b.npy", b)
    ended = command(first, "b.npy", "-o", "s3://bucket/C.npy", "--fast-memory", "8MiB")
    assert ended.returncode == 0, ended.stderr
    assert "s3://bucket/C.npy: 300 x 270" in ended.stdout
    assert "; stored in " in ended.stdout
    assert "zq-secret-zq" not in ended.stdout + ended.stderr
    for words in (
        (first, "b.npy", "-o", "s3://nowhere/C.npy"),
        ("s3://nowhere/a.npy", "b.npy", "-o", "C.npy"),
        ("s3://bucket/none.npy", "b.npy", "-o", "C.npy"),
    ):
        ended = command(*words)
        assert ended.returncode == 2, ended.stderr
        assert len(ended.stderr.strip().splitlines()) == 1
        assert sorted(p.name for p in Path().iterdir()) == ["a", "b.npy"]


def test_the_command_counts_what_nobody_asked_for(server: object_server.Server) -> None:
    a, b = factors(2000, 2000, 130)
    first = uploaded(server, "npy", "a", a)
    numpy.save("b.npy", b)
    words = (first, "b.npy", "-o", "C.npy", "--fast-memory", "1MiB")
    ended = command(*words)
    assert ended.returncode == 0, ended.stderr
    assert re.search(r"reads \S+ MB of \S+ MB received, writes 1.04 MB", ended.stdout)
    assert re.search(r"s, read \S+ MB of \S+ MB received, wrote 1.04 MB", ended.stdout)
    assert f"{first}: " in ended.stdout
    assert "rows of a tile lie apart. Faster: more fast memory, Zarr in chunks" in ended.stdout
    ended = command(*words[:-1], "64MiB", "--dry-run")
    assert "received" not in ended.stdout
    assert "Faster" not in ended.stdout


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
