"""The compiled module of a case: loaded when it is needed, and one sentence where it is missing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from watari.case import native
from watari.common.errors import UnsupportedError


def package(folder: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    (folder / name).mkdir()
    (folder / name / "__init__.py").touch()
    monkeypatch.syspath_prepend(folder)
    return folder / name


def test_a_case_that_was_not_built_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package(tmp_path, "made_without_module", monkeypatch)
    with pytest.raises(
        UnsupportedError, match="made_without_module has no compiled part here: install"
    ):
        native.module("made_without_module")
    assert native.missing("watari.cases.deep").startswith("deep is not in this build: make build")


def test_a_module_that_fails_is_not_taken_for_one_that_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = package(tmp_path, "made_with_broken_module", monkeypatch)
    (folder / "_native.py").write_text("import a_module_that_no_one_has")
    with pytest.raises(ModuleNotFoundError, match="a_module_that_no_one_has"):
        native.module("made_with_broken_module")


def test_the_list_of_cases_loads_the_module_of_none() -> None:
    code = (
        "import sys; from watari import cases; assert list(cases.CASES)\n"
        "print([name for name in sys.modules if name.endswith('._native')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['watari._native']"
