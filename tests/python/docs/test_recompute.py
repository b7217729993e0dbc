"""scripts/recompute.py sees a number that differs from its file, and one without a source."""

from __future__ import annotations

from pathlib import Path

import pytest
import recompute
from recompute import Page, agrees, rounded
from result_files import NoSuchKeyError, Run, Text

WORDS = """# A page
A copy has **12.5** GB/s in `20260101-a.json`, a fifth
of 63 GB/s. In 4 KiB pages (Doi 2016) it takes 3 calls.

```console
$ watari run copy samples=17
the rate is 99.9 GB/s
```
Then 88 of them.

```cpp
int lines = 77;
```
"""


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Page:
    (tmp_path / "page.md").write_text(WORDS)
    monkeypatch.setattr(recompute, "ROOT", tmp_path)
    return Page("page.md")


def test_numbers_without_a_source_are_reported(page: Page) -> None:
    assert [line.split(" has ")[0] for line in page.uncovered()] == [
        "line 2: 12.5",
        "line 3: 63",
        "line 7: 99.9",
        "line 9: 88",
    ]
    page.says("A copy has {} GB/s", 12.54)
    page.given("data sheet", "a fifth of 63 GB/s")  # across the end of a line
    page.given_block("output of a command", "the rate is")
    page.given("counted", "88 of them")
    assert list(page.uncovered()) == []
    assert page.errors == []


def test_heads_and_first_cells_of_tables_are_names(page: Page) -> None:
    page.text = "| tile | 2048 |\n|---|---|\n| 512 | 9.5 |\n| 640 | 9.6 |\n"
    page.says("| 512 | {} |", 9.5)
    assert [line.split(" has ")[0] for line in page.uncovered()] == ["line 4: 640", "line 4: 9.6"]


def test_a_number_that_differs_is_reported(page: Page) -> None:
    page.says("A copy has {} GB/s", 12.56)
    assert "line 2: 12.5 is 12.56" in page.errors[0]


def test_a_sentence_that_is_not_there_is_reported(page: Page) -> None:
    page.says("A copy has {} TB/s", 12.5)
    page.given("data sheet", "a sixth")
    assert len(page.errors) == 2


def test_a_sentence_needs_a_value_for_each_gap(page: Page) -> None:
    with pytest.raises(NoSuchKeyError):
        page.says("A copy has {} GB/s", 12.5, 63)


def test_the_page_is_written_with_the_digits_that_it_shows(page: Page) -> None:
    page.says("A copy has {} GB/s", 13.37)
    assert page.written() == WORDS.replace("12.5", "13.4")


def test_a_table_is_computed_whole(page: Page) -> None:
    page.text = "Before 1.\n<!-- rates -->\nNot measured yet.\n<!-- end -->\nA rate of 7.5 here.\n"
    page.table("rates", ["| 12.5 |", "| 99.9 |"])
    page.says("A rate of {} here", 7.4)
    assert page.errors[0] == "table rates is not the computed one"
    page.text = page.written()
    assert page.text == (
        "Before 1.\n<!-- rates -->\n| 12.5 |\n| 99.9 |\n<!-- end -->\nA rate of 7.4 here.\n"
    )
    page.errors, page.covered, page.computed, page.tables = [], [], [], []
    page.table("rates", ["| 12.5 |", "| 99.9 |"])
    page.says("A rate of {} here", 7.4)
    assert (page.errors, list(page.uncovered())) == ([], [])
    page.table("other", [])
    assert page.errors == ["not on the page: <!-- other -->"]


def test_a_file_that_the_page_does_not_cite_is_reported(page: Page) -> None:
    page.sources |= {"machine/20260101-a.json", "machine/20260101-b.json"}
    assert page.uncited() == ["does not cite machine/20260101-b.json"]


def test_evidence_that_a_page_links_to_cites_for_it(page: Page, tmp_path: Path) -> None:
    (tmp_path / "evidence").mkdir()
    (tmp_path / "evidence" / "other.md").write_text("file `20260101-b.json`")
    page.sources |= {"machine/20260101-b.json"}
    assert page.uncited() != []
    page.text += "[as measured](evidence/other.md#results)"
    assert page.uncited() == []


def test_a_file_that_is_gone_is_a_problem_of_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "page.py").write_text(
        "from result_files import results\nresults('machine/20260101-gone.json')"
    )
    monkeypatch.setattr(recompute, "module", lambda page: tmp_path / "page.py")
    assert "20260101-gone.json" in "".join(recompute.problems("page.md"))


@pytest.mark.parametrize(
    ("shown", "value", "same"),
    [
        ("2.50", 2.5049, True),
        ("2.50", 2.506, False),
        ("1,048,576", 1048576, True),
        ("3.79e9", 3.794e9, True),
        ("3.79e9", 3.80e9, False),
        ("100", 100.4, True),
        ("100", 101, False),
    ],
)
def test_a_value_agrees_if_it_rounds_to_the_number_shown(
    shown: str, value: float, same: bool
) -> None:
    assert agrees(shown, value) == same
    assert agrees(rounded(shown, value), value)


def test_braces_name_files_as_a_shell_does() -> None:
    words = "results/m/20260101-{a,b-1}.json"
    assert "results/m/20260101-b-1.json" in recompute.expanded(words)


def test_a_key_that_no_case_or_several_cases_have_is_an_error() -> None:
    text = Text("a.txt", ["copy: 1.5 2.5", "triad: 3", "triad: 4"])
    assert text.line("copy:") == [1.5, 2.5]
    for words in ("triad:", "scale:"):
        with pytest.raises(NoSuchKeyError):
            text.line(words)
    run = Run("a.json", [])
    with pytest.raises(NoSuchKeyError):
        run.case("copy", size=1)
