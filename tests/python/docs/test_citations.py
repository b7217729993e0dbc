"""Result files and the pages that cite them: each file cited exists, each file is cited.

A citation is the path under `results/`, or the name (with or without the date) with its ending.
Braces stand for each of their words. A pattern with a star names a group and cites none of its
files, so that files without readers do not accumulate.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from test_docs import PAGES, ROOT, pages, sources, spans
from test_readme import commands, written_files

RESULTS = ROOT / "results"
NAME = re.compile(r"\d{8}-[a-z0-9-]+\.(json|txt)")
FILES = sorted(file for file in RESULTS.rglob("*") if file.is_file())


def expanded(word: str) -> Iterator[str]:
    """A word for each choice of its braces, as a shell makes them."""
    found = re.search(r"\{([^{}]*)\}", word)
    if not found:
        yield word
        return
    for choice in found[1].split(","):
        yield from expanded(word[: found.start()] + choice + word[found.end() :])


def names(file: Path) -> set[str]:
    """The names by which a page may cite a result file."""
    path = str(file.relative_to(RESULTS))
    return {f"results/{path}", path, file.name, file.name.partition("-")[2]}


KNOWN = set().union(*(names(file) for file in FILES))


def cited(page: Path) -> Iterator[str]:
    """The words of a page that name a result file, or a group of them by a star."""
    text, there = page.read_text(), sources()
    built = {name for command in commands(text) for name in written_files(command)}
    built |= {name for span in spans(text) for name in re.findall(r"-o (\S+)", span)}
    typed = " ".join(spans(text) + commands(text)).split()
    alone = {name for span in spans(text) if " " not in span for name in expanded(span)}
    machines = tuple(f"{folder.name}/" for folder in RESULTS.iterdir())
    for word in (choice.strip(",;:") for one in typed for choice in expanded(one)):
        if word in built or "<" in word or word == "results/":
            continue
        if word not in KNOWN and word in there:
            continue  # a source file
        is_path = word.startswith(("results/", *machines)) or NAME.fullmatch(word)
        is_name = word in alone and re.fullmatch(r"[\w-]+\.(json|txt)", word)
        if word in KNOWN or is_path or is_name:
            yield word


@pages
def test_result_files_that_are_cited_exist(page: Path) -> None:
    for word in cited(page):
        there = any(RESULTS.glob(word.removeprefix("results/"))) if "*" in word else word in KNOWN
        assert there, f"{page.name}: {word}"


def test_every_result_file_is_cited() -> None:
    words = {word for page in PAGES for word in cited(page)}
    assert [str(file.relative_to(ROOT)) for file in FILES if not names(file) & words] == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_a_result_file_lies_in_the_folder_of_its_machine(file: Path) -> None:
    assert file.parent.parent == RESULTS
    assert NAME.fullmatch(file.name)
