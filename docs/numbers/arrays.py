"""The numbers of docs/arrays.md."""

from __future__ import annotations

from statistics import median, quantiles

from recompute import Page
from result_files import data

page = Page("docs/arrays.md")
measured = data("2-core-intel-xeon-x86_64/20261126-formats.json")
(formats,), (opened,) = measured["formats"], measured["open"]

# a round: seconds and CPU seconds of .npy before, of the format, and of .npy after
for name, rounds in formats["rounds"].items():
    rate = formats["bytes"] / median(each[2] for each in rounds) / 1e9
    ratios = [(each[0] + each[4]) / 2 / each[2] for each in rounds]
    low, middle, high = quantiles(ratios, n=4)
    page.says(f"| {name} | {{}} | {{}} | {{}} to {{}} |", rate, middle, low, high)

first, later = ([each[at] for each in opened["seconds"]] for at in (0, 2))
page.says(
    "The first array of a process takes {} s, a later one {} s.", median(first), median(later)
)
page.given("sizes of a benchmark", "1 GiB", "21 rounds", "A Zarr of 100 GB, in chunks of 8 MiB")
page.given(
    "names of the rows", "zarr, 8 MiB of rows", "zarr, tiles of 4 MiB", "zarr, 1 MiB of rows"
)
page.given("a limit of the layout", "of more than 2^62 bytes")
page.given("100 GB over 8 MiB, in whole rows (benchmarks/formats.py)", "has 11,920 files")
