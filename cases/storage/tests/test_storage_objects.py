"""Engine `s3`: blocks of an object, from the small server of tests/python/objects/."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import commanded
import object_server
import pytest

from watari import _native


def run(output: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = ("run", "storage", "size=1MiB", "samples=2", "trials=1", "processor=cpu", "threads=2")
    command += ("requests=256", *words, "-o", str(output))
    return commanded.watari(Path.cwd(), command, os.environ)


@pytest.mark.skipif(bool(_native.objects_absent_reason()), reason=_native.objects_absent_reason())
def test_blocks_of_an_object_are_read_and_verified(
    server: object_server.Server, tmp_path: Path
) -> None:
    words = ("engine=s3", "folder=s3://bucket/tests", "depth=3", "block=4KiB")
    ended = run(tmp_path / "run.json", *words)
    assert ended.returncode == 0, ended.stderr
    (case,) = json.loads((tmp_path / "run.json").read_text())["cases"]
    assert case["status"] == "ok"
    assert case["trials"][0]["verified"] is True
    assert list(server.kept.objects) == ["/bucket/tests/watari-1048576.data"]
    puts = [method for method, _, _ in server.kept.seen if method in ("PUT", "POST")]

    assert run(tmp_path / "again.json", *words).returncode == 0  # finds the object
    assert puts == [m for m, _, _ in server.kept.seen if m in ("PUT", "POST")]

    data = bytearray(server.kept.objects["/bucket/tests/watari-1048576.data"])
    data[700_000] ^= 1
    server.kept.objects["/bucket/tests/watari-1048576.data"] = bytes(data)
    damaged = run(tmp_path / "damaged.json", *words, "pattern=sequential")
    assert damaged.returncode == 1
    (case,) = json.loads((tmp_path / "damaged.json").read_text())["cases"]
    assert case["status"] == "wrong"


@pytest.mark.parametrize(
    "words",
    [
        ("engine=s3", "folder=/tmp/x"),
        ("engine=posix", "folder=s3://bucket/tests"),
        ("engine=s3", "folder=s3://id:hidden@bucket/tests"),
    ],
)
def test_a_folder_that_does_not_suit_the_engine_is_refused(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    ended = run(tmp_path / "run.json", *words, "block=4KiB")
    assert ended.returncode == 2
    assert "s3://" in ended.stderr
    assert "hidden" not in ended.stderr
    assert not (tmp_path / "run.json").exists()


@pytest.mark.skipif(bool(_native.objects_absent_reason()), reason=_native.objects_absent_reason())
@pytest.mark.parametrize("folder", ["s3://nowhere", "s3://nowhere/tests/"])
def test_a_bucket_that_is_not_there_is_refused_before_the_run(
    folder: str, server: object_server.Server, tmp_path: Path
) -> None:
    ended = run(tmp_path / "run.json", "engine=s3", f"folder={folder}", "block=4KiB")
    assert ended.returncode == 2
    assert ended.stderr == f"watari: {folder.rstrip('/')}/watari: there is no such bucket\n"
    assert not list(tmp_path.iterdir())
