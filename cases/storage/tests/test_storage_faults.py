"""Case storage: damaged and lying files, faults behind queues."""

from __future__ import annotations

import os
import re
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

import builds
import pytest
from launching import HANGS
from storage_trials import OPENING, STORE, run, trial

from watari.case.engines import FAULTS
from watari.run import launch

LIAR = (builds.ROOT / "tests/python").joinpath("lying_files.c")


# Wrong data are detected


@pytest.fixture(scope="module")
def liar(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], str]:
    """A launcher that makes files be read or written wrongly."""
    library = tmp_path_factory.mktemp("liar") / "liar.so"
    try:
        built = ["cc", "-shared", "-fPIC", "-O1", "-o", str(library), str(LIAR), "-ldl"]
        subprocess.run(built, check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("no C compiler")
    return lambda how: f"LIE={how} LD_PRELOAD={library} env"


@pytest.mark.parametrize("lie", ["damaged", "misplaced", "untouched", "torn"])
def test_what_is_read_wrongly_is_wrong(lie: str, folder: str, liar: Callable[[str], str]) -> None:
    result = trial(liar(lie), engine="posix", folder=folder)
    assert (result["status"], result["verified"]) == ("wrong", False)
    assert "sectors of 512 bytes are torn" in result["error"]
    assert folder in result["error"]


def test_a_write_that_is_lost_is_wrong(folder: str, liar: Callable[[str], str]) -> None:
    result = trial(liar("lost"), engine="posix", direction="write", folder=folder)
    assert (result["status"], result["verified"]) == ("wrong", False)


@pytest.mark.parametrize(
    ("lie", "direction", "says"),
    [
        ("short", "read", "only 2048 bytes"),
        ("half-written", "write", "only 2048 bytes; is the disk full?"),
        ("full", "write", "the disk is full; choose a smaller size"),
        ("not-durable", "write", "the disk reports an error"),
    ],
)
def test_a_disk_that_fails_is_a_failed_trial(
    lie: str, direction: str, says: str, folder: str, liar: Callable[[str], str]
) -> None:
    result = trial(liar(lie), engine="posix", direction=direction, folder=folder)
    assert result["status"] == "failed"
    assert says in result["error"]


@pytest.mark.parametrize(
    ("lie", "direction", "says"),
    [
        ("broken-read", "read", r"read of 4096 bytes at \d+ of {}"),
        ("broken-write", "write", r"write of 4096 bytes at \d+ of {}"),
        ("broken-sync", "write", r"flush: .*fdatasync of {}"),
        ("not-durable", "write", r"^(?!.*page cache).*fdatasync of {}"),
    ],
)
def test_behind_queues_a_disk_that_fails_is_named_with_its_error(
    lie: str, direction: str, says: str, folder: str, liar: Callable[[str], str]
) -> None:
    result = trial(liar(lie), engine="queue", direction=direction, folder=folder)
    assert result["status"] == "failed"
    cause = r": the disk reports an error: Input/output error"
    assert re.search(says.format(f"{folder}/{STORE}") + cause, result["error"]), result["error"]


@pytest.mark.parametrize("engine", OPENING)
def test_a_device_that_fails_is_named_with_its_error(engine: str, tmp_path: Path) -> None:
    """A loop device whose file was cut: the kernel itself reports EIO."""
    image, disk = tmp_path / "image", tmp_path / "disk"
    disk.mkdir()
    image.write_bytes(bytes(2**24))
    made = subprocess.run(["mkfs.ext2", "-q", str(image)], capture_output=True)
    mount = ["mount", "-o", "loop", str(image), str(disk)]
    if made.returncode or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("no loop devices here")
    try:
        assert trial(engine="posix", folder=str(disk))["status"] == "ok"
        os.sync()
        os.truncate(image, 2**20)
        result = trial(engine=engine, folder=str(disk), pattern="sequential", requests=1024)
    finally:
        os.truncate(image, 2**24)
        subprocess.run(["umount", "-l", str(disk)], check=True)
    assert result["status"] == "failed"
    says = "SIGBUS" if engine == "mmap" else "the disk reports an error: Input/output error"
    assert re.search(f" at .*{STORE}|{STORE}.* at ", result["error"]), result["error"]
    assert says in result["error"]


def test_a_file_system_without_nameless_files_does(
    tmp_path: Path, liar: Callable[[str], str]
) -> None:
    for size in (2**22, 2**21):  # made, and made again in place of a truncated file
        result = trial(liar("named"), engine="posix", direction="write", folder=str(tmp_path))
        assert result["status"] == "ok", result["error"]
        assert [file.name for file in tmp_path.iterdir()] == [STORE]
        os.truncate(tmp_path / STORE, size // 2)
    (tmp_path / STORE).unlink()
    (tmp_path / STORE).mkdir()
    assert trial(liar("named"), engine="posix", folder=str(tmp_path))["status"] == "failed"
    assert [file.name for file in tmp_path.iterdir()] == [STORE]


@pytest.mark.parametrize("engine", OPENING)
@pytest.mark.parametrize("damage", ["spoiled", "swapped"])
def test_a_file_that_others_changed_is_wrong_for_every_engine(
    engine: str, damage: str, folder: str
) -> None:
    with open(f"{folder}/{STORE}", "r+b") as store:
        first, second = store.read(4096), store.read(4096)
        store.seek(0)
        store.write(second + first if damage == "swapped" else bytes(8192))
        os.fsync(store.fileno())
    result = trial(engine=engine, folder=folder, pattern="sequential", requests=1024)
    assert result["status"] == "wrong"
    # 16 sectors of the first two blocks, in each of 3 samples, and none of the others
    assert result["error"].startswith("48 sectors")
    assert "remove it, and it is made anew" in result["error"]
    Path(folder, STORE).unlink()
    assert trial(engine=engine, folder=folder)["status"] == "ok"


# Faults behind the queues


@pytest.mark.parametrize("store", ["file", "ram"])
@pytest.mark.parametrize("fault", [f for f in FAULTS if f not in ("none", "late-data")])
def test_a_fault_is_survived_in_time_and_reported(fault: str, store: str, folder: str) -> None:
    many = 32768 if fault == "dropped" and store == "ram" else 2048
    started = time.monotonic()
    result = run(
        engine="queue", store=store, fault=fault, folder=folder, requests=many, block="512"
    )
    assert time.monotonic() - started < HANGS
    assert "faults are injected" in " ".join(result["notes"])
    if fault == "failed" or many > 2048:
        assert any("sent again" in note for note in result["notes"])


def test_commands_sent_again_are_counted_over_all_threads() -> None:
    """One command in a hundred of 12288 fails: 123 +- 11, of which one thread has about 31."""
    result = run(engine="queue", store="ram", fault="failed", threads=4, requests=4096, block="512")
    [note] = [note for note in result["notes"] if "sent again" in note]
    assert 70 < int(note.split()[0]) < 180


def test_identifiers_that_a_fault_cost_are_there_again_after_each_sample() -> None:
    """Three commands in 32768 are dropped: 15 identifiers alone would end in the sixth sample."""
    given = {"requests": 32768, "block": "512", "size": "16MiB", "depth": 8, "samples": 8}
    result = trial(engine="queue", store="ram", fault="dropped", threads=1, **given)
    assert result["status"] == "ok"


def test_data_that_come_after_their_completion_are_wrong() -> None:
    result = trial(engine="queue", store="ram", fault="late-data", requests=2048)
    assert (result["status"], result["verified"]) == ("wrong", False)
    assert "remove" not in result["error"]  # no file is to blame


def has_open(path: str) -> bool:
    """Whether some process has the file open."""
    for link in Path("/proc").glob("[0-9]*/fd/*"):
        try:
            if os.readlink(link) == path:
                return True
        except OSError:
            continue
    return False


@pytest.mark.parametrize("engine", OPENING)
def test_a_file_that_is_cut_while_in_use_fails_in_time(engine: str, folder: str) -> None:
    results: list[launch.Trial] = []
    given = {"engine": engine, "folder": folder, "samples": 100_000}
    worker = threading.Thread(target=lambda: results.append(trial(**given)))
    worker.start()
    deadline = time.monotonic() + HANGS
    while not has_open(f"{folder}/{STORE}") and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(0.2)
    os.truncate(f"{folder}/{STORE}", 2**20)
    worker.join(timeout=HANGS)
    assert results, "it went on without the file"
    assert results[0]["status"] == "failed"
    assert "time limit" not in results[0]["error"]
    assert STORE in results[0]["error"] or "status type" in results[0]["error"]
