"""Result files of earlier revisions, one for each family of cases, keep their meaning.

The files in `tests/fixtures/results/` are of 7c6bb47, except `memory`, an H200's of a349e1b. They
lack the axes that a case got later: such an axis states the value that keeps their meaning
(`Axis.before`).
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from watari import cases
from watari.case.axes import words
from watari.case.axis import Axis
from watari.cli import commands as cli
from watari.common.errors import FileError
from watari.report import compare, verdicts
from watari.report import page as report
from watari.results import schema as results
from watari.run import resume

FILES = sorted((Path(__file__).parents[2] / "fixtures" / "results").glob("*.json"))
fixtures = pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
ADDED = words("flavour", "how it is seasoned", "sweet", "sweet", "plain")


def with_axis(monkeypatch: pytest.MonkeyPatch, axis: Axis) -> None:
    """Gives every case another axis, as a later version may."""
    for name, case in cases.CASES.items():
        more = replace(case, axes={**case.axes, axis.name: axis})
        monkeypatch.setitem(cases.CASES._cases, name, more)


def check(file: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> results.Results:
    """Checks `report`, `compare` with itself and `resume` on a file. Returns its results."""
    found = results.read(file)
    page = folder / "page.html"
    report.write([file], page)
    assert all(case.case in page.read_text() for case in found.cases)
    with pytest.raises(SystemExit) as ended:
        cli.main(["compare", str(file), str(file)])
    assert (ended.value.code, capsys.readouterr().err) == (0, "")
    assert {row.verdict for row in compare.compare(found, found)} <= {"same", "unsure"}
    state, output = resume.load(file)
    assert [len(trials) for trials in state.trials] == [
        *(len(case.trials) for case in found.cases),
        *(0 for _ in found.missing),
    ]
    assert output == file
    return found


def test_each_file_has_measured_cases_of_its_family() -> None:
    assert len(FILES) >= 4
    assert {file.stem for file in FILES} <= set(cases.FOLDERS)
    for file in FILES:
        measured = [case for case in results.read(file).cases if case.status == "ok"]
        assert measured
        for case in measured:
            assert f".{file.stem}." in cases.CASES[case.case].presentation


@fixtures
def test_an_earlier_result_is_read(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = check(file, tmp_path, capsys)
    kept = json.loads(file.read_text())["cases"]
    for case, before in zip(found.cases, kept, strict=True):
        assert before["parameters"].items() <= case.parameters.items()


@fixtures
def test_an_axis_added_since_has_the_value_that_keeps_the_meaning(
    file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with_axis(monkeypatch, replace(ADDED, before="plain"))
    found = check(file, tmp_path, capsys)
    assert {case.parameters["flavour"] for case in found.cases} == {"plain"}
    assert {wanted.parameters["flavour"] for wanted in found.missing} <= {"plain"}
    assert "flavour=plain" in verdicts.labels(compare.compare(found, found))[0]


@fixtures
def test_an_axis_without_an_earlier_value_is_missing(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_axis(monkeypatch, ADDED)
    with pytest.raises(FileError, match=r"parameters: the axis 'flavour' of \w+ is missing"):
        results.read(file)


@pytest.mark.parametrize("value", [None, 1, "sour"])
def test_a_wrong_value_of_an_added_axis_is_refused(
    value: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_axis(monkeypatch, replace(ADDED, before="plain"))
    data = json.loads(FILES[0].read_text())
    data["cases"][0]["parameters"]["flavour"] = value
    file = tmp_path / "run.json"
    file.write_text(json.dumps(data))
    with pytest.raises(FileError, match=r"cases\[0\]\.parameters\.flavour: not a value"):
        results.read(file)
