"""A word of a table of the library stands in that table alone; every word has a colour."""

from __future__ import annotations

import ast
from collections.abc import Collection
from pathlib import Path

import pytest

import watari
from watari import cases
from watari.case import native
from watari.charts import style
from watari.common import library

PACKAGE = Path(watari.__file__).parent
COLOURS = PACKAGE / "charts" / "style.py"
TABLES: dict[str, Collection[str]] = {
    "kinds": library.KINDS,
    "engines": library.ENGINES,
    "halos": library.HALOS,
    "hints": library.HINTS,
} | {
    f"styles of {folder}": cases.find(folder).axes["style"].choices
    for folder in cases.FOLDERS
    if folder in cases.CASES and cases.find(folder).styles
}
WORDS = {
    "kinds": ("pageable", "pinned", "device", "managed", "system"),
    "engines": ("posix", "uring", "mmap", "cufile", "queue", "gpu", "s3"),
    "halos": ("staged", "device", "nccl", "peer"),
    "hints": ("none", "prefetch", "mapped", "read-mostly"),
}


def literals(path: Path) -> list[tuple[int, set[object]]]:
    """The texts and line of each list, tuple, set and dict that a module spells out."""
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        items = node.keys if isinstance(node, ast.Dict) else getattr(node, "elts", [])
        found.append((getattr(node, "lineno", 0), {getattr(item, "value", None) for item in items}))
    return found


@pytest.mark.parametrize("table", WORDS)
def test_results_and_plans_rely_on_these_words(table: str) -> None:
    assert tuple(TABLES[table]) == WORDS[table]


def test_the_package_spells_out_no_table_of_the_library() -> None:
    tables = {table: set(known) for table, known in TABLES.items()}
    again = [
        (str(path.relative_to(PACKAGE)), line, table)
        for path in PACKAGE.rglob("*.py")
        if path != COLOURS
        for line, words in literals(path)
        for table, known in tables.items()
        if words >= known
    ]
    assert len(TABLES) > 6
    assert again == []


def test_every_word_has_a_colour() -> None:
    assert set(library.KINDS) <= set(style.COLOURS)
    assert set(library.HALOS) <= set(style.HALOS)
    assert set(library.ENGINES) <= set(style.ENGINES)
    for name, case in cases.CASES.items():
        if case.styles:
            assert set(case.axes["style"].choices) <= set(style.STYLES), name


@pytest.mark.parametrize("table", [name for name in TABLES if name.startswith("styles")])
def test_the_styles_that_an_application_has_sources_of_are_those_of_its_table(table: str) -> None:
    case = cases.find(table.split()[-1])
    assert case.styles
    if not case.styles.is_dir():
        pytest.skip(native.missing(f"watari.cases.{case.name}"))
    sources = {path.stem for path in case.styles.rglob("*") if path.suffix in (".cpp", ".f90")}
    assert set(TABLES[table]) <= sources
