"""A run keeps what it measured: through crashes, Ctrl-C, a full disk and an empty budget."""

import contextlib
import resource
import signal
import subprocess
import time
from types import SimpleNamespace

import fake_cli
import pytest
import synthetic
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

from watari.plan.request import Request, resolve
from watari.results import schema
from watari.run import budget, journal, runner


def test_trials_go_round_the_cases(tmp_path):
    recorder = Recorder()
    asked = requests(2**20, 2**21, trials=2)
    measured, interrupted = runner.execute(state(asked), options(tmp_path, progress=recorder))
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
    runner.execute(state(requests(2**20)), options(tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]
    result = schema.read(tmp_path / "run.json")
    case = result.cases[0]
    assert (case.status, case.trials_planned, case.bytes_per_sample) == ("ok", 2, 20_000_000)
    assert [trial.host_s for trial in case.trials] == [[0.01, 0.01, 0.02]] * 2
    assert result.plan.name == "test"
    assert result.program.finished


def test_unsupported_ends_its_case_after_one_trial(tmp_path):
    asked = requests(2**20) + requests(2**20, processor="gpu")
    measured, _ = runner.execute(state(asked), options(tmp_path, "unsupported-gpu"))
    assert [(c.status, len(c.trials)) for c in measured.cases] == [("ok", 2), ("unsupported", 1)]
    assert measured.cases[1].reason == "no GPU driver"
    assert measured.missing == []


def test_what_makes_no_sense_in_a_sweep_is_unsupported_and_starts_nothing(tmp_path):
    given = {"processor": "cpu", "n": 2048, "fast-memory": "24MiB", "tile": [512, 2048]}
    asked = resolve("gemm", given, fake_cli.machine())
    measured, _ = runner.execute(state(asked), options(tmp_path))
    assert [(c.status, len(c.trials)) for c in measured.cases] == [("ok", 5), ("unsupported", 1)]
    assert "too small for tile=2048" in measured.cases[1].reason
    seconds = [budget.Estimate(state([]).machine).seconds(request) for request in asked]
    assert seconds[1] == budget.REFUSED_SECONDS < seconds[0]


def test_a_crash_is_one_failed_trial_and_the_rest_continues(tmp_path):
    asked = requests(2**20, 2**21, 2**19)
    measured, _ = runner.execute(state(asked), options(tmp_path, "crash-large"))
    assert [case.status for case in measured.cases] == ["ok", "failed", "ok"]
    assert "SIGSEGV" in measured.cases[1].reason
    assert [len(case.trials) for case in measured.cases] == [2, 2, 2]


def test_a_hang_is_a_failed_trial_with_its_limit(tmp_path):
    measured, _ = runner.execute(
        state(requests(2**20, trials=1)), options(tmp_path, "hang", time_limit=0.3)
    )
    assert measured.cases[0].status == "failed"
    assert "0.3 s" in measured.cases[0].reason


def test_a_malformed_trial_is_failed_and_names_the_field(tmp_path):
    measured, _ = runner.execute(state(requests(2**20, trials=1)), options(tmp_path, "malformed"))
    assert measured.cases[0].status == "failed"
    assert "host_s[0]" in measured.cases[0].reason


@pytest.mark.parametrize("done", [1, 2])
def test_interrupts_between_trials_and_at_the_end_keep_all_results(done, tmp_path, monkeypatch):
    class Stop(Recorder):
        def finish(self, text, left):
            super().finish(text, left)
            if len(self.finished) == done:
                signal.raise_signal(signal.SIGINT)

    def interrupted(path, measured, write=schema.write):
        signal.raise_signal(signal.SIGINT)
        write(path, measured)

    monkeypatch.setattr(schema, "write", interrupted)
    with contextlib.suppress(KeyboardInterrupt):  # which would end all tests
        assert runner.execute(state(requests(2**20)), options(tmp_path, progress=Stop()))[1]
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]
    assert len(schema.read(tmp_path / "run.json").cases[0].trials) == done


def test_budget_ends_in_time_and_says_what_is_missing(tmp_path, monkeypatch):
    clock, good = [100.0], launch_good(tmp_path)

    def half_a_second(*_):
        clock[0] += 0.5
        return good

    monkeypatch.setattr(runner.launch, "trial", half_a_second)
    monkeypatch.setattr(runner, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    asked = requests(2**20, 2**21, trials=20)
    measured, interrupted = runner.execute(state(asked), options(tmp_path, deadline=110.0))
    assert 105 < clock[0] <= 110
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
        index = runner.following(now, spent, set(), fair=True)
        order.append(index)
        now.trials[index].append({"status": "ok"})
        spent[index] += taken[index]
    assert order[:3] == [0, 1, 2]
    assert [order.count(i) for i in range(3)] == [5, 2, 3]
    assert runner.following(now, spent, {0, 1, 2}, fair=True) is None


def test_a_trial_that_the_budget_cuts_is_missing_not_failed(tmp_path):
    deadline = time.monotonic() + 4
    measured, _ = runner.execute(
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


def test_products_in_memory_wait_for_no_disk():
    def rate(**given):
        wanted = {"processor": "gpu", "mesh": "bumpy:71", **given}
        return budget.typical_rate(resolve("hmatrix", wanted, synthetic.gpu_machine())[0])

    small = {"fast-memory": "1GiB"}
    assert (rate(), rate(**small)) == (1e12, 3e8)
    for store in ("ram", "modelled:kioxia-cm6-v"):
        assert rate(**small, store=store) == 1e10


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


# The tests below need a process of their own: signals and limits.


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_keeps_what_is_done(number, tmp_path):
    process = start(ARGUMENTS, tmp_path, "slow")
    wait_for_lines(process, 2)
    process.send_signal(number)
    text, _ = finished(process, 130)
    assert "interrupted" in text
    result = schema.read(tmp_path / "run.json")
    done = len(result.cases[0].trials)
    assert done >= 2
    assert result.missing[0].trials == 200 - done
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]


def limit_file_size():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))


def test_a_full_disk_keeps_the_old_file_and_what_was_measured(tmp_path):
    old = '{"schema": 1, "program": {}}'  # of the kind that may be replaced
    (tmp_path / "run.json").write_text(old)
    process = start(ARGUMENTS, tmp_path, "good", stderr=subprocess.PIPE, preexec_fn=limit_file_size)
    _, errors = finished(process, 1)
    assert "File too large" in errors
    assert "--resume run.json.journal" in errors
    assert "Traceback" not in errors
    assert (tmp_path / "run.json").read_text() == old
    assert len(journal.read(tmp_path / "run.json.journal").trials[0]) >= 2


def test_output_that_cannot_be_written_is_detected_before_measuring(tmp_path):
    (tmp_path / "file").write_text("")
    arguments = [*ARGUMENTS[:-1], "file/run.json"]
    _, errors = finished(start(arguments, tmp_path, "slow", stderr=subprocess.PIPE), 2)
    assert "file/run.json" in errors or "Not a directory" in errors
    assert "Traceback" not in errors
