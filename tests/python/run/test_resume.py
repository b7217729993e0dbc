"""A run that was killed, or cut short, resumes."""

import errno
import fcntl
import json
import os
import signal
import subprocess
from pathlib import Path

import pytest
from launching import HANGS
from runs import (
    ARGUMENTS,
    Recorder,
    finished,
    launch_good,
    options,
    requests,
    start,
    state,
    wait_for_lines,
)

from watari.common.errors import FileError, UsageError
from watari.results import schema
from watari.run import journal, prepare, resume, runner


def test_a_journal_left_by_a_kill_is_continued(tmp_path):
    asked = requests(2**20, 2**21)
    before = state(asked)
    path = journal.path_for(tmp_path / "run.json")
    kept = journal.Journal(path, before)
    trial = json.loads(json.dumps({**launch_good(tmp_path), "host_s": [0.5]}))
    kept.add(1, trial)
    kept.file.write('{"request": 0, "trial": {"sta')  # the machine stopped here
    kept.close()
    after, output = resume.load(path)
    assert output == tmp_path / "run.json"
    assert after.requests == asked
    assert after.trials == [[], [journal.checked_trial(asked[1], trial)]]
    recorder = Recorder()
    measured, _ = runner.execute(after, options(tmp_path, progress=recorder))
    assert len(recorder.finished) == 3
    assert [[t.host_s for t in c.trials] for c in measured.cases] == [
        [[0.01, 0.01, 0.02]] * 2,
        [[0.5], [0.01, 0.01, 0.02]],
    ]
    assert not path.exists()


def test_an_earlier_journal_is_continued(tmp_path):
    """`tests/fixtures/run/journal.txt`, of 7c6bb47: three of four trials, and a line cut short."""
    earlier = Path(__file__).parents[2] / "fixtures" / "run" / "journal.txt"
    journal.path_for(tmp_path / "run.json").write_text(earlier.read_text())
    process = start(["--resume", "run.json"], tmp_path, "good")
    assert process.wait(HANGS) == 0
    measured = schema.read(tmp_path / "run.json")
    assert [[t.host_s for t in c.trials] for c in measured.cases] == [
        [[0.5, 0.25, 0.25], [0.5, 0.5, 0.5]],
        [[0.5, 0.25, 0.25], [0.01, 0.01, 0.02]],
    ]
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]


def test_a_trial_of_a_request_that_is_not_there_is_refused(tmp_path):
    earlier = Path(__file__).parents[2] / "fixtures" / "run" / "journal.txt"  # without checksums
    path = tmp_path / "run.json.journal"
    lines = earlier.read_text().split("\n")[:-1]
    path.write_text("\n".join([*lines[:-1], lines[-1].replace('"request": 1', '"request": 2'), ""]))
    with pytest.raises(FileError, match=f"line {len(lines)}: .*request 2 of 2"):
        journal.read(path)


@pytest.mark.parametrize("name", ["", ".", "/", ".journal"])
def test_what_names_no_file_is_refused(name):
    with pytest.raises(UsageError, match="names no result file"):
        resume.load(Path(name))


def test_a_result_file_with_missing_trials_is_continued(tmp_path):
    asked = requests(2**20, 2**21, 2**22, trials=3)
    before = state(asked)
    before.trials[0] = [launch_good(tmp_path)] * 3
    before.trials[2] = [launch_good(tmp_path)]
    schema.write(tmp_path / "run.json", runner.assemble(before))
    after, output = resume.load(tmp_path / "run.json")
    assert output == tmp_path / "run.json"
    measured, _ = runner.execute(after, options(tmp_path))
    assert {c.parameters["size"]: len(c.trials) for c in measured.cases} == {
        2**20: 3,
        2**21: 3,
        2**22: 3,
    }
    assert {c.bytes_per_sample for c in measured.cases} == {20_000_000}
    assert measured.missing == []


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (lambda s: setattr(s.program, "revision", "def"), "revision was abc, is now def"),
        (lambda s: setattr(s.machine, "driver", "580.1"), "driver"),
        (lambda s: setattr(s.machine, "name", "other"), "machine name"),
        (lambda s: setattr(s.machine.processors[0], "name", "Grace"), "processors"),
        (lambda s: setattr(s, "requests", requests(2**23)), "plan.*8MiB.*is not in it"),
        (lambda s: setattr(s, "requests", []), "plan.*1MiB.*is not in the plan given"),
    ],
)
def test_what_does_not_fit_is_refused_and_named(change, word, tmp_path):
    old, new = state(requests(2**20)), state(requests(2**20))
    resume.check_fit(old, new, tmp_path / "run.json", True)
    change(new)
    with pytest.raises(UsageError, match=rf"run\.json cannot be resumed.*{word}"):
        resume.check_fit(old, new, tmp_path / "run.json", True)


@pytest.mark.parametrize(
    ("edit", "word"),
    [
        (lambda lines: [], "line 1"),
        (lambda lines: ["{}", *lines[1:]], "line 1.*schema"),
        (lambda lines: ["[1]", *lines[1:]], "line 1"),
        (lambda lines: [lines[0].replace('"schema": 1', '"schema": 2')], "by a newer Watari"),
        (lambda lines: [lines[0].replace('"hosts"', '"hostess"')], "line 1: machine.hosts"),
        (lambda lines: [lines[0], "{", lines[1]], "line 2"),
        (lambda lines: [lines[0], lines[1].replace("0.01", '"x"')], r"line 2: host_s\[0\]"),
        (lambda lines: [lines[0], lines[1].replace('"request": 0', '"request": 9')], "line 2"),
    ],
)
def test_malformed_journal_names_file_and_line(edit, word, tmp_path):
    path = tmp_path / "run.json.journal"
    kept = journal.Journal(path, state(requests(2**20)))
    kept.add(0, launch_good(tmp_path))
    kept.close()
    lines = [line.rpartition(journal.CHECKSUM)[0] + "}" for line in path.read_text().splitlines()]
    path.write_text("".join(line + "\n" for line in edit(lines)))
    with pytest.raises(FileError, match=rf"run\.json\.journal: .*{word}"):
        journal.read(path)


@pytest.mark.parametrize(
    ("edit", "number"),
    [
        (lambda lines: [*lines[:2], lines[2].replace("0.02", "0.03"), lines[3]], 3),
        (lambda lines: [lines[0].replace("abc", "abd"), *lines[1:]], 1),
        (lambda lines: [lines[0], *lines[2:]], 2),
        (lambda lines: [*lines[:2], lines[1], *lines[2:]], 3),
        (lambda lines: [lines[0], lines[2], lines[1], lines[3]], 2),
        (lambda lines: [*lines[:2], lines[2].rpartition(journal.CHECKSUM)[0] + "}", lines[3]], 3),
    ],
)
def test_a_changed_line_of_a_journal_is_not_resumed(edit, number, tmp_path):
    path = tmp_path / "run.json.journal"
    kept = journal.Journal(path, state(requests(2**20)))
    for _ in range(3):
        kept.add(0, launch_good(tmp_path))
    kept.close()
    path.write_text("".join(line + "\n" for line in edit(path.read_text().splitlines())))
    with pytest.raises(FileError, match=rf"line {number}: wrong checksum.*remove it and all"):
        journal.read(path)
    path.write_text("".join(path.read_text().splitlines(keepends=True)[: number - 1]))
    if number > 1:
        assert len(journal.read(path).trials[0]) == number - 2


def test_nothing_to_continue_is_a_file_error(tmp_path):
    with pytest.raises(FileError, match=r"absent\.json"):
        resume.load(tmp_path / "absent.json")


def test_a_journal_is_of_one_run_until_its_result_is_written(tmp_path, monkeypatch):
    path = journal.path_for(tmp_path / "run.json")

    def written(output, measured, write=schema.write):
        with pytest.raises(UsageError, match="is being written by another run"):
            journal.Journal(path, state(requests(2**20)))
        with pytest.raises(UsageError, match="is being written by another run"):
            journal.read(path)
        write(output, measured)

    monkeypatch.setattr(schema, "write", written)
    runner.execute(state(requests(2**20)), options(tmp_path))
    assert [file.name for file in tmp_path.iterdir()] == ["run.json"]


def test_a_journal_stays_that_is_not_the_one_to_be_resumed(tmp_path):
    left, other = tmp_path / "left.json", tmp_path / "other.json"
    for output in (left, other):
        journal.Journal(journal.path_for(output), state(requests(2**20))).close()
    prepare.check_journal(left, left)
    (tmp_path / "again").symlink_to(tmp_path)
    prepare.check_journal(tmp_path / "again" / "left.json", left)
    prepare.check_journal(tmp_path / "new.json", left)
    journal.path_for(tmp_path / "new.json").touch()  # its run was killed before it measured
    prepare.check_journal(tmp_path / "new.json", None)
    for resumed in (None, left):
        with pytest.raises(UsageError, match=r"--resume .*other\.json\.journal, or remove it"):
            prepare.check_journal(other, resumed)


def test_a_journal_that_cannot_be_begun_leaves_nothing(tmp_path, monkeypatch):
    def full(source, target):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(FileError, match=r"run\.json\.journal: cannot be written: No space left"):
        journal.Journal(tmp_path / "run.json.journal", state(requests(2**20)))
    assert list(tmp_path.iterdir()) == []


def test_a_file_system_without_locks_does_not_hinder(tmp_path, monkeypatch):
    def none(file, how):
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))

    monkeypatch.setattr(fcntl, "flock", none)
    path = tmp_path / "run.json.journal"
    journal.Journal(path, state(requests(2**20))).close()
    assert journal.read(path).requests == requests(2**20)


# The tests below need processes of their own.


def test_a_killed_run_leaves_a_journal_and_continues(tmp_path):
    process = start(ARGUMENTS, tmp_path, "slow")
    wait_for_lines(process, 2)
    process.kill()
    process.communicate()
    assert not (tmp_path / "run.json").exists()
    again = start(ARGUMENTS, tmp_path, "good", stderr=subprocess.PIPE)
    assert "--resume run.json.journal" in finished(again, 2)[1]
    resumed = start(["--resume", "run.json"], tmp_path, "good")
    wait_for_lines(resumed, 4)
    resumed.send_signal(signal.SIGINT)
    assert "run.json" in resumed.communicate(timeout=HANGS)[0]
    result = schema.read(tmp_path / "run.json")
    assert len(result.cases[0].trials) > 4
    other = start(
        ["--resume", "run.json"],
        tmp_path,
        "good",
        stderr=subprocess.PIPE,
        env={"FAKE_REVISION": "def"},
    )
    assert "revision was abc, is now def" in finished(other, 2)[1]


def test_what_a_living_run_writes_is_no_other_runs(tmp_path):
    process = start(ARGUMENTS, tmp_path, "slow")
    wait_for_lines(process, 2)
    for arguments in (ARGUMENTS, ["--resume", "run.json"], ["--resume", "run.json.journal"]):
        other = start(arguments, tmp_path, "good", stderr=subprocess.PIPE)
        says = finished(other, 2)[1]
        assert says == "watari: run.json.journal is being written by another run\n"
    done = len((tmp_path / "run.json.journal").read_text().splitlines()) - 1
    process.send_signal(signal.SIGINT)
    finished(process, 130)
    assert len(schema.read(tmp_path / "run.json").cases[0].trials) >= done >= 2
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]
