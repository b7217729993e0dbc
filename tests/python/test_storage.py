"""Case storage: small trials by every engine, and everything that fails."""

from __future__ import annotations

import json
import os
import re
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import synthetic

from watari import cases, cli, launch, results, storage, storage_speed
from watari.axes import format_size
from watari.errors import UnsupportedError
from watari.request import Request, resolve

GPU_MACHINE = synthetic.gpu_machine()
CPU_MACHINE = synthetic.cpu_machine()
SMALL = {"size": "4MiB", "samples": 3, "threads": 2, "requests": 512}
STORE = "watari-4194304.data"
OPENING = ("posix", "uring", "mmap", "queue")  # engines that open files here
LIAR = Path(__file__).with_name("lying_files.c")


def request(machine: dict[str, Any] = CPU_MACHINE, **given: Any) -> Request:
    return resolve("storage", {**SMALL, **given}, machine)[0]


def run(**given: Any) -> dict[str, Any]:
    """A trial in this process; checks what every good one has."""
    parameters = request(**given).parameters
    trial = cases.CASES["storage"].run(parameters)
    moved = parameters["requests"] * parameters["block"] * parameters["samples"]
    assert trial["verified"] is True
    assert len(trial["host_s"]) == parameters["samples"]
    assert trial["quantities"]["bytes"]["value"] == moved
    counted = sum(trial["histograms"]["latency"]["count"])
    assert counted == parameters["requests"] * parameters["samples"]
    return trial


def trial(launcher: str = "", limit: float = 30.0, **given: Any) -> launch.Trial:
    """A trial in a process of its own, perhaps under a launcher."""
    how = launch.Launcher.parse(launcher) if launcher else launch.Launcher()
    return launch.trial(request(**given), how, limit)


@pytest.fixture(scope="module", autouse=True)
def native() -> Any:
    return pytest.importorskip("watari._native")


@pytest.fixture
def folder(tmp_path: Path) -> str:
    """An empty folder on a disk that has direct I/O."""
    try:
        run(folder=str(tmp_path / "disk"), engine="posix", samples=1)
    except UnsupportedError as error:
        pytest.skip(str(error))
    return str(tmp_path / "disk")


# Trials that go well


def test_quantities_follow_from_samples(folder: str) -> None:
    found = run(folder=folder, engine="uring", samples=5)
    told = {name: quantity["value"] for name, quantity in found["quantities"].items()}
    assert told["requests_per_s"] == pytest.approx(512 / np.median(found["host_s"]))
    assert told["cpu_s_per_GB"] == pytest.approx(told["cpu_s"] / (told["bytes"] / 1e9))
    assert 0 < told["latency_p50"] <= told["latency_p99"] <= told["latency_p99.9"]
    assert told["latency_p99.9"] <= 1.02 * max(found["host_s"])
    assert "gpu_s" not in told  # no GPU took part
    assert "link_bytes" not in told


@pytest.mark.parametrize("direction", ["read", "write"])
@pytest.mark.parametrize("engine", OPENING)
@pytest.mark.parametrize("files", [1, 2])
def test_every_engine_moves_blocks_of_files(
    engine: str, direction: str, files: int, folder: str
) -> None:
    found = run(engine=engine, direction=direction, files=files, folder=folder)
    direct = engine != "mmap"
    assert found["quantities"]["direct"]["value"] == float(direct)
    assert not direct or found["quantities"]["page_cache_growth"]["value"] == 0
    # what was written is still whole: read by another engine
    run(engine="posix", files=files, folder=folder, pattern="sequential", block="64KiB")


@pytest.mark.parametrize("block", ["512", "4KiB", "1MiB"])
@pytest.mark.parametrize("store", ["ram", "modelled:ten-million"])
@pytest.mark.parametrize("direction", ["read", "write"])
def test_queues_serve_memory_and_models(store: str, block: str, direction: str) -> None:
    requests = min(512, 2**22 // storage.parse_block(block))
    found = run(engine="queue", store=store, block=block, direction=direction, requests=requests)
    assert "direct" not in found["quantities"]
    assert any("modelled" in note for note in found["notes"]) == (store != "ram")


@pytest.mark.parametrize("engine", OPENING)
def test_a_file_in_memory_is_read_from_the_page_cache_and_never_called_direct(engine: str) -> None:
    memory = Path("/dev/shm")
    if not os.access(memory, os.W_OK):
        pytest.skip("no file system in memory")
    place = memory / f"watari-test-{os.getpid()}"
    try:
        found = run(engine=engine, cache="warm", folder=str(place))
        assert found["quantities"]["direct"]["value"] == 0
        with pytest.raises(UnsupportedError, match=r"page cache|direct I/O|cache=cold"):
            run(engine=engine, cache="none", folder=str(place))
    finally:
        (place / STORE).unlink(missing_ok=True)
        place.rmdir()


def test_every_trial_has_an_order_of_its_own(folder: str) -> None:
    first, second = (run(folder=folder)["quantities"]["seed"]["value"] for _ in range(2))
    assert first != second


# Wrong data are seen


@pytest.fixture(scope="module")
def liar(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], str]:
    """A launcher under which files are read or written wrongly."""
    library = tmp_path_factory.mktemp("liar") / "liar.so"
    try:
        built = ["cc", "-shared", "-fPIC", "-O1", "-o", str(library), str(LIAR), "-ldl"]
        subprocess.run(built, check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("no C compiler")
    return lambda how: f"LIE={how} LD_PRELOAD={library} env"


@pytest.mark.parametrize("lie", ["damaged", "misplaced", "untouched", "torn"])
def test_what_is_read_wrongly_is_wrong(lie: str, folder: str, liar: Callable[[str], str]) -> None:
    found = trial(liar(lie), engine="posix", folder=folder)
    assert (found["status"], found["verified"]) == ("wrong", False)
    assert "sectors of 512 bytes are not whole" in found["error"]
    assert folder in found["error"]


def test_a_write_that_is_lost_is_wrong(folder: str, liar: Callable[[str], str]) -> None:
    found = trial(liar("lost"), engine="posix", direction="write", folder=folder)
    assert (found["status"], found["verified"]) == ("wrong", False)


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
    found = trial(liar(lie), engine="posix", direction=direction, folder=folder)
    assert found["status"] == "failed"
    assert says in found["error"]


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
    found = trial(engine=engine, folder=folder, pattern="sequential", requests=1024)
    assert found["status"] == "wrong"
    # 16 sectors of the first two blocks, in each of 3 samples, and none of the others
    assert found["error"].startswith("48 sectors")
    assert "remove it, and it is made anew" in found["error"]
    Path(folder, STORE).unlink()
    assert trial(engine=engine, folder=folder)["status"] == "ok"


# Faults behind the queues


@pytest.mark.parametrize("store", ["file", "ram"])
@pytest.mark.parametrize("fault", [f for f in storage.FAULTS if f not in ("none", "late-data")])
def test_a_fault_is_survived_in_time_and_told(fault: str, store: str, folder: str) -> None:
    many = 32768 if fault == "dropped" and store == "ram" else 2048
    started = time.monotonic()
    found = run(engine="queue", store=store, fault=fault, folder=folder, requests=many, block="512")
    assert time.monotonic() - started < 10
    assert "faults are injected" in " ".join(found["notes"])
    if fault == "failed" or many > 2048:
        assert any("sent again" in note for note in found["notes"])


def test_commands_sent_again_are_counted_over_all_threads() -> None:
    """One in a hundred of 12288 fails: 123, give or take 11, of which one thread had 31."""
    found = run(engine="queue", store="ram", fault="failed", threads=4, requests=4096, block="512")
    [told] = [note for note in found["notes"] if "sent again" in note]
    assert 70 < int(told.split()[0]) < 180


def test_identifiers_that_a_fault_cost_are_there_again_after_each_sample() -> None:
    """Three commands in 32768 are dropped; with 15 identifiers none would be left in the sixth."""
    given = {"requests": 32768, "block": "512", "size": "16MiB", "depth": 8, "samples": 8}
    found = trial(limit=40, engine="queue", store="ram", fault="dropped", threads=1, **given)
    assert found["status"] == "ok"


def test_data_that_come_after_their_completion_are_wrong() -> None:
    found = trial(engine="queue", store="ram", fault="late-data", requests=2048)
    assert (found["status"], found["verified"]) == ("wrong", False)
    assert "remove" not in found["error"]  # no file is to blame


@pytest.mark.parametrize("engine", ["posix", "uring", "mmap", "cufile"])
@pytest.mark.parametrize("behind", [{"store": "ram"}, {"fault": "delayed"}])
def test_what_is_behind_queues_alone_says_so(engine: str, behind: dict[str, str]) -> None:
    with pytest.raises(UnsupportedError, match=r"behind queues|GPU"):
        run(engine=engine, **behind)


@pytest.mark.parametrize("engine", ["gpu", "cufile"])
def test_engines_of_a_gpu_are_unsupported_without_one(engine: str, native: Any) -> None:
    if native.gpus()["gpus"]:
        pytest.skip("there is a GPU")
    found = trial(engine=engine)
    assert found["status"] == "unsupported"
    assert "GPU" in found["error"] or "CUDA" in found["error"]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"engine": "mmap", "cache": "none"}, "mmap goes through the page cache"),
        ({"engine": "queue", "store": "ram", "cache": "warm"}, "neither page cache nor files"),
        ({"engine": "queue", "store": "ram", "files": "2"}, "neither page cache nor files"),
        ({"engine": "gpu", "processor": "cpu"}, "engine=queue"),
    ],
)
def test_what_cannot_be_is_unsupported(given: dict[str, str], says: str) -> None:
    with pytest.raises(UnsupportedError, match=says):
        run(**given)


# Disks and folders that do not do


def in_a_small_world(command: str) -> str:
    """A launcher: the trial sees other mounts. Skips where that is not allowed."""
    allowed = subprocess.run(["unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt"])
    if allowed.returncode:
        pytest.skip("no mounts of one's own here")
    return f"unshare -rm sh -c '{command} && exec \"$@\"' sh"


def test_a_full_disk_is_told_before_anything_is_written(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    small = in_a_small_world(f"mount -t tmpfs -o size=1M none {disk}")
    found = trial(small, engine="posix", cache="warm", folder=str(disk))
    assert found["status"] == "unsupported"
    says = r" takes 4 MiB .*, and its disk has 1 MiB .* free; choose a smaller size or another f"
    assert re.search(says, found["error"])


def test_a_read_only_folder_is_told(folder: str) -> None:
    fixed = in_a_small_world(f"mount --bind {folder} {folder} && mount -o remount,bind,ro {folder}")
    for more in ({"direction": "write"}, {"size": "8MiB"}):
        found = trial(fixed, engine="posix", folder=folder, **more)
        assert found["status"] == "failed", more
        assert "read-only" in found["error"]
    assert trial(fixed, engine="posix", folder=folder)["status"] == "ok"  # reading needs no more


def test_a_folder_of_others_is_told(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0)
    powerless = "setpriv --bounding-set=-all" if os.geteuid() == 0 else ""
    found = trial(powerless, engine="posix", folder=str(closed / "mine"))
    assert found["status"] == "failed"
    assert "no permission; name a folder of your own" in found["error"]


def test_a_limit_on_files_is_told_and_nothing_is_left(tmp_path: Path) -> None:
    found = trial("prlimit --fsize=1048576", engine="posix", folder=str(tmp_path / "disk"))
    assert found["status"] == "failed"
    assert "larger than a file may be here" in found["error"]
    assert list((tmp_path / "disk").iterdir()) == []


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
    found: list[launch.Trial] = []
    given = {"engine": engine, "folder": folder, "samples": 100_000}
    worker = threading.Thread(target=lambda: found.append(trial(**given)))
    worker.start()
    deadline = time.monotonic() + 20
    while not has_open(f"{folder}/{STORE}") and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(0.2)
    os.truncate(f"{folder}/{STORE}", 2**20)
    worker.join(timeout=25)
    assert found, "it went on without the file"
    assert found[0]["status"] == "failed"
    assert "time limit" not in found[0]["error"]
    assert STORE in found[0]["error"] or "status type" in found[0]["error"]


# The command


def test_a_result_file_is_valid_and_can_be_gone_on_with(
    folder: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, axes = tmp_path / "r.json", {**SMALL, "folder": folder, "trials": 2}
    engines = ",".join(storage.ENGINES)
    words = ["storage", f"engine={engines}", *(f"{k}={v}" for k, v in axes.items())]
    with pytest.raises(SystemExit) as ended:
        cli.main(["run", *words, "-o", str(file)])
    assert ended.value.code == 0
    said = capsys.readouterr().out
    assert all(column in said for column in storage_speed.COLUMNS)
    check_against_schema(file)
    whole = json.loads(file.read_text())
    assert {c["status"] for c in whole["cases"]} <= {"ok", "unsupported"}

    cut = json.loads(file.read_text())
    del cut["cases"][0]["trials"][1]
    file.write_text(json.dumps(cut))
    with pytest.raises(SystemExit) as ended:
        cli.main(["run", *words, "--resume", str(file)])
    assert ended.value.code == 0
    again = json.loads(file.read_text())
    assert again["cases"][0]["trials"][0] == whole["cases"][0]["trials"][0]
    assert len(again["cases"][0]["trials"]) == 2
    assert again["cases"][1:] == whole["cases"][1:]


def check_against_schema(file: Path) -> None:
    """By the program, and by the published schema."""
    read = results.read(file)
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.validate(read.as_dict(), results.json_schema())


# On a GPU


@pytest.mark.gpu
class TestOnAGpu:
    @pytest.mark.parametrize("engine", ["posix", "uring", "mmap", "cufile", "gpu"])
    @pytest.mark.parametrize("block", ["4KiB", "64KiB"])
    def test_reads_come_to_the_gpus_memory(self, engine: str, block: str, folder: str) -> None:
        try:
            found = run(engine=engine, processor="gpu", block=block, folder=folder, requests=64)
        except UnsupportedError as error:
            if engine not in ("cufile", "uring"):
                raise
            pytest.skip(str(error))
        self.check(found, engine)

    @pytest.mark.parametrize("engine", ["posix", "uring", "mmap", "cufile", "gpu"])
    def test_writes_leave_the_gpus_memory(self, engine: str, folder: str) -> None:
        try:
            found = run(engine=engine, processor="gpu", direction="write", folder=folder)
        except UnsupportedError as error:
            if engine != "cufile":
                raise
            pytest.skip(str(error))
        self.check(found, engine)

    @pytest.mark.parametrize("store", ["ram", "modelled:kioxia-cm6-v"])
    @pytest.mark.parametrize("block", ["512", "4KiB", "64KiB"])
    @pytest.mark.parametrize("direction", ["read", "write"])
    def test_gpu_threads_serve_themselves(self, store: str, block: str, direction: str) -> None:
        size = format_size(2**26)
        found = run(engine="gpu", store=store, block=block, direction=direction, size=size)
        self.check(found, "gpu")

    @pytest.mark.parametrize("fault", [f for f in storage.FAULTS if f not in ("none", "late-data")])
    def test_a_fault_is_survived(self, fault: str) -> None:
        run(engine="gpu", store="ram", fault=fault, requests=4096)

    @staticmethod
    def check(found: dict[str, Any], engine: str) -> None:
        told = {name: quantity["value"] for name, quantity in found["quantities"].items()}
        entries = 80 if engine == "gpu" else 0
        requests = sum(found["histograms"]["latency"]["count"])
        assert told["link_bytes"] == told["bytes"] + entries * requests
        if engine == "cufile":
            assert "gpu_s" not in told  # what the library does there cannot be told
        else:
            assert 0 < told["gpu_s"] <= sum(found["host_s"])
            assert told["gpu_s_per_GB"] == pytest.approx(told["gpu_s"] / (told["bytes"] / 1e9))
