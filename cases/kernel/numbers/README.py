"""Where the numbers of cases/kernel/README.md come from."""

from recompute import Page

page = Page("cases/kernel/README.md")
page.given("the example", "scalar alpha = 0.5; flops 2; tolerance 1e-6")
page.given("a sector of a GPU's memory", "a sector of 32 bytes")
