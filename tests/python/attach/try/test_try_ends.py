"""The end of `watari try`, by itself, by a limit or by Ctrl-C, and the files that it leaves."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time

import emulator
import pytest
from launching import HANGS, executable
from tried import attempt, driver, program, quantity, watari

MB = 1_000_000


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["./absent"], 2, "./absent: no such program"),
        (["absent"], 2, "no program of this name on PATH"),
        (["./file"], 2, "may not be executed"),
        ([], 2, "no program was given"),
        (["no_cuda"], 1, "never loads CUDA"),
        (["linked", "device", "4096", "crash", "1"], 1, "fails as it is: ended by SIGABRT"),
        (["linked", "exit", "3"], 1, "there is nothing to try (exit code 3)"),
        (
            ["python3 train.py"],
            2,
            "without quotes its first word is one, as in: -- python3 train.py",
        ),
        (["./script"], 2, "shells run such a script, as in: -- sh ./script"),
        (["./lost"], 2, "./lost: cannot be executed: no interpreter /nowhere/sh"),
    ],
)
def test_exit_codes(tmp_path, words, code, says):
    (tmp_path / "file").touch()
    for name, line in (("script", "true"), ("lost", "#!/nowhere/sh")):
        executable(tmp_path / name, f"{line}\n")
    if words and words[0] in ("no_cuda", "linked"):
        words = [program(words[0]), *words[1:]]
    ended = watari("try", "--no-traced", "--runs", "1", "--", *words, cwd=tmp_path, code=code)
    assert says in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


def test_a_result_that_could_not_be_written_is_refused_before_anything_runs(tmp_path):
    words = (program(), "say", "pid", "sleep", "600")
    ended = watari("try", "-o", "/proc/run.json", "--", *words, cwd=tmp_path)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "-o /proc/run.json: not enough room" in ended.stderr


@pytest.mark.parametrize(
    ("flags", "mode", "says"),
    [(["-static"], 0o755, "is linked statically"), ([], 0o4755, "runs with the rights of another")],
)
def test_a_program_that_no_library_can_enter_is_said_to_be_one(tmp_path, flags, mode, says):
    compiler = shutil.which("cc")
    if not compiler:
        pytest.skip("no C compiler")
    (tmp_path / "main.c").write_text("int main(void) { return 0; }\n")
    closed = tmp_path / "closed"
    done = subprocess.run([compiler, *flags, "-o", str(closed), str(tmp_path / "main.c")])
    if done.returncode:
        pytest.skip("no static C library")
    if mode & 0o4000 and os.getuid() == 0:
        os.chown(closed, 65534, 65534)
    elif mode & 0o4000:
        pytest.skip("needs root, to give a program to another user")
    closed.chmod(mode)
    ended = watari("try", "--", str(closed), cwd=tmp_path, code=1)
    assert says in ended.stderr


@pytest.mark.parametrize("option", ["-o", "--figure", "--trace", "--same-output"])
def test_the_dashes_before_a_program_are_no_file(tmp_path, option):
    fit = ("--fit", "1GiB") if option == "--trace" else ()
    ended = watari("try", *fit, option, "--", program(), "device", "4096", cwd=tmp_path)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert f"{option}: name a file before --" in ended.stderr


@pytest.mark.parametrize("command", ["try", "trace"])
def test_a_folder_that_is_gone_is_said(tmp_path, command):
    script = f"rmdir {tmp_path}; exec {sys.executable} -m watari {command} -- {program()} device 8"
    ended = subprocess.run(
        ["sh", "-c", script], cwd=tmp_path, env=driver(), capture_output=True, text=True
    )
    assert ended.returncode == 2
    assert ended.stderr.endswith("watari was started is gone: change to another\n")


def test_a_trace_that_cannot_be_read_is_refused_before_anything_runs(tmp_path):
    words = ("--fit", "1GiB", "--trace", "absent.json", "--", program(), "sleep", "600")
    ended = watari("try", *words, cwd=tmp_path)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "absent.json: cannot be read" in ended.stderr


def test_an_exit_code_of_the_program_is_no_failure_where_it_stays(tmp_path):
    _, styles = attempt(tmp_path, "device", "4096", "exit", "7", code=0)
    assert styles["managed"]["status"] == "ok"
    assert quantity(styles["managed"], "exit_code") == 7


def test_a_program_that_hangs_is_ended_at_its_time_limit(tmp_path):
    begun = time.monotonic()
    ended = watari(
        *("try", "--time-limit", "1s", "--", program(), "device", "4096", "sleep", "600"),
        cwd=tmp_path,
        code=1,
    )
    assert "still running after its time limit of 1 s" in ended.stderr
    assert time.monotonic() - begun < HANGS


def test_ctrl_c_ends_the_program_and_keeps_what_was_measured(tmp_path):
    words = (
        "try",
        "--no-traced",
        "-o",
        "run.json",
        "--",
        program(),
        "device",
        "4096",
        "sleep",
        "1",
    )
    process = subprocess.Popen(
        [sys.executable, "-m", "watari", *words],
        cwd=tmp_path,
        env=driver(),
        stdout=subprocess.PIPE,
        text=True,
    )
    for line in process.stdout:
        if "as-is: ok" in line:
            break
    process.send_signal(signal.SIGINT)
    assert process.wait(HANGS) == 130
    assert "ended early; results: run.json" in process.stdout.read()
    cases = json.loads((tmp_path / "run.json").read_text())["cases"]
    assert cases[0]["parameters"]["style"] == "as-is"
    left = subprocess.run(["pgrep", "-f", f"{program()} device 4096 sleep 1"], capture_output=True)
    assert left.stdout == b""


@pytest.mark.parametrize("command", ["try", "trace"])
def test_a_kill_of_watari_ends_the_program_and_its_children(tmp_path, command):
    """Watari itself cannot catch SIGKILL."""
    cupti = emulator.cupti()
    one = f"{program()} device 4096 sleep 778"
    options = ("-o", "a.json")
    process = subprocess.Popen(
        [sys.executable, "-m", "watari", command, *options, "--", "sh", "-c", f"{one} & {one}; :"],
        cwd=tmp_path,
        env={**driver(), "WATARI_CUPTI": str(cupti)},
        stderr=subprocess.PIPE,
    )

    def running():
        return len(subprocess.run(["pgrep", "-xf", one], capture_output=True).stdout.split())

    while running() < 2:
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.05)
    process.kill()
    process.wait()
    deadline = time.monotonic() + HANGS
    while running() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not running()


def test_progress_says_why_a_style_failed(tmp_path):
    fails = 'test "$WATARI_ATTACH_STYLE" = managed && echo bad >&2 && exit 9'
    script = f"{fails}; {program()} device 4096"
    words = ("--no-traced", "--runs", "1", "--styles", "managed", "--", "sh", "-c", script)
    ended = watari("try", *words, cwd=tmp_path)
    assert "managed: failed: exit code 9: bad" in ended.stdout


def test_a_second_ctrl_c_ends_a_program_that_ignores_signals(tmp_path):
    script = f"trap '' INT TERM; {program()} device 4096; touch {tmp_path}/begun; sleep 779"
    process = subprocess.Popen(
        [sys.executable, "-m", "watari", "try", "-o", "a.json", "--", "sh", "-c", script],
        cwd=tmp_path,
        env=driver(),
        stderr=subprocess.PIPE,
    )
    while not (tmp_path / "begun").exists():
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.05)
    while process.poll() is None:  # two that come at once are one
        process.send_signal(signal.SIGINT)
        time.sleep(0.2)
    assert process.returncode == -signal.SIGINT
    deadline = time.monotonic() + HANGS
    while subprocess.run(["pgrep", "-xf", "sleep 779"], capture_output=True).stdout:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_launcher_that_goes_away_costs_the_later_runs_alone(tmp_path):
    text = '#!/bin/sh\necho >> runs\n[ $(wc -l < runs) = 3 ] && rm "$0"\nexec "$@"\n'
    starter = executable(tmp_path / "starter", text)
    ended, styles = attempt(
        tmp_path, "device", "4096", options=("--launcher", str(starter)), code=2
    )
    assert f"{starter}: cannot be executed" in ended.stderr
    assert {s for s, case in styles.items() if case["status"] == "ok"} == {"as-is", "managed"}
    assert "ended early; results: " in ended.stdout


@pytest.mark.parametrize(
    ("before", "says"),
    [("ulimit -f 100", "no room for it"), ('rm -r "$WATARI_ATTACH_LOG"', "No such file")],
)
def test_a_log_that_cannot_be_written_is_what_the_message_says(tmp_path, before, says):
    command = ("sh", "-c", f"{before}; exec {program()} device 4096")
    ended = watari("try", "--no-traced", "--", *command, cwd=tmp_path, code=1)
    assert f"sh: its event log cannot be written: {says}" in ended.stderr


def test_a_log_that_ends_early_is_said(tmp_path):
    command = ("sh", "-c", f"ulimit -f 600; exec {program()} many 3000")
    options = ("--no-traced", "--runs", "1", "--styles", "pinned", "-o", "run.json")
    ended = watari("try", *options, "--", *command, cwd=tmp_path, code=0)
    assert "pinned: its event log ends early (File too large)" in ended.stdout
    case = json.loads((tmp_path / "run.json").read_text())["cases"][1]
    assert case["status"] == "ok"
    assert 100 < quantity(case, "allocations") < 3000


def test_nothing_stays_behind(tmp_path):
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    environment = {**driver(), "TMPDIR": str(temporary)}
    words = (
        "try",
        "--no-traced",
        "--runs",
        "1",
        "-o",
        "run.json",
        "--",
        program(),
        "device",
        "4096",
    )
    assert watari(*words, cwd=tmp_path, environment=environment).returncode == 0
    assert list(temporary.iterdir()) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run.json", "tmp"]
