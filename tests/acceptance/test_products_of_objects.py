"""Products from and to objects of real servers: killed at any time, they resume, and give the bits
of a product that ran through."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import faulty_proxy
import numpy as np
import object_servers
import pytest
from test_object_servers import environment, put, server  # noqa: F401

from watari import _native, objects

pytestmark = pytest.mark.skipif(
    bool(_native.objects_absent_reason()), reason=_native.objects_absent_reason()
)
M, K, N = 4096, 256, 4224  # C has 69 MB: nine parts, of which four are under way


class Faults:
    """Answers late, or stalls the parts of an upload from a number on."""

    def __init__(self) -> None:
        self.late, self.parts, self.sent = False, 10**9, 0

    def __call__(self, method: str, path: str, fields: dict[str, str]) -> str:
        if method == "PUT" and "partNumber" in path:
            self.sent += 1
            return "stalled" if self.sent > self.parts else ""
        return "late" if self.late and fields.get("range") else ""


@pytest.fixture
def proxy(
    server: int,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> Iterator[faulty_proxy.Proxy]:
    running = faulty_proxy.Proxy(server, Faults())
    monkeypatch.setenv("AWS_ENDPOINT_URL", running.url)
    monkeypatch.chdir(tmp_path)
    yield running
    running.close()


def stored(key: str, values: np.ndarray) -> str:  # type: ignore[type-arg]
    """The address of a new .npy object."""
    np.save("values.npy", values)
    put(f"s3://bucket/{key}", Path("values.npy").read_bytes())
    return f"s3://bucket/{key}"


def factors() -> tuple[str, str]:
    """Random factors: the order of summation shows in the last bits."""
    chance = np.random.default_rng(7)
    a, b = chance.standard_normal((M, K)), chance.standard_normal((K, N))
    return stored("A.npy", a.astype("float32")), stored("B.npy", b.astype("float32"))


def command(a: str, b: str, to: str) -> list[str]:
    return [
        *(sys.executable, "-m", "watari", "gemm", a, b, "-o", to, "--processor", "cpu"),
        *("--fast-memory", "32MiB", "--tile", "256"),
    ]


def run(a: str, b: str, to: str) -> str:
    ended = subprocess.run(command(a, b, to), capture_output=True, text=True, timeout=900)
    assert ended.returncode == 0, ended.stderr
    assert object_servers.SECRET not in ended.stdout + ended.stderr
    return ended.stdout


def killed(a: str, b: str, to: str, when: Callable[[], bool]) -> None:
    """Begins a product, and kills it."""
    child = subprocess.Popen(command(a, b, to), stdout=subprocess.DEVNULL)
    end = time.monotonic() + 600
    while not when():
        assert child.poll() is None, "it ended before it was killed"
        assert time.monotonic() < end
        time.sleep(0.05)
    child.send_signal(signal.SIGKILL)
    child.wait()


def has_a_tile() -> bool:
    """Whether a journal names a completed tile."""
    return any("\ntiles " in path.read_text() for path in Path().glob("*.journal"))


def whole(key: str) -> bytes:
    with objects.open(f"s3://bucket/{key}") as source:
        return bytes(source.read())


def test_a_product_that_is_killed_twice_resumes(proxy: faulty_proxy.Proxy) -> None:
    faults = proxy.choose
    assert isinstance(faults, Faults)
    a, b = factors()
    run(a, b, "s3://bucket/through.npy")
    expected = whole("through.npy")

    faults.late = True
    killed(a, b, "s3://bucket/C.npy", has_a_tile)
    faults.late = False
    with pytest.raises(Exception, match="no such object"):
        objects.open("s3://bucket/C.npy")

    faults.sent, faults.parts = 0, 4
    killed(a, b, "s3://bucket/C.npy", lambda: faults.sent == 8)  # four have been answered
    with pytest.raises(Exception, match="no such object"):
        objects.open("s3://bucket/C.npy")
    (left,) = objects.uploads("s3://bucket/C.npy")

    faults.sent, faults.parts = 0, 10**9
    text = run(a, b, "s3://bucket/C.npy")
    assert "stored in" in text
    assert faults.sent <= 6, left  # three of them are not sent again
    assert whole("C.npy") == expected
    assert objects.uploads("s3://bucket/C.npy") == []
    assert sorted(os.listdir()) == ["values.npy"]


def test_a_zarr_product_that_is_killed_resumes(proxy: faulty_proxy.Proxy) -> None:
    zarr = pytest.importorskip("zarr")
    assert zarr
    faults = proxy.choose
    assert isinstance(faults, Faults)
    a, b = factors()
    to = "s3://bucket/C.zarr"
    faults.late = True
    killed(a, b, to, has_a_tile)
    faults.late = False
    run(a, b, to)
    run(a, b, "s3://bucket/through.npy")
    import watari

    with watari.open(to) as c, watari.open("s3://bucket/through.npy") as through:
        assert c[...].tobytes() == through[...].tobytes()
    assert sorted(os.listdir()) == ["values.npy"]
