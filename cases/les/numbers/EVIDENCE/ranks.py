"""Several GPUs, of cases/les/EVIDENCE.md."""

from __future__ import annotations

import ranks_table
from ranks_table import known, perfect, worst
from recompute import Page
from result_files import middle, results, series, text, trials

from watari.model import ranks

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
FOLDER = "4x-nvidia-h100-80gb-hbm3-x86_64"
FILES = ranks_table.found()[FOLDER]
scaling = results(f"{FOLDER}/20261126-scaling-les.json")
styles = results(f"{FOLDER}/20261127-scaling-les-styles.json")


def by(split, grid="XL", run=scaling, **more):
    return run.case("les", grid=grid, split=split, **more)


def of(m):
    """The part of perfect scaling."""
    return perfect(FILES, m)


def beyond(m):
    """ms of a step beyond an equal part of XL on one GPU, by the cells."""
    return 1e3 * (1 - of(m)) * ranks.seconds(m)


quarter, each_xl = by("1x4x1"), by("2x2x1", "2048x2048x128")
page.says(
    "a shared grid XL has {} of perfect scaling by 1x4x1 and {} by 2x2x1, L has {}. With XL on each GPU 2x2x1 has {}.",
    *map(of, (quarter, by("2x2x1"), by("1x4x1", "L"), each_xl)),
)
page.says(
    "Predicted from one and two GPUs: at most {}% off.",
    worst(FILES, [*scaling.cases, *styles.cases]),
)
sent = sum(ranks.on_wire(each) for each in ranks.profile_of(quarter).exchanges)
link = known(FILES).link
page.says(
    "XL by 1x4x1 takes {} ms longer than a quarter: {} ms are halos and sums, with their waits. "
    "As `watari predict` counts, a rank sends {} MB in a step, {} ms at the {} GB/s",
    beyond(quarter),
    1e3 * quarter.quantity("exchange_s"),
    sent / 1e6,
    1e3 * sent / link,
    link / 1e9,
)
page.says(
    "{} ms on two GPUs at XL, {} along y, where ranks exchange less often. With XL on each of four GPUs 2x2x1 needs {} ms beyond one GPU's step: {} are",
    1e3 * by("2x1x1").quantity("exchange_s"),
    1e3 * by("1x2x1").quantity("exchange_s"),
    beyond(each_xl),
    1e3 * each_xl.quantity("exchange_s"),
)
managed4, nccl, staged = (
    styles.case("les", grid="L", **only)
    for only in ({"ranks": 4}, {"halo": "nccl"}, {"halo": "staged"})
)
page.says(
    "at L has {} by 1x4x1, as `explicit`; its first step takes {} ms.",
    of(managed4),
    1e3 * series(managed4, "host_s")[0][0],
)
page.says(
    "`nccl` {} of perfect scaling, `staged` {}, where `peer` has {}. A step by `staged` spends {} ms of {} in",
    *map(of, (nccl, staged, by("1x2x1", "L"))),
    1e3 * middle(staged, "halo_s"),
    1e3 * ranks.seconds(staged),
)
long = results("2-core-intel-xeon-x86_64/20261126-les-long-grids.json")
assert [m.status for m in long.all("les", grid="16x1024x16")] == ["wrong", "wrong", "ok"]
