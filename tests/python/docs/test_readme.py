"""The commands that README.md shows, run one after another in a clean copy of the repository.

A command is a line that starts with `$ ` in a block fenced as ```console. Set-up commands are not
run again here, since `make test` has just done the same; `test_demo` runs `make demo` as a newcomer
would, with a virtual environment and a build of its own. Under `make acceptance` that build takes
objects of the same sources from the cache of the user, which the build before it has filled.
"""

from __future__ import annotations

import itertools
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
SET_UP = re.compile(r"(sudo )?(apt(-get)?|git|cd|make|pip|python3? -m (venv|pip)|source|\.) ")
KEPT = re.compile(r"PIP_|.*_proxy$|CCACHE_|CMAKE_\w+_LAUNCHER$|CUDAARCHS$")
FOUND_SLOWER = 3
HANGS = 7200  # seconds: for a command that hangs, not for a slow machine


def commands(text: str) -> list[str]:
    """The commands of all console blocks, in order; a backslash continues a line."""
    blocks = re.findall(r"^```console\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    joined = "".join(blocks).replace("\\\n", "")
    return re.findall(r"^\$ (.+)$", joined, re.MULTILINE)


def written_files(command: str) -> list[str]:
    """The files that a command names as its output."""
    words = shlex.split(command, comments=True)
    return [file for option, file in itertools.pairwise(words) if option in ("-o", ">")]


def shortened(command: str) -> str:
    """The same command with less time to measure: the test is whether it works as written."""
    if "--budget" in command:
        return command
    return re.sub(r"^watari run\b", "watari run --budget 30s", command)


def run(command: str, directory: Path, timeout: float) -> str:
    """Runs a command as a newcomer's shell would, with an empty home. Returns its output."""
    home = directory.parent / "home"
    home.mkdir(exist_ok=True)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    kept = {name: os.environ[name] for name in os.environ if KEPT.match(name)}
    cache = {}
    if kept.get("CMAKE_CXX_COMPILER_LAUNCHER") == "ccache":
        found = ["ccache", "--get-config", "cache_dir"]
        folder = subprocess.run(found, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
        # the cache's size limit is in the user's home, not in this one: remove nothing
        cache = {"CCACHE_BASEDIR": str(directory), "CCACHE_DIR": folder, "CCACHE_MAXSIZE": "0"}
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", command],
        cwd=directory,
        env={**kept, **cache, "HOME": str(home), "PATH": path, "LANG": "C.UTF-8"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=timeout,
    )
    judges = command.startswith(("watari compare", "watari check"))
    expected = (0, FOUND_SLOWER) if judges else (0,)
    assert done.returncode in expected, f"$ {command}\n{done.stdout}"
    assert "Traceback" not in done.stdout, f"$ {command}\n{done.stdout}"
    return done.stdout


@pytest.fixture
def clean_copy(tmp_path: Path) -> Path:
    """The repository's files, and nothing that was built or measured beside them."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    copy = tmp_path / "watari"
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file() or (ROOT / name).is_symlink():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, copy / name, follow_symlinks=False)
    return copy


def test_extracts_commands() -> None:
    text = (
        "```console\n$ watari run \\\n  copy -o a.json\nprinted\n$ watari list  # all\n```\n$ no\n"
    )
    assert commands(text) == ["watari run   copy -o a.json", "watari list  # all"]
    assert written_files(commands(text)[0]) == ["a.json"]


@pytest.mark.slow
def test_readme_commands(clean_copy: Path) -> None:
    shown = commands((clean_copy / "README.md").read_text())
    assert "make demo" in shown
    to_run = [command for command in shown if not SET_UP.match(command)]
    assert to_run, "README.md shows no command of watari"
    for command in to_run:
        run(shortened(command), clean_copy, timeout=HANGS)
        for file in written_files(command):
            assert (clean_copy / file).stat().st_size > 0, f"$ {command}\nwrote no {file}"


def test_make_targets_of_readme_exist(clean_copy: Path) -> None:
    text = (clean_copy / "README.md").read_text()
    targets = {*commands(text), *re.findall(r"`(make [^`]+)`", text)}
    assert {"make demo", "make test"} <= targets
    for command in targets:
        if command.startswith("make "):
            run(command.replace("make ", "make --dry-run ", 1), clean_copy, timeout=HANGS)


def why_no_packages() -> str | None:
    """The reason why a new virtual environment cannot be filled here, or None."""
    fetch = f"{sys.executable} -m pip install -q --dry-run --no-deps --ignore-installed ninja"
    done = subprocess.run(shlex.split(fetch), capture_output=True)
    return None if done.returncode == 0 else "no network"


@pytest.mark.slow
def test_demo(clean_copy: Path) -> None:
    if reason := why_no_packages():
        pytest.skip(f"{reason}: make demo cannot fetch Python packages")
    printed = run("make demo", clean_copy, timeout=HANGS)
    report = Path(printed.strip().splitlines()[-1].removeprefix("The report: "))
    assert report.is_relative_to(clean_copy)
    assert "</html>" in report.read_text()
