"""Builds for the tests, in the build directories whose programs run on this machine."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# no build for another processor, and none with a sanitizer, which must be loaded first
NAMES = ("test", "gpu", "cuda", "cpu")


def built(path: str) -> Path:
    """The build directory that holds `path`, the newest of several. Skips the test without any."""
    folders = [ROOT / "build" / name for name in NAMES]
    found = [folder for folder in folders if (folder / path).exists()]
    if not found:
        pytest.skip(f"{path} is not built: scripts/test.sh builds it")
    return max(found, key=lambda folder: (folder / path).stat().st_mtime)
