"""The site of `make docs` has all pages, commands, cases and Python names, and no broken link."""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import watari
from watari import cases
from watari.cli.app import commands_by_name

ROOT = Path(__file__).parents[2]
SITE = ROOT / "scripts" / "site"
HANGS = 3600  # seconds: for a command that hangs, not for a slow machine


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *command], cwd=ROOT, capture_output=True, text=True, timeout=HANGS
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site; a warning of Sphinx is an error."""
    for module in ("sphinx", "furo", "myst_parser", "breathe"):
        if not find_spec(module):
            pytest.skip(f"needs {module}: scripts/setup.sh docs")
    if not shutil.which("doxygen"):
        pytest.skip("needs doxygen")
    folder = tmp_path_factory.mktemp("site")
    staged = run(SITE / "stage.py", folder / "source")
    assert staged.returncode == 0, staged.stderr
    built = run("-m", "sphinx", "-q", "-W", "--keep-going", folder / "source", folder / "site")
    assert built.returncode == 0, built.stderr
    return folder / "site"


def test_no_link_is_broken_and_nothing_comes_from_the_web(site: Path) -> None:
    checked = run(SITE / "links.py", site)
    assert (checked.returncode, checked.stdout.strip()) == (0, "")


def test_every_page_is_there(site: Path) -> None:
    for page in ["README", "CHANGELOG", "docs/try", "recipes/README"]:
        assert (site / f"{page}.html").exists()
    for folder in (ROOT / "cases").glob("*/README.md"):
        assert (site / "cases" / folder.parent.name / "README.html").exists()


def test_the_reference_has_every_command_case_and_name(site: Path) -> None:
    reference = site / "reference"
    commands = (reference / "commands.html").read_text()
    assert [name for name in commands_by_name() if f'id="watari-{name}"' not in commands] == []
    axes = (reference / "axes.html").read_text()
    assert [name for name in cases.CASES.names() if f'id="{name}"' not in axes] == []
    python = (reference / "python.html").read_text()
    names = [name for name in watari.__all__ if not name.startswith("_")]
    assert [name for name in names if f"watari.{name}" not in python] == []


def test_a_broken_link_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text('<a href="b.html#there">b</a><img src="https://x.org/y.png">')
    (tmp_path / "b.html").write_text('<p id="here"></p><a href="c.html">c</a>')
    checked = run(SITE / "links.py", tmp_path)
    assert checked.returncode == 1
    assert checked.stdout.splitlines() == [
        "a.html: b.html#there",
        "a.html: loads https://x.org/y.png",
        "b.html: c.html",
    ]
