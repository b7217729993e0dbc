"""Tables on terminals of 40 to 200 columns: every name and number is there, none is cut."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
import synthetic
from rich.console import Console, RenderableType

from watari.cli import summary
from watari.report import verdicts
from watari.report.compare import compare
from watari.results import schema

FIXTURES = Path(__file__).parents[2] / "fixtures" / "results"
WIDTHS = (40, 60, 80, 100, 130, 200)


def printed(shown: RenderableType, width: int) -> str:
    console = Console(width=width, file=io.StringIO())
    console.print(shown)
    return console.file.getvalue()  # type: ignore[attr-defined, no-any-return]


@pytest.mark.parametrize("width", WIDTHS)
def test_a_summary_keeps_names_and_numbers(width: int) -> None:
    stored = schema.read(FIXTURES / "storage.json")
    text = printed(summary.render(stored), width)
    assert "…" not in text
    words = text.split()
    for columns in summary.numbers(stored):
        assert all(part in words or f"{part}," in words for part in "".join(columns["p99"]).split())


@pytest.mark.parametrize("width", WIDTHS)
def test_a_comparison_keeps_names_and_numbers(width: int) -> None:
    rows = compare(synthetic.results(seed=1), synthetic.results(seed=2))
    text = " ".join(printed(verdicts.render(rows), width).split())
    assert "…" not in text
    for row in rows:
        if row.ratio:
            assert verdicts.ratio_text(row.ratio) in text


def test_a_wide_terminal_has_a_row_a_line() -> None:
    rows = compare(synthetic.results(seed=1), synthetic.results(seed=2))
    lines = printed(verdicts.render(rows), 200).splitlines()
    assert all(any(row.parameters and row.verdict in line for line in lines) for row in rows)
    assert any(line.split()[:3] == ["case", "base", "new"] for line in lines)
