"""The documentation is true: files exist, commands parse, and forbidden things are absent."""

from __future__ import annotations

import json
import re
import shlex
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from recompute import case_pages
from test_probe import described
from test_readme import commands, written_files

from watari.cli.app import add_commands, app
from watari.cli.asked import planned

ROOT = Path(__file__).parents[3]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
PAGES += case_pages()
PAGES.append(ROOT / "examples" / "README.md")
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text()
LIBRARY = ROOT / "src" / "watari"
PACKAGE = ROOT / "python" / "watari"
# source files only: the documentation also names results and built files
SOURCE = re.compile(r"[\w./-]+\.(py|pyi|[ch]pp|cu|cmake|toml|sh|md|svg|css|js|j2)")
FOLDERS = (
    "benchmarks",
    "cases",
    "cmake",
    "docs",
    "examples",
    "plans",
    "published",
    "python",
    "scripts",
)
FOLDERS += ("src", "tests")

pages = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


def spans(text: str) -> list[str]:
    """The texts in backticks outside fenced blocks."""
    return re.findall(r"`([^`]+)`", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S))


@cache
def sources() -> set[str]:
    """Every file of the source tree, by its path and by each end of it: a/b.py, b.py."""
    files = [file for folder in FOLDERS for file in (ROOT / folder).rglob("*")]
    parts = [file.relative_to(ROOT).parts for file in [*files, *ROOT.iterdir()]]
    return {"/".join(path[i:]) for path in parts for i in range(len(path))}


def watari_commands(text: str) -> list[list[str]]:
    """The words after `watari` of each command in console blocks and in backticks. A line may have
    several commands."""
    lines = [*commands(text), *(" ".join(span.split()) for span in spans(text))]
    parts = [part for line in lines for part in re.split(r"\s*(?:&&|\|\||[|;&])\s*", line)]
    typed = [re.sub(r"^(\w+=\S+ )+", "", part) for part in parts]
    return [
        shlex.split(re.split(r"\s[<>]", one)[0], comments=True)[1:]
        for one in typed
        if one.startswith("watari ")
    ]


@pages
def test_files_that_are_named_exist(page: Path) -> None:
    existing = sources()
    words = [word for span in spans(page.read_text()) for word in span.split()]
    for word in words:
        name = word.strip(",;:").removeprefix("./").removeprefix("../")
        if name in ("part.cpp", "part_absent.cpp"):  # placeholders
            continue
        if SOURCE.fullmatch(name):
            assert name in existing, f"{page.name}: {name}"
        elif name.startswith(tuple(f"{folder}/" for folder in FOLDERS)) and "<" not in name:
            assert any(ROOT.glob(name.rstrip("/"))), f"{page.name}: {name}"


@pages
def test_results_that_are_read_exist(page: Path) -> None:
    for command in commands(page.read_text()):
        for word in shlex.split(command, comments=True):
            if word.startswith("results/") and word not in written_files(command):
                assert (ROOT / word).exists(), f"{page.name}: {word}"


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """A machine with a GPU, which knows every axis."""
    file = ROOT / "tests" / "fixtures" / "machines" / "h200-without-hmm.json"
    return described(json.loads(file.read_text()), tmp_path_factory.mktemp("machine"))


def rejected(text: str, machine: dict[str, Any]) -> list[str]:
    """The commands of a page that `watari` rejects, with the reason."""
    add_commands()
    known: Any = typer.main.get_command(app)
    wrong = []
    for name, *words in watari_commands(text):
        line = f"watari {shlex.join([name, *words])}"
        if name.startswith("-"):
            if not any(name in option.opts for option in known.params):
                wrong.append(f"{line}: no such option")
        elif name not in known.commands:
            wrong.append(f"{line}: no such command")
        if name not in known.commands:
            continue
        try:
            given = known.commands[name].make_context(name, list(words)).params
            if name == "run":
                assert planned(given["words"] or [], given["plan"], machine).requests
        except typer.Exit:  # --help
            continue
        except Exception as error:
            if words:  # a bare `watari compare` in the text names the command, and types nothing
                wrong.append(f"{line}: {error}")
    return wrong


@pytest.fixture(scope="module")
def users_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository, and the user's own files that pages require."""
    folder = tmp_path_factory.mktemp("user")
    for path in ROOT.iterdir():
        (folder / path.name).symlink_to(path)
    np.save(folder / "heights.npy", np.zeros((64, 64)))
    for path in (ROOT / "examples" / "kernel").iterdir():
        (folder / path.name).symlink_to(path)
    return folder


@pages
def test_commands_parse(
    page: Path, machine: dict[str, Any], users_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(users_folder)
    assert rejected(page.read_text(), machine) == []


def test_wrong_commands_are_reported(
    machine: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    good = "```console\n$ watari list && A=1 watari run copy size=1MiB -o a.json | tee b\n```\n"
    assert len(watari_commands(good)) == 2
    assert rejected(good, machine) == []
    for wrong in (
        "watari measure",
        "watari --versoin",
        "watari run copy sice=1MiB",
        "watari run --plan no-such-plan",
        "watari report a.json --form svg",
    ):
        assert len(rejected(f"The command `{wrong}` is here.", machine)) == 1
        assert len(rejected(f"```console\n$ watari list && {wrong}\n```\n", machine)) == 1


def test_every_folder_has_one_line_in_the_house() -> None:
    rows = re.findall(r"^\| `(\w+/)` \|", ARCHITECTURE, re.MULTILINE)
    folders = [
        f"{folder.name}/"
        for tree in (LIBRARY, PACKAGE)
        for folder in tree.iterdir()
        if folder.is_dir() and not folder.name.startswith("__")
    ]
    assert sorted(rows) == sorted(folders)


def test_the_core_alone_knows_the_compiler() -> None:
    asking = {
        str(file.relative_to(LIBRARY))
        for file in LIBRARY.rglob("*.*")
        if "styles" not in file.parts  # what a programmer would write
        and re.search(r"^\s*#\s*(if|pragma omp)", file.read_text(), re.MULTILINE)
    }
    assert asking == {
        f"core/{name}.hpp"
        for name in ("backend", "loops", "parallel/sums", "streaming_stores", "unrolled")
    }


def test_no_file_defines_a_name_of_the_compiler_or_of_another_library() -> None:
    """These names begin with an underscore and a capital, or with two underscores."""
    assert [
        str(file.relative_to(LIBRARY))
        for file in LIBRARY.rglob("*.*")
        if re.search(r"^\s*#\s*define\s+_[A-Z_]", file.read_text(), re.MULTILINE)
    ] == []
