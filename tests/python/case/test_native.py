"""The compiled module of a case: loaded when it is needed, and one sentence where it is missing."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest
import synthetic

from watari import cases
from watari.case import native
from watari.common.errors import UnsupportedError
from watari.plan.request import describe, expected_bytes, resolve


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
        UnsupportedError, match=f"in {tmp_path}/made_without_module has no compiled part: install"
    ):
        native.module("made_without_module")
    assert native.missing("watari.cases.deep").startswith("deep is not in this build: make build")


@pytest.mark.parametrize("name", sorted(cases.CASES))
def test_a_request_is_made_without_the_module_whose_lack_its_trial_reports(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def without_modules(module: str) -> ModuleType:
        if module.endswith("._native"):
            raise ModuleNotFoundError(f"No module named '{module}'", name=module)
        return import_module(module)

    monkeypatch.setattr(native, "import_module", without_modules)
    (request,) = resolve(name, {}, synthetic.cpu_machine())
    assert describe(request)
    assert expected_bytes(request) > 0
    with pytest.raises(UnsupportedError, match=r"is not in this build: make build|GPU"):
        cases.CASES[name].run(request.parameters)


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
