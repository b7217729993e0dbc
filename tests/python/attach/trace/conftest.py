"""The driver and the CUPTI of a machine without a GPU."""

import emulator
import pytest


@pytest.fixture
def made_up(monkeypatch):
    """Puts the made-up driver in the environment of new programs. Returns the path of CUPTI."""
    monkeypatch.setenv("LD_LIBRARY_PATH", str(emulator.driver()))
    return emulator.cupti()
