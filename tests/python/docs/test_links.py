"""Links: each leads to a file and to a heading in it, each page is reached from the README, and
each page that the code names exists."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from test_docs import PAGES, ROOT, pages

LARGEST_PICTURE = 400 * 1024  # bytes
CODE = (
    "src",
    "cases",
    "python",
    "tests",
    "scripts",
    "benchmarks",
    "examples",
    "plans",
    "published",
)


def text_outside_fences(page: Path) -> str:
    return re.sub(r"^```.*?^```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)


def links(page: Path) -> list[str]:
    """Targets of links and pictures, those of the web left out."""
    text = re.sub(r"`[^`]*`", "", text_outside_fences(page))
    targets = re.findall(r"\]\(([^)\s]+)\)", text)
    return [target for target in targets if not re.match(r"https?:|mailto:", target)]


def anchors(page: Path) -> set[str]:
    """The names of a page's headings, as GitHub makes them."""
    found: list[str] = []
    for heading in re.findall(r"^#+ +(.+?)\s*$", text_outside_fences(page), re.MULTILINE):
        shown = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", shown.lower()).replace(" ", "-")
        found.append(f"{name}-{found.count(name)}" if name in found else name)
    return set(found)


def broken(page: Path) -> Iterator[str]:
    """The links of a page that lead to no file or to no heading."""
    for target in links(page):
        path, _, anchor = target.partition("#")
        file = page.parent / path if path else page
        if not file.exists() or (anchor and anchor not in anchors(file)):
            yield target


@pages
def test_links_lead_to_a_file_and_a_heading(page: Path) -> None:
    assert list(broken(page)) == []


def test_a_wrong_link_is_reported(tmp_path: Path) -> None:
    (tmp_path / "other.md").write_text(
        "# Other\n## What `run` does\n```\n# no heading\n```\n## Twice\n## Twice\n"
    )
    page = tmp_path / "page.md"
    good = "[a](other.md#what-run-does) [b](#here) ![two\nlines](other.md) [c](other.md#twice-1)"
    page.write_text(f"# Page\n## Here\n{good} [d](https://example.org/nowhere)\n")
    assert list(broken(page)) == []
    wrong = ["missing.md", "other.md#no-heading", "#there", "other.md#twice-2"]
    page.write_text("".join(f"[x]({target})\n" for target in wrong))
    assert list(broken(page)) == wrong


def test_every_page_is_reached_from_the_readme() -> None:
    reached, to_read = set(), [ROOT / "README.md"]
    while to_read:
        page = to_read.pop()
        if page in reached:
            continue
        reached.add(page)
        there = [(page.parent / link.partition("#")[0]).resolve() for link in links(page)]
        to_read += [file for file in there if file.suffix == ".md" and file.exists()]
    assert [str(page.relative_to(ROOT)) for page in PAGES if page not in reached] == []


def test_every_figure_is_shown_and_small() -> None:
    shown = {(page.parent / link).resolve() for page in PAGES for link in links(page)}
    figures = sorted([*(ROOT / "docs/figures").iterdir(), *(ROOT / "cases").glob("*/pictures/*")])
    assert [figure.name for figure in figures if figure not in shown] == []
    assert [figure.name for figure in figures if figure.stat().st_size > LARGEST_PICTURE] == []


def test_pages_that_the_code_names_exist() -> None:
    files = [file for folder in CODE for file in (ROOT / folder).rglob("*.*") if file.is_file()]
    texts = ((file, file.read_text(errors="replace")) for file in files if file != Path(__file__))
    named = [
        (file, page)
        for file, text in texts
        for page in re.findall(r"(?:docs|cases)/[\w/-]+\.md", text)
    ]
    assert len(named) > 5
    assert [(str(f), page) for f, page in named if not (ROOT / page).exists()] == []
