"""The numbers of docs/arrays.md."""

from __future__ import annotations

from math import exp, log, sqrt
from statistics import mean, median, stdev

from recompute import Page
from result_files import data

page = Page("docs/arrays.md")
(formats,) = data("2-core-amd-epyc-x86_64/20261127-formats.json")["formats"]
(large,) = data("2-core-intel-xeon-x86_64/20261126-open.json")["open"]

(plain,) = data("2-core-amd-epyc-x86_64/20261127-formats-plain.json")["formats"]


opened = data("2-core-amd-epyc-x86_64/20261127-formats-opened.json")
(after,), (before,) = (opened[when]["formats"] for when in ("after", "before"))

# the files are made anew for each place; a read: seconds and CPU seconds, then of the engine alone
READ, ALONE = 0, 2


def least(found, name, at=READ):
    """The least times of a format, by place."""
    return [min(read[at] for read in place[name]) for place in found["places"]]


def rate(found, name):
    """GB/s."""
    return found["bytes"] / median(least(found, name)) / 1e9


def ratio(over, of):
    """The mean ratio of two lists of times, and its 95% interval."""
    logs = [log(a / b) for a, b in zip(over, of, strict=True)]
    half = 1.96 * stdev(logs) / sqrt(len(logs))
    return [exp(mean(logs) + sign * half) for sign in (0, -1, 1)]


def alone(found, name):
    """The rate of a format, of that of the engine alone."""
    return ratio(least(found, name, ALONE), least(found, name))


NPY, SMALL, TILES = ".npy", "zarr, 1 MiB of rows", "zarr, tiles of 4 MiB"
for name in after["places"][0]:
    own = [rate(after, name), *ratio(least(after, NPY), least(after, name))]
    beside = [*alone(after, name), *alone(before, name)]
    if name == NPY:
        page.says(
            f"| {name} | {{}} | | | {{}} | {{}} to {{}} | {{}} | {{}} to {{}} |", own[0], *beside
        )
    else:
        row = "{} | {} | {} to {} | {} | {} to {} | {} | {} to {} |"
        page.says(f"| {name} | {row}", *own, *beside)
for memory, found in (("as in the file", formats), ("as NumPy places it", plain)):
    names = (NPY, "raw", "hdf5", "safetensors")
    page.says(f"| {memory} | {{}} | {{}} | {{}} | {{}} |", *(rate(found, name) for name in names))


def besides(found):
    """Microseconds of a chunk of 1 MiB besides its bytes."""
    pairs = zip(least(found, SMALL), least(found, SMALL, ALONE), strict=True)
    return median(read - moved for read, moved in pairs) / 256 * 1e6


page.says(
    "A chunk of 1 MiB takes {} us besides its bytes, and took {} us before",
    besides(after),
    besides(before),
)
page.says("Its bytes take {} us", median(least(after, SMALL, ALONE)) / 256 * 1e6)
page.says(
    "The engine alone moves tiles at {} of the rate of .npy",
    ratio(least(after, NPY, ALONE), least(after, TILES, ALONE))[0],
)

first, later = ([each[at] for each in large["seconds"]] for at in (0, 2))
page.says(
    "The first array of a process takes {} s, a later one {} s.", median(first), median(later)
)
page.given(
    "sizes of a benchmark",
    "256 MiB",
    "made anew 24 times",
    "of 14 times",
    "made 35 and 25 times",
    "A Zarr of 100 GB, in chunks of 8 MiB",
)
page.given(
    "names of the rows", "zarr, 8 MiB of rows", "zarr, tiles of 4 MiB", "zarr, 1 MiB of rows"
)
page.given("arithmetic of the sizes", "rows of 4 KiB that lie 16 KiB apart")
page.given("limits in reading.py and range_files.cpp", "up to 256 files", "one thread for every 32")
page.given("a convention", "95% interval")
page.given("a limit of the layout", "of more than 2^62 bytes")
page.given("100 GB over 8 MiB, in whole rows (benchmarks/formats.py)", "has 11,920 files")
page.given(
    "a run of these tests",
    "tests/python/arrays`, 64 tests",
    "revision 79738554",
)
page.given("NumPy's allocator", "begins 16 bytes behind a page")
