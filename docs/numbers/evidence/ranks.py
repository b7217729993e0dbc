"""Where the numbers of docs/evidence/ranks.md come from."""

import ranks_table
from ranks_table import off, perfect, worst
from recompute import Page
from result_files import results, series, text

from watari.model import ranks

page = Page("docs/evidence/ranks.md")

text(ranks_table.PREDICTED)
for files in ranks_table.sets().values():
    for file in files:
        results(file)
    for row in (*ranks_table.rows(files), *ranks_table.links(files)):
        page.says(row.text, *row.values)

FOLDER = "4x-nvidia-h100-80gb-hbm3-x86_64"
himeno, lattice = (
    results(f"{FOLDER}/20261126-scaling-{name}.json") for name in ("himeno", "lattice")
)


def of_four(grid, style, **more):
    return himeno.case("himeno", grid=grid, style=style, ranks=4, **more)


WEAK = "2042x512x1024"
page.says(
    "overlapped: {} of perfect scaling if four GPUs share a grid, {} if each has one; `managed` {} and {}.",
    *(
        perfect(himeno, of_four(grid, style, overlap=True))
        for style in ("explicit", "managed")
        for grid in ("XL", WEAK)
    ),
)
plain = [m for m in himeno.cases if m["style"] != "acc-host-data"]
page.says(
    "Predicted from one and two GPUs: at most {}% off. - **Directives**", worst(himeno, plain)
)
directives = of_four("XL", "acc-host-data")
page.says(
    "(`acc-host-data`): {} for a shared grid. The prediction was {}% too short.",
    perfect(himeno, directives),
    -off(himeno, directives),
)
class3 = lattice.case("lattice", lattice="class3", split="1x1x4x1")
words = ranks_table.describe(ranks.as_request(class3))
page.says(
    "class 3 has {} of perfect scaling on four GPUs, where {} was predicted before.",
    perfect(lattice, class3),
    ranks_table.before(words),
)
class2 = lattice.case("lattice", lattice="class2", split="1x1x4x1")
steps = [1e3 * s for samples in series(class2, "host_s")[:1] for s in samples]
ticks = [s for s in steps if abs(s - 4 * round(s / 4)) < 0.08]
page.says(
    "by 1x1x4x1, {}% take a multiple of 4 ms to within 0.08 ms, which fits a tick of 250 Hz. One hop takes {} ms",
    100 * len(ticks) / len(steps),
    1e3 * class2.quantity("hop_s"),
)
page.given("chosen here", "within 0.08 ms, which fits a tick of 250 Hz")
page.says("are off by up to {}%", worst(lattice, lattice.cases))
