"""The emulated GPU (tests/emulator), of a build with tests."""

from __future__ import annotations

import os
from pathlib import Path

import builds
import pytest

from watari.common.files import PACKAGE

FOLDER = Path("tests") / "emulator"


def driver() -> Path:
    """The folder of its libcuda.so.1."""
    return builds.built(str(FOLDER / "cuda" / "libcuda.so.1")) / FOLDER / "cuda"


def cupti() -> Path:
    """Its libcupti. Skips the test without CUPTI."""
    if not (PACKAGE / "libwatari_injected.so").is_file():
        pytest.skip("Watari was built without CUPTI's headers")
    library = FOLDER / "cupti" / "libcupti.so"
    return builds.built(str(library)) / library


def environment(**variables: object) -> dict[str, str]:
    """The variables of a process with this driver, and more. No line of its output wraps."""
    more = {name: str(value) for name, value in variables.items()}
    return {**os.environ, "LD_LIBRARY_PATH": str(driver()), "COLUMNS": "500", **more}
