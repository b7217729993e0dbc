"""Conclusions rest on measurements: each number of a page's conclusions stands on its page of
evidence, and each of these pages names result files and leads back."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from test_docs import ROOT

EVIDENCE = sorted((ROOT / "docs" / "evidence").glob("*.md"))
CONCLUSIONS = re.compile(r"^## (What to conclude|Which engine when).*?(?=^## )", re.M | re.S)
NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.]*\d)")

pages = pytest.mark.parametrize("page", EVIDENCE, ids=lambda page: page.stem)


def numbers(text: str) -> set[str]:
    """Measured numbers: those with a fraction, or of two digits and more."""
    plain = re.sub(r"\]\([^)]*\)|`[^`]*`", " ", text)
    return {n for n in NUMBER.findall(plain) if "." in n or len(n) > 1}


def unfounded(page: str, evidence: str) -> set[str]:
    """The numbers of a page's conclusions that its evidence does not have."""
    concluded = CONCLUSIONS.search(page)
    return numbers(concluded[0]) - numbers(evidence) if concluded else set()


@pages
def test_the_numbers_of_conclusions_stand_in_the_evidence(page: Path) -> None:
    above = (page.parents[1] / page.name).read_text()
    assert unfounded(above, page.read_text()) == set()


@pages
def test_evidence_leads_back_and_is_led_to(page: Path) -> None:
    assert f"](../{page.name}" in page.read_text()
    assert f"](evidence/{page.name}" in (page.parents[1] / page.name).read_text()


def test_a_number_without_evidence_is_reported() -> None:
    page = "# A\n## What to conclude\nIt has 12.5 GB/s, 41 of 50.\n## How\n99.9\n"
    assert unfounded(page, "12.5 and 50") == {"41"}
    assert unfounded(page, "12.5, 41 and 50") == set()
