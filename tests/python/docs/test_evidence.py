"""Numbers rest on measurements: scripts/recompute.py computes each number of a page from a key of
its result file. Each page of evidence leads back to the page of its conclusions."""

from __future__ import annotations

from pathlib import Path

import pytest
import recompute
from test_docs import ROOT

EVIDENCE = sorted((ROOT / "docs" / "evidence").glob("*.md"))


@pytest.mark.parametrize("page", recompute.citing())
def test_each_number_is_that_of_its_result_file(page: str) -> None:
    assert recompute.problems(page) == []


@pytest.mark.parametrize("page", EVIDENCE, ids=lambda page: page.stem)
def test_evidence_leads_back_and_is_led_to(page: Path) -> None:
    assert f"](../{page.name}" in page.read_text()
    assert f"](evidence/{page.name}" in (page.parents[1] / page.name).read_text()
