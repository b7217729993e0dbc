"""A small server of objects, with known credentials, and a proxy that adds faults."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import faulty_proxy
import object_server
import pytest
from faulty_proxy import Faults
from object_server import ID, SECRET, TOKEN

from watari import _native


@pytest.fixture(autouse=True)
def nobody(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Known credentials, and none of the person who runs the tests. Skips a test where the library
    has no objects."""
    if reason := _native.objects_absent_reason():
        pytest.skip(reason)
    for name in ("AWS_PROFILE", "AWS_ENDPOINT_URL_S3", "AWS_CA_BUNDLE", "AWS_MAX_ATTEMPTS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", ID)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    monkeypatch.setenv("AWS_SESSION_TOKEN", TOKEN)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[object_server.Server]:
    running = object_server.Server()
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{running.port}")
    yield running
    running.close()


@pytest.fixture
def faults(
    server: object_server.Server, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Faults, faulty_proxy.Proxy]]:
    chosen = Faults()
    proxy = faulty_proxy.Proxy(server.port, chosen)
    monkeypatch.setenv("AWS_ENDPOINT_URL", proxy.url)
    yield chosen, proxy
    proxy.close()
