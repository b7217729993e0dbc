"""Where the numbers of cases/deep/README.md come from."""

from recompute import Page

page = Page("cases/deep/README.md")
page.given("number of nodes", "1 to 65,535 nodes")
