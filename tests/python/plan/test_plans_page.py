"""docs/plans.md: every stored plan has its row and its counts; the plan that it shows is valid."""

from __future__ import annotations

import json
import re
from pathlib import Path

import synthetic
from test_probe import described

from watari.cli.asked import planned
from watari.plan import plan

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "plans.md").read_text()


def test_every_stored_plan_has_a_row() -> None:
    assert set(re.findall(r"^\| \[([\w-]+)\]", PAGE, re.MULTILINE)) == set(plan.stored())


def test_the_plan_that_the_page_shows_is_one(tmp_path: Path) -> None:
    (shown,) = re.findall(r"^```toml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    file = tmp_path / "two-copies.toml"
    file.write_text(shown)
    read = plan.read(file, synthetic.gpu_machine())
    assert read.name == "two-copies"
    assert len([r for r in read.requests if r.parameters.get("from") == "pinned"]) == 4


def test_the_counts_of_the_page_are_those_of_the_plans(tmp_path: Path) -> None:
    file = ROOT / "tests" / "fixtures" / "machines" / "h200-without-hmm.json"
    machine = described(json.loads(file.read_text()), tmp_path)
    rows = re.findall(r"^\| (?:\[([\w-]+)\]\S+|\(standard\)) \|.*\| (\d+), (\d+)", PAGE, re.M)
    assert {name or None for name, _, _ in rows} == {None, *plan.stored()}
    for name, cases, trials in rows:
        requests = planned([], name or None, machine).requests
        counts = (len(requests), sum(request.trials for request in requests))
        assert (name, counts) == (name, (int(cases), int(trials)))
