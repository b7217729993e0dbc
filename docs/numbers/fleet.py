"""The numbers of docs/fleet.md: those of a made-up fleet, and settings."""

from __future__ import annotations

from recompute import Page

page = Page("docs/fleet.md")
page.given(
    "python/watari/report/fleet/",
    "exceeds the threshold (5%)",
    "for the scatter: 1.4826",
    "more than 60 nodes it has the 60 farthest",
)
page.given("exit codes", "exit code is 4", "something, 3 if one is slower", "else 0")
page.given("examples", "Among 100 nodes and 80 cases")
page.given(
    "tests/python/report/test_fleet.py, and the same with more scatter",
    "scatter by 1%, a loss of 29%",
    "With 15%",
)
page.given("an option", "num_nodes=0")
