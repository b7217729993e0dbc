"""The modules that the tests of this folder share, and the emulated GPU for tests of trials."""

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parent))

from kernel_emulated import gpu as gpu


@pytest.fixture(autouse=True)
def kernel_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled kernels of a test are its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
