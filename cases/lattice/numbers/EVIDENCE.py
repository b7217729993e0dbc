"""Where the numbers of cases/lattice/EVIDENCE.md come from."""

from statistics import median

from recompute import Page
from result_files import newest, results, text, trials

from watari.results.statistics import seconds

GIB = 2**30
H100 = "nvidia-h100-80gb-hbm3-x86_64/"
H200 = "nvidia-h200-x86_64/"

page = Page("cases/lattice/EVIDENCE.md")
now = results(f"{H100}20261126-lattice.json")


def solve(lattice, style="explicit", run=now, precision="double", links=18, rhs=1):
    """A solve on one GPU."""
    return run.case(
        "lattice", lattice=lattice, style=style, precision=precision, links=links, rhs=rhs, ranks=1
    )


def steps(m):
    """ms of each step of the first trial."""
    return [1e3 * s for s in seconds(m.trials[0])]


def tflops(m, name="flops_per_s"):
    return m.quantity(name) / 1e12


# Results
FORMS = {
    "": {},
    ", links of 12": {"links": 12},
    ", mixed": {"precision": "mixed"},
    ", mixed, links of 12": {"precision": "mixed", "links": 12},
    ", 4 right-hand sides": {"rhs": 4},
    ", 12 right-hand sides": {"rhs": 12},
    " `explicit`": {},
    " `managed`": {"style": "managed"},
    " `managed-prefetch`": {"style": "managed-prefetch"},
}
for number in (2, 3):
    for name, form in FORMS.items():
        row = f"class {number}{name}"
        if f"| {row} | " in page.text:
            m = solve(f"class{number}", **form)
            page.says(
                f"| {row} | {{}} | {{}} | {{}} | {{}} | {{}} | {{}} |",
                tflops(m), tflops(m, "hop_flops_per_s"), tflops(m, "hop_bytes_per_s"),
                median(steps(m)), steps(m)[0], m.quantity("iterations"),
            )  # fmt: skip
for row, style in (("`explicit` (33 MB)", "explicit"), ("`pinned`", "pinned")):
    m = solve("class1", style)
    shown = (tflops(m), median(steps(m)), steps(m)[0], m.quantity("iterations"))
    page.says(f"| class 1 {row} | {{}} | | | {{}} | {{}} | {{}} |", *shown)
page.says("the same file has {} TB/s", now.case("copy").median / 1e3)
page.given(
    "counted from the algorithm: cases/lattice/native",
    "with 8688 flops",
    "1896 flops an even site",
    "(33 MB)",
)


def over_hop(m):
    """The byte rate of a step over that of a hop."""
    return m.bytes_per_sample / (median(steps(m)) / 1e3) / m.quantity("hop_bytes_per_s")


two, three = solve("class2"), solve("class3")
page.says(
    "A step has {} times the byte rate of the hop** at class 2, and {} times at class 3",
    over_hop(two),
    over_hop(three),
)
page.says(
    "takes {} times as long as with `explicit` at class 2, {} times at class 3",
    *(tflops(m) / tflops(solve(m["lattice"], "managed")) for m in (two, three)),
)
page.says(
    "has {} and {} times the rate of double; links of 12 have {} and {} times that of 18",
    *(tflops(solve(m["lattice"], precision="mixed")) / tflops(m) for m in (two, three)),
    *(tflops(solve(m["lattice"], links=12)) / tflops(m) for m in (two, three)),
)
page.says(
    "have {} times the rate of one in the solver, where bytes",
    tflops(solve("class2", rhs=12)) / tflops(two),
)
page.given("counted: 11,328 over 4,992 bytes, below", "bytes allow 2.27")
then = results(f"{H200}20261123-lattice.json")
page.says("a step takes {} ms (`results", median(steps(solve("class2", "pinned", then))))
merged = results(f"{H200}20261125-lattice-step-now.json")
earlier = results(f"{H200}20261125-lattice-step-earlier.json")
standard = results(f"{H200}20261121-standard.json")
memory = standard.case(
    "copy", processor="gpu", from_="device", to="device", means="kernel", size=GIB
)
page.says(
    "An H200 has {} TFLOPS at class 2 ([the merged step](#the-merged-step)): {} times the rate of the H100, as its memory ({}, by copies",
    tflops(solve("class2", run=merged)),
    tflops(solve("class2", run=merged)) / tflops(two),
    memory.median / now.case("copy").median,
)

# Directives
DIRECTIVES = ("explicit", "acc-data", "acc-managed", "omp-target")
for number in (2, 3):
    for style in DIRECTIVES:
        m, base = solve(f"class{number}", style), solve(f"class{number}")
        step, hops = median(steps(m)), 4e3 * m.quantity("hop_s")
        page.says(
            f"| class {number}, `{style}` | {{}} | {{}} | {{}} | {{}} | {{}} | {{}} | {{}} |",
            1e3 * tflops(m),
            tflops(m) / tflops(base),
            m.quantity("hop_bytes_per_s") / 1e9,
            step,
            hops,
            step - hops,
            steps(m)[0],
        )
page.says(
    "has {} of the rate of `explicit` at class 2 and {} at class 3",
    *(tflops(solve(c, "acc-data")) / tflops(solve(c)) for c in ("class2", "class3")),
)
page.given("counted: docs/krylov.md", "moves 16 vectors instead of 13")
page.given("limits of the GPU", "assumes 255 registers")
page.says(
    "`acc-data` has {} GFLOPS, `omp-target` {}, `explicit` {}",
    *(1e3 * tflops(solve("class1", style)) for style in ("acc-data", "omp-target", "explicit")),
)

# The merged step
page.given_block("counted: docs/krylov.md", "| one side | 11,712 |")
page.given(
    "counted: docs/krylov.md",
    "predicted 0.967 and 0.929",
    "are 4,416 of the 4,992 bytes",
    "12 sides",
)
page.given(
    "forms of the solver",
    "links of 18",
    "links of 12",
    "that of 18",
    "**12 right-hand sides**",
    "with 12.",
)
for row, form in {
    "double, one side": {},
    "double, 12 sides": {"rhs": 12},
    "mixed, one side": {"precision": "mixed"},
    "mixed, 12 sides": {"precision": "mixed", "rhs": 12},
}.items():
    old, new = solve("class2", run=earlier, **form), solve("class2", run=merged, **form)
    a, b = median(steps(old)), median(steps(new))
    sides = form.get("rhs", 1)
    shown = (a, b) if sides == 1 else (a, a / sides, b, b / sides)
    gaps = "{} | {}" if sides == 1 else "{} ({}) | {} ({})"
    page.says(f"| {row} | {{}} | {{}} | {gaps} | {{}} |", tflops(old), tflops(new), *shown, b / a)
one, twelve = (solve("class2", run=merged, rhs=rhs) for rhs in (1, 12))
old_one, old_twelve = (solve("class2", run=earlier, rhs=rhs) for rhs in (1, 12))
page.says(
    "what the step gains**: {} and {} in double",
    median(steps(one)) / median(steps(old_one)),
    median(steps(twelve)) / median(steps(old_twelve)),
)
hop_rates = [tflops(m, "hop_flops_per_s") for m in (old_one, one, old_twelve, twelve)]
page.says("F⁻¹ has {} and {} TFLOPS with one side, {} and {} with 12.", *hop_rates)
page.says(
    "have {} times the rate of one** ({} in a steady step)",
    tflops(twelve) / tflops(one),
    12 * median(steps(one)) / median(steps(twelve)),
)

# On two GPUs
ranks = results("2x-nvidia-h200-x86_64/20261125-lattice-ranks-later.json")


def shown_trials(m):
    """TFLOPS, ms of a hop and of a step of each trial."""
    return (
        [v / 1e12 for v in trials(m, "flops_per_s")],
        [1e3 * v for v in trials(m, "hop_s")],
        [1e3 * median(seconds(trial)) for trial in m.trials],
    )


SPLITS = {"z": "1x1x2x1", "x": "2x1x1x1", "t": "1x1x1x2"}
gpus = {
    f"class {n}, one GPU | |": ranks.case("lattice", lattice=f"class{n}", ranks=1) for n in (2, 3)
}
for number in (2, 3):
    for axis, split in SPLITS.items():
        for halo in ("peer", "nccl", "staged"):
            for overlap in (False, True):
                row = f"class {number}, {axis} | `{halo}` | {'yes' if overlap else 'no'}"
                if f"| {row} |" in page.text:
                    gpus[row] = ranks.case(
                        "lattice", lattice=f"class{number}", split=split, halo=halo, overlap=overlap
                    )
for row, m in gpus.items():
    line = next(line for line in page.text.splitlines() if line.startswith(f"| {row} "))
    counts = [cell.count(",") + 1 for cell in line.split("|")[-4:-1]]  # of trials shown
    gaps = " | ".join(", ".join(["{}"] * n) for n in counts)
    values = [v for n, part in zip(counts, shown_trials(m), strict=True) for v in part[:n]]
    page.says(f"| {row} | {gaps} |", *values)
best2, best3 = gpus["class 2, x | `peer` | yes"], gpus["class 3, z | `peer` | yes"]
page.says(
    "two GPUs have {} times the rate of one.**",
    tflops(best3) / tflops(gpus["class 3, one GPU | |"]),
)
page.says("they have {} times the rate**", tflops(best2) / tflops(gpus["class 2, one GPU | |"]))
page.says(
    "The hop takes {} of the time",
    best2.quantity("hop_s") / gpus["class 2, one GPU | |"].quantity("hop_s"),
)
page.says(
    "{} and {} applications as on one GPU",
    best2.quantity("iterations"),
    best3.quantity("iterations"),
)
norms = [
    sorted({v for m in ranks.all("lattice", lattice=c) for v in trials(m, "norm2")})
    for c in ("class2", "class3")
]
assert norms == [[6551732.838787418, 6551732.838787419], [52318412.3703554, 52318412.370355405]]
page.given(
    "norms of these trials: the assertion in this module",
    "6551732.838787419 and 6551732.838787418 at class 2, 52318412.370355405 and 52318412.3703554",
)
page.says("the residual, {}", best2.trials[0]["quantities"]["residual"]["value"])

# On CPUs
alone = [results(f"{H200}20261125-alone-lattice-{n}.json").case("lattice") for n in (1, 2)]
copies = [
    results(f"{H200}20261125-alone-copy-{n}.json").case("copy")
    for n in ("1", "1-2", "2", "2-2", "3")
]
stream = text(f"{H200}20261125-alone-stream.txt")
hops = [m.quantity("hop_bytes_per_s") / 1e9 for m in alone]
hop = median(hops)
page.says("| hop with F⁻¹ | {}, {} | {} | |", *hops, hop)
for row, key in (("STREAM's copy", "STREAM copy  "), ("STREAM's triad", "STREAM triad  ")):
    *rates, middle = stream.line(key)
    page.says(
        f"| {row} | {{}}, {{}}, {{}}, {{}}, {{}} | {{}} | {{}} |", *rates, middle, hop / middle
    )
copied = [m.median for m in copies]
page.says(
    "past the caches | {}, {}, {}, {}, {} | {} | {} |",
    *copied,
    median(copied),
    hop / median(copied),
)
page.says(
    "the hop has {} of STREAM's copy and {} of its triad.**",
    hop / stream.line("STREAM copy  ")[-1],
    hop / stream.line("STREAM triad  ")[-1],
)
page.given(
    "the table above",
    "STREAM has two rates, 1.4 apart; over the higher one, 127 GB/s",
    "it has 0.6",
)
page.given("counted from the algorithm", "(2112 a site)")
fortran = text("2-core-amd-epyc-x86_64/20261123-lattice-fortran.txt")
for row, key, runs in (
    ("8³x32, 5 runs each", "8x8x8x32", 5),
    ("16³x32, 3 runs each", "16x16x16x32", 3),
):
    _, *rates, ratio = fortran.line(key)
    ours, theirs = median(rates[:runs]) / 1e3, median(rates[runs:]) / 1e3
    page.says(f"| {row} | {{}} | {{}} | {{}} |", ours, theirs, ratio)
page.given("names of lattices", "class 1 and 16³x32", "gfortran 12.2")
page.given_block(
    "published values and bounds of tests: cases/lattice/native, cases/lattice/tests",
    "| published lattices: 4⁴",
)


# By compiler, and on two GPUs: filled when the jobs have run
NOT_YET = ["Not measured yet."]


def by_compiler(file):
    """A row a style and compiler: its rates, as a part of CUDA's."""
    if not file:
        return NOT_YET
    run = results(file)
    cuda = run.case("lattice", style="explicit").quantity("flops_per_s")
    lines = [
        f"File `{file}`.",
        "",
        "| | compiler | solver, GFLOPS | of CUDA | hop, GB/s | iterations |",
        "|---|---|---|---|---|---|",
    ]
    for style, compiler in (
        ("explicit", "none"),
        ("acc-data", "gcc"),
        ("omp-target", "gcc"),
        ("omp-target", "llvm"),
    ):
        for m in run.all("lattice", style=style, compiler=compiler):
            if m.drawn:
                rate = m.quantity("flops_per_s")
                lines.append(
                    f"| `{style}` | {'nvcc' if compiler == 'none' else compiler} | {rate / 1e9:.0f} "
                    f"| {rate / cuda:.2f} | {m.quantity('hop_bytes_per_s') / 1e9:.0f} "
                    f"| {m.quantity('iterations'):.0f} |"
                )
    return lines


def on_two(file):
    """A row a style: its rate on one and on two GPUs, and their ratio."""
    if not file:
        return NOT_YET
    run = results(file)
    lines = [
        f"File `{file}`.",
        "",
        "| | compiler | halo | one GPU, TFLOPS | two | two over one |",
        "|---|---|---|---|---|---|",
    ]
    for m in run.all("lattice", ranks=2):
        # the style with the GPU's pointers is that with copies on one GPU
        style = "acc-data" if m["style"] == "acc-host-data" else m["style"]
        alone = run.all("lattice", style=style, compiler=m["compiler"], ranks=1)
        if m.drawn and alone and alone[0].drawn:
            one, two = tflops(alone[0]), tflops(m)
            name = "nvcc" if m["compiler"] == "none" else m["compiler"]
            lines.append(
                f"| `{m['style']}` | {name} | `{m['halo']}` | {one:.3f} | {two:.3f} "
                f"| {two / one:.2f} |"
            )
    return lines


page.table("compilers", by_compiler(newest("lattice-compilers")))
page.table("two", on_two(newest("lattice-two")))

# Against figures 6 to 9 of Doi (2016)
boundary, steady = (
    [of(solve(f"class{n}", "acc-managed"), solve(f"class{n}", "acc-data")) for n in (2, 3)]
    for of in (
        lambda one, two: tflops(one) / tflops(two),
        lambda one, two: median(steps(two)) / median(steps(one)),
    )
)
page.says(
    "| {} | {} | **opposite** by the boundary: the first step moves pages, {} ms of a solve.",
    boundary[0],
    steady[0],
    steps(solve("class2", "acc-managed"))[0],
)
page.says("| {} at class 2, {} at class 3 | {}, {} | **same**", *boundary, *steady)
