"""`pytest -p in_process`: skips each test at the moment when it starts a process.

`make check` uses it. A test needs no mark: what it starts decides. CHECK_UNTIL is the time of
CLOCK_MONOTONIC from which tests are skipped, since none is left.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Generator

import pytest

STARTS = {"subprocess.Popen", "os.posix_spawn", "os.fork", "os.forkpty", "os.system"}
UNTIL = float(os.environ.get("CHECK_UNTIL", "inf"))
runs = False  # a test, rather than the collection


def refuse(event: str, _: object) -> None:
    if runs and event in STARTS:
        pytest.skip("starts a process")


sys.addaudithook(refuse)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol() -> Generator[None, object, object]:
    global runs
    runs = True
    try:
        return (yield)
    finally:
        runs = False


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    if time.monotonic() > UNTIL:
        pytest.skip("no time is left")
