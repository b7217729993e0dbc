"""Objects of a server: what is read and written, under every fault of a server or a network."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import commanded
import faulty_proxy
import numpy as np
import object_server
import pytest
from faulty_proxy import PASSING, Faults
from object_server import ID, SECRET, TOKEN

from watari import _native, objects
from watari.common import errors

PART = 8 * 2**20

pytestmark = pytest.mark.skipif(
    bool(_native.objects_absent_reason()), reason=_native.objects_absent_reason()
)


def data_of(size: int) -> bytes:
    return np.random.default_rng(size).bytes(size)


def reader(url: str, **how: Any) -> objects.Reader:
    return objects.Reader(url, **{"first_pause": 0.001, "patience": 60, **how})


def writer(url: str, **how: Any) -> objects.Writer:
    return objects.Writer(url, **{"first_pause": 0.001, "patience": 60, **how})


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


@pytest.mark.parametrize("lanes", [1, 4])
@pytest.mark.parametrize("fault", PASSING)
def test_a_passing_fault_is_not_seen(
    server: object_server.Server, faults: tuple[Faults, faulty_proxy.Proxy], fault: str, lanes: int
) -> None:
    data = data_of(100_000)
    server.kept.objects["/bucket/k"] = data
    source = reader("s3://bucket/k", lanes=lanes, gap=0)
    faults[0].next = [fault, fault]
    buffers = [bytearray(1000) for _ in range(10)]
    source.read_into([(i * 5000, buffer) for i, buffer in enumerate(buffers)])
    assert all(bytes(b) == data[i * 5000 : i * 5000 + 1000] for i, b in enumerate(buffers))
    assert faults[1].count[fault] == 2


@pytest.mark.parametrize("fault", [f for f in PASSING if f != "late"])
def test_a_lasting_fault_is_an_error_after_some_attempts(
    server: object_server.Server, faults: tuple[Faults, faulty_proxy.Proxy], fault: str
) -> None:
    server.kept.objects["/bucket/k"] = data_of(1000)
    source = reader("s3://bucket/k", attempts=3)
    faults[0].next = [fault] * 10
    with pytest.raises(errors.ServiceError, match="3 attempts failed"):
        source.read(10, 100)
    assert faults[1].count[fault] == 3


def test_a_server_that_does_not_answer_is_given_up(
    server: object_server.Server, faults: tuple[Faults, faulty_proxy.Proxy]
) -> None:
    server.kept.objects["/bucket/k"] = data_of(1000)
    source = reader("s3://bucket/k", attempts=2, patience=1)
    faults[0].next = ["stalled", ""]
    assert bytes(source.read()) == data_of(1000)
    faults[0].next = ["stalled"] * 2
    with pytest.raises(errors.ServiceError, match="2 attempts failed"):
        source.read()


def test_an_error_in_one_thread_of_a_read_ends_the_others(
    server: object_server.Server, faults: tuple[Faults, faulty_proxy.Proxy]
) -> None:
    server.kept.objects["/bucket/k"] = data_of(100_000)
    source = reader("s3://bucket/k", lanes=2, patience=100_000, gap=0)
    # one thread waits for a day, the other one is refused
    faults[0].next = ["stalled"] * 5 + ["denied"] + ["stalled"] * 10
    with pytest.raises(errors.FileError, match="access was denied"):
        source.read_into([(i * 5000, bytearray(1000)) for i in range(20)])
    faults[0].next = []
    assert bytes(source.read()) == data_of(100_000)


@pytest.mark.parametrize(
    ("fault", "error", "words"),
    [
        ("denied", errors.FileError, "access was denied"),
        ("missing", errors.FileError, "no such object"),
        ("etag", errors.ChangedError, "changed while it was read"),
        ("redirect", errors.FileError, "redirects without end"),
    ],
)
def test_other_answers_are_errors_at_once(
    server: object_server.Server,
    faults: tuple[Faults, faulty_proxy.Proxy],
    fault: str,
    error: type[Exception],
    words: str,
) -> None:
    server.kept.objects["/bucket/k"] = data_of(1000)
    source = reader("s3://bucket/k")
    faults[0].next = [fault] * 20
    with pytest.raises(error, match=words):
        source.read()
    assert faults[1].count[fault] == (6 if fault == "redirect" else 1)


def test_a_key_that_changes_is_an_error(server: object_server.Server) -> None:
    server.kept.objects["/bucket/k"] = data_of(1000)
    source = reader("s3://bucket/k")
    source.read(0, 10)
    server.kept.objects["/bucket/k"] = data_of(1001)
    with pytest.raises(errors.ChangedError, match="changed while it was read"):
        source.read(0, 10)


def test_a_missing_bucket_is_named_as_such(server: object_server.Server) -> None:
    with pytest.raises(errors.FileError, match="no such bucket"):
        objects.open("s3://nowhere/k")
    with pytest.raises(errors.FileError, match="no such object"):
        objects.open("s3://bucket/k")


@pytest.mark.parametrize("method", ["PUT", "POST"])
@pytest.mark.parametrize("fault", ["503", "reset", "lost"])
def test_writes_are_tried_again(
    server: object_server.Server,
    faults: tuple[Faults, faulty_proxy.Proxy],
    method: str,
    fault: str,
) -> None:
    data = data_of(2 * PART + 3)
    target = writer("s3://bucket/new")
    faults[0].method = method
    if method == "POST":  # the second POST completes the upload
        faults[0].next = ["", fault]
    else:
        faults[0].next = [fault, "", fault]
    with target:
        target.write(data)
    assert server.kept.objects["/bucket/new"] == data
    assert faults[1].count[fault] == (2 if method == "PUT" else 1)


def test_no_credential_goes_to_another_server(
    server: object_server.Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = object_server.Server()
    other.kept.objects["/bucket/k"] = server.kept.objects["/bucket/k"] = data_of(1000)
    faults = Faults()
    proxy = faulty_proxy.Proxy(server.port, faults, f"http://127.0.0.1:{other.port}")
    monkeypatch.setenv("AWS_ENDPOINT_URL", proxy.url)
    source = reader("s3://bucket/k")
    faults.next = ["elsewhere"]
    assert bytes(source.read()) == data_of(1000)
    (asked,) = [fields for _, _, fields in other.kept.seen]
    names = {name.lower() for name in asked}
    assert "authorization" in proxy.seen[0]
    assert not {"authorization", "x-amz-security-token"} & names
    assert ID not in str(asked)
    proxy.close()
    other.close()


def test_plain_http_is_for_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://192.0.2.1:9")
    with pytest.raises(errors.UsageError, match="--insecure"):
        objects.open("s3://bucket/k")


def leaves(action: Callable[[], object]) -> str:
    """The words of the error that an action ends with."""
    with pytest.raises(errors.WatariError) as caught:
        action()
    return f"{caught.value!r} {caught.value} {caught.value.__cause__} {caught.value.__context__}"


def test_no_error_shows_a_credential(
    server: object_server.Server,
    faults: tuple[Faults, faulty_proxy.Proxy],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server.kept.objects["/bucket/k"] = data_of(1000)
    source = reader("s3://bucket/k", attempts=2)
    words = ""
    for fault in ("503", "reset", "garbage", "cut", "denied", "missing", "etag", "redirect"):
        faults[0].next = [fault] * 10
        words += leaves(source.read)
    faults[0].next = []
    answer = f"<Error><Code>{ID}</Code><Message>you sent {SECRET} and {TOKEN}</Message></Error>"
    monkeypatch.setattr(
        faulty_proxy,
        "ready_answer",
        lambda *_: f"HTTP/1.1 403 x\r\nContent-Length: {len(answer)}\r\n\r\n{answer}".encode(),
    )
    told = leaves(source.read)
    assert "you sent ... and ..." in told
    for word in (SECRET, TOKEN, ID):
        assert word not in words + told
        assert word not in repr(source) + repr(vars(source))
