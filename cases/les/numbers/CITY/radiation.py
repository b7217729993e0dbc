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

radiation = results("nvidia-h100-80gb-hbm3-x86_64/20261126-les-radiation.json")


def radiant(where, every=10):
    """The case of an `explicit` run."""
    return radiation.case("les", style="explicit", radiation=where, every=every)


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
first = radiant("cpu")
page.says(
    "{} million pairs, took {} s by 16 cores, once; {} s to read them again",
    first.quantity("view_nonzeros") / 1e6,
    first.quantity("view_s"),
    median(radiant("gpu", every).quantity("view_s") for every in (1, 10)),
)
page.says(
    "moved its counted bytes at {} GB/s",
    40 * first.quantity("view_nonzeros") / of_cpu(radiant("cpu", 1)) / 1e9,
)
page.given(
    "the run",
    "with 16 CPU cores, 1024x512x64 cells",
    "a touch every 10 steps, Mcells",
    "by 16 cores",
    "cells**, every 10 steps",
)
