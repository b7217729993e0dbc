"""Where the numbers of docs/ranks.md come from."""

from statistics import median

import ranks_table
from recompute import Page
from result_files import results, trials

from watari.cases.himeno import speed

TWO, FOUR = "2x-nvidia-h200-x86_64/20261125-", "4x-nvidia-h200-x86_64/20261121-"

page = Page("docs/ranks.md")

# Himeno between GPUs: the slower path of a pair over the faster one
for name, ranks in (("himeno-strong", (2, 4)), ("himeno-weak-4", (4,))):
    himeno = results(f"{FOUR}{name}.json")
    for n in ranks:
        nccl, peer = (
            speed.of(himeno.case("himeno", ranks=n, halo=halo, overlap=True)).steady
            for halo in ("nccl", "peer")
        )
        assert 0.98 < nccl / peer < 1.02  # "less than 2% of Himeno's rate"

lattice = results(f"{TWO}lattice-ranks-later.json")


def flops(of_class, **parameters):
    """FLOPS of the solver, median over trials."""
    return median(trials(lattice.case("lattice", lattice=of_class, **parameters), "flops_per_s"))


def two_over_one(of_class, split):
    """The rate of two GPUs, `peer` with overlap, over that of one."""
    two = flops(of_class, ranks=2, split=split, halo="peer", overlap=True)
    return two / flops(of_class, ranks=1)


page.says(
    "solve lattice class 3 at {} times the rate of one, class 2 at {} times",
    two_over_one("class3", "1x1x2x1"),
    two_over_one("class2", "2x1x1x1"),
)
assert flops("class2", ranks=2, split="1x1x2x1", halo="staged", overlap=True) < flops(
    "class2", ranks=1
)

alone = results("nvidia-h200-x86_64/20261125-hmatrix-products.json")
hmatrix = results(f"{TWO}hmatrix-ranks-later.json")
pairs = [
    (
        alone.case("hmatrix", mesh="bumpy:71", precision="double", rhs=rhs),
        hmatrix.case("hmatrix", rhs=rhs),
    )
    for rhs in (1, 8)
]
one, two = pairs[0]
page.says(
    "Two GPUs build an H-matrix {} times as fast as one, and multiply {} times as fast",
    one.quantity("build_s") / two.quantity("build_s"),
    two.median / one.median,
)
assert pairs[1][1].median < pairs[1][0].median  # "with 8 right-hand sides they multiply slower"

# four H100s
H100 = "4x-nvidia-h100-80gb-hbm3-x86_64"
FILES = ranks_table.found()[H100]
himeno, city = (results(f"{H100}/20261126-scaling-{name}.json") for name in ("himeno", "les"))
lattice, links = (
    results(f"{H100}/{name}.json")
    for name in ("20261128-scaling-lattice", "20261127-scaling-links")
)
grids = [
    himeno.case("himeno", grid=grid, style="explicit", ranks=4, overlap=True)
    for grid in ("XL", "2042x512x1024")
]
class3 = {
    s: lattice.case("lattice", lattice="class3", split=s) for s in ("1x1x4x1", "1x1x1x2", "1x1x2x1")
}
shared = city.case("les", grid="XL", split="1x4x1")
page.says(
    "Himeno XL {}, {} with a grid for each; lattice class 3 {}; a city {}.",
    *(ranks_table.perfect(FILES, m) for m in (*grids, class3["1x1x4x1"], shared)),
)
page.says(
    "Along t it has {} of perfect scaling on two GPUs, where z has {}.",
    *(ranks_table.perfect(FILES, class3[s]) for s in ("1x1x1x2", "1x1x2x1")),
)
one, four = (links.case("copy", from_="pinned", processes=n).median for n in (1, 4))
page.says(
    "from the host at {} times the rate of one. Between GPUs every pair has {} GB/s.",
    four / one,
    median(m.median for m in ranks_table.between([links.file]).values()),
)
