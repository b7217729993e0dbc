"""Any sweep has a chart over its own axis, or a line says what was not drawn; paper figures."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import synthetic
from command_line import refused

from watari.case.presentation import plain_columns
from watari.cli.commands import exit_code
from watari.report import page, sweeps
from watari.results.measured import Measured, measurements
from watari.results.schema import Results, write

MIB = 2**20


def results(*changes: dict[str, Any]) -> Results:
    """Copies by the CPU that differ in these parameters."""
    rng = np.random.default_rng(0)
    made = synthetic.plain(synthetic.cpu_machine())
    usual = {"processor": "cpu", "means": "kernel"}
    made["cases"] = [
        synthetic.copy_case(rng, "pageable", "pageable", MIB, 2e10, 3, **usual) for _ in changes
    ]
    for case, change in zip(made["cases"], changes, strict=True):
        case["parameters"] |= change
    return Results.model_validate(made)


def measured(*changes: dict[str, Any]) -> list[Measured]:
    return measurements([results(*changes)])


def drawn(cases: list[Measured]) -> list[str]:
    return [drawing.name for drawing in page.drawn(cases) if drawing.figure is sweeps.SWEEPS]


def test_a_sweep_that_no_figure_runs_along_is_drawn_over_its_axis() -> None:
    found = measured(*({"threads": n} for n in (1, 2, 4, 8)))
    assert drawn(found) == ["copy-over-threads"]
    (only,) = sweeps.left_out(found, [])
    rows = only.spec()["datasets"]
    assert sorted(row["at"] for data in rows.values() for row in data) == [1, 2, 4, 8]


def test_a_sweep_that_a_figure_runs_along_is_not_drawn_twice() -> None:
    assert drawn(measured(*({"size": n * MIB} for n in (1, 2, 4)))) == []


def test_two_values_are_a_comparison_and_no_sweep() -> None:
    assert drawn(measured({"threads": 1}, {"threads": 8})) == []


def test_a_line_names_the_axis_of_words_that_nothing_shows() -> None:
    found = measured({"oversubscribe": True}, {"oversubscribe": False}, {"numa": "local"})
    assert all("oversubscribe" not in text or "yes" in text for text in sweeps.not_drawn(found))
    rows = measured({"stores": "ordinary"}, {"stores": "default"})
    said = sweeps.not_drawn(rows)
    shown = {m["stores"] for m in rows}
    assert len(shown) == 2
    assert said in ([], ["copy over stores (ordinary, default)"])  # [] where its words have it


def test_a_line_for_each_value_of_the_other_axis() -> None:
    found = measured(*({"size": s * MIB, "threads": n} for s in (1, 2, 4) for n in (1, 8)))
    (only,) = sweeps.asked(found, "size", "threads")
    one = sweeps.lines(found, "size", "threads")
    assert list(one.lines) == ["1", "8"]
    assert [m["size"] for m in one.lines["8"]] == [MIB, 2 * MIB, 4 * MIB]
    assert len(only.cases) == 6


def test_more_lines_than_colours_are_counted() -> None:
    found = measured(*({"size": s * MIB, "threads": n} for s in (1, 2) for n in range(1, 13)))
    (only,) = sweeps.asked(found, "size", "threads")
    assert only.heading == "copy over size; 4 more lines are in the tables"


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A result file with a sweep of size and threads."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "run.json"
    write(path, results(*({"size": s * MIB, "threads": n} for s in (1, 2, 4) for n in (1, 8))))
    return path


@pytest.mark.parametrize("format", ["svg", "pdf", "png"])
def test_a_figure_is_as_wide_as_the_column(format: str, file: Path) -> None:
    words = ["--x", "size", "--by", "threads", "--width", "85mm", "--format", format]
    assert exit_code(["report", str(file), *words, "-o", "figures"]) == 0
    content = Path(f"figures/copy-over-size.{format}").read_bytes()
    if format == "svg":
        assert b'width="85mm"' in content
    elif format == "pdf":
        box = re.search(rb"MediaBox \[0 0 ([\d.]+) ", content)
        assert box
        assert float(box[1]) == pytest.approx(85 / 25.4 * 72, abs=0.5)
    else:
        assert int.from_bytes(content[16:20], "big") == pytest.approx(85 / 25.4 * 300, abs=2)


def test_the_rate_of_an_answer_is_that_of_the_table() -> None:
    """Of two trials, the median of the rates is another number than the rate of the median."""
    (case,) = measured({"size": MIB})
    two = replace(case, trials=[{**case.trials[0], "host_s": [s]} for s in (1e-3, 9e-3)])
    shown = plain_columns(two, [two])["median"]
    assert f"{two.median:.4g} GB/s" == shown
    assert two.median == pytest.approx(two.bytes_per_sample / 5e-3 / 1e9)


def test_one_figure_has_the_name_that_is_asked_for(file: Path) -> None:
    assert exit_code(["report", str(file), "--x", "size", "-o", "size.png"]) == 0
    assert Path("size.png").read_bytes().startswith(b"\x89PNG")
    assert not Path("figures").exists()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--x", "size", "--format", "pdf", "-o", "x.png"], "a figure as pdf ends in .pdf"),
        (["--format", "pdf", "-o", "x.pdf"], "-o names the folder"),
        (["--by", "size"], "--by goes with --x AXIS"),
        (["--width", "85mm"], "--width goes with --x AXIS"),
        (["--x", "siz"], "did you mean 'size'?"),
        (["--x", "size", "--by", "thread"], "did you mean 'threads'?"),
        (["--x", "streams"], "no case here has two values of it"),
        (["--x", "size", "--width", "85"], ""),
        (["--x", "size", "--width", "8 furlongs"], "is not a width of 40 to 500 mm"),
        (["--x", "size", "--width", "3mm"], "is not a width of 40 to 500 mm"),
    ],
)
def test_words_that_draw_nothing_are_refused(
    words: list[str], says: str, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code(["report", str(file), *words]) == (2 if says else 0)
    assert says in capsys.readouterr().err


def test_figures_without_names_spare_their_inputs(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("figures").mkdir()
    odd = file.rename("figures/sizes.svg")
    words = ["report", str(odd), "--format", "svg", "--anonymous", "-o", "figures"]
    assert "would write over figures/sizes.svg" in refused(capsys, *words)
