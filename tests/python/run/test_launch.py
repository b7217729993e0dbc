"""Every launch of a trial returns a trial, whatever its processes do."""

import errno
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from launching import (
    FAKE,
    HANGS,
    REQUEST,
    alive,
    executable,
    is_written,
    time_limit_passes_when,
    trial,
)

from watari.common.errors import UsageError
from watari.plan.request import Request
from watari.run import launch
from watari.run.launcher import Launcher


def test_good_trial_is_returned_as_written(tmp_path):
    result = trial("good", tmp_path)
    assert (result["status"], result["host_s"]) == ("ok", [0.01, 0.01, 0.02])


def test_no_files_are_left(tmp_path):
    for how in ("good", "crash", "exit"):
        trial(how, tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("crash", ["SIGSEGV"]),
        ("abort", ["SIGABRT", "instance of 'fault'"]),
        ("memory", ["SIGKILL", "out of memory"]),
        ("exit-137", ["SIGKILL", "out of memory"]),
        ("exit", ["exit code 7", "first line | something is wrong"]),
        ("silent", ["without a result"]),
        ("truncated", ["without a result"]),
    ],
)
def test_bad_end_is_a_failed_trial_that_says_why(how, words, tmp_path):
    result = trial(how, tmp_path)
    assert result["status"] == "failed"
    assert result["host_s"] == []
    for word in words:
        assert word in result["error"]
    assert "\n" not in result["error"]


def test_noise_on_stdout_does_not_matter(tmp_path):
    assert trial("noise", tmp_path)["status"] == "ok"


def test_full_disk_is_not_a_property_of_the_case(tmp_path):
    with pytest.raises(OSError, match="No space left"):
        trial("full", tmp_path)


@pytest.mark.parametrize("name", ["no-such-mpirun", "/tmp", __file__, "''", "/dev/null"])
def test_a_launcher_that_is_no_program_is_named(name):
    with pytest.raises(UsageError, match=rf"launcher '{name.strip(chr(39))}'"):
        Launcher.parse(f"{name} -n {{ranks}}").require_program()


def test_a_launcher_that_does_not_start_is_no_failed_trial(tmp_path):
    broken = executable(tmp_path / "broken", "no program")
    with pytest.raises(OSError, match="Exec format"):
        launch.trial(REQUEST, Launcher.parse(str(broken)), 5, tmp_path)


def test_without_room_for_another_process_mpi_is_not_what_lacks(tmp_path, monkeypatch):
    def none(*arguments, **named):
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    monkeypatch.setattr(subprocess, "Popen", none)
    with pytest.raises(OSError, match="temporarily unavailable"):
        launch.trial(REQUEST, Launcher(), 5, tmp_path)


def test_hang_ends_at_the_time_limit(tmp_path):
    started = time.monotonic()
    result = trial("hang", tmp_path, limit=0.5)
    assert time.monotonic() - started < HANGS
    assert result["status"] == "failed"
    assert "time limit of 0.5 s" in result["error"]


@pytest.mark.parametrize(("how", "status"), [("hang-with-child", "failed"), ("leave-child", "ok")])
def test_grandchildren_are_ended_too(how, status, tmp_path, monkeypatch):
    pids = tmp_path / "pids"
    monkeypatch.setenv("FAKE_TRIAL_PIDS", str(pids))
    if how == "hang-with-child":
        time_limit_passes_when(lambda: is_written(pids), monkeypatch)
    result = trial(how, tmp_path)
    assert result["status"] == status
    assert not any(alive(pid) for pid in pids.read_text().split())


def test_threads_are_pinned_unless_the_user_decided(tmp_path, monkeypatch):
    for name in ("OMP_NUM_THREADS", "OMP_PLACES", "CUDA_MODULE_LOADING"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OMP_PROC_BIND", "spread")
    template = f"EXTRA='a b' {sys.executable} {FAKE} environment --"
    result = launch.trial(REQUEST, Launcher.parse(template), HANGS, tmp_path)
    assert json.loads(result["error"]) == {
        "OMP_NUM_THREADS": "2",
        "OMP_PLACES": "cores",
        "OMP_PROC_BIND": "spread",
        "CUDA_MODULE_LOADING": "EAGER",
        "EXTRA": "a b",
    }


def test_launcher_is_for_several_ranks_or_chosen():
    default = Launcher()
    assert default.prefix(1) == []
    assert default.prefix(4) == ["mpirun", "-n", "4"]
    assert Launcher.parse("srun -n {ranks}").prefix(1) == ["srun", "-n", "1"]


@pytest.mark.parametrize("template", ["", "A=1", "mpirun 'open"])
def test_launcher_without_a_command_is_a_usage_error(template):
    with pytest.raises(UsageError, match="launcher"):
        Launcher.parse(template)


def test_time_limit_grows_with_the_bytes():
    touch = {"processor": "cpu", "memory": "pageable", "operation": "first-touch"}
    small = launch.time_limit(Request("touch", {**touch, "size": 2**20, "samples": 1}, 1))
    large = launch.time_limit(Request("touch", {**touch, "size": 2**33, "samples": 10}, 1))
    assert 30 < small < large


MPIRUN = Launcher.parse(
    "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe -n {ranks}"
)
ON_TWO_RANKS = Request("copy", {**REQUEST.parameters, "ranks": 2}, 1)


def run_instead_of_copy(folder, body):
    """Workers that have this folder in PYTHONPATH run a function of this body for case copy."""
    (folder / "sitecustomize.py").write_text(
        "import atexit, dataclasses, os, time\n"
        "import watari.cases as c\n"
        "from watari.case.profile import Phase, Profile\n"
        f"def run(parameters):\n{body}"
        "nothing = lambda parameters: Profile((Phase('copy', 0),), {})\n"
        "c.CASES['copy'] = dataclasses.replace(c.CASES['copy'], run=run, profile=nothing)\n"
    )


@pytest.mark.mpi
def test_two_ranks_under_mpirun_print_and_rank_0_writes(tmp_path, monkeypatch):
    run_instead_of_copy(
        tmp_path,
        "    rank = int(os.environ['OMPI_COMM_WORLD_RANK'])\n"
        "    print('hello from rank', rank, flush=True)\n"
        "    return {'host_s': [float(rank)], 'verified': True}\n",
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    result = launch.trial(ON_TWO_RANKS, MPIRUN, HANGS, tmp_path)
    assert (result["status"], result["ranks"], result["host_s"]) == ("ok", 2, [0.0])


@pytest.mark.mpi
@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("if rank == 1: raise RuntimeError('no memory for the halo')\n    time.sleep(600)", "halo"),
        ("if rank == 1: os.kill(os.getpid(), 11)\n    time.sleep(600)", "SIGSEGV"),
        ("time.sleep(600)", "time limit"),
    ],
)
def test_one_bad_rank_ends_all_of_them(body, words, tmp_path, monkeypatch):
    run_instead_of_copy(
        tmp_path,
        "    rank = int(os.environ['OMPI_COMM_WORLD_RANK'])\n"
        "    open(os.environ['FAKE_TRIAL_PIDS'] + str(rank), 'w').write(str(os.getpid()))\n"
        f"    {body}\n",
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("FAKE_TRIAL_PIDS", str(tmp_path / "rank"))
    pids = [tmp_path / f"rank{rank}" for rank in (0, 1)]
    if words == "time limit":
        time_limit_passes_when(lambda: all(map(is_written, pids)), monkeypatch)
    result = launch.trial(ON_TWO_RANKS, MPIRUN, HANGS, tmp_path)
    assert result["status"] == "failed"
    assert words in result["error"]
    assert not any(alive(pid.read_text()) for pid in pids)


LOST = "cudaErrorUnknown: the GPU was lost"


@pytest.mark.mpi
@pytest.mark.parametrize("bad", [0, 1])
def test_a_rank_that_cannot_end_after_its_error_ends_all_with_the_reason(
    bad, tmp_path, monkeypatch
):
    """A driver that waits for a lost GPU keeps a process from its end; the others wait for it."""
    run_instead_of_copy(
        tmp_path,
        "    from watari.common.errors import WatariError\n"
        f"    if int(os.environ['OMPI_COMM_WORLD_RANK']) == {bad}:\n"
        "        atexit.register(time.sleep, 600)\n"
        f"        raise WatariError({LOST!r})\n"
        "    time.sleep(600)\n",
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    result = launch.trial(ON_TWO_RANKS, MPIRUN, HANGS, tmp_path)
    assert result["status"] == "failed"
    assert LOST in result["error"]
    assert "time limit" not in result["error"]


@pytest.mark.parametrize("written", [True, False])
def test_the_time_limit_keeps_the_reason_that_came_before(written, tmp_path, monkeypatch):
    trial = json.dumps({"status": "failed", "error": LOST})
    tell = f"printf '%s' '{trial}' >\"$last\"" if written else f"echo 'watari: {LOST}' >&2"
    done = tmp_path / "done"
    text = f"#!/bin/bash\nlast=${{@: -1}}\n{tell}\necho 1 >{done}\nsleep 600\n"
    script = executable(tmp_path / "launcher", text)
    time_limit_passes_when(lambda: is_written(done), monkeypatch)
    result = launch.trial(REQUEST, Launcher.parse(str(script)), HANGS, tmp_path)
    assert result["status"] == "failed"
    assert "time limit" in result["error"]
    assert result["error"].endswith(LOST)


def test_worker_ends_with_its_parent(tmp_path):
    (tmp_path / "case").write_text(json.dumps({"case": "copy", "parameters": {}}))
    run_instead_of_copy(
        tmp_path,
        f"    open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid()))\n    time.sleep(600)\n",
    )
    command = [sys.executable, "-m", "watari.run.worker", "case", "result"]
    parent = subprocess.Popen(
        [sys.executable, "-c", f"import subprocess; subprocess.run({command!r})"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": f"{tmp_path}:{Path(launch.__file__).parents[2]}"},
    )
    pid = tmp_path / "pid"
    while not is_written(pid):
        time.sleep(0.05)
    parent.kill()
    parent.wait()
    deadline = time.monotonic() + HANGS
    while alive(pid.read_text()) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not alive(pid.read_text())


MPIRUN_AS_ROOT = """\
--------------------------------------------------------------------------
mpirun has detected an attempt to run as root.

Running as root is *strongly* discouraged as any mistake (e.g., in
defining TMPDIR) or bug can result in catastrophic damage to the OS
file system, leaving your system in an unusable state.

We strongly suggest that you run mpirun as a non-root user.

You can override this protection by adding the --allow-run-as-root option
to the cmd line or by setting two environment variables in the following way:
the variable OMPI_ALLOW_RUN_AS_ROOT=1 to indicate the desire to override this
protection, and OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 to confirm the choice and
add one more layer of certainty that you want to do so.
We reiterate our advice against doing so - please proceed at your own risk.
--------------------------------------------------------------------------
"""


def test_a_long_message_keeps_how_it_begins_and_ends(tmp_path):
    errors = tmp_path / "errors"
    errors.write_text(MPIRUN_AS_ROOT)
    text = launch.tail(errors)
    assert text.startswith("mpirun has detected an attempt to run as root.")
    assert text.endswith("at your own risk.")
    assert len(text) <= launch.TAIL_CHARACTERS + len(" ... ")
    assert "---" not in text


@pytest.mark.parametrize("mark", ["", "[1,1]<stderr>: ", "[1,1]<stderr>:", "1: "])
def test_the_words_of_a_rank_come_before_those_of_its_launcher(mark, tmp_path):
    errors = tmp_path / "errors"
    errors.write_text(f"{mark}watari: CUDA: no memory on GPU 1\n" + MPIRUN_AS_ROOT)
    assert launch.tail(errors) == "watari: CUDA: no memory on GPU 1"


def test_a_trial_that_its_launcher_does_not_start_keeps_the_cause(tmp_path):
    text = f"#!/bin/sh\ncat >&2 <<'END'\n{MPIRUN_AS_ROOT}END\nexit 1\n"
    script = executable(tmp_path / "mpirun", text)
    chosen = Launcher.parse(str(script))
    ended = launch.trial(REQUEST, chosen, HANGS, tmp_path)
    assert ended["status"] == "failed"
    assert "mpirun has detected an attempt to run as root." in ended["error"]
