"""Products and solves on GPUs, from disks, and counts of products, of cases/hmatrix/EVIDENCE.md."""

from __future__ import annotations

import re
from statistics import mean, median

from hmatrix_rates import product
from recompute import Page
from result_files import results, text, trials

page = Page("cases/hmatrix/EVIDENCE.md")
H200 = "nvidia-h200-x86_64/"
EPYC = "2-core-amd-epyc-x86_64/"
INTEL = "2-core-intel-xeon-x86_64/"


def solve(m):
    """ms of a solve."""
    return 1e3 * m.quantity("solve_s")


# On an H200
gpu = results(f"{H200}20261125-hmatrix-products.json")


def one_gpu(mesh, precision, rhs):
    """A case of one GPU."""
    return gpu.case("hmatrix", mesh=mesh, precision=precision, rhs=rhs)


for mesh, first in (("bumpy:23", ", 150 MB in 8 bytes"), ("bumpy:71", ", 2.25 GB in 8 bytes")):
    for size, precision in ((8, "double"), (4, "single")):
        for rhs in (1, 8):
            m = one_gpu(mesh, precision, rhs)
            more = first if (size, rhs) == (8, 1) else ""
            values = [product(m), m.median, m.quantity("products"), solve(m)]
            page.says(f"| `{mesh}`{more} | {size} | {rhs} | {{}} | {{}} | {{}} | {{}} |", *values)
for unit, mesh in ((1e6, "bumpy:23"), (1e9, "bumpy:71")):
    page.says(
        f"`{mesh}`, {{}} {'MB' if unit == 1e6 else 'GB'} in 8 bytes",
        one_gpu(mesh, "double", 1).quantity("matrix_bytes") / unit,
    )
one = results(f"{H200}20261125-hmatrix-one.json").case("hmatrix").median
copy = results(f"{H200}20261125-copy.json").case("copy").median
page.says("in 8 bytes ({} GB/s, `20261125-hmatrix-one.json`)", one)
page.says("same minute ({} GB/s, `20261125-copy.json`) | {} |", copy, one / copy)
eight = product(one_gpu("bumpy:71", "double", 8)) / product(one_gpu("bumpy:71", "double", 1))
page.says(
    "takes {} times as long as with one in 8 bytes: a right-hand side takes {} of the time",
    eight,
    eight / 8,
)

# Ranks
ranks = results("2x-nvidia-h200-x86_64/20261125-hmatrix-ranks-later.json")
both = {rhs: (one_gpu("bumpy:71", "double", rhs), ranks.case("hmatrix", rhs=rhs)) for rhs in (1, 8)}
for rhs, pair in both.items():
    for gpus, m in enumerate(pair, 1):
        page.says(
            f"| {gpus} | {rhs} | {{}} | {{}} | {{}} |", product(m), solve(m), m.quantity("build_s")
        )
    for name in ("capacitance", "products", "residual"):
        assert len({value for m in pair for value in trials(m, name)}) == 1
page.says(
    "build {} to {} times as fast",
    *(a.quantity("build_s") / b.quantity("build_s") for a, b in both.values()),
)
page.says(
    "multiply {} times as fast with one right-hand side; with 8 they take {} times as long",
    product(both[1][0]) / product(both[1][1]),
    product(both[8][1]) / product(both[8][0]),
)

# Products that read
page.given(
    "published/hanawa-2025.toml",
    "at most about 1.31 in all and 1.71 in reading",
    "as large as Hanawa's, 42 GB",
)
ratio = {}
for memory in (64, 256):
    for batch in (1, 8):
        name = f"{H200}20261124-hmatrix-ratio-{memory}-{batch}"
        engines = results(f"{name}-engines.json")
        row = [
            results(f"{name}-posix.json").case("hmatrix"),
            *(engines.case("hmatrix", engine=e) for e in ("uring", "gpu")),
        ]
        solves, reads = ([m.quantity(name) for m in row] for name in ("solve_s", "read_s"))
        ratio[memory, batch] = solves[1] / solves[2]
        start = f"| {memory} MiB | {batch} MiB |"
        page.says(
            start + " {}% |" + " {} |" * 6,
            100 * row[0].quantity("resident_fraction"),
            *solves,
            *reads,
        )
        page.says(
            start + " {} |" * 4, *(times[0] / t for times in (solves, reads) for t in times[1:])
        )
        page.says("BiCGStab without preconditioner, {} products", row[0].quantity("products"))
        page.says("`bumpy:35`, {} MB in 8 bytes", row[0].quantity("matrix_bytes") / 1e6)
page.says("with 1 MiB `uring` needs {} to {} of", *sorted(ratio[memory, 1] for memory in (64, 256)))
page.says("`gpu` needs {} of that of `uring`", mean(1 / ratio[memory, 8] for memory in (64, 256)))
disk = results(f"{H200}20261124-hmatrix-disk.json")
for engine in ("gpu", "uring"):
    single, several = (disk.case("hmatrix", engine=engine, rhs=rhs) for rhs in (1, 8))
    page.says(
        f"| `{engine}` | {{}} | {{}} | {{}} |",
        product(single),
        product(several),
        product(several) / product(single),
    )
page.says("With one right-hand side {}% of the matrix", 100 * single.quantity("resident_fraction"))
large = results(f"{H200}20261125-hmatrix-large.json").case("hmatrix")
q = large.quantity
rate = q("products") * q("read_bytes") / q("solve_s") / 1e9
disks = [
    results(f"{H200}20261125-hmatrix-large-rate-{when}.json").case("storage")
    for when in ("before", "after")
]
rates = [r for m in disks for r in m.summary.medians]
page.says("| matrix | {} GB; {}% of it", q("matrix_bytes") / 1e9, 100 * q("resident_fraction"))
page.says("into the file on the disk | {} s |", q("build_s"))
page.says("| solve | {} s, of which the product waits {} s for data", q("solve_s"), q("read_s"))
page.says("| products; residual | {}; {} |", q("products"), q("residual"))
page.says("| read a product | {} GB |", q("read_bytes") / 1e9)
page.says("| rate: products x bytes / solve | {} GB/s |", rate)
page.says("two after (`20261125-hmatrix-large-rate-after.json`) | {}, {}, {}, {} GB/s |", *rates)
page.says("| their median over the rate of the solve | {} |", median(rates) / rate)
page.says("differs by {}% between trials", 100 * (max(rates) / min(rates) - 1))
page.says("each of which reads {} GB", disks[0].quantity("bytes") / 1e9)

# Cycles, preconditioners, inner iterations: counts of products
cycles = text(f"{EPYC}20261125-hmatrix-restart.txt")
for mesh, count in (("bumpy:35", "24,500"), ("bumpy:71", "100,820"), ("bumpy:100", "200,000")):
    counts = next(
        [int(n) for n in re.findall(r"(\d+) products", line)]
        for line in cycles.lines
        if line.startswith(f"{mesh} ") and "cycle" in line
    )
    page.says(f"| `{mesh}` | {count} | {{}} | {{}} |", *counts)
counts = results(f"{INTEL}20261126-hmatrix-preconditioners.json")
longer = []
for mesh, triangles in re.findall(
    r"^\| `(\S+)` \| ([\d,]+) \| \d+ \| \d+ \|$",
    page.text[page.text.index("## Preconditioners") :],
    re.M,
):
    values = [
        counts.case("hmatrix", mesh=mesh, preconditioner=p).quantity("products")
        for p in ("none", "block-jacobi")
    ]
    page.given("triangles of the mesh, counted", f"| `{mesh}` | {triangles} |")
    page.says(f"| `{mesh}` | {triangles} | {{}} | {{}} |", *values)
    if "sphere" in mesh:
        longer.append(values[1] / values[0])
page.says("On spheres block-Jacobi needs {} to {} times", min(longer), max(longer))

# A surface as a scanner leaves it
scans = results(f"{INTEL}20261126-hmatrix-scan.json")


def scan(n, solver, preconditioner):
    """The solve of a mesh by a method."""
    return scans.case("hmatrix", mesh=f"scan:{n}", solver=solver, preconditioner=preconditioner)


METHODS = [(s, p) for s in ("bicgstab", "gmres") for p in ("none", "block-jacobi")]
for n in (8, 16, 32):
    found = [scan(n, *method).quantity("products") for method in METHODS]
    page.says(f"| `scan:{n}` | {{}} | {{}} | {{}} | {{}} | {{}} |", 20 * n * n, *found)
largest = results(f"{INTEL}20261126-hmatrix-scan-large.json").case("hmatrix")
page.says("| `scan:71` | {} | | | | {} |", 20 * 71 * 71, largest.quantity("products"))
page.says("{} of BiCGStab's and {} of GMRES's remain", found[1] / found[0], found[3] / found[2])
page.says(
    "A row of `scan:32` takes {} kB",
    scan(32, "gmres", "none").quantity("matrix_bytes") / (20 * 32 * 32) / 1e3,
)
page.given("rows_drawn of row_check.hpp", "In each trial 64 rows of the product were")
page.given("the axes of the trial", "`scan:71`, in 4 bytes", "kB in 8 bytes an element")
inner = text(f"{INTEL}20261126-hmatrix-inner.txt")
many, few, least = [], [], []
for mesh, budgets in (
    ("bumpy:12", (6, 8, 10, 11, 12, 13, 14, 15)),
    ("bumpy:16", (11, 16, 20, 22, 24, 26, 28, 32)),
):
    for budget in budgets:
        share, none, five, ten = inner.line(f"{mesh} --fast-memory {budget}MB:")
        page.says(f"| `{mesh}`, {budget} MB | {{}}% | {{}} | {{}} | {{}} |", share, none, five, ten)
        if share > 64:
            many.append(five / none)
        if share < 55:
            few.append(five / none)
            least.append(share)
page.says("need {} to {} of the products", min(many), max(many))
page.says("With {}% or less they need {} to {} times as many", max(least), min(few), max(few))
page.says("except for `bumpy:12` with {}%", inner.line("bumpy:12 --fast-memory 15MB:")[0])
