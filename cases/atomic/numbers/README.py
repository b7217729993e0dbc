"""Where the numbers of cases/atomic/README.md come from."""

from recompute import Page

page = Page("cases/atomic/README.md")
