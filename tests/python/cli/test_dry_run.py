"""`run --dry-run` measures and writes nothing; `run --quick` measures each case once."""

from __future__ import annotations

import re
from pathlib import Path

import fake_cli
import pytest
import synthetic
from command_line import ended

from watari.cases import CASES
from watari.cli import dry_run
from watari.machine import record
from watari.plan import plan
from watari.plan.request import resolve
from watari.results import schema


def run(*words: str) -> int:
    return ended("run", *words)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def test_a_dry_run_writes_nothing(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        run("copy", "processor=cpu", "size=1MiB,2MiB", "trials=3", "samples=10", "--dry-run") == 0
    )
    out = capsys.readouterr().out
    assert "2 cases, 6 trials: 189 MB, about " in out  # 3 x 10 x 2 x (1 + 2) MiB
    assert "disk: none" in out
    assert list(here.iterdir()) == []


def test_an_output_is_checked_as_in_a_run(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "a.out").write_text("#!/bin/sh\n")
    for name in ("a.out", "nowhere/run.json"):
        assert run("copy", "processor=cpu", "--dry-run", "-o", name) == 2
        assert name in capsys.readouterr().err
    assert run("copy", "processor=cpu", "--dry-run", "-o", "run.json") == 0
    assert [path.name for path in here.iterdir()] == ["a.out"]


def test_rows_of_a_sweep_differ(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("copy", "processor=cpu", "size=1MiB", "threads=1,2", "--dry-run") == 0
    out = capsys.readouterr().out
    assert "1MiB threads=1 " in out
    assert "1MiB threads=2 " in out


def test_a_dry_run_of_files_tells_their_bytes(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["storage", "processor=cpu", "size=64MiB,128MiB", "engine=uring,posix", "--dry-run"]
    assert run(*words) == 0
    assert "disk: 134 MB in ~/.cache/watari" in capsys.readouterr().out
    assert list(here.iterdir()) == []


def test_disk_is_the_largest_store_of_each_case_and_folder(tmp_path: Path) -> None:
    machine = fake_cli.machine()
    other = str(tmp_path)
    asked = [
        *resolve("storage", {"size": ["64MiB", "32MiB"], "processor": "cpu"}, machine),
        *resolve("storage", {"size": "16MiB", "folder": other, "processor": "cpu"}, machine),
        *resolve("storage", {"size": "1GiB", "store": "ram", "engine": "queue"}, machine),
    ]
    assert dry_run.disk(asked) == {"~/.cache/watari": 2**26, other: 2**24}


def test_what_this_machine_lacks_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("copy", "processor=gpu", "from=pinned", "to=device", "--dry-run") == 0
    out = capsys.readouterr().out
    assert "not on this machine" in out
    assert ": 0 B, about" in out


def test_files_of_a_case_that_will_not_run_take_no_disk(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run("storage", "engine=gpu,posix", "size=64MiB", "--dry-run") == 0
    assert "disk: 67.1 MB in" in capsys.readouterr().out
    assert run("storage", "engine=gpu", "size=64MiB", "--dry-run") == 0
    assert "disk: none" in capsys.readouterr().out


def test_on_a_cpu_only_cases_of_memory_of_a_gpu_lack_something() -> None:
    machine = fake_cli.machine()
    lacking = {
        name
        for name, case in CASES.items()
        if "processor" in case.axes
        for one in resolve(name, {"processor": "cpu"}, machine)
        if dry_run.note(one, record.Machine.model_validate(machine))
    }
    assert lacking == {"access", "kernel", "touch"}


def test_every_plan_of_ours_has_a_dry_run() -> None:
    machine = synthetic.gpu_machine()
    for path in plan.stored().values():
        requests = plan.read(path, machine).requests
        assert str(len(requests)) in dry_run.totals(requests, 0, 1.0, {})
        dry_run.render(requests, machine)


def test_a_quick_run_has_one_trial_of_each_case(here: Path) -> None:
    words = ["copy", "processor=cpu", "size=1MiB,2MiB", "--quick", "-o", "run.json"]
    assert run(*words, *fake_cli.launcher("good")) == 0
    measured = schema.read(here / "run.json")
    assert [len(case.trials) for case in measured.cases] == [1, 1]
    assert {case.parameters["samples"] for case in measured.cases} == {plan.QUICK_SAMPLES}
    assert measured.plan is not None
    assert measured.plan.name.endswith(", quick")


def test_quick_and_trials_contradict_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("copy", "trials=3", "--quick") == 2
    assert re.search("--quick sets trials and samples: leave out trials=", capsys.readouterr().err)


def test_profiles_count_the_disk_of_files_alone() -> None:
    machine = fake_cli.machine()
    for case in CASES.values():
        if "store" not in case.axes:
            (request, *_) = resolve(
                case.name, {"processor": "cpu"} if "processor" in case.axes else {}, machine
            )
            assert case.profile(request.parameters).disk == 0


def test_a_dry_run_of_a_resumed_run_shows_what_is_left(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["copy", "processor=cpu", "size=1MiB", "trials=3", "-o", "run.json", "--budget", "1s"]
    assert run(*words, *fake_cli.launcher("good")) == 0
    done = sum(len(case.trials) for case in schema.read(here / "run.json").cases)
    before = (here / "run.json").read_text()
    capsys.readouterr()
    assert run("--resume", "run.json", "--dry-run", *fake_cli.launcher("good")) == 0
    assert f"1 case, {3 - done} trial" in capsys.readouterr().out
    assert (here / "run.json").read_text() == before
