"""Files of a run: full disks, files of killed runs and of other processes, removed journals."""

import contextlib
import errno
import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from launching import HANGS
from runs import ARGUMENTS, COPY, finished, options, requests, start, state, wait_for_lines

from watari.common import files, lock, owner
from watari.results import schema
from watari.run import journal, launch, runner, scratch, worker
from watari.run.launcher import Launcher, python

FULL = "No space left on device"


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 256 KiB; where this user may not mount, the test is skipped."""
    disk = tmp_path / "disk"
    disk.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(disk)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("mount: needs root")
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=True)


def fill(disk):
    """Leaves no room on a disk but for empty files."""
    with contextlib.suppress(OSError), (disk / "filler").open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))


def worker_on_full_streams(tmp_path, body):
    """The exit code of a worker with full output streams, whose `copy` runs `body`."""
    (tmp_path / "case").write_text(json.dumps({"case": "copy", "parameters": {}}))
    (tmp_path / "sitecustomize.py").write_text(
        "import watari.cases as c, dataclasses\n"
        f"def run(parameters):\n    {body}\n"
        "from watari.case.profile import Phase, Profile\n"
        "nothing = lambda parameters: Profile((Phase('copy', 0),), {})\n"
        "c.CASES['copy'] = dataclasses.replace(c.CASES['copy'], run=run, profile=nothing)\n"
    )
    with open("/dev/full", "w") as full:
        return subprocess.run(
            python("watari.run.worker", "case", "result"),
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(tmp_path)},
            stdout=full,
            stderr=full,
            check=False,
        ).returncode


@pytest.mark.parametrize("body", ["print('text'); return {}", "raise RuntimeError('text')"])
def test_a_worker_that_can_say_nothing_ends_as_if_it_could(body, tmp_path):
    assert worker_on_full_streams(tmp_path, body) == 0
    assert json.loads((tmp_path / "result").read_text())["status"] in ("ok", "failed")


def test_a_worker_on_a_full_disk_says_so_by_its_exit_code(tmp_path):
    (tmp_path / "result.partial").symlink_to("/dev/full")
    assert worker_on_full_streams(tmp_path, "return {}") == worker.CANNOT_WRITE


@pytest.mark.parametrize("code", [worker.CANNOT_WRITE, 1, 120])
def test_no_trial_fails_because_the_disk_is_full(code, small_disk):
    fill(small_disk)
    result, errors = small_disk / "result", small_disk / "errors"
    errors.touch()
    with pytest.raises(OSError, match=FULL):
        launch.outcome(code, result, errors, worker.now(), 1)
    (small_disk / "filler").unlink()
    if code != worker.CANNOT_WRITE:
        assert launch.outcome(code, result, errors, worker.now(), 1)["status"] == "failed"


def test_a_disk_that_fills_up_ends_the_run_in_one_line_and_resume_completes_it(small_disk):
    asked = [*ARGUMENTS[:3], "trials=20", *ARGUMENTS[4:]]
    process = start(asked, small_disk, "slow", stderr=subprocess.PIPE)
    wait_for_lines(process, 2)
    fill(small_disk)
    errors = finished(process, 1)[1]
    assert errors.count("\n") == 1
    assert FULL in errors
    assert errors.startswith(("watari: run.json.journal: ", "watari: .trial-"))
    assert "run.json.journal: correct this and resume" in errors
    kept = journal.read(small_disk / "run.json.journal").trials[0]
    assert {trial["status"] for trial in kept} == {"ok"}
    assert not list(small_disk.glob(".trial-*"))
    (small_disk / "filler").unlink()
    finished(start(["--resume", "run.json.journal"], small_disk, "good", stderr=subprocess.PIPE))
    result = schema.read(small_disk / "run.json").cases[0]
    assert (result.status, len(result.trials)) == ("ok", 20)


def left_by_a_killed(code, directory):
    """The path that a process leaves in a folder when it kills itself."""
    begin = (
        "import os, sys, pathlib; from watari.common import files; from watari.run import scratch\n"
    )
    process = subprocess.run([sys.executable, "-c", begin + code, str(directory)], check=False)
    assert process.returncode == -9
    return next(path for path in directory.iterdir())


def dead_folder(directory):
    """The folder that a run leaves if it is killed during a trial."""
    code = (
        "with scratch.folder(pathlib.Path(sys.argv[1])) as path:\n"
        "    (path / 'case').write_text('{}'); os.kill(os.getpid(), 9)"
    )
    return left_by_a_killed(code, directory)


def dead_file(directory):
    """The file that a run leaves if it is killed while it writes its result file."""
    code = (
        "path = pathlib.Path(sys.argv[1], 'run.json')\n"
        "files.write_atomically(path, 'x', lambda temporary: os.kill(os.getpid(), 9))"
    )
    return left_by_a_killed(code, directory)


@pytest.mark.parametrize("dead", [dead_folder, dead_file])
def test_what_a_killed_run_left_goes_with_the_next(tmp_path, dead):
    assert dead(tmp_path).name.startswith((".trial-", ".run.json."))
    runner.execute(state(requests(2**20)), options(tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]


def test_a_file_that_somebody_writes_stays(tmp_path):
    left, writing = dead_file(tmp_path).name, tmp_path / "run.json"
    others = {left.replace("run", "ran"), left.replace(owner.system(), f"{owner.system()}0")}
    for name in others:
        (tmp_path / name).touch()

    def other_run(temporary):
        code = (
            "import sys; from watari.common import files; "
            "files.write_atomically(sys.argv[1], 'other')"
        )
        subprocess.run([sys.executable, "-c", code, str(writing)], check=True)
        assert temporary.exists()

    files.write_atomically(writing, "own", other_run)
    assert writing.read_text() == "own"
    assert {path.name for path in tmp_path.iterdir()} == {"run.json", *others}


def test_what_may_be_somebody_elses_stays(tmp_path):
    left = dead_folder(tmp_path).name
    system, rest = owner.system(), left.partition(owner.system())[2]
    others = {
        f".trial-{'0' * 8}{system[8:]}{rest}",  # of another host
        f".trial-{system}0{rest}",  # of another container
        ".trial-abcdefgh",
        ".trial-results",
    }
    for name in others:
        (tmp_path / name).mkdir()
    with scratch.folder(tmp_path) as own:
        (tmp_path / f"{left}x").symlink_to(own)
        (own / "case").touch()
        scratch.remove_left(tmp_path)
        assert (own / "case").exists()
        assert {path.name for path in tmp_path.iterdir()} == {own.name, f"{left}x", *others}


@pytest.fixture
def failing_close(monkeypatch):
    """Locks and streams of errors whose close fails, as on a network disk beyond its quota."""
    real = Path.open

    class Failing(io.FileIO):
        def close(self):
            was_open = not self.closed
            super().close()
            if was_open:
                raise OSError(errno.EDQUOT, os.strerror(errno.EDQUOT))

    def opened(path, mode="r", *more, encoding=None, **others):
        if (path.suffix != ".journal" and path.name != "errors") or mode == "rb":
            return real(path, mode, *more, encoding=encoding, **others)
        file = io.BufferedWriter(Failing(path, mode.strip("b")))
        return file if "b" in mode else io.TextIOWrapper(file, encoding)

    monkeypatch.setattr(Path, "open", opened)


def test_a_lock_is_given_back_though_close_fails(failing_close, tmp_path):
    for _ in range(2):
        with lock.taken(tmp_path / "run.json.journal") as nothing:
            assert nothing is None
    assert list(tmp_path.iterdir()) == []


def test_a_trial_is_waited_for_though_its_errors_cannot_be_closed(failing_close, tmp_path):
    result = launch.trial(COPY, Launcher(), HANGS, tmp_path)
    assert result["status"] == "ok", result
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_removed_stays(tmp_path, monkeypatch):
    def failing(*arguments, **more):  # as if a folder could not be closed
        raise OSError(errno.EDQUOT, os.strerror(errno.EDQUOT))

    with scratch.folder(tmp_path) as own:
        monkeypatch.setattr(shutil, "rmtree", failing)
    assert own.exists()


def test_a_journal_that_was_removed_is_written_anew(tmp_path):
    process = start([*ARGUMENTS[:3], "trials=6", *ARGUMENTS[4:]], tmp_path, "slow")
    wait_for_lines(process, 2)
    (tmp_path / "run.json.journal").unlink()
    wait_for_lines(process, 2)
    assert len((tmp_path / "run.json.journal").read_text().splitlines()) > 4
    finished(process)
    assert len(schema.read(tmp_path / "run.json").cases[0].trials) == 6
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]


def test_a_journal_removed_at_the_end_is_no_error(tmp_path, monkeypatch):
    def written(output, measured, write=schema.write):
        write(output, measured)
        (tmp_path / "run.json.journal").unlink()
        (tmp_path / "run.json.journal").write_text("another run's\n")

    monkeypatch.setattr(schema, "write", written)
    runner.execute(state(requests(2**20)), options(tmp_path))
    assert (tmp_path / "run.json.journal").read_text() == "another run's\n"


def test_a_run_whose_folder_is_removed_says_what_is_lost(tmp_path):
    folder = tmp_path / "results"
    arguments = [*ARGUMENTS[:-1], "results/run.json"]
    process = start(arguments, tmp_path, "slow", stderr=subprocess.PIPE)
    wait_for_lines(process, 2)
    folder.rename(tmp_path / "gone")  # at one moment: the journal and what trials make in it
    errors = finished(process, 1)[1]
    assert errors.count("\n") == 1
    assert "No such file" in errors
    assert "lost: results/run.json.journal was removed" in errors
