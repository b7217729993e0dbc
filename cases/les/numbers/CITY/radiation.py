"""Radiation between facets, of cases/les/CITY.md."""

from __future__ import annotations

from statistics import median

from recompute import Page
from result_files import results, series

page = Page("cases/les/CITY.md")
page.given(
    "constants and bounds of cases/les/native/radiation/ and city/facets.hpp, radiation/sun.py",
    "come from 256 rays a facet",
    "rays from 16 points of",
    "moves 40 bytes for each pair and 416 for each facet",
    "light of 800 W/m2 direct and 100 W/m2 diffuse",
)

FILES = "nvidia-h100-80gb-hbm3-x86_64/20261128-les-radiation-"
runs = [results(f"{FILES}{n}.json") for n in (1, 2, 3)]


def radiant(where, every=10, run=runs[0]):
    """The case of an `explicit` run."""
    return run.case("les", style="explicit", radiation=where, every=every)


def mcells(m):
    return m.quantity("cells_per_s") / 1e6


def of_cpu(m):
    """Seconds of the CPU in a step that has a touch."""
    return median(s for trial in series(m, "cpu_s") for s in trial if s > 0)


dry = radiant("none")
page.says("| `none` | {} | | {} |", mcells(dry), of_cpu(dry))
for where in ("cpu", "gpu"):
    rarely, often = radiant(where), radiant(where, 1)
    page.says(
        f"| `{where}` | {{}} | {{}} | {{}}, {{}} |",
        mcells(rarely), mcells(often), of_cpu(rarely), of_cpu(often),
    )  # fmt: skip
built = [radiant("cpu", run=run).quantity("view_s") for run in runs]
loaded = [
    median(radiant("gpu", every, run).quantity("view_s") for every in (1, 10)) for run in runs
]
page.says(
    "{} million pairs, took {} to {} s by 16 cores, once; {} to {} s to read them again",
    radiant("cpu").quantity("view_nonzeros") / 1e6,
    *(end for values in (built, loaded) for end in (min(values), max(values))),
)


def touched(run):
    """GB/s of a touch of each step."""
    touch = radiant("cpu", 1, run)
    return 40 * touch.quantity("view_nonzeros") / of_cpu(touch) / 1e9


def read(run):
    """GB/s at which the CPU reads: whole lines, of which the case counts 4 bytes of 64."""
    return 16 * run.case("gather").median


page.says(
    "moved its 40 bytes a pair at {}, {} and {} GB/s in the three runs, {}, {} and {} of the rate",
    *map(touched, runs),
    *(touched(run) / read(run) for run in runs),
)
page.says("cores\n  read, {}, {} and {} GB/s.", *map(read, runs))
page.says(
    "had {} and {} GB/s",
    *(touched(results(f"{FILES}before-{n}.json")) for n in (1, 2)),
)


def remaining(run, where):
    """The rate over that without radiation, with a touch every 10 steps."""
    return mcells(radiant(where, run=run)) / mcells(radiant("none", run=run))


page.says(
    "reduces the rate to {}** with a touch every 10 steps, on the GPU to {}.",
    *(remaining(runs[0], where) for where in ("cpu", "gpu")),
)
page.says(
    "it was {} and {}, and {} and {}.",
    *(remaining(run, where) for where in ("cpu", "gpu") for run in runs[1:]),
)
page.given("radiation.NONZERO_BYTES and SWEEPS", "its 40 bytes a pair")
page.given("row_order.hpp", "squares of 32 columns")
page.given(
    "which part ran",
    "the compiled part of revision 7a31da42",
    "the other 16 cores",
    "\n  297a92fa; beside",
)
page.given(
    "the run",
    "with 16 CPU cores, 1024x512x64 cells",
    "a touch every 10 steps, Mcells",
    "by 16 cores",
    "with a touch every 10 steps",
)
