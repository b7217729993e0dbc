"""A small server of objects for the tests of products."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import object_server
import pytest


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[object_server.Server]:
    running = object_server.Server()
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{running.port}")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "ZQIDZQ")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "zq-secret-zq")
    monkeypatch.chdir(tmp_path)
    yield running
    running.close()
