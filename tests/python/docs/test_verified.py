"""docs/results.md says of every case what its trials verify."""

from __future__ import annotations

import re
from pathlib import Path

from watari import cases

PAGE = Path(__file__).parents[3] / "docs/results.md"


def test_the_table_has_every_case_and_no_other() -> None:
    section = PAGE.read_text().split("## Verification of a trial")[1].split("\n## ")[0]
    firsts = re.findall(r"^\| (`[^|]+) \|", section, re.MULTILINE)
    named = [name for first in firsts for name in re.findall(r"`([a-z-]+)`", first)]
    assert sorted(named) == sorted(cases.CASES)
