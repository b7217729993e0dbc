"""The numbers of docs/arrays.md."""

from __future__ import annotations

from math import exp, log, sqrt
from statistics import mean, median, stdev

from recompute import Page
from result_files import data

page = Page("docs/arrays.md")
(formats,) = data("2-core-amd-epyc-x86_64/20261127-formats.json")["formats"]
(opened,) = data("2-core-intel-xeon-x86_64/20261126-open.json")["open"]

(plain,) = data("2-core-amd-epyc-x86_64/20261127-formats-plain.json")["formats"]


def own_rate(name):
    """GB/s into memory as NumPy places it."""
    return plain["bytes"] / median(min(r[0] for r in p[name]) for p in plain["places"]) / 1e9


# the files are made anew for each place; a read: seconds and CPU seconds
places = formats["places"]
for name in places[0]:
    least = [min(read[0] for read in place[name]) for place in places]
    rate = formats["bytes"] / median(least) / 1e9
    logs = [
        log(min(read[0] for read in place[".npy"]) / own)
        for place, own in zip(places, least, strict=True)
    ]
    half = 1.96 * stdev(logs) / sqrt(len(logs))
    ratio = [exp(mean(logs) + sign * half) for sign in (0, -1, 1)]
    if name == ".npy":
        page.says(f"| {name} | {{}} | | | {{}} |", rate, own_rate(name))
    else:
        page.says(f"| {name} | {{}} | {{}} | {{}} to {{}} | {{}} |", rate, *ratio, own_rate(name))

first, later = ([each[at] for each in opened["seconds"]] for at in (0, 2))
page.says(
    "The first array of a process takes {} s, a later one {} s.", median(first), median(later)
)
page.given(
    "sizes of a benchmark", "256 MiB", "35 and 25 times", "A Zarr of 100 GB, in chunks of 8 MiB"
)
page.given(
    "names of the rows", "zarr, 8 MiB of rows", "zarr, tiles of 4 MiB", "zarr, 1 MiB of rows"
)
page.given("arithmetic of the sizes", "256 files", "rows of 4 KiB")
page.given("a convention", "95% interval")
page.given("a limit of the layout", "of more than 2^62 bytes")
page.given("100 GB over 8 MiB, in whole rows (benchmarks/formats.py)", "has 11,920 files")
page.given(
    "a run of these tests",
    "tests/python/arrays`, 43 tests",
    "so its 11 tests were skipped. By `cufile` 10 tests failed",
)
page.given("NumPy's allocator", "begins 16 bytes behind a page")
