"""Numbers rest on measurements: scripts/recompute.py computes each number of a page from a key of
its result file. Each page of evidence leads back to the page of its conclusions."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import recompute
from test_docs import ROOT

EVIDENCE = sorted(
    [*(ROOT / "docs" / "evidence").glob("*.md"), *(ROOT / "cases").glob("*/EVIDENCE.md")]
)


@pytest.mark.parametrize("page", recompute.citing())
def test_each_number_is_that_of_its_result_file(page: str) -> None:
    assert recompute.problems(page) == []


@pytest.mark.parametrize("page", EVIDENCE, ids=lambda page: str(page.relative_to(ROOT)))
def test_evidence_leads_back_and_is_led_to(page: Path) -> None:
    of_case = page.name == "EVIDENCE.md"
    conclusions = page.with_name("README.md") if of_case else page.parents[1] / page.name
    evidence = page.name if of_case else f"evidence/{page.name}"
    assert f"]({os.path.relpath(conclusions, page.parent)}" in page.read_text()
    assert f"]({evidence}" in conclusions.read_text()
