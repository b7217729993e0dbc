"""Each revision of a page or a result file is in the history, or a page says that it is not.

A page marks them by a sentence with "no branch has".
"""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from test_docs import PAGES, ROOT

FENCED = re.compile(r"^```.*?^```", re.M | re.S)
# with a letter and a digit, or after the word; no call site (site:0567b4ac), no number (8.1e-11)
HASH = r"(?=[0-9a-f]*[a-f])(?=[0-9a-f]*[0-9])[0-9a-f]{7,12}"
REVISION = re.compile(rf"(?<![\w.:#/-])({HASH})(?![\w#]|\.\w)|revisions? `?([0-9a-f]{{7,12}})\b")
SENTENCE_ENDS = re.compile(r"\.(?=\s)")
FOREIGN = {"d9765a2"}  # of Htool


def named(text: str) -> set[str]:
    """The revisions in a text."""
    return {one or other for one, other in REVISION.findall(FENCED.sub("", text))} - FOREIGN


def marked(text: str) -> set[str]:
    """The revisions of which a page says that they are in no branch."""
    sentences = SENTENCE_ENDS.split(text)
    gone = [one for one in sentences if re.search(r"\bno branch has\b", one, re.I)]
    return {name for sentence in gone for name in named(sentence)}


def git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


@pytest.fixture(scope="module")
def history() -> list[str]:
    shallow = git("rev-parse", "--is-shallow-repository")
    if shallow != "false":
        pytest.skip(
            "this copy has no history: git fetch --unshallow" if shallow else "no repository"
        )
    return git("rev-list", "HEAD").split()


def unknown(names: set[str], history: list[str]) -> set[str]:
    return {name for name in names if not any(one.startswith(name) for one in history)}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_says_which_revisions_are_in_no_branch(page: Path, history: list[str]) -> None:
    text = page.read_text()
    assert unknown(named(text), history) == unknown(marked(text), history) == marked(text)


def test_pages_say_which_revisions_of_results_are_in_no_branch(history: list[str]) -> None:
    heads = (json.loads(f.read_text()).get("program") for f in (ROOT / "results").rglob("*.json"))
    found = {(head or {}).get("revision") or "" for head in heads}
    found = {name.removesuffix("-dirty") for name in found}
    known = set().union(*(marked(page.read_text()) for page in PAGES))
    missing = {name for name in unknown(found, history) if not name.startswith(tuple(known))}
    assert missing == set()


def test_revisions_are_recognised() -> None:
    text = "At f63af8a, revision `4806677`; site:0567b4ac, 8.146077e-11, 12345678 B, `ab266e35#0`"
    assert named(text) == {"f63af8a", "4806677"}
    assert marked("A 1c5e33b. No branch has c828d31 (x.json) and c3099b0: gone. See f63af8a.") == {
        "c828d31",
        "c3099b0",
    }
