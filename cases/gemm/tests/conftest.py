"""The modules that the tests of this folder share, and a small server of objects."""

from __future__ import annotations

import sys
from pathlib import Path

import object_server
import pytest

sys.path.append(str(Path(__file__).parent))


@pytest.fixture
def server(
    server: object_server.Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> object_server.Server:
    """The server, and an empty folder."""
    monkeypatch.chdir(tmp_path)
    return server
