"""Requirements of all tests: without them a test is skipped, with the reason."""

from __future__ import annotations

import shutil
import signal
import subprocess
from collections.abc import Generator, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import typer
from hypothesis import HealthCheck, settings

from watari import _native
from watari.case.native import NOT_BUILT
from watari.cli import app
from watari.common.errors import UnsupportedError

if TYPE_CHECKING:
    import object_server

# An example may take any time: the machine may be busy.
settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")

# A process runs one command, but a test process hundreds: typer would make its parser each time.
app.add_commands()
typer.main.get_command = cache(typer.main.get_command)


def why_no_gpu() -> str | None:
    """The reason why tests marked `gpu` cannot run here, or None."""
    gpus = _native.gpus()
    return None if gpus["gpus"] else str(gpus["reason"])


def why_no_mpi() -> str | None:
    """The reason why tests marked `mpi` cannot run here, or None."""
    return None if shutil.which("mpirun") else "no mpirun: install openmpi-bin"


def pytest_configure() -> None:
    """Enables tests of Ctrl-C in a background job, which a shell starts with SIGINT ignored."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for marker, why_not in {"gpu": why_no_gpu, "mpi": why_no_mpi}.items():
        marked = [item for item in items if item.get_closest_marker(marker)]
        reason = why_not() if marked else None
        for item in marked if reason else []:
            item.add_marker(pytest.mark.skip(reason=str(reason)))


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call() -> Generator[None, object, object]:
    """Skips a test whose case was not built (`make build CASES=...`), with the reason."""
    try:
        return (yield)
    except UnsupportedError as error:
        if NOT_BUILT in str(error):
            pytest.skip(str(error))
        raise


@pytest.fixture(scope="session")
def chromium() -> str:
    """A browser that really starts: on Ubuntu `chromium` may be a stub that asks for a snap."""
    for name in ("chromium", "google-chrome", "chromium-browser"):
        path = shutil.which(name)
        if path and subprocess.run([path, "--version"], capture_output=True).returncode == 0:
            return path
    pytest.skip("no browser that starts: install chromium (Debian) or google-chrome (Ubuntu)")


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty folder; tiles of products become durable, and progress is reported, one by one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("watari.cases.gemm.product.INTERVAL", 0.0)
    return tmp_path


@pytest.fixture
def folder(tmp_path):
    """An empty folder on a disk that has direct I/O."""
    from storage_trials import run

    from watari.common.errors import UnsupportedError

    try:
        run(folder=str(tmp_path / "disk"), engine="posix", samples=1)
    except UnsupportedError as error:
        pytest.skip(str(error))
    return str(tmp_path / "disk")


@pytest.fixture
def two(tmp_path: Path) -> tuple[Path, Path]:
    """Two empty folders."""
    both = tmp_path / "a", tmp_path / "b"
    for folder in both:
        folder.mkdir()
    return both


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[object_server.Server]:
    """A small server of objects (tests/python/objects/), to which the environment leads."""
    import object_server

    running = object_server.Server()
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{running.port}")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", object_server.ID)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", object_server.SECRET)
    yield running
    running.close()
