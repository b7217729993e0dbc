"""Answers of a server that say what is wrong, in one line that says what helps, without a
credential: clocks, regions, certificates, proxies, addresses."""

from __future__ import annotations

import shutil
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from object_server import ID, SECRET, TOKEN

from watari import objects
from watari.common import errors

URL = "s3://bucket/a.npy"


class Answer:
    """What the server answers to every request; `seen` are its headers."""

    def __init__(self) -> None:
        self.status, self.body, self.fields = 200, b"", dict[str, str]()
        self.seen: list[dict[str, str]] = []


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *words: Any) -> None:
        pass

    def answer(self) -> None:
        of: Answer = self.server.of  # type: ignore[attr-defined]
        of.seen.append(dict(self.headers.items()))
        self.send_response(of.status)
        for name, value in ({"Content-Length": str(len(of.body))} | of.fields).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(of.body)

    do_GET = do_HEAD = do_PUT = do_POST = answer  # noqa: N815


def running(answer: Answer) -> ThreadingHTTPServer:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.of = answer  # type: ignore[attr-defined]
    server.daemon_threads = True
    return server


@pytest.fixture(autouse=True)
def direct(nobody: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """One attempt, and no proxy."""
    for name in ("https_proxy", "HTTPS_PROXY", "http_proxy", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("WATARI_INSECURE", raising=False)
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")


@pytest.fixture
def answer(monkeypatch: pytest.MonkeyPatch) -> Iterator[Answer]:
    of = Answer()
    server = running(of)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{server.server_address[1]}")
    yield of
    server.shutdown()
    server.server_close()


def refused(kind: type[Exception], match: str) -> None:
    with pytest.raises(kind, match=match) as caught:
        objects.open(URL)
    assert not any(secret in str(caught.value) for secret in (SECRET, TOKEN, ID))


def words(code: str, more: str = "") -> bytes:
    return f"<Error><Code>{code}</Code><Message>no {TOKEN}</Message>{more}</Error>".encode()


def test_a_wrong_clock(answer: Answer) -> None:
    answer.status, answer.body = 403, words("RequestTimeTooSkewed")
    refused(errors.FileError, "refuses the clock of this machine")


def test_a_bucket_of_another_region(answer: Answer) -> None:
    region = "<Region>eu-west-1</Region>"
    answer.status, answer.body = 400, words("AuthorizationHeaderMalformed", region)
    refused(errors.FileError, "another region .*; set AWS_REGION=eu-west-1")


def test_a_refusal_without_words_is_explained_by_another_request(answer: Answer) -> None:
    answer.status, answer.body = 400, words("InvalidToken")
    refused(errors.ServiceError, r"GET failed \(status 400, InvalidToken: no \.\.\.\)")


@pytest.mark.parametrize("length", ["99999999999999999999999", "-1"])
def test_a_length_that_is_none(length: str, answer: Answer) -> None:
    answer.fields = {"Content-Length": length}
    refused(errors.ServiceError, "does not say how long|Weird server reply")


def test_a_redirect_with_a_password(answer: Answer) -> None:
    answer.status, answer.fields = 307, {"Location": f"http://a:{SECRET}/x@127.0.0.1/"}
    refused(errors.ServiceError, "a redirect is not followed: http://a: plain http")


def test_a_value_with_a_line_break_is_no_header(
    answer: Answer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
        with monkeypatch.context() as changed:
            changed.setenv(name, f"{SECRET}\r\nX-Other: 1")
            refused(errors.UsageError, "credentials of the environment: a value has .* line break")
    assert not answer.seen


@pytest.fixture
def certified(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Path]]:
    """Starts a server with a certificate of its own, under a name; returns its certificate."""
    if not shutil.which("openssl"):
        pytest.skip("openssl is not here")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    made += ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    made += ["-keyout", str(key), "-out", str(certificate)]
    subprocess.run(made, check=True, capture_output=True)
    of = Answer()
    of.status, of.body = 404, words("NoSuchKey")
    server = running(of)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()

    def named(name: str) -> Path:
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"https://{name}:{server.server_address[1]}")
        return certificate

    yield named
    server.shutdown()
    server.server_close()


def test_certificates(certified: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    certificate = certified("localhost")
    refused(errors.ServiceError, "certificate is not trusted; AWS_CA_BUNDLE names")
    monkeypatch.setenv("AWS_CA_BUNDLE", str(certificate))
    refused(errors.FileError, "no such object")
    certified("127.0.0.1")  # not in its certificate
    refused(errors.ServiceError, "certificate is not trusted")
    monkeypatch.setenv("AWS_CA_BUNDLE", "missing.pem")
    refused(errors.ServiceError, "no certificates are in the file AWS_CA_BUNDLE")


def test_no_server_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "https://127.0.0.1:1")
    refused(errors.ServiceError, "connect to server: https://127.0.0.1:1$")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "https://s3.invalid")
    monkeypatch.setenv("https_proxy", f"http://a:{SECRET}@127.0.0.1:1")
    refused(errors.ServiceError, "a variable sets a proxy")


def test_an_address_with_a_signature(answer: Answer) -> None:
    with pytest.raises(errors.UsageError, match="an address has no signature") as caught:
        objects.open(f"{URL}?X-Amz-Date=1&X-Amz-Signature={SECRET}")
    assert SECRET not in str(caught.value)
    assert not answer.seen
