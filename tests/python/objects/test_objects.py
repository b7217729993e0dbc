"""Objects of a server: what is read and written (under faults: test_object_faults.py)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import commanded
import numpy as np
import object_server
import pytest
from object_clients import PART, data_of

from watari import objects
from watari.common import errors


def test_ranges_fill_their_buffers(server: object_server.Server) -> None:
    data = data_of(3_000_000)
    server.kept.objects["/bucket/a b/c=d"] = data
    with objects.open("s3://bucket/a b/c=d") as source:
        assert source.size == len(data)
        first, second, third = bytearray(10), np.zeros(1000, np.uint16), bytearray(0)
        fourth = bytearray(10)
        source.read_into([(7, first), (2_000_001, second), (5, third), (17, fourth)])
        assert bytes(first + fourth) == data[7:27]
        assert second.tobytes() == data[2_000_001:2_002_001]
        assert bytes(source.read()) == data
        for offset, size in ((len(data), 1), (len(data) + 1, 0), (-1, 1)):
            with pytest.raises(errors.UsageError):
                source.read(offset, size)
        with pytest.raises(BufferError):
            source.read_into([(0, b"constant")])
    with pytest.raises(ValueError, match="closed"):
        source.read()


def test_threads_share_an_object(server: object_server.Server) -> None:
    from concurrent.futures import ThreadPoolExecutor

    data = data_of(1_000_000)
    server.kept.objects["/bucket/k"] = data
    with objects.open("s3://bucket/k") as source, ThreadPoolExecutor(8) as pool:
        parts = pool.map(lambda i: bytes(source.read(i * 10_000, 10_000)), range(100))
        assert b"".join(parts) == data


@pytest.mark.parametrize("size", [0, 5, PART, PART + 1, 3 * PART + 5])
def test_an_object_appears_when_it_is_complete(server: object_server.Server, size: int) -> None:
    data = data_of(size)
    with objects.create("s3://bucket/new") as target:
        for start in range(0, size, 3_000_001):
            target.write(data[start : start + 3_000_001])
        assert "/bucket/new" not in server.kept.objects
    assert server.kept.objects["/bucket/new"] == data
    assert server.kept.uploads == {}


def test_an_exception_leaves_neither_object_nor_parts(server: object_server.Server) -> None:
    def fail() -> None:
        with objects.create("s3://bucket/new") as target:
            target.write(bytes(2 * PART))
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    left = objects.create("s3://bucket/new")
    left.write(bytes(2 * PART))
    del left
    assert server.kept.objects == {}
    assert server.kept.uploads == {}


def test_a_writer_takes_nothing_after_its_end(server: object_server.Server) -> None:
    with objects.create("s3://bucket/new") as target:
        target.write(b"all")
    for action in (lambda: target.write(b"more"), target.complete):
        with pytest.raises(errors.UsageError):
            action()
    target.abort()
    assert server.kept.objects["/bucket/new"] == b"all"


def test_a_process_that_ends_aborts_its_upload(server: object_server.Server) -> None:
    text = "from watari import objects\n"
    text += f"target = objects.create('s3://bucket/new')\ntarget.write(bytes({2 * PART}))\n"
    subprocess.run([sys.executable, "-c", text], check=True, timeout=300)
    assert server.kept.uploads == {}
    assert any(method == "POST" for method, _, _ in server.kept.seen)


def test_parts_of_a_killed_process_are_listed_and_aborted(server: object_server.Server) -> None:
    text = "import os\nfrom watari import objects\ntarget = objects.create('s3://bucket/x&y')\n"
    text += f"target.write(bytes({2 * PART}))\nos.kill(os.getpid(), 9)\n"
    subprocess.run([sys.executable, "-c", text], timeout=300, check=False)
    (left,) = objects.uploads("s3://bucket/")
    assert left.key == "x&y"
    objects.abort("s3://bucket/", left)
    assert objects.uploads("s3://bucket/") == []


def watari(*words: str) -> subprocess.CompletedProcess[str]:
    return commanded.watari(Path.cwd(), words, os.environ)


def test_the_command_lists_and_aborts_uploads(server: object_server.Server) -> None:
    assert "no open upload" in watari("uploads", "s3://bucket/").stdout
    server.kept.uploads["id"] = ("/bucket/left.npy", {})
    assert "s3://bucket/left.npy" in watari("uploads", "s3://bucket/").stdout
    assert "aborted s3://bucket/left.npy" in watari("uploads", "s3://bucket/", "--abort").stdout
    assert server.kept.uploads == {}
    for wrong in ("bucket", "s3://ID:hidden@bucket/", "s3://nowhere/"):
        ended = watari("uploads", wrong)
        assert ended.returncode == 2
        assert ended.stderr.count("\n") == 1
        assert "hidden" not in ended.stderr
