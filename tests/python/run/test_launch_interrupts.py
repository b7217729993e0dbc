"""Signals that reach a run while a trial is started, runs or ends: nothing is left behind."""

import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import launching
import pytest
from launching import HANGS, REQUEST, alive, is_written, trial

from watari.run import gpu_mpi, session
from watari.run.launcher import Launcher


def test_interrupt_ends_the_trial_and_is_passed_on(tmp_path, monkeypatch):
    pids = tmp_path / "pids"
    monkeypatch.setenv("FAKE_TRIAL_PIDS", str(pids))
    code = (
        "import sys; from pathlib import Path\n"
        "sys.path.insert(0, sys.argv[1]); import launching\n"
        "try: launching.trial('hang-with-child', Path(sys.argv[2]))\n"
        "except KeyboardInterrupt: sys.exit(130)"
    )
    folder = str(Path(launching.__file__).parent)
    run = subprocess.Popen([sys.executable, "-c", code, folder, str(tmp_path)])
    while not is_written(pids):
        assert run.poll() is None
        time.sleep(0.05)
    run.send_signal(signal.SIGINT)
    assert run.wait(timeout=HANGS) == 130
    assert not any(alive(pid) for pid in pids.read_text().split())


# Calls at which an interrupt may leave something behind. True: it comes after the call.
MOMENTS = {
    "folder": (tempfile, "mkdtemp", True),
    "start": (subprocess.Popen, "__init__", True),
    "wait": (subprocess.Popen, "wait", False),
    "end": (session, "session_members", False),
    "removal": (shutil, "rmtree", False),
}


def interrupt_at(moment, number, patch):
    """Replaces a call, so that this process sends itself the signal there."""
    owner, name, after = MOMENTS[moment]
    real = getattr(owner, name)

    def interrupted(*arguments, **named):
        if not after:
            signal.raise_signal(number)
        process = real(*arguments, **named)
        if after:
            signal.raise_signal(number)
        return process

    patch.setattr(owner, name, interrupted)


@pytest.fixture
def sessions(monkeypatch):
    """The processes that the test starts. Their sessions are ended after the test."""
    started = []
    real = subprocess.Popen.__init__

    def remember(process, *arguments, **named):
        real(process, *arguments, **named)
        started.append(process)

    monkeypatch.setattr(subprocess.Popen, "__init__", remember)
    yield started
    for process in started:
        session.end_session(process)


@pytest.fixture
def termination():
    """A SIGTERM that no handler takes interrupts the test, and does not end all tests."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    yield
    signal.signal(signal.SIGTERM, before)


@pytest.mark.usefixtures("termination")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    "moments",
    # the last: Ctrl-C several times, during the wait for the trial and during its end
    [["folder"], ["start"], ["end"], ["removal"], ["wait"], ["wait", "end", "removal"]],
    ids="-".join,
)
def test_an_interrupt_at_any_moment_leaves_nothing(moments, number, tmp_path, sessions):
    handler = signal.getsignal(number)
    with pytest.MonkeyPatch.context() as patch:
        for moment in moments:
            interrupt_at(moment, number, patch)
        started = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            trial("hang", tmp_path, limit=HANGS if "wait" in moments else 0.3)
    assert time.monotonic() - started < HANGS
    assert list(tmp_path.iterdir()) == []
    assert [session.session_members(process.pid) for process in sessions] == [[]]
    assert signal.getsignal(number) is handler


@pytest.mark.parametrize("moment", MOMENTS)
def test_an_interrupt_of_the_question_to_mpi_leaves_nothing(
    moment, tmp_path, sessions, monkeypatch
):
    monkeypatch.setattr(gpu_mpi, "LIMIT_SECONDS", 0.3)
    hang = Launcher.parse(f"{sys.executable} -c 'import time; time.sleep(600)'")
    with pytest.MonkeyPatch.context() as patch:
        interrupt_at(moment, signal.SIGINT, patch)
        with pytest.raises(KeyboardInterrupt):
            gpu_mpi.ask(REQUEST, hang, tmp_path)
    assert list(tmp_path.iterdir()) == []
    assert [session.session_members(process.pid) for process in sessions] == [[]]


def test_a_signal_that_is_ignored_stays_ignored(tmp_path, monkeypatch):
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as a shell does for background jobs
    try:
        interrupt_at("wait", signal.SIGINT, monkeypatch)
        assert trial("good", tmp_path)["status"] == "ok"
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_trial_in_a_thread_leaves_signals_alone(tmp_path):
    trials = []
    thread = threading.Thread(target=lambda: trials.append(trial("good", tmp_path)))
    thread.start()
    thread.join()
    assert trials[0]["status"] == "ok"


SLOW_END = """
import pathlib, signal, sys, time
count = pathlib.Path(sys.argv[1])
def take(*_):
    with count.open("a") as file:
        file.write("x")
signal.signal(signal.SIGTERM, take)
print(flush=True)
while not count.exists():
    time.sleep(0.01)
time.sleep(0.5)
"""


def test_a_process_that_ends_slowly_gets_one_signal(tmp_path, sessions, monkeypatch):
    """A second SIGTERM keeps mpirun from removing its files."""
    monkeypatch.setattr(session, "GRACE_SECONDS", float(HANGS))
    count = tmp_path / "count"
    words = [sys.executable, "-c", SLOW_END, str(count)]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, start_new_session=True)
    assert process.stdout
    process.stdout.readline()
    assert session.end_session(process)
    assert (count.read_text(), process.returncode) == ("x", 0)
