"""Where the numbers of docs/results.md come from."""

from recompute import Page

page = Page("docs/results.md")
page.given("python/watari/results/statistics.py", "the whole 95% interval")
page.given(
    "tests/python/report/test_compare_alarms.py",
    "at most 2.5% of comparisons",
    "scatter by 1% | three trials detect a change of 9% in one of 40 cases",
    "scatter by 10%, and all cases became slower by a factor of 1.6",
)
page.given("names of standards and bits", "ISO 8601", "level 63 for `most`", "bit 63 of")
page.given("cases/hmatrix/native/row_check.hpp", "64 rows for each rank")
page.given("python/watari/results/", "1e-12 to 1e9 s", "0 to 1e9 s")
page.says("4 GiB at {} GB/s", 4294967296 / 0.3921 / 1e9)  # of the example above it
