"""A case in a package of its own (examples/case), built against the installed package by the steps
of CONTRIBUTING.md: listed, run, swept, reported and compared like any other."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from builds import ROOT

EXAMPLE = ROOT / "examples" / "case"
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which pip installs the example."""
    pytest.importorskip("scikit_build_core", reason="no scikit-build-core")
    folder = tmp_path_factory.mktemp("elsewhere")
    copy = shutil.copytree(EXAMPLE, folder / "case")
    command = (sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check")
    options = ("--no-build-isolation", "--no-deps", "--target", folder / "site")
    done = subprocess.run([*command, *options, copy], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "site"


@pytest.fixture
def watari(site: Path, tmp_path: Path):
    """Runs a command where the example is installed."""

    def run(*words: str, module: str = "watari") -> str:
        done = subprocess.run(
            [sys.executable, "-m", module, *words],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(site), "COLUMNS": "200"},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


def test_the_example_is_a_case_like_any_other(watari, tmp_path: Path) -> None:
    assert "(from watari-triad 0.1.0); axes: watari list triad" in watari("list")
    assert "products and sums of an element" in watari("list", "triad")
    small = ("processor=cpu", "size=1MiB", "samples=3", "trials=2")
    watari("run", "triad", "work=1,16", "memory=pageable", *small, "-o", "a.json")
    cases = json.loads((tmp_path / "a.json").read_text())["cases"]
    assert [case["status"] for case in cases] == ["ok", "ok"]
    assert [case["flops_per_sample"] for case in cases] == [2 * 2**17, 32 * 2**17]
    assert all(trial["verified"] for case in cases for trial in case["trials"])
    assert "work=16" in watari("compare", "a.json", "a.json")
    assert "triad" in watari("list", "plans")
    pytest.importorskip("altair", reason="no packages for figures")
    watari("report", "a.json", "-o", "a.html")
    page = (tmp_path / "a.html").read_text()
    assert "Arithmetic that hides memory" in page


def test_its_own_tests_pass(watari) -> None:
    tests = EXAMPLE / "tests"
    said = watari(
        "-q", "-p", "no:cacheprovider", "--rootdir", str(tests), str(tests), module="pytest"
    )
    assert " passed" in said


def test_it_shares_the_library_of_the_cases_here(watari, tmp_path: Path) -> None:
    """Threads that one module set are those of the other, and its errors are typed."""
    (tmp_path / "both.py").write_text(  # `python -m both`, in the current folder
        "from watari import cases\n"
        "from watari.common.errors import UnsupportedError\n"
        "from watari.machine import probe\n"
        "from watari.plan.request import resolve\n"
        "def run(name, **given):\n"
        "    (request,) = resolve(name, {'trials': 1, 'samples': 1, **given}, probe.machine())\n"
        "    return cases.find(name).run(request.parameters)\n"
        "assert run('triad', processor='cpu', size='1MiB')['verified']\n"
        "assert run('copy', processor='cpu', size='1MiB')['verified']\n"
        "try:\n"
        "    run('triad', processor='cpu', memory='device', size='1MiB')\n"
        "except UnsupportedError as error:\n"
        "    print('typed', error)\n"
        "maps = open('/proc/self/maps')\n"
        "libraries = {line.split()[-1] for line in maps if 'libwatari.so' in line}\n"
        "assert len(libraries) == 1, libraries\n"
    )
    assert watari(module="both").startswith("typed ")
