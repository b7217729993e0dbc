"""docs/plans.md: every stored plan has its row, and the plan that it shows can be read."""

from __future__ import annotations

import re
from pathlib import Path

import synthetic

from watari.plan import plan

PAGE = (Path(__file__).parents[3] / "docs" / "plans.md").read_text()


def test_every_stored_plan_has_a_row() -> None:
    assert set(re.findall(r"^\| \[([\w-]+)\]", PAGE, re.MULTILINE)) == set(plan.stored())


def test_the_plan_that_the_page_shows_is_one(tmp_path: Path) -> None:
    (shown,) = re.findall(r"^```toml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    file = tmp_path / "two-copies.toml"
    file.write_text(shown)
    read = plan.read(file, synthetic.gpu_machine())
    assert read.name == "two-copies"
    assert len([r for r in read.requests if r.parameters.get("from") == "pinned"]) == 4
