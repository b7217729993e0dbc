"""Where the numbers of docs/evidence/ranks.md come from."""

from statistics import median

import ranks_table
from ranks_table import off, off_before, perfect, worst, worst_before
from recompute import Page
from result_files import results, series, text

from watari.cases.himeno import speed
from watari.model import ranks

page = Page("docs/evidence/ranks.md")

text(ranks_table.PREDICTED)
for files in ranks_table.sets().values():
    for file in files:
        results(file)
    for make in (ranks_table.rows, ranks_table.links, ranks_table.matrix):
        for row in make(files):
            page.says(row.text, *row.values)

FOLDER = "4x-nvidia-h100-80gb-hbm3-x86_64"
FILES = ranks_table.found()[FOLDER]
himeno = results(f"{FOLDER}/20261126-scaling-himeno.json")
city = results(f"{FOLDER}/20261126-scaling-les.json")
paths, styles, hmatrix, links = (
    results(f"{FOLDER}/20261127-scaling-{name}.json")
    for name in ("paths", "styles", "hmatrix", "links")
)
lattice = results(f"{FOLDER}/20261128-scaling-lattice.json")
WEAK = "2042x512x1024"


def of(m):
    """The part of perfect scaling."""
    return perfect(FILES, m)


def on_four(style="explicit", grid="XL", run=himeno, **more):
    """Himeno on four GPUs."""
    return run.case("himeno", grid=grid, style=style, ranks=4, **more)


def qcd(lattice_class, split, run=lattice):
    return run.case("lattice", lattice=lattice_class, split=split)


def distances(cases):
    """The worst difference of both predictions, in percent."""
    return worst(FILES, cases), worst_before(FILES, cases)


weak, shared = on_four(grid=WEAK), on_four(overlap=True)
others = [on_four(overlap=False), *paths.all("himeno", grid="XL", ranks=4)]
page.given(
    "cases/lattice/axes.py, today and at that revision",
    "Ranks move 16 vectors a step",
    ", and 13 otherwise",
    "moved 16 along every axis",
    "with 16 vectors a step, has",
)
page.given("the last of these is below half of the last digit", "| 0.2% | 0.0% |")
for words, m in (("XL on each, `peer`, overlapped", weak), ("XL shared, the same", shared)):
    page.says(
        f"| Himeno, {words} | {{}} | {{}}% | {{}}% |",
        of(m),
        abs(off(FILES, m)),
        abs(off_before(FILES, m)),
    )
page.says(
    "XL shared, other paths | {} to {} | {}% | {}% |",
    min(map(of, others)),
    max(map(of, others)),
    *distances(others),
)
along = {
    split: [qcd(c, split) for c in ("class3", "class2")]
    for split in ("1x1x4x1", "1x2x2x1", "1x1x2x2")
}
for n, words in enumerate(("lattice class 3 along z, or y and z", "lattice class 2, the same")):
    both = [along["1x1x4x1"][n], along["1x2x2x1"][n]]
    page.says(f"| {words} | {{}} and {{}} | {{}}% | {{}}% |", *map(of, both), *distances(both))
page.says(
    "along z and t, classes 3 and 2 | {} and {} | {}% | {}% |",
    *map(of, along["1x1x2x2"]),
    *distances(along["1x1x2x2"]),
)
cities = [
    city.case("les", grid=g, split=s) for g, s in (("XL", "1x4x1"), ("2048x2048x128", "2x2x1"))
]
page.says(
    "XL shared and XL on each | {} and {} | {}% | {}% |", *map(of, cities), *distances(cities)
)
four = hmatrix.case("hmatrix", ranks=4)
page.says("a product, one right-hand side | {} | {}% | - |", of(four), abs(off(FILES, four)))

page.says(
    "Himeno {} for a shared grid and {} for XL on each, lattice {} at class 3 and {} at class 2, at an",
    *(of(on_four("managed", grid)) for grid in ("XL", WEAK)),
    *(of(qcd(c, "1x1x4x1", styles)) for c in ("class3", "class2")),
)
nccl, hidden, bare = (
    on_four(run=paths, halo=halo, overlap=overlap)
    for halo, overlap in (("nccl", True), ("staged", True), ("staged", False))
)
page.says(
    "`nccl` {}, `staged` {} with overlap and {} without. With overlap the hosts' messages take {} ms of an iteration of {} ms.",
    *map(of, (nccl, hidden, bare)),
    1e3 * median(series(hidden, "halo_s")[0][1:]),
    1e3 * ranks.seconds(hidden),
)
directives = on_four("acc-host-data")
page.says(
    "`acc-host-data` has {} for a shared grid, where the prediction was {}% too short.",
    of(directives),
    -off(FILES, directives),
)
through = {n: styles.case("lattice", style="acc-data", ranks=n) for n in (1, 2)}
page.says(
    "two GPUs have {} of the rate of one.",
    through[2].quantity("flops_per_s") / through[1].quantity("flops_per_s"),
)

matrix = {n: hmatrix.case("hmatrix", ranks=n) for n in (1, 2, 4)}
page.says(
    "is built {} and {} times as fast by two and four GPUs, and multiplied {} and {} times.",
    *(matrix[1].quantity("build_s") / matrix[n].quantity("build_s") for n in (2, 4)),
    *(ranks.seconds(matrix[1]) / ranks.seconds(matrix[n]) for n in (2, 4)),
)
(rows,) = ranks.profile_of(matrix[2]).exchanges  # half of the vector
alone = links.case("copy", from_="pinned", processes=1).median
page.says(
    "four GPUs take {} ms at the rate of one. A product takes {} ms. The vector of {} MB, which every rank needs whole, takes {} ms",
    1e3 * ranks.seconds(matrix[1]) / 4,
    1e3 * ranks.seconds(matrix[4]),
    2 * rows.bytes / 1e6,
    2 * rows.bytes / alone / 1e6,
)
pairs = [m.median for m in ranks_table.between([links.file]).values()]
both_ways = [m.median for m in links.all("copy", bidirectional=True)]
page.says(
    "between GPUs**: {} to {} GB/s between any two, {} to {} both ways",
    min(pairs),
    max(pairs),
    min(both_ways),
    max(both_ways),
)
two, all_four = (links.case("copy", from_="pinned", processes=n).median for n in (2, 4))
page.says(
    "pinned memory at {} GB/s. Two at once read {} GB/s together, and so do four, {} each.",
    alone,
    two,
    all_four / 4,
)
assert abs(two / all_four - 1) < 0.01  # "and so do four"
page.says("have at most {} times the rate of one.", max(two, all_four) / alone)

# Where a step of the lattice goes
VECTORS, MORE = 15, 18  # of a step without its hops, and where t is divided
BYTES, HOPS = 192, 4
page.given(
    "chosen here, from cases/lattice/axes.py",
    "moves 15 vectors, and 18 where t is divided, of 192",
)
EVEN = {"class3": 64**3 * 32 // 2, "class2": 32**4 // 2}


def spent(m):
    """Seconds of a step and of its four hops."""
    return ranks.seconds(m), HOPS * m.quantity("hop_s")


def rate(of_class):
    """Bytes per second of the rest of a step on one GPU."""
    step, hops = spent(one[of_class])
    return VECTORS * BYTES * EVEN[of_class] / (step - hops)


def by_bytes(of_class, n, vectors):
    """Seconds of the rest on n GPUs, at the rate of one."""
    return vectors * BYTES * EVEN[of_class] / n / rate(of_class)


def parts(m):
    """ms of a step, over a part of one GPU's, hops, over, rest, by bytes, left."""
    of_class = m["lattice"]
    (step, hops), (whole, four_hops) = spent(m), spent(one[of_class])
    moved = by_bytes(of_class, m.ranks, VECTORS if m["split"].endswith("x1") else MORE)
    rest = step - hops
    found = (
        step,
        step - whole / m.ranks,
        hops,
        hops - four_hops / m.ranks,
        rest,
        moved,
        rest - moved,
    )
    return [1e3 * each for each in found]


one = {c: lattice.case("lattice", lattice=c, ranks=1) for c in EVEN}
page.says("one GPU's rest: {} TB/s at class 3, {} at class 2.", *(rate(c) / 1e12 for c in EVEN))
for of_class, name in (("class3", "class 3"), ("class2", "class 2")):
    step, hops = (1e3 * s for s in spent(one[of_class]))
    rest = step - hops
    page.says(f"| {name}, one | {{}} | | {{}} | | {{}} | {{}} | |", step, hops, rest, rest)
for of_class, split, name in (
    ("class3", "1x1x2x1", "class 3, two, along z"),
    ("class3", "1x1x1x2", "class 3, two, along t"),
    ("class3", "1x1x4x1", "class 3, four, along z"),
    ("class3", "1x2x2x1", "class 3, four, along y and z"),
    ("class3", "1x1x2x2", "class 3, four, along z and t"),
    ("class2", "1x1x2x1", "class 2, two, along z"),
    ("class2", "1x1x4x1", "class 2, four, along z"),
):
    page.says(f"| {name} |{' {} |' * 7}", *parts(qcd(of_class, split)))
by_z, by_t = qcd("class3", "1x1x4x1"), qcd("class3", "1x1x1x2")
step, over, hops, hops_over, _, _, left = parts(by_z)
class2_left = parts(qcd("class2", "1x1x4x1"))[-1]
page.says(
    "of {} ms beyond a quarter, hops take {}. {} ms are left. At class 2, with an eighth of the bytes, it is {}.",
    over,
    hops_over,
    left,
    class2_left,
)
link = median(pairs)


def sent(m):
    """Bytes that a rank sends in a step."""
    return sum(ranks.on_wire(each) for each in ranks.profile_of(m).exchanges)


page.says(
    "a rank sends {} MB along z, {} ms at {} GB/s, beside {} ms of hops.",
    sent(by_z) / 1e6,
    sent(by_z) / link / 1e6,
    link,
    hops,
)
page.says(
    "Along t two GPUs send {} MB, {} ms, but their hops take {} ms longer than half.",
    sent(by_t) / 1e6,
    sent(by_t) / link / 1e6,
    parts(by_t)[3],
)
page.given("32 planes of class 2 on four GPUs", "has 8 planes and computes two of them twice")
page.says("so it is {}% and {}% too long.", *(off(FILES, m) for m in along["1x1x2x2"]))

# Beside Doi (2016)


def score(m):
    """GFLOPS: benchmark and steady."""
    found = speed.of(m)
    return found.benchmark, found.steady


page.says(
    "`peer` has {} times the steady rate of `staged` without overlap, {} times with it.",
    score(on_four(overlap=False))[1] / score(bare)[1],
    score(shared)[1] / score(hidden)[1],
)
managed = on_four("managed")
page.says(
    "by the benchmark: {} of `explicit`; steady {}. First iterations took {} and {} ms in the two trials of `explicit`, "
    "{} and {} ms in those of `managed`",
    *(a / b for a, b in zip(score(managed), score(shared), strict=True)),
    *(1e3 * samples[0] for m in (shared, managed) for samples in series(m, "host_s")),
)
managed2, explicit2 = (qcd("class2", "1x1x4x1", run) for run in (styles, lattice))
page.says(
    "has {} of the solve of `explicit` at a later revision, with {}, and {} of its steady step. The first step moves pages, {} ms",
    managed2.quantity("flops_per_s") / explicit2.quantity("flops_per_s"),
    13,
    ranks.seconds(explicit2) / ranks.seconds(managed2),
    1e3 * series(managed2, "host_s")[0][0],
)
