"""`watari.run`, `watari.predict` and `watari.advise` as a Python program uses them."""

from __future__ import annotations

import inspect
import pydoc
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import watari
from watari.api import answers, measure, model
from watari.cases import CASES
from watari.common.errors import FileError, UsageError
from watari.results import schema

ROOT = Path(__file__).parents[3]
RECORDED = ROOT / "results" / "nvidia-h200-x86_64" / "20261121-standard.json"
SMALL: dict[str, Any] = {"processor": "cpu", "memory": "pageable", "trials": 2, "samples": 3}


@pytest.fixture(scope="module")
def measured() -> measure.Run:
    return watari.run("copy", size=["1MiB", 2**22], **SMALL)


def test_help_shows_arguments_units_and_errors() -> None:
    for function in (watari.run, watari.predict, watari.advise):
        shown = pydoc.plain(pydoc.render_doc(function))
        assert "Args:" in shown
        assert "Raises" in shown
    assert "time limit of the run, in seconds" in pydoc.plain(pydoc.render_doc(watari.run))


def test_a_run_prints_plots_and_becomes_a_frame(measured: measure.Run, tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    assert measured.ok
    assert measured.path is None
    assert "copy cpu pageable -> pageable 4MiB" in str(measured)
    assert "2 ok" in repr(measured)
    assert "<pre>" in measured._repr_html_()
    table = measured.frame()
    assert list(table["size"]) == [2**20, 2**20, 2**22, 2**22]
    assert (table["median_host_s"] > 0).all()
    assert len(measured.frame(by="sample")) == 12
    figure = measured.plot()
    assert figure.svg.startswith("<svg")
    for end in ("svg", "png"):
        figure.save(tmp_path / f"f.{end}")
        assert (tmp_path / f"f.{end}").stat().st_size
    with pytest.raises(UsageError, match="names of figures"):
        figure.save(tmp_path / "f.txt")
    with pytest.raises(UsageError, match="no figure 'none'"):
        measured.plot("none")


def test_a_result_file_is_that_of_the_command(measured: measure.Run, tmp_path: Path) -> None:
    measured.save(tmp_path / "run.json")
    assert schema.read(tmp_path / "run.json") == measured.results
    command = [sys.executable, "-m", "watari", "compare", "run.json", "run.json"]
    assert subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).returncode == 0


def test_output_is_written(tmp_path: Path) -> None:
    found = watari.run("copy", size=4096, output=tmp_path / "run.json", **SMALL)
    assert found.path == tmp_path / "run.json"
    assert schema.read(found.path) == found.results
    assert list(tmp_path.iterdir()) == [found.path]
    with pytest.raises(UsageError, match="that folder does not exist"):
        watari.run("copy", size=4096, output=tmp_path / "none" / "run.json", **SMALL)


def test_progress_is_called_at_both_ends_of_a_trial() -> None:
    seen: list[measure.Progress] = []
    watari.run("copy", size=4096, progress=seen.append, **SMALL)
    assert [(p.done, p.total) for p in seen] == [(0, 2), (1, 2), (1, 2), (2, 2)]
    assert ": ok" in seen[-1].text
    assert seen[-1].left == 0


def test_an_error_in_progress_reaches_the_caller() -> None:
    def fail(progress: measure.Progress) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        watari.run("copy", size=4096, progress=fail, **SMALL)


@pytest.mark.parametrize(
    ("arguments", "axes", "says"),
    [
        (["copy"], {"sise": 1}, "did you mean 'size'"),
        (["none"], {}, "none"),
        ([], {"size": 1}, "name a case"),
        (["copy"], {"plan": "gh200-sam"}, "a case or a plan, not both"),
        (["copy"], {"budget": "soon"}, "soon"),
    ],
)
def test_words_are_refused_before_anything_runs(
    arguments: list[str], axes: dict[str, Any], says: str
) -> None:
    with pytest.raises(ValueError, match=says):
        watari.run(*arguments, **axes)


def test_what_a_machine_lacks_is_a_status() -> None:
    found = watari.run("copy", from_="pinned", to="device", size="1MiB", quick=True)
    (case,) = found.results.cases
    assert case.status in ("ok", "unsupported")
    assert case.parameters["from"] == "pinned"


def test_no_axis_has_the_name_of_an_argument() -> None:
    for function in (measure.run, model.predict, model.advise):
        own = {
            p.name
            for p in inspect.signature(function).parameters.values()
            if p.kind is p.KEYWORD_ONLY
        }
        for case in CASES.values():
            assert not own & {name.replace("-", "_") for name in case.axes}, case.name


def test_run_is_the_folder_of_this_name_too() -> None:
    """Whether or not a module of the folder was imported before."""
    code = "import watari; {}; assert callable(watari.run); from watari.run import launch; "
    code += (
        "import inspect; assert 'budget' in str(inspect.signature(watari.run)); watari.run.launch"
    )
    for first in ("pass", "import watari.run.journal", "watari.run"):
        subprocess.run([sys.executable, "-c", code.format(first)], check=True)


def test_a_prediction_prints_plots_and_becomes_a_frame(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    found = watari.predict("himeno", grid="XL", iterations=[200, 3000], machine="gh200")
    assert isinstance(found, answers.Predictions)
    assert "gh200" in str(found)
    table = found.frame()
    assert set(table["iterations"]) == {200, 3000}
    known = table[table["seconds"].notna()]
    assert len(known)
    assert (known["low"] <= known["seconds"]).all()
    assert (known["seconds"] <= known["high"]).all()
    assert "explicit" in found.plot().svg


def test_advice_ranks_styles() -> None:
    pytest.importorskip("pandas")
    found = watari.advise("himeno", grid="XL", machine="gh200")
    assert isinstance(found, answers.Advised)
    table = found.frame()
    assert set(table[table["best"]]["style"]) == set(found.best)
    assert list(table["seconds"]) == sorted(table["seconds"])
    assert found.advice[0][1].verdict in " ".join(str(found).split())


def test_advice_without_a_program_is_sentences() -> None:
    found = watari.advise(results=[RECORDED])
    assert isinstance(found, answers.General)
    assert "Read again and again by the GPU" in str(found)
    with pytest.raises(UsageError, match="no figure"):
        found.plot()


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: watari.predict("none.json"), UsageError, "no such file"),
        (lambda: watari.predict("himeno", machine="none"), UsageError, "none"),
        (lambda: watari.advise(["no-such-program"]), UsageError, "no program of this name"),
        (lambda: watari.advise([]), UsageError, "no program of this name"),
        (lambda: watari.advise(["true"], grid="XL"), UsageError, "grid is for a case"),
        (lambda: watari.advise(results=["none.json"]), FileError, "none.json"),
    ],
)
def test_what_is_refused(call: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        call()
