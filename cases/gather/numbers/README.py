"""Where the numbers of cases/gather/README.md come from."""

from recompute import Page

page = Page("cases/gather/README.md")
page.given("sizes of cache lines", "(64 bytes on the CPU, 128 on a GPU)")
