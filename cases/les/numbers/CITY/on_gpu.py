"""Mist and trees on an H100, of cases/les/CITY.md."""

from __future__ import annotations

from statistics import mean

from recompute import Page
from result_files import results

H100 = "nvidia-h100-80gb-hbm3-x86_64/20261126-les-"
page = Page("cases/les/CITY.md")


def mcells(m):
    return m.quantity("cells_per_s") / 1e6


# Mist beside the dry city, in turns
MISTY = ("nvidia-h100-80gb-hbm3-x86_64/20261128-les-mist-", "nvidia-h200-x86_64/20261127-les-mist-")
misty, on_h200 = ([results(f"{files}{n}.json") for n in (1, 2)] for files in MISTY)


def turns(name, runs=misty, **given):
    """The mean over both rounds."""
    return mean(run.case("les", **given).quantity(name) for run in runs)


for words, by in (
    ("its bytes at\n  {} of the dry rate", "central"),
    ("with `advection=third` at {}", "third"),
):
    wet, dry = (turns("step_bytes_per_s", mist=m, advection=by) for m in ("rows:16", "none"))
    page.says(words, wet / dry)
page.says(
    "{} million cells a second beside {}, and {} beside {}",
    *(
        turns("cells_per_s", mist=m, advection=by) / 1e6
        for by in ("central", "third")
        for m in ("rows:16", "none")
    ),
)

parts = []
for by in ("central", "third"):
    wet, dry = (
        turns("step_bytes_per_s", on_h200, mist=m, advection=by) for m in ("rows:16", "none")
    )
    parts.append(wet / dry)
page.says("before this, these shares were {} and {}", *parts)

# Trees
drag = results(f"{H100}trees-drag.json")
bare, leafy = (drag.case("les", trees=t).quantity("cells_per_s") for t in ("none", "rows:16"))
page.says("that only drag cost {}% of a step", 100 * (bare / leafy - 1))
trees = results(f"{H100}trees.json")


def radiant(where, which):
    return trees.case("les", style="explicit", radiation=where, trees=which)


page.says(
    "M makes {} million cells a second beside {}\n  on the GPU, and {} beside {} on the CPU",
    *(mcells(radiant(where, which)) for where in ("gpu", "cpu") for which in ("rows:16", "none")),
)
page.says(
    "pairs of facets and leaves are {} times as many",
    radiant("cpu", "rows:16").quantity("view_nonzeros")
    / radiant("cpu", "none").quantity("view_nonzeros"),
)
page.given("the runs", "every 10 steps M makes")
page.given("the compiled code of the water", "38 loads instead of 72")
