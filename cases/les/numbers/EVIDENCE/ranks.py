"""Several GPUs, of cases/les/EVIDENCE.md."""

from __future__ import annotations

import ranks_table
from ranks_table import perfect, worst
from recompute import Page
from result_files import middle, results, text, trials

TWO = "2x-nvidia-h200-x86_64/"

page = Page("cases/les/EVIDENCE.md")
two = results(f"{TWO}20261125-les-ranks-later.json")
alone = {grid: two.case("les", grid=grid, ranks=1) for grid in ("XL", "L")}
rates = {grid: m.quantity("cells_per_s") for grid, m in alone.items()}

# On two GPUs
page.given("the name of a grid", "| 1024x2048x128, XL on each |")
each = two.case("les", grid="1024x2048x128")
by_y, by_x = (two.case("les", grid="L", split=split) for split in ("1x2x1", "2x1x1"))
for row, m in (("XL | one GPU", alone["XL"]), ("L | one GPU", alone["L"])):
    page.says(
        f"| {row} | {{}}, {{}} | {{}} ms |",
        *(rate / 1e6 for rate in trials(m, "cells_per_s")),
        1e3 * middle(m, "host_s"),
    )
for row, m, grid in (
    ("XL on each | 1x2x1", each, "XL"),
    ("L | 1x2x1", by_y, "L"),
    ("L | 2x1x1", by_x, "L"),
):
    page.says(
        f"{row} | {{}}, {{}} | {{}} ms | {{}} | {{}} |",
        *(rate / 1e6 for rate in trials(m, "cells_per_s")),
        1e3 * middle(m, "host_s"),
        m.quantity("cells_per_s") / rates[grid],
        m.quantity("exchange_share"),
    )
page.says("has {} of twice XL's rate", each.quantity("cells_per_s") / 2 / rates["XL"])
page.says("sums take {} ms of a step", 1e3 * each.quantity("exchange_s"))
page.says(
    "take {} ms** with a split along y and {} ms along x",
    *(1e3 * m.quantity("exchange_s") for m in (by_y, by_x)),
)
page.given(
    "counted by `flow/simulation.hpp` and `pressure/pressure.hpp`", "has 46 exchanges at L and 58"
)
page.says(
    "takes some {} to {} µs",
    1e6 * by_y.quantity("exchange_s") / 46,
    1e6 * each.quantity("exchange_s") / 58,
)
assert len({m.quantity("fingerprint") for m in (alone["L"], by_y, by_x)}) == 1
paths = results(f"{TWO}20261125-les-ranks-later-paths.json")
for split in ("1x2x1", "2x1x1"):
    page.says(
        f"| {split} | {{}} | {{}} | {{}} |",
        *(
            paths.case("les", split=split, halo=halo).quantity("cells_per_s") / 1e6
            for halo in ("peer", "nccl", "staged")
        ),
    )
assert len({m.quantity("fingerprint") for m in paths.cases}) == 1

# On four GPUs of one host
text(ranks_table.PREDICTED)
for files in ranks_table.sets(page.name).values():
    for file in files:
        results(file)
    for row in ranks_table.rows(files):
        page.says(row.text, *row.values)
scaling = results("4x-nvidia-h100-80gb-hbm3-x86_64/20261126-scaling-les.json")
page.says(
    "a shared grid XL has {} of perfect scaling by 1x4x1 and {} by 2x2x1, L has {}. With XL on each GPU 2x2x1 has {}.",
    perfect(scaling, scaling.case("les", grid="XL", split="1x4x1")),
    perfect(scaling, scaling.case("les", grid="XL", split="2x2x1")),
    perfect(scaling, scaling.case("les", grid="L", split="1x4x1")),
    perfect(scaling, scaling.case("les", grid="2048x2048x128")),
)
page.says("Predicted from one and two GPUs: at most {}% off.", worst(scaling, scaling.cases))
long = results("2-core-intel-xeon-x86_64/20261126-les-long-grids.json")
assert [m.status for m in long.all("les", grid="16x1024x16")] == ["wrong", "wrong", "ok"]
