"""Where the numbers of docs/advise.md come from: tests/python/model/held_out.py, above all."""

import sys

import numpy as np
from recompute import ROOT, Page
from result_files import path, results

sys.path.append(str(ROOT / "benchmarks"))
sys.path.append(str(ROOT / "tests/python"))
sys.path.append(str(ROOT / "tests/python/model"))

import held_out
import stranger_changes
import stranger_judge
import stranger_result
import test_held_out
import test_scaled

STRANGERS = "nvidia-h100-80gb-hbm3-x86_64/20261126-strangers.json"

page = Page("docs/advise.md")
pairs = held_out.pairs()


def error(chosen):
    """The median error in percent."""
    return 100 * np.median([abs(pair.error) for pair in chosen])


def short(*chosen):
    """Percent by which predictions are too short, the least and the most."""
    found = [-100 * pair.error for pair in chosen]
    return min(found), max(found)


decided = [group for group in test_held_out.groups() if test_held_out.clear(group)]
page.says(
    "The median error is {}%, that of applications {}%, and {}% of the measured values lie in "
    "their intervals. In all of {} groups",
    error(pairs),
    error(test_held_out.applications()),
    100 * np.mean([pair.inside for pair in pairs]),
    len(decided),
)
page.says("from its probe with a median error of {}%", error(test_scaled.pairs()))
himeno = [pair for pair in pairs if pair.measured["grid"] == "XL"]
page.says(
    "Himeno XL is predicted {}% to {}% too short with its shared kernel",
    *short(*(p for p in himeno if p.measured["kernel"] == "shared")),
)
page.says(
    "{}% with GCC's OpenMP", short(*(p for p in himeno if p.measured["style"] == "omp-target"))[0]
)
page.says(
    "(`class1`) is predicted {}% to {}% too short",
    *short(
        *(p for p in pairs if p.measured["lattice"] == "class1" and p.measured["style"] != "pinned")
    ),
)
between = [
    pair
    for pair in pairs
    if pair.measured.case == "copy"
    and pair.measured["processor"] == "cpu"
    and 4 <= pair.measured["size"] >> 20 <= 128
]
page.says(
    "Their median error is {}%, and {}% if both", error(between), max(error([p]) for p in between)
)
contention = results("nvidia-h200-x86_64/20261124-contention-gpu.json")
one, two, four = (contention.case("copy", processes=n).median for n in (1, 2, 4))
page.says(
    "with copies of {} ms two processes reach {} of the rate of one together, four {}.",
    2 * 2**28 / 1e6 / one,
    two / one,
    four / one,
)
page.given(
    "rules of the model: SESSION and HOST of model/profiles/fit.py, FURTHER of machine.py, KERNEL of "
    "predict.py, WIDER of scaled.py, REACHED of known.py",
    "contains 90% of all samples. It is at least 5% wide",
    "it is at least 25% wide",
    "becomes 5% wider",
    "up to 1.4 times as long",
    "of the link | 1.1 times",
    "GPU memory | 1.1 times",
    "of the cache | 1.25 times",
    "rest stays | 1.25 times",
    "time of the driver | 1.25 times",
    "time of the CPU | 1.1 times",
    "real rates are 70% to 100%",
)
page.given("settings", "`--processes 28` asks for 28 processes", "8^3 x 32 sites")
page.given_block("an example of the test driver", "where the time goes, of")
page.given_block("an example of the test driver", "(107 ms to 202 ms)")
page.given_block("an example of the test driver", "as-is, managed-prefetch  ")
page.given_block("words of an answer", "| 0.16 s (0.15 s to 0.17 s) |")
page.given(
    "limits of the changes: python/watari/model/replay/savings/copies.py, calls.py, huge.py, "
    "staging.py; src/attach/injected/touches/fresh.cpp",
    "| no change that was considered saves 1% |",
    "below 1% of the run",
    "of 4 MiB and more at one call site",
    "1.35 times a staged copy",
    "1.1 times a pinned copy",
    "every 10th time",
    "100 or more waiting",
    "0.7 to 1.6 times",
    "at 5 µs a call | 0.6 to 1.1 times",
    "waits | 0.5 to 1.1 times",
    "rows of 8 and more launches of less than 20 µs | at 0.3 µs a launch | 0.4 to 1.1 times",
    "within 10 µs",
    "| 5000 and more page faults",
    "with which all such copies reach 96 MiB",
    "and 0.3 times the copies as they are | `staged`",
    "and 0.3 times the copies as they are | |",
    "at least 1.5%",
    "ran once has 6%",
    "with a 95% interval",
    "if none changes the run by 3%",
    "5 runs of the same program took 0.3 s to 0.4 s",
    "some 2 to 8 ms once",
    "0.9 to 1.1 times the pages",
    "Of the others 85%",
    "do, and 25% where",
    "some 30,000 pages",
    "32 MiB in pages of either kind",
)
page.given("limits of --confirm: python/watari/attach/confirmed.py", "that saves 1%", "*12 ms more")
page.given("the example's own words", "replayed large 120")
page.given(
    "large_pageable_s of the first runs over `copied` of the traces, of the programs of both results "
    "whose large copies take 2 ms: python/watari/model/replay/savings/staging.py",
    "by 15.4% or less in two thirds of 36 programs",
)

# Programs of other people
rows = {row["name"]: row for row in stranger_result.read(path(STRANGERS))}


def shares(row):
    """Seconds of the run as it is, and of its parts."""
    given = row["advice"]["shares"]
    parts = ("CPU alone", "kernels", "copies that nothing hides", "start of CUDA")
    return stranger_judge.judged(row).seconds, *(given[part] for part in parts)


for name, title in (
    ("rodinia-nw", "| Rodinia's `nw` (alignment of sequences)"),
    ("polybench-convolution-3d", "| PolyBench's 3-D convolution"),
):
    (staged,) = (c for c in stranger_changes.changes(rows[name]) if c.change == "staged")
    says = "stage the pageable copies" + (": `watari exec --staged`" if "nw" in name else "")
    page.says(
        title + " | {} | {}, {}, {}, {} | " + says + " | saves {} | saves {} |",
        *shares(rows[name]),
        staged.predicted,
        staged.measured,
    )
judged = stranger_judge.judged(rows["cloverleaf"])
(mapped,) = (pair for pair in judged.pairs if pair.style == "mapped")
page.says(
    "| CloverLeaf (hydrodynamics) | {} | {}, {}, {}, {} | leave the memory where it is: `mapped` takes "
    "long | `mapped`: {} | `mapped`: {} |",
    *shares(rows["cloverleaf"]),
    mapped.predicted,
    mapped.measured,
)
