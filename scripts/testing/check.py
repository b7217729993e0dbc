"""Checks a change in a few minutes: `make check`, or `make check BASE=REVISION`.

It looks at the files that differ from BASE; the default is where the branch left `main`, which on
`main` itself is the last commit. It lints them, builds, and tests their folders and those that use
them (affected.py). It leaves out C++ tests that took longer than a second here, and Python tests
that start a process. Tests of the changed folders come first; after 100 s of Python tests the rest
is skipped, and it says how many. `make test` has all.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import affected
from affected import ROOT

BUILD = ROOT / "build" / "test"
LONG = 1.0  # seconds of a C++ test
PYTHON = 100.0  # seconds of all Python tests
FORMATTED = {".cpp", ".hpp", ".cu", ".cuh"}
Step = Callable[[list[str]], str]


class FailedError(Exception):
    """A step that found something."""


def output(*words: str | Path) -> str:
    done = subprocess.run([str(w) for w in words], cwd=ROOT, capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else ""


def run(*words: str | Path, **variables: str) -> None:
    environment = {**os.environ, **variables}
    if subprocess.run([str(w) for w in words], cwd=ROOT, env=environment).returncode:
        raise FailedError(" ".join(map(str, words[:3])))


def base() -> str:
    """The revision to compare with."""
    left = output("git", "merge-base", "HEAD", "main").strip()
    return os.environ.get("BASE") or left or "HEAD"


def changed(since: str) -> list[str]:
    """The files that differ from a revision and still exist, new ones too."""
    names = output("git", "diff", "--name-only", "--diff-filter=d", since).splitlines()
    names += output("git", "ls-files", "--others", "--exclude-standard").splitlines()
    return sorted({name for name in names if (ROOT / name).is_file()})


def lint(files: list[str]) -> str:
    native = [file for file in files if Path(file).suffix in FORMATTED]
    python = [file for file in files if file.endswith(".py")]
    typed = [f for f in python if f.startswith(("python/", "cases/")) and not affected.is_test(f)]
    shell = [file for file in files if file.endswith(".sh")]
    if native:
        run("clang-format", "--dry-run", "-Werror", *native)
    if python:
        run("ruff", "format", "--check", "-q", *python)
        run("ruff", "check", "-q", *python)
    if typed:
        run("mypy")
    if shell:
        run("shellcheck", "-x", "-P", "SCRIPTDIR", *shell)
    return f"{len(native) + len(python) + len(shell)} files"


def build(files: list[str]) -> str:
    run("scripts/testing/build_tests.sh")
    return "the package, and the C++ tests"


def long_ones() -> set[str]:
    """The C++ tests that took longer than LONG here, as ctest remembers."""
    costs = BUILD / "Testing" / "Temporary" / "CTestCostData.txt"
    lines = costs.read_text().splitlines() if costs.is_file() else []
    rows = (line.rsplit(" ", 2) for line in lines if line.count(" ") >= 2)
    return {row[0] for row in rows if float(row[2]) > LONG}


def native_tests(files: list[str]) -> str:
    folders = affected.affected_by(files).native
    suites = affected.native_suites(folders)
    if not suites:
        return "none: no C++ changed"
    listed = output("ctest", "--test-dir", BUILD, "-N", "-R", affected.ctest_pattern(suites))
    every = [line.split(": ", 1)[1] for line in listed.splitlines() if "Test #" in line]
    chosen = [name for name in every if name not in long_ones()]
    names = BUILD / "chosen.txt"
    names.write_text("\n".join(chosen) + "\n")
    words: list[str | Path] = ["--test-dir", BUILD, "--tests-from-file", names, "-j", "3"]
    run("ctest", *words, "--output-on-failure", "--progress")
    left = len(every) - len(chosen)
    return f"{len(chosen)} of {', '.join(sorted(folders))}; {left} long ones left out"


def python_tests(files: list[str]) -> str:
    folders = affected.affected_by(files).python
    own = folders & {affected.folder_of(file) for file in files}
    tests = affected.python_tests(own) + affected.python_tests(folders - own)
    if not tests:
        return "none"
    words = ["-q", "-n", "2", "--maxschedchunk", "1", "-p", "in_process", "-r", "fEs"]
    until, helpers = str(time.monotonic() + PYTHON), str(ROOT / "tests" / "python")
    run(sys.executable, "-m", "pytest", *words, *tests, PYTHONPATH=helpers, CHECK_UNTIL=until)
    return f"of {', '.join(sorted(folders))}; what is skipped stands above"


STEPS: dict[str, Step] = {
    "lint": lint,
    "build": build,
    "C++ tests": native_tests,
    "Python tests": python_tests,
}


def main() -> None:
    since = base()
    files = changed(since)
    print(f"{len(files)} files differ from {since[:8]}")
    lines, is_good = [], True
    for name, step in STEPS.items():
        print(f"\n==== {name}", flush=True)
        begun = time.monotonic()
        try:
            said = step(files)
        except FailedError as error:
            said, is_good = f"FAILED: {error}", False
        lines.append(f"{name:13} {time.monotonic() - begun:4.0f} s  {said}")
        if name == "build" and said.startswith("FAILED"):
            break
    print("\n==== Summary", *lines, sep="\n")
    if not is_good:
        sys.exit("make check: FAILED")
    print("make check: passed. It leaves out sanitizers, tests/hostile and tests/acceptance")


if __name__ == "__main__":
    main()
