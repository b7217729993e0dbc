"""Messages that pages show in ```text blocks are those that the program prints."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import commanded
import pytest
from test_docs import PAGES

SHOWN = [
    (page.name, command, expected.strip())
    for page in PAGES
    for block in re.findall(r"^```text\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)
    for command, expected in re.findall(r"^\$ (watari .+)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)
]


def pattern(text: str) -> re.Pattern[str]:
    """A pattern of a shown text, in which three dots stand for any text."""
    return re.compile(re.escape(text).replace(re.escape("..."), ".*"), re.DOTALL)


def printed(command: str, folder: Path) -> str:
    done = commanded.watari(folder, tuple(shlex.split(command)[1:]), os.environ)
    return (done.stdout + done.stderr).strip()


@pytest.mark.parametrize(("page", "command", "expected"), SHOWN, ids=[s[1] for s in SHOWN])
def test_the_program_prints_what_a_page_shows(
    page: str, command: str, expected: str, tmp_path: Path
) -> None:
    said = printed(command, tmp_path)
    assert pattern(expected).fullmatch(said), f"{page}: $ {command}\n{said}"


def test_another_message_is_not_taken() -> None:
    assert len(SHOWN) >= 2
    assert pattern("known: trials, ...").fullmatch("known: trials, engine")
    assert not pattern("known: trials, ...").fullmatch("known: engine")
    assert not pattern("unknown case").fullmatch("unknown case 'h2d'")
