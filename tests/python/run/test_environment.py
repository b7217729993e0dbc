"""The environment of a run: modules of the current folder, HOME, batch jobs, odd file names."""

import contextlib
import os
import pwd
import subprocess

import fake_cli
import pytest
from launching import HANGS
from runs import ARGUMENTS, COPY, start

from watari.case import axis
from watari.cases.storage import trial as storage_trial
from watari.common import variables
from watari.common.errors import UsageError
from watari.plan.request import resolve
from watari.results import schema
from watari.run import launch, prefault, prepare, worker
from watari.run.launcher import Launcher, python, safe_path

FOREIGN = ("json", "numpy", "typing", "statistics", "subprocess", "sitecustomize", "runpy")


@pytest.fixture
def foreign(tmp_path, monkeypatch):
    """A current folder with modules of the names that Watari needs."""
    folder = tmp_path / "foreign"
    folder.mkdir()
    spy = f"from os import open as o\no({str(tmp_path / 'marker')!r}, 0o102)\n"
    for name in FOREIGN:
        (folder / f"{name}.py").write_text(spy)
    (folder / "watari").mkdir()
    (folder / "watari" / "__init__.py").write_text(spy)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PYTHONPATH", f":{tmp_path / 'no such folder'}:")
    return folder


@pytest.mark.parametrize("safe", ["", "1"])
@pytest.mark.usefixtures("foreign")
def test_modules_of_the_current_folder_are_not_run(safe, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONSAFEPATH", safe)
    result = launch.trial(COPY, Launcher(), HANGS, tmp_path)
    assert result["status"] == "ok", result
    assert prefault.start(2**20)
    subprocess.run(
        python("watari.run.gpu_mpi"),
        env=safe_path(os.environ),
        check=False,
        timeout=HANGS,
    )
    assert not (tmp_path / "marker").exists()


@pytest.mark.parametrize(("size", "touched"), [(2**20, False), (2**27, True)])
def test_few_bytes_are_not_touched_beforehand(size, touched):
    machine = fake_cli.machine() | {"memory_available_bytes": 2**33}
    asked = resolve("copy", {"processor": "cpu", "size": size}, machine)
    assert (prefault.wanted(asked, machine) >= size) == touched


@pytest.mark.parametrize("home", ["", "relative", None])
def test_without_a_home_the_password_file_has_it(home, monkeypatch):
    monkeypatch.delenv("HOME")
    if home is not None:
        monkeypatch.setenv("HOME", home)
    assert axis.expanded("~/a") == f"{pwd.getpwuid(os.getuid()).pw_dir.rstrip('/')}/a"
    monkeypatch.setattr(pwd, "getpwuid", {}.__getitem__)  # a user without a name
    with pytest.raises(UsageError, match="HOME is not set"):
        axis.expanded("~/a")
    for case in ("storage", "gemm"):
        with pytest.raises(UsageError, match="give folder=DIR"):
            resolve(case, {"store": "file", "processor": "cpu"}, fake_cli.machine())
    monkeypatch.setenv("HOME", "/")
    assert axis.expanded("~/a") == "/a"


def test_an_empty_home_is_not_the_root(monkeypatch):
    folders = []
    monkeypatch.setenv("HOME", "")
    monkeypatch.setattr(
        "watari.cases.storage._native.storage", lambda given: folders.extend(given["folders"])
    )
    asked = resolve("storage", {"processor": "cpu", "engine": "posix"}, fake_cli.machine())[0]
    with contextlib.suppress(TypeError):  # the stub returns no trial
        storage_trial.run(asked.parameters)
    assert folders == [f"{pwd.getpwuid(os.getuid()).pw_dir.rstrip('/')}/.cache/watari"]


@pytest.mark.parametrize(
    "variables",
    [
        {"SLURM_PROCID": "3", "SLURM_NTASKS": "4", "SLURM_NTASKS_PER_NODE": "4(x2)"},
        {"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "2"},
        {"PMI_RANK": "x", "SLURM_LOCALID": ""},
    ],
)
def test_ranks_of_a_batch_job_are_not_those_of_a_trial(variables, tmp_path, monkeypatch):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    result = launch.trial(COPY, Launcher(), HANGS, tmp_path)
    assert (result["status"], result["ranks"]) == ("ok", 1), result


@pytest.mark.parametrize(("text", "number"), [("4(x2),3", 4), ("2,1", 2), ("x", 7), ("", 7)])
def test_numbers_of_a_launcher_are_read_as_it_writes_them(text, number, monkeypatch):
    monkeypatch.setenv("SLURM_NTASKS_PER_NODE", text)
    assert worker.from_launcher(("SLURM_NTASKS_PER_NODE",), 7) == number


def test_bytes_that_are_no_text_are_no_error(tmp_path):
    process = start(
        [*ARGUMENTS[:3], "trials=1", "-o", b"\xff.json"],
        tmp_path,
        "good",
        stderr=subprocess.PIPE,
        errors="replace",
    )
    assert process.communicate(timeout=HANGS)[1] == ""
    assert process.returncode == 0
    result = schema.read(tmp_path / os.fsdecode(b"\xff.json"))
    assert "\ufffd" in variables.kept_command(["-o", os.fsdecode(b"\xff.json")])
    assert variables.kept({"NCCL_ALGO": "\udcff"}) == {"NCCL_ALGO": "\ufffd"}
    assert result.cases[0].status == "ok"
    with pytest.raises(UsageError, match="UTF-8"):
        axis.parse_folder(os.fsdecode(b"/\xff"))


@pytest.mark.parametrize("length", [245, 300])
def test_a_name_that_is_too_long_is_reported_before_measuring(length, tmp_path):
    with pytest.raises(UsageError, match="File name too long"):
        prepare.check_journal(tmp_path / ("x" * length + ".json"), None)
