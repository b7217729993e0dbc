"""Where the numbers of docs/reliability.md come from."""

from recompute import Page

page = Page("docs/reliability.md")
page.given("src/watari/gemm/product/product_earlier.cpp", "outside the 66 sampled blocks")
page.given("tests/hostile/full_disk.py", "tmpfs of 32 to 48 MiB")
page.given("the first version with this library", "With clang 16 or later")
