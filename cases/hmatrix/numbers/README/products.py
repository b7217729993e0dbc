"""Where the numbers of cases/hmatrix/README.md come from."""

from statistics import mean, median

from hmatrix_rates import product
from recompute import Page
from result_files import results, text, trials

H200 = "nvidia-h200-x86_64/"
INTEL = "2-core-intel-xeon-x86_64/"

page = Page("cases/hmatrix/README.md")


# Preconditioners and inner iterations
counts = results(f"{INTEL}20261126-hmatrix-preconditioners.json")
longer = [
    counts.case("hmatrix", mesh=mesh, preconditioner="block-jacobi").quantity("products")
    / counts.case("hmatrix", mesh=mesh, preconditioner="none").quantity("products")
    for mesh in ("spheres:8", "spheres:16", "icosphere:20")
]
page.says("On spheres it needs {} to {} times", min(longer), max(longer))
_, none, five, _ = text(f"{INTEL}20261126-hmatrix-inner.txt").line("bumpy:12 --fast-memory 6MB:")
page.says("With a quarter they need {} times as many products", five / none)

# Products in GPU memory, by one GPU and by two
gpu = results(f"{H200}20261125-hmatrix-products.json")
ranks = results("2x-nvidia-h200-x86_64/20261125-hmatrix-ranks-later.json")
one, eight = (
    (
        gpu.case("hmatrix", mesh="bumpy:71", precision="double", rhs=rhs),
        ranks.case("hmatrix", rhs=rhs),
    )
    for rhs in (1, 8)
)
page.says("takes {} ms for {} GB", product(one[0]), one[0].quantity("matrix_bytes") / 1e9)
page.says(
    "It has {} of the rate of a copy",
    results(f"{H200}20261125-hmatrix-one.json").case("hmatrix").median
    / results(f"{H200}20261125-copy.json").case("copy").median,
)
page.says(
    "build it {} to {} times as fast",
    *(a.quantity("build_s") / b.quantity("build_s") for a, b in (one, eight)),
)
page.says(
    "multiply {} times as fast with one right-hand side; 8 right-hand sides take {} times as long",
    product(one[0]) / product(one[1]),
    product(eight[1]) / product(eight[0]),
)

# Construction
built = [
    float(line.split()[4])
    for line in text(f"{H200}20261125-hmatrix-build-alone.txt").lines
    if line.startswith("gpu, 8 bytes: build")
]
by_cpu, by_gpu = (
    results(f"{H200}20261125-hmatrix-build-alone-{p}.json").case("hmatrix", precision="double")
    for p in ("cpu", "gpu")
)
threads, trial = by_cpu.quantity("build_s"), trials(by_gpu, "build_s")
page.says("A GPU builds {} times as fast as", threads / max(built[1:]))
page.says(
    "{} GB into a file in memory take an H200 {} s, the threads {} s",
    by_cpu.quantity("matrix_bytes") / 1e9,
    max(built[1:]),
    threads,
)
page.says("first build of a process takes {} s", built[0])
page.says(
    "the GPU takes {} and {} s, and so is {} to {} times as fast",
    *trial,
    threads / max(trial),
    threads / min(trial),
)

# Products that read
large = results(f"{H200}20261125-hmatrix-large.json").case("hmatrix").quantity
rates = [
    rate
    for when in ("before", "after")
    for rate in results(f"{H200}20261125-hmatrix-large-rate-{when}.json")
    .case("storage")
    .summary.medians
]
page.says(
    "A matrix of {} GB on a disk is solved at the disk's rate**: {} products of {} GB in {} s, {} times the seconds",
    large("matrix_bytes") / 1e9,
    large("products"),
    large("read_bytes") / 1e9,
    large("solve_s"),
    median(rates) * 1e9 * large("solve_s") / (large("products") * large("read_bytes")),
)
page.says("Construction took {} s", large("build_s"))
solves, reads, sizes = {}, {}, set()
for point in ("64-1", "64-8", "256-1", "256-8"):
    name = f"{H200}20261124-hmatrix-ratio-{point}"
    posix, engines = results(f"{name}-posix.json"), results(f"{name}-engines.json")
    cases = [posix.case("hmatrix"), *(engines.case("hmatrix", engine=e) for e in ("uring", "gpu"))]
    solves[point], reads[point] = ([m.quantity(q) for m in cases] for q in ("solve_s", "read_s"))
    sizes |= {m.quantity("matrix_bytes") / 1e6 for m in cases}
UNDER = {"uring": 1, "gpu": 2}


def over_posix(times, engine):
    """The least and the largest time of `posix` over that of an engine."""
    found = [row[0] / row[UNDER[engine]] for row in times.values()]
    return min(found), max(found)


page.says(
    "`gpu` needs {} of the time of `uring`",
    mean(solves[p][2] / solves[p][1] for p in ("64-8", "256-8")),
)
page.says("One CPU thread takes {} to {} times as long as `gpu`", *over_posix(solves, "gpu"))
page.says(
    "matrix of {} MB read from memory, `gpu` takes {} to {} times as long as `uring`",
    *sizes,
    min(row[2] / row[1] for row in solves.values()),
    max(row[2] / row[1] for row in solves.values()),
)
page.says("`gpu` has read {} MB from memory", *sizes)
page.says("`posix` and `uring` {} GB from a disk", large("matrix_bytes") / 1e9)
page.says(
    "`gpu` {} to {} times in all and {} to {} in reading",
    *over_posix(solves, "gpu"),
    *over_posix(reads, "gpu"),
)
page.says(
    "`uring` {} to {} and {} to {}", *over_posix(solves, "uring"), *over_posix(reads, "uring")
)
page.given(
    "published/hanawa-2025.toml",
    "*at most about* 1.31 times as fast",
    "in all, and 1.71 times in reading",
)
disk = results(f"{H200}20261124-hmatrix-disk.json")
shared = [
    product(disk.case("hmatrix", engine=engine, rhs=8))
    / product(disk.case("hmatrix", engine=engine, rhs=1))
    for engine in ("gpu", "uring")
]
page.says("Eight right-hand sides take {} to {} times as long as one", min(shared), max(shared))

# Not measured
page.given("counted by the command, which prints the least", "4 MiB suffice for 7,000 triangles")
page.given("a setting of the comparison", "as fast as 16 CPU threads")
page.given(
    "settings of cases/hmatrix/native/row_check.hpp",
    "**A trial verifies 64 rows**",
    "above 40 eps",
    "to 1e-12",
)
for sentence, parts in (("{}% for an eighth of all rows", 8), ("{}% for a 64th", 64)):
    page.says(sentence, 100 * (1 - (1 - 1 / parts) ** 64))
page.given(
    "counted from src/watari/hmatrix",
    "eps / 10",
    "pages of 4096 bytes",
    "Offsets have 64 bits",
    "a tile of 32 rows",
    "a block of threads has 32 rows",
    "after 30 iterations",
    "250 bytes a triangle",
    "32 bytes a leaf and 8 a page",
)

# In the conditions of Hanawa (2025)
page.given("Hanawa (2025)", "a matrix of 42 GB from an SSD", "his ratios, 1.31 and 1.71")
page.says("`mesh=scan:71` | {} triangles as a scanned model", 20 * 71**2)
page.given("the jobs' meshes", "jobs for 4 GB, for 40 GB and")
page.given("the plan", "batches of 16 MiB, one trial")
scans = results(f"{INTEL}20261126-hmatrix-scan.json")
plain, jacobi = (
    scans.case("hmatrix", mesh="scan:32", solver="gmres", preconditioner=p).quantity("products")
    for p in ("none", "block-jacobi")
)
page.says("On `scan:32` it needs {} of the products of GMRES", jacobi / plain)
