"""What the tests of this folder share: modules, and a folder for view factors."""

import sys
from pathlib import Path
from typing import Any

import pytest

from watari.cases.les import trial

sys.path.append(str(Path(__file__).parent))


@pytest.fixture
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty folder."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def own_cache(in_folder: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """View factors of a test are kept in its own folder, which is returned."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "watari" / "views"


@pytest.fixture
def not_simulated(in_folder: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty folder, and no simulation."""

    def simulated(*asked: Any, **more: Any) -> None:
        raise AssertionError("simulates")

    monkeypatch.setattr(trial, "run", simulated)
