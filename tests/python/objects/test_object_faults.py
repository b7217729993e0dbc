"""Objects of a server under every fault of a server or a network."""

from __future__ import annotations

from collections.abc import Callable

import faulty_proxy
import object_server
import pytest
from faulty_proxy import PASSING, Faults
from object_clients import PART, data_of, reader, writer
from object_server import ID, SECRET, TOKEN

from watari import objects
from watari.common import errors


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
