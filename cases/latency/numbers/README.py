"""Where the numbers of cases/latency/README.md come from."""

from recompute import Page

page = Page("cases/latency/README.md")
page.given("settings", "has 2^17 loads")
