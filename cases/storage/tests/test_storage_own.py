"""Reads of the user's own files and objects by every engine, in place of test files."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import commanded
import numpy
import object_server
import pytest
import stored

from watari import _native
from watari.case.native import module
from watari.cases.storage.own_data import own_data

VALUES = numpy.random.default_rng(4).random((512, 640), "float32")  # 1.25 MiB
ENGINES = ["posix", "uring", "mmap", "queue"]


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


def run(*words: str, output: str = "run.json") -> tuple[int, str, dict[str, Any]]:
    """Exit code, errors, and the case of the result file."""
    command = ("run", "storage", *words, "-o", output, "samples=2", "trials=1")
    command += ("processor=cpu", "threads=2", "requests=64")
    ended = commanded.watari(Path.cwd(), command, os.environ)
    if not Path(output).exists():
        return ended.returncode, ended.stderr, {}
    (case,) = json.loads(Path(output).read_text())["cases"]
    return ended.returncode, ended.stderr + ended.stdout, case


def named(made: tuple[str, dict[str, Any]]) -> str:
    path, how = made
    return path if not how else f"{path}::float32:512x640"


def zarr_of_blocks(folder: Path, values: Any) -> Any:
    return stored.zarr(folder, values, chunks=(128, 640))


MAKERS = {
    "npy": stored.npy,
    "hdf5": stored.hdf5,
    "safetensors": stored.safetensors,
    "raw": stored.raw,
    "zarr": zarr_of_blocks,
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("maker", MAKERS)
def test_every_format_by_every_engine(maker: str, engine: str) -> None:
    name = named(MAKERS[maker](Path(), VALUES))
    code, text, case = run(f"file={name}", f"engine={engine}", "cache=cold", "block=4KiB")
    assert code == 0, text
    if case["status"] == "unsupported":
        pytest.skip(str(case))
    assert case["status"] == "ok", case
    assert case["trials"][0]["verified"] is True
    assert case["parameters"]["file"] == name
    whole = VALUES.nbytes // 4096 * 4096
    assert whole - 4096 <= case["parameters"]["size"] <= whole


def test_where_the_blocks_lie() -> None:
    """From the first element on; for direct I/O and sectors from the next page on."""
    numpy.save("a.npy", VALUES)
    parameters = {"file": "a.npy", "block": 4096, "engine": "posix", "cache": "cold"}
    offset = Path("a.npy").stat().st_size - VALUES.nbytes
    found = own_data(parameters)
    assert (found.offset, found.bytes) == (offset, VALUES.nbytes)
    for how in ({"cache": "none"}, {"engine": "queue"}):
        found = own_data({**parameters, **how})
        assert (found.offset, found.bytes) == (4096, VALUES.nbytes + offset - 4096)
    path, _ = zarr_of_blocks(Path(), VALUES)
    found = own_data({**parameters, "file": path})
    assert len(found.paths) == 4
    assert found.bytes == 128 * 640 * 4
    assert found.size(2**16) == 4 * 5 * 2**16
    Path("text").write_bytes(bytes(10_000))
    found = own_data({**parameters, "file": "text"})
    assert (found.offset, found.bytes, found.size(4096)) == (0, 10_000, 8192)


def test_two_files_are_one_store() -> None:
    """Blocks of the second file come from there, and a second read tells a wrong one."""
    content = VALUES.tobytes()
    Path("a.bin").write_bytes(content)
    Path("b.bin").write_bytes(content[::-1])
    given = {"processor": "cpu", "engine": "posix", "cache": "cold", "block": 4096}
    given |= {"paths": ["a.bin", "b.bin"], "bytes": len(content), "pattern": "sequential"}
    given |= {"size": 2 * len(content), "requests": 2 * len(content) // 4096}
    assert module("watari.cases.storage").storage(given)["wrong_elements"] == 0


@pytest.mark.parametrize(
    ("words", "match"),
    [
        (("direction=write",), "only read"),
        (("files=2",), "only read"),
        (("engine=queue", "store=ram"), "only read"),
        (("engine=s3",), "file=s3://"),
        (("size=1GiB",), "has blocks of"),
        (("block=1MiB", "size=2MiB"), "has blocks of"),
    ],
)
def test_what_a_file_cannot_do(words: tuple[str, ...], match: str) -> None:
    numpy.save("a.npy", VALUES)
    code, text, _ = run("file=a.npy", *words)
    assert code == 2
    assert match in text
    assert len(text.strip().splitlines()) == 1
    assert sorted(path.name for path in Path().iterdir()) == ["a.npy"]


def test_bad_files() -> None:
    numpy.save("small.npy", numpy.ones(100, "float32"))
    path, _ = zarr_of_blocks(Path(), VALUES)
    (Path(path) / "c" / "2" / "0").unlink()
    Path("cut.npy").write_bytes(Path("small.npy").read_bytes()[:300])
    before = sorted(path.name for path in Path().iterdir())
    for name, match in (
        ("none.npy", "no such file"),
        ("small.npy", "less than a block"),
        (path, "1 of 4 chunks have no file"),
        ("cut.npy", "cut short"),
        (".", "a folder"),
        ("s3://id:hidden@bucket/a.npy", "has no user, password or port"),
    ):
        code, text, _ = run(f"file={name}", "block=4KiB")
        assert code == 2, (name, text)
        assert match in text
        assert "hidden" not in text
        assert len(text.strip().splitlines()) == 1
    assert before == sorted(path.name for path in Path().iterdir())


def test_anonymous_results_do_not_name_the_file() -> None:
    numpy.save("secret-model.npy", VALUES)
    code, text, case = run("file=secret-model.npy", "engine=posix", "cache=cold", "--anonymous")
    assert code == 0, text
    assert case["parameters"]["file"] == "<file-1>"
    assert "secret-model" not in Path("run.json").read_text()


@pytest.mark.skipif(bool(_native.objects_absent_reason()), reason=_native.objects_absent_reason())
@pytest.mark.parametrize("maker", MAKERS)
def test_objects_of_every_format(maker: str, server: object_server.Server) -> None:
    name = named(MAKERS[maker](Path(), VALUES))
    for file in Path().rglob("*"):
        if file.is_file():
            server.kept.objects[f"/bucket/{file}"] = file.read_bytes()
    code, text, case = run(f"file=s3://bucket/{name}", "block=4KiB", output="out.json")
    assert code == 0, text
    assert case["parameters"]["engine"] == "s3"
    assert case["status"] == "ok", case
    assert case["trials"][0]["verified"] is True
    assert "zq-secret-zq" not in Path("out.json").read_text() + text


@pytest.mark.skipif(bool(_native.objects_absent_reason()), reason=_native.objects_absent_reason())
def test_objects_that_are_not_there(server: object_server.Server) -> None:
    for name, match in (("bucket/none.npy", "no such object"), ("none/a.npy", "no such bucket")):
        code, text, _ = run(f"file=s3://{name}")
        assert code == 2, text
        assert match in text
        assert len(text.strip().splitlines()) == 1
