"""A run keeps what it measured: through crashes, Ctrl-C, kills, a full disk and an empty budget."""

import contextlib
import errno
import fcntl
import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import fake_cli
import pytest
import synthetic

from watari import budget, journal, launch, prepare, results, resume, run
from watari.errors import FileError, UsageError
from watari.request import Request, resolve

CLI = Path(fake_cli.__file__)
FAKE = fake_cli.FAKE


def requests(*sizes, trials=2, processor="cpu"):
    given = {"processor": processor, "size": list(sizes), "trials": trials, "samples": 3}
    return resolve("copy", given, fake_cli.machine())


def state(asked):
    plan = fake_cli.prepare.Plan("test", tuple(asked))
    return fake_cli.prepare.fresh(plan, fake_cli.machine(), launch.Launcher())


def options(tmp_path, how="good", **given):
    launcher = launch.Launcher.parse(f"{sys.executable} {FAKE} {how} --")
    return run.Options(tmp_path / "run.json", launcher, **given)


class Recorder:
    """A progress that remembers."""

    def __init__(self):
        self.finished, self.left = [], []

    def start(self, text, left):
        self.left.append(left)

    def finish(self, text, left):
        self.finished.append(text)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


def test_trials_go_round_the_cases(tmp_path):
    recorder = Recorder()
    asked = requests(2**20, 2**21, trials=2)
    measured, interrupted = run.execute(state(asked), options(tmp_path, progress=recorder))
    assert not interrupted
    assert [(" 1MiB" in text, "trial 1 of 2" in text) for text in recorder.finished] == [
        (True, True),
        (False, True),
        (True, False),
        (False, False),
    ]
    assert recorder.left == sorted(recorder.left, reverse=True)
    assert [len(case.trials) for case in measured.cases] == [2, 2]
    assert measured.missing == []


def test_result_file_holds_every_sample_and_the_journal_is_gone(tmp_path):
    run.execute(state(requests(2**20)), options(tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]
    found = results.read(tmp_path / "run.json")
    case = found.cases[0]
    assert (case.status, case.trials_planned, case.bytes_per_sample) == ("ok", 2, 20_000_000)
    assert [trial.host_s for trial in case.trials] == [[0.01, 0.01, 0.02]] * 2
    assert found.plan.name == "test"
    assert found.program.finished


def test_unsupported_ends_its_case_after_one_trial(tmp_path):
    asked = requests(2**20) + requests(2**20, processor="gpu")
    measured, _ = run.execute(state(asked), options(tmp_path, "unsupported-gpu"))
    assert [(c.status, len(c.trials)) for c in measured.cases] == [("ok", 2), ("unsupported", 1)]
    assert measured.cases[1].reason == "no GPU driver"
    assert measured.missing == []


def test_what_makes_no_sense_in_a_sweep_is_unsupported_and_starts_nothing(tmp_path):
    given = {"processor": "cpu", "n": 2048, "fast-memory": "24MiB", "tile": [512, 2048]}
    asked = resolve("gemm", given, fake_cli.machine())
    measured, _ = run.execute(state(asked), options(tmp_path))
    assert [(c.status, len(c.trials)) for c in measured.cases] == [("ok", 5), ("unsupported", 1)]
    assert "too small for tile=2048" in measured.cases[1].reason
    seconds = [budget.Estimate(state([]).machine).seconds(request) for request in asked]
    assert seconds[1] == budget.REFUSED_SECONDS < seconds[0]


def test_a_crash_is_one_failed_trial_and_the_rest_goes_on(tmp_path):
    asked = requests(2**20, 2**21, 2**19)
    measured, _ = run.execute(state(asked), options(tmp_path, "crash-large"))
    assert [case.status for case in measured.cases] == ["ok", "failed", "ok"]
    assert "SIGSEGV" in measured.cases[1].reason
    assert [len(case.trials) for case in measured.cases] == [2, 2, 2]


def test_a_hang_is_a_failed_trial_with_its_limit(tmp_path):
    measured, _ = run.execute(
        state(requests(2**20, trials=1)), options(tmp_path, "hang", time_limit=0.3)
    )
    assert measured.cases[0].status == "failed"
    assert "0.3 s" in measured.cases[0].reason


def test_a_malformed_trial_is_failed_and_names_the_field(tmp_path):
    measured, _ = run.execute(state(requests(2**20, trials=1)), options(tmp_path, "malformed"))
    assert measured.cases[0].status == "failed"
    assert "host_s.0" in measured.cases[0].reason


@pytest.mark.parametrize("done", [1, 2])
def test_interrupts_between_trials_and_at_the_end_keep_all_results(done, tmp_path, monkeypatch):
    class Stop(Recorder):
        def finish(self, text, left):
            super().finish(text, left)
            if len(self.finished) == done:
                signal.raise_signal(signal.SIGINT)

    def interrupted(path, measured, write=results.write):
        signal.raise_signal(signal.SIGINT)
        write(path, measured)

    monkeypatch.setattr(results, "write", interrupted)
    with contextlib.suppress(KeyboardInterrupt):  # which would end all tests
        assert run.execute(state(requests(2**20)), options(tmp_path, progress=Stop()))[1]
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]
    assert len(results.read(tmp_path / "run.json").cases[0].trials) == done


def test_budget_ends_in_time_and_says_what_is_missing(tmp_path):
    asked = requests(2**20, 2**21, trials=20)
    started = time.monotonic()
    recorder = Recorder()
    measured, interrupted = run.execute(
        state(asked), options(tmp_path, "slow", deadline=started + 5, progress=recorder)
    )
    assert time.monotonic() - started < 5
    assert not interrupted
    done = [len(case.trials) for case in measured.cases]
    assert min(done) >= 1
    assert max(done) - min(done) <= 1
    assert [m.trials for m in measured.missing] == [20 - n for n in done]
    assert {case.status for case in measured.cases} == {"ok"}


def test_under_a_budget_slow_cases_get_fewer_trials_but_each_one_first():
    now = state(requests(2**20, 2**21, 2**22, trials=9))
    spent, taken, order = [0.0, 0.0, 0.0], [1.0, 4.0, 2.0], []
    for _ in range(10):
        index = run.following(now, spent, set(), fair=True)
        order.append(index)
        now.trials[index].append({"status": "ok"})
        spent[index] += taken[index]
    assert order[:3] == [0, 1, 2]
    assert [order.count(i) for i in range(3)] == [5, 2, 3]
    assert run.following(now, spent, {0, 1, 2}, fair=True) is None


def test_a_trial_that_the_budget_cuts_is_missing_not_failed(tmp_path):
    deadline = time.monotonic() + 4
    measured, _ = run.execute(
        state(requests(2**20, trials=1)), options(tmp_path, "hang", deadline=deadline)
    )
    assert measured.cases == []
    assert [m.trials for m in measured.missing] == [1]


def test_a_case_that_no_longer_fits_lets_a_shorter_one_run():
    estimate = budget.Estimate(state([]).machine)
    long, short = requests(2**30, 2**20)
    estimate.learn(long, 100.0, 98.0)
    assert estimate.seconds(long) == 100.0
    assert estimate.seconds(short) < 2
    twice = Request("copy", {**long.parameters, "samples": 8}, 1)
    assert 150 < estimate.seconds(twice) < 250


def test_guesses_follow_what_other_cases_took():
    estimate = budget.Estimate(state([]).machine)
    (known,) = requests(2**30)
    (other,) = resolve("touch", {"memory": "pageable"}, fake_cli.machine())
    before = estimate.seconds(other)
    estimate.learn(known, 20.0, 19.0)
    assert estimate.seconds(other) > 2 * before


@pytest.mark.parametrize(
    ("style", "rate"), [("explicit", 1e12), ("managed", 1e12), ("pinned", 4e10)]
)
def test_of_the_styles_pinned_alone_crosses_the_link_each_time(style, rate):
    wanted = {"processor": "gpu", "style": style}
    assert budget.typical_rate(resolve("himeno", wanted, synthetic.gpu_machine())[0]) == rate


@pytest.mark.parametrize(
    ("given", "quick"),
    [
        ({"processor": "cpu", "size": "8GiB"}, False),
        ({"processor": "cpu", "size": "1TiB"}, True),
        ({"processor": "gpu", "size": "8GiB"}, True),
        ({"processor": "cpu", "from": "managed", "size": "8GiB"}, True),
    ],
)
def test_what_the_machine_lacks_is_tried_whatever_the_budget(given, quick):
    request = resolve("copy", {**given, "samples": 1000}, fake_cli.machine())[0]
    seconds = budget.Estimate(state([]).machine).seconds(request)
    assert (seconds < 5) == quick


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
    assert after.trials == [[], [trial]]
    recorder = Recorder()
    measured, _ = run.execute(after, options(tmp_path, progress=recorder))
    assert len(recorder.finished) == 3
    assert [[t.host_s for t in c.trials] for c in measured.cases] == [
        [[0.01, 0.01, 0.02]] * 2,
        [[0.5], [0.01, 0.01, 0.02]],
    ]
    assert not path.exists()


def launch_good(tmp_path):
    return launch.trial(requests(2**20)[0], options(tmp_path).launcher, 20, tmp_path)


def test_a_result_file_with_missing_trials_is_continued(tmp_path):
    asked = requests(2**20, 2**21, 2**22, trials=3)
    before = state(asked)
    before.trials[0] = [launch_good(tmp_path)] * 3
    before.trials[2] = [launch_good(tmp_path)]
    results.write(tmp_path / "run.json", run.assemble(before))
    after, output = resume.load(tmp_path / "run.json")
    assert output == tmp_path / "run.json"
    measured, _ = run.execute(after, options(tmp_path))
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
    with pytest.raises(UsageError, match=rf"run\.json cannot be continued.*{word}"):
        resume.check_fit(old, new, tmp_path / "run.json", True)


@pytest.mark.parametrize(
    ("edit", "word"),
    [
        (lambda lines: [], "line 1"),
        (lambda lines: ["{}", *lines[1:]], "line 1.*schema"),
        (lambda lines: ["[1]", *lines[1:]], "line 1"),
        (lambda lines: [lines[0].replace('"schema": 1', '"schema": 2')], "schema: is 2"),
        (lambda lines: [lines[0].replace('"hosts"', '"hostess"')], "line 1: hosts"),
        (lambda lines: [lines[0], "{", lines[1]], "line 2"),
        (lambda lines: [lines[0], lines[1].replace("0.01", '"x"')], r"line 2: host_s\.0"),
        (lambda lines: [lines[0], lines[1].replace('"request": 0', '"request": 9')], "line 2"),
    ],
)
def test_malformed_journal_names_file_and_line(edit, word, tmp_path):
    path = tmp_path / "run.json.journal"
    kept = journal.Journal(path, state(requests(2**20)))
    kept.add(0, launch_good(tmp_path))
    kept.close()
    path.write_text("".join(line + "\n" for line in edit(path.read_text().splitlines())))
    with pytest.raises(FileError, match=rf"run\.json\.journal: .*{word}"):
        journal.read(path)


def test_nothing_to_continue_is_a_file_error(tmp_path):
    with pytest.raises(FileError, match=r"absent\.json"):
        resume.load(tmp_path / "absent.json")


def test_a_journal_is_of_one_run_until_its_result_is_written(tmp_path, monkeypatch):
    path = journal.path_for(tmp_path / "run.json")

    def written(output, measured, write=results.write):
        with pytest.raises(UsageError, match="is being written by another run"):
            journal.Journal(path, state(requests(2**20)))
        with pytest.raises(UsageError, match="is being written by another run"):
            journal.read(path)
        write(output, measured)

    monkeypatch.setattr(results, "write", written)
    run.execute(state(requests(2**20)), options(tmp_path))
    assert [file.name for file in tmp_path.iterdir()] == ["run.json"]


def test_a_journal_stays_that_is_not_the_one_to_be_gone_on_with(tmp_path):
    left, other = tmp_path / "left.json", tmp_path / "other.json"
    for output in (left, other):
        journal.Journal(journal.path_for(output), state(requests(2**20))).close()
    prepare.check_output(left, left)
    (tmp_path / "again").symlink_to(tmp_path)
    prepare.check_output(tmp_path / "again" / "left.json", left)
    prepare.check_output(tmp_path / "new.json", left)
    journal.path_for(tmp_path / "new.json").touch()  # its run was killed before it measured
    prepare.check_output(tmp_path / "new.json", None)
    for resumed in (None, left):
        with pytest.raises(UsageError, match=r"--resume .*other\.json\.journal, or remove it"):
            prepare.check_output(other, resumed)


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


# What follows needs a process of its own: signals and limits.


def start(arguments, tmp_path, how, **given):
    command = [sys.executable, str(CLI), "run", *arguments, *fake_cli.launcher(how)]
    package = str(Path(run.__file__).parents[1])
    environment = {**os.environ, "PYTHONPATH": package, **given.pop("env", {})}
    return subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True, **given
    )


ARGUMENTS = ["copy", "processor=cpu", "size=1MiB", "trials=200", "samples=3", "-o", "run.json"]


def wait_for_lines(process, number):
    return [process.stdout.readline() for _ in range(number)]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_keeps_what_is_done(number, tmp_path):
    process = start(ARGUMENTS, tmp_path, "slow")
    wait_for_lines(process, 2)
    process.send_signal(number)
    text, _ = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "interrupted" in text
    found = results.read(tmp_path / "run.json")
    done = len(found.cases[0].trials)
    assert done >= 2
    assert found.missing[0].trials == 200 - done
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]


def test_a_killed_run_leaves_a_journal_and_goes_on(tmp_path):
    process = start(ARGUMENTS, tmp_path, "slow")
    wait_for_lines(process, 2)
    process.kill()
    process.communicate()
    assert not (tmp_path / "run.json").exists()
    again = start(ARGUMENTS, tmp_path, "good", stderr=subprocess.PIPE)
    assert "--resume run.json.journal" in again.communicate()[1]
    assert again.returncode == 2
    text, _ = start(["--resume", "run.json", "--budget", "5s"], tmp_path, "good").communicate()
    assert "run.json" in text
    found = results.read(tmp_path / "run.json")
    assert len(found.cases[0].trials) > 4
    other = start(
        ["--resume", "run.json"],
        tmp_path,
        "good",
        stderr=subprocess.PIPE,
        env={"FAKE_REVISION": "def"},
    )
    assert "revision was abc, is now def" in other.communicate()[1]
    assert other.returncode == 2


def test_what_a_living_run_writes_is_no_other_runs(tmp_path):
    process = start(ARGUMENTS, tmp_path, "slow")
    wait_for_lines(process, 2)
    for arguments in (ARGUMENTS, ["--resume", "run.json"], ["--resume", "run.json.journal"]):
        other = start(arguments, tmp_path, "good", stderr=subprocess.PIPE)
        says = other.communicate(timeout=20)[1]
        assert says == "watari: run.json.journal is being written by another run\n"
        assert other.returncode == 2
    done = len((tmp_path / "run.json.journal").read_text().splitlines()) - 1
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
    assert process.returncode == 130
    assert len(results.read(tmp_path / "run.json").cases[0].trials) >= done >= 2
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]


def limit_file_size():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))


def test_a_full_disk_keeps_the_old_file_and_what_was_measured(tmp_path):
    (tmp_path / "run.json").write_text("old")
    process = start(ARGUMENTS, tmp_path, "good", stderr=subprocess.PIPE, preexec_fn=limit_file_size)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 2
    assert "File too large" in errors
    assert "--resume run.json.journal" in errors
    assert "Traceback" not in errors
    assert (tmp_path / "run.json").read_text() == "old"
    assert len(journal.read(tmp_path / "run.json.journal").trials[0]) >= 2


def test_output_that_cannot_be_written_is_found_before_measuring(tmp_path):
    (tmp_path / "file").write_text("")
    arguments = [*ARGUMENTS[:-1], "file/run.json"]
    process = start(arguments, tmp_path, "slow", stderr=subprocess.PIPE)
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 2
    assert "file/run.json" in errors or "Not a directory" in errors
    assert "Traceback" not in errors
