"""`watari exec`: one exec, with the changes that the command line names."""

import json
import os
import shutil
import signal
import stat
import subprocess
import sys

import pytest
from launching import executable
from tried import driver, program

from watari import __version__
from watari.attach import entry
from watari.attach.entry import PACKAGE, PRELOADED

MB = 1_000_000
LIBRARY = f"{PACKAGE}/{PRELOADED}"
TRUE, ENV, SH = (shutil.which(name) for name in ("true", "env", "sh"))
ADVICE = {
    "schema": "watari-advice-1",
    "savings": [
        {"imposed": "pooled", "sure": True},
        {"imposed": "staged", "sure": False},
        {"imposed": "", "sure": True},
    ],
}


def become(*words, environment=None, **given):
    return subprocess.run(
        [sys.executable, "-m", "watari", "exec", *map(str, words)],
        env=environment or driver(),
        capture_output=True,
        text=True,
        timeout=60,
        **given,
    )


def environment_of(*words, **variables):
    """The variables of a program that `watari exec` starts."""
    ended = become(*words, "--", ENV, environment=driver() | variables)
    assert (ended.returncode, ended.stderr) == (0, "")
    return dict(line.split("=", 1) for line in ended.stdout.splitlines() if "=" in line)


def test_the_process_becomes_the_program(tmp_path):
    with subprocess.Popen(
        [sys.executable, "-m", "watari", "exec", "--pooled", "--", SH, "-c", "echo $$; exit 3"],
        stdout=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    ) as process:
        said = process.communicate(timeout=60)[0]
    assert (int(said), process.returncode) == (process.pid, 3)
    assert not list(tmp_path.iterdir())  # no result file


def test_the_program_gets_the_library_and_what_it_reads():
    seen = environment_of("--pooled", "--staged", "--verbose")
    assert seen["LD_PRELOAD"] == LIBRARY
    assert seen["WATARI_CHANGES"] == "staged,pooled"
    assert seen["WATARI_CHANGES_VERBOSE"] == "1"
    assert not [name for name in seen if name.startswith("WATARI_ATTACH")]


def test_other_libraries_and_the_rest_of_the_environment_stay():
    seen = environment_of("--pooled", LD_PRELOAD="libm.so.6", MINE="1")
    assert (seen["LD_PRELOAD"], seen["MINE"]) == (f"{LIBRARY}:libm.so.6", "1")
    # what an outer `watari exec` or a shell has set does not add to it
    seen = environment_of("--pooled", WATARI_CHANGES="staged", WATARI_CHANGES_VERBOSE="1")
    assert seen["WATARI_CHANGES"] == "pooled"
    assert "WATARI_CHANGES_VERBOSE" not in seen


def nested(outer, *inner):
    """The variables of a program in a `watari exec` in a `watari exec`."""
    return environment_of(*outer, "--", sys.executable, "-m", "watari", "exec", *inner)


def test_the_changes_of_an_inner_exec_replace_those_of_the_outer():
    outer = ("--staged", "--huge", "--verbose")
    seen = nested(outer, "--pooled")
    assert (seen["LD_PRELOAD"], seen["WATARI_CHANGES"]) == (LIBRARY, "pooled")
    assert "GLIBC_TUNABLES" not in seen
    assert [name for name in seen if name.startswith("WATARI_CHANGES_")] == []
    seen = nested(outer, "--huge")
    assert (seen["WATARI_CHANGES"], "LD_PRELOAD" in seen) == ("", False)
    assert seen["GLIBC_TUNABLES"] == "glibc.malloc.hugetlb=1"


def test_what_a_user_chose_around_both_stays():
    mine = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1", "LD_PRELOAD": "libm.so.6"}
    words = ("--", sys.executable, "-m", "watari", "exec", "--pooled")
    seen = environment_of("--staged", "--huge", *words, **mine)
    assert seen["GLIBC_TUNABLES"] == "glibc.malloc.hugetlb=1"
    assert seen["LD_PRELOAD"] == f"{LIBRARY}:libm.so.6"


def test_what_python_changes_for_itself_is_given_back():
    seen = environment_of("--pooled", LANG="C", LC_ALL="")
    assert "LC_CTYPE" not in seen
    ended = become("--pooled", "--", SH, "-c", "grep SigIgn /proc/self/status")
    assert int(ended.stdout.split()[1], 16) & (1 << (signal.SIGPIPE - 1)) == 0


def test_a_program_gains_and_one_line_says_so():
    words = ("--", program(), "again", MB)
    ended = become("--pooled", "--verbose", *words)
    assert (ended.returncode, ended.stdout) == (0, "sum 500000\n" * 10)
    assert ended.stderr.startswith("watari: pooled: 9 allocations, 0.009 GB, about ")
    assert ended.stderr.count("\n") == 1
    assert become("--pooled", *words).stderr == ""


def test_children_and_cleaned_environments_are_followed():
    ended = become("--pooled", "--verbose", "--", program(), "work", MB, "again", MB)
    worker, own = ended.stderr.splitlines()
    assert worker == "watari: nothing was changed"
    assert own.startswith("watari: pooled: 9 allocations")
    ended = become(
        *("--pooled", "--verbose", "--", ENV, "-i"),
        f"LD_LIBRARY_PATH={driver()['LD_LIBRARY_PATH']}",
        *(program(), "again", MB),
    )
    assert ended.stderr.startswith("watari: pooled: 9 allocations")


@pytest.mark.parametrize(
    ("words", "code", "why"),
    [
        (("--", TRUE), 2, "which changes? --staged, --pooled"),
        (("--pooled",), 2, "exec what?"),
        (("--pooled", "--"), 2, "exec what?"),
        (("--pooled", "--", "/no/such/program"), 2, "/no/such/program: no such program"),
        (("--pooled", "--", "no-such-program"), 2, "no program of this name on PATH"),
        (("--fast", "--", TRUE), 2, "No such option: --fast"),
        (("--from", "/no/such/file", "--", TRUE), 2, "/no/such/file: cannot be read: No such file"),
        (("--from", LIBRARY, "--", TRUE), 2, "not JSON, or cut short"),
    ],
)
def test_a_wrong_command_line_is_one_line(words, code, why):
    ended = become(*words)
    assert (ended.returncode, ended.stdout) == (code, "")
    assert ended.stderr.startswith("watari: ")
    assert why in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_a_file_that_is_no_program_is_refused(tmp_path):
    ended = become("--pooled", "--", executable(tmp_path / "script", "echo hello\n"))
    assert ended.returncode == 2
    assert "cannot be executed: it is neither for this processor nor a script" in ended.stderr


def test_a_program_that_the_library_cannot_enter_runs_as_it_is(tmp_path):
    source, static = tmp_path / "one.c", tmp_path / "static"
    source.write_text("int main() { return 7; }\n")
    built = subprocess.run(["gcc", "-static", "-o", static, source], capture_output=True)
    if built.returncode:
        pytest.skip("no static C library here")
    ended = become("--pooled", "--huge", "--", static)
    assert ended.returncode == 7
    lines = ended.stderr.splitlines()
    assert lines == [
        "watari: huge is left out: the program is linked statically: its C library is not known",
        f"watari: pooled is left out: {static} is linked statically: no library can be preloaded",
    ]


@pytest.mark.skipif(os.getuid() != 0, reason="only root makes a program of another user")
def test_a_program_with_the_rights_of_another_user_runs_as_it_is(tmp_path):
    lent = tmp_path / "lent"
    shutil.copy(TRUE, lent)
    os.chown(lent, 65534, 65534)
    lent.chmod(0o755 | stat.S_ISUID)
    ended = become("--pooled", "--", lent)
    assert ended.returncode == 0
    assert "setuid" in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_a_missing_library_is_one_line(tmp_path):
    copied = tmp_path / "watari"
    shutil.copytree(
        PACKAGE,
        copied,
        ignore=lambda folder, names: [n for n in names if n.endswith(".so") or n == "cases"],
    )
    ended = become("--pooled", "--", TRUE, cwd=tmp_path)
    assert ended.returncode == 0
    assert ended.stderr == (
        f"watari: pooled is left out: this build of Watari has no {PRELOADED}\n"
    )


@pytest.mark.parametrize("streams", [">&- 2>&-", "2>/dev/full", "<&- >&- 2>&-"])
def test_streams_that_are_closed_or_full_stop_nothing(streams, tmp_path):
    done = tmp_path / "done"
    line = f'"$@" {streams}; test -e {done}'
    words = ("exec", "--near", "--pooled", "--", SH, "-c", f": > {done}")
    ended = subprocess.run(
        [SH, "-c", line, SH, sys.executable, "-m", "watari", *words],
        env=driver(),
        timeout=60,
        capture_output=True,
    )
    assert ended.returncode == 0, ended.stderr


def test_a_line_never_enters_a_file_of_the_program(tmp_path):
    data = tmp_path / "data"
    script = f"import os\nos.close(2)\nassert os.open({str(data)!r}, os.O_CREAT | os.O_RDWR) == 2"
    library = f"import ctypes\nctypes.CDLL('libcuda.so.1').cuInit(0)\n{script}"
    for changes in ("pooled", "unknown"):
        subprocess.run(
            [sys.executable, "-c", library if changes == "pooled" else f"{script}\n{library}"],
            env=driver()
            | {"LD_PRELOAD": LIBRARY, "WATARI_CHANGES": changes, "WATARI_CHANGES_VERBOSE": "1"},
            timeout=60,
        )
        assert data.read_text() == ""


def test_an_answer_of_advise_names_the_changes(tmp_path):
    file = tmp_path / "advise.json"
    file.write_text(json.dumps(ADVICE))
    assert environment_of("--from", str(file))["WATARI_CHANGES"] == "pooled"
    assert environment_of("--staged", "--from", str(file))["WATARI_CHANGES"] == "staged,pooled"
    file.write_text(json.dumps(ADVICE | {"savings": []}))
    ended = become("--from", file, "--", TRUE)
    assert (ended.returncode, ended.stderr) == (
        0,
        f"watari: {file}: no change in it is sure to help\n",
    )
    file.write_text(json.dumps(ADVICE | {"savings": 3}))
    assert become("--from", file, "--", TRUE).returncode == 2


def test_printed_variables_do_the_same_in_a_shell():
    words = ("--pooled", "--verbose", "--print")
    printed = become(*words).stdout
    assert f"export WATARI_CHANGES_VERSION={__version__}\n" in printed
    script = f'{printed}\nexec "$@"'
    ended = subprocess.run(
        [SH, "-c", script, SH, program(), "again", str(MB)],
        env=driver(),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ended.stderr.startswith("watari: pooled: 9 allocations")


@pytest.mark.parametrize("shell", [s for s in map(shutil.which, ("sh", "dash", "bash")) if s])
def test_a_shell_keeps_its_libraries_and_tunables_once(shell):
    given = {"LD_PRELOAD": "libm.so.6 libdl.so.2", "GLIBC_TUNABLES": "glibc.malloc.arena_max=1"}
    words = [sys.executable, "-m", "watari", "exec", "--pooled", "--huge", "--print"]
    script = 'eval "$("$@" 2>&-)"; echo "$LD_PRELOAD"; echo "$GLIBC_TUNABLES"'
    ended = subprocess.run(
        [shell, "-c", script, shell, *words],
        env=driver() | given,
        capture_output=True,
        text=True,
        timeout=60,
    )
    libraries, tunables = ended.stdout.splitlines()
    assert libraries == f"{LIBRARY}:{given['LD_PRELOAD']}"
    assert tunables == f"glibc.malloc.hugetlb=1:{given['GLIBC_TUNABLES']}"


def test_what_cannot_be_printed_for_a_shell_is_said_where_a_person_sees_it():
    ended = become("--pooled", "--prefetched", "--near", "--print")
    assert all(line.startswith("export ") for line in ended.stdout.splitlines())
    assert ended.stderr.startswith("watari: prefetched is left out: --from names no trace")
    assert "watari: near: " in ended.stderr


def test_huge_pages_of_malloc_keep_other_tunables():
    seen = environment_of("--huge", GLIBC_TUNABLES="glibc.malloc.arena_max=1")
    assert seen["GLIBC_TUNABLES"] == "glibc.malloc.arena_max=1:glibc.malloc.hugetlb=1"
    assert "LD_PRELOAD" not in seen
    seen = environment_of("--huge", GLIBC_TUNABLES="glibc.malloc.hugetlb=2")
    assert seen["GLIBC_TUNABLES"] == "glibc.malloc.hugetlb=2"


def test_a_program_with_capabilities_is_an_obstacle_for_users(monkeypatch):
    names = {TRUE: b"capabilities"}
    monkeypatch.setattr(os, "getxattr", lambda path, name: names[path])
    monkeypatch.setattr(os, "getuid", lambda: 1000)
    assert "setcap" in entry.obstacle([TRUE])
    monkeypatch.setattr(os, "getuid", lambda: 0)  # has them anyway
    assert entry.obstacle([TRUE]) == ""
