"""Two GPUs, CPUs, compilers and published figures, of cases/lattice/EVIDENCE.md."""

from __future__ import annotations

from statistics import median

import ranks_table
from lattice_rates import steps, tflops
from ranks_table import perfect
from recompute import Page
from result_files import newest, results, text, trials

from watari.results.statistics import seconds

page = Page("cases/lattice/EVIDENCE.md")
H100 = "nvidia-h100-80gb-hbm3-x86_64/"
H200 = "nvidia-h200-x86_64/"
now = results(f"{H100}20261126-lattice.json")


def solve(lattice, style="explicit", run=now, precision="double", links=18, rhs=1):
    """A solve on one GPU."""
    return run.case(
        "lattice", lattice=lattice, style=style, precision=precision, links=links, rhs=rhs, ranks=1
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


COMPILERS = {"none": "nvcc", "gcc": "gcc", "llvm": "llvm"}
VECTORS = 16  # moved by a step of a style in directives (styles/directives/bicgstab.hpp)
REGIONS = 4  # of a step, besides its four hops: dot, subtract, dots, update


def step_ms(m):
    """ms of a step, the median of all trials, and of its four hops."""
    found = median(1e3 * s for trial in m.trials for s in seconds(trial))
    return found, 4e3 * m.quantity("hop_s")


def by_compiler(run, kinds):
    """A row a style and compiler: its rates, as a part of CUDA's, and the parts of a step."""
    cuda = run.case("lattice", style="explicit").quantity("flops_per_s")
    lines = [
        "| | compiler | solver, GFLOPS | of CUDA | hop, GB/s | step, ms | four hops, ms | rest, ms |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for style, compiler in kinds:
        m = run.case("lattice", style=style, compiler=compiler)
        rate, (step, hops) = m.quantity("flops_per_s"), step_ms(m)
        lines.append(
            f"| `{style}` | {COMPILERS[compiler]} | {rate / 1e9:.0f} | {rate / cuda:.3f} "
            f"| {m.quantity('hop_bytes_per_s') / 1e9:.0f} | {step:.2f} | {hops:.2f} "
            f"| {step - hops:.2f} |"
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
            halo = f"`{m['halo']}`" + (", overlapped" if m["overlap"] else "")
            lines.append(
                f"| `{m['style']}` | {name} | {halo} | {one:.3f} | {two:.3f} | {two / one:.2f} |"
            )
    return lines


by_llvm = results(f"{H100}20261127-lattice-compilers.json")
page.table(
    "compilers",
    by_compiler(
        by_llvm,
        [("explicit", "none"), ("acc-data", "gcc"), ("omp-target", "gcc"), ("omp-target", "llvm")],
    ),
)
cuda, llvm = (
    by_llvm.case("lattice", style=style, compiler=compiler)
    for style, compiler in (("explicit", "none"), ("omp-target", "llvm"))
)
(cuda_step, cuda_hops), (llvm_step, llvm_hops) = step_ms(cuda), step_ms(llvm)
cuda_rest, llvm_rest = cuda_step - cuda_hops, llvm_step - llvm_hops
rates = [
    by_llvm.case("lattice", style=style, compiler=compiler).quantity("flops_per_s")
    / cuda.quantity("flops_per_s")
    for style, compiler in (("omp-target", "llvm"), ("omp-target", "gcc"), ("acc-data", "gcc"))
]
page.says("**LLVM has {} of CUDA's rate**, GCC {} in OpenMP and {} in OpenACC.", *rates)
earlier = [
    results(f"{H100}20261126-lattice-compilers.json")
    .case("lattice", style=style, compiler=compiler)
    .quantity("flops_per_s")
    / 1e9
    for style, compiler in (("omp-target", "gcc"), ("explicit", "none"))
]
page.says("it had {} GFLOPS where CUDA had {}", *earlier)
on_h200 = results(f"{H200}20261127-lattice-compilers.json")
cuda_there, llvm_there, acc_there = (
    on_h200.case("lattice", style=style, compiler=compiler).quantity("flops_per_s")
    for style, compiler in (("explicit", "none"), ("omp-target", "llvm"), ("acc-data", "gcc"))
)
page.says("LLVM had {} of CUDA's rate on an H200", llvm_there / cuda_there)
page.says("OpenACC {} there", acc_there / cuda_there)
kernels = text(f"{H100}20261127-lattice-llvm-kernels.txt")
dots, dot, subtract = (kernels.line(name + " ") for name in ("dots", "dot", "subtract"))
page.says("seven sums took {} ms there; now {} on an H100", dots[1], dots[2])
page.says("two sums {} and {},", dot[1], dot[2])
page.says("one sum {} and {}.", subtract[1], subtract[2])
page.says("second region, which takes {} ms", kernels.line("add parts ")[-1])
(applications,) = {m.quantity("iterations") for m in by_llvm.all("lattice") if m.drawn}
page.says("All solves end after {} applications", applications)
page.says(
    "takes {} ms longer than CUDA's: {} ms in the hops, {} ms in the rest",
    llvm_step - cuda_step,
    llvm_hops - cuda_hops,
    llvm_rest - cuda_rest,
)
page.given("the lattice of a run", "4x4x4x8")
page.given(
    "the compiled code",
    "takes 248 registers a thread",
    "that 8 warps run",
    "and 192\n  bytes of a stack",
)
page.given("about what the kernels lose by their sums", "about 0.1 ms for each sum")
page.table("two", on_two(newest("lattice-two")))
two = results(newest("lattice-two"))
page.given("the revisions of the tables", "revision a2a37d3b", "revision 7a31da42")


def hop_ms(**parameters):
    return 1e3 * two.case("lattice", **parameters).quantity("hop_s")


page.says(
    "takes {} ms instead of {}",
    *(hop_ms(style="explicit", ranks=n) for n in (2, 1)),
)
page.given("the kernels", "in pieces of 32 sites")
page.says(
    "Its hop takes {} ms, where half of one GPU's is {}",
    hop_ms(style="acc-host-data"),
    hop_ms(style="acc-data", ranks=1) / 2,
)

# Designs of the directives' hop, and the CUDA styles on another machine
alone = results(f"{H100}20261128-lattice-half.json").case("lattice")
page.says("alone on one H100 has a hop of {} ms", 1e3 * alone.quantity("hop_s"))
TWO_H100S = "2x-nvidia-h100-80gb-hbm3-x86_64/"
faces = results(f"{TWO_H100S}20261127-lattice-two-faces.json")
all_sites = results(f"{TWO_H100S}20261128-lattice-acc.json")


def hop_and_share(run, **parameters):
    """The hop of `acc-host-data` on two GPUs, and its rate over twice that of `acc-data` on one."""
    both = run.case("lattice", style="acc-host-data", **parameters)
    one = run.case("lattice", style="acc-data", ranks=1)
    rates = [m.quantity("flops_per_s") for m in (both, one)]
    return 1e3 * both.quantity("hop_s"), rates[0] / (2 * rates[1])


page.says("inner sites, one the faces | {} | {} |", *hop_and_share(two))
page.says("a stream of their own | {} | {};", *hop_and_share(faces, overlap=False))
page.says("{} beside the inner sites |", hop_and_share(faces, overlap=True)[1])
page.says("all sites after the exchange | {} | {} |", *hop_and_share(all_sites))
page.says(
    "have {}, {} and {} times the rate of one GPU",
    *(
        faces.case("lattice", style=style, ranks=2).quantity("flops_per_s")
        / faces.case("lattice", style=style, ranks=1).quantity("flops_per_s")
        for style in ("explicit", "managed", "managed-prefetch")
    ),
)
page.given("revisions of the designs", "a2a37d3b", "7a31da42", "3248a41b")
page.given(
    "a trace on two H100s, class 2",
    "takes 0.32 ms, where half of one GPU's hop is 0.23",
    "Packing takes 0.01",
    "other GPU 0.006",
    "some 0.1 ms, traced",
)

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

# four GPUs, of docs/evidence/ranks.md
FOUR = "4x-nvidia-h100-80gb-hbm3-x86_64"
scaling = results(f"{FOUR}/20261127-scaling-lattice.json")
page.says(
    "On four H100s class 3 has [{} of perfect scaling]",
    perfect(
        ranks_table.found()[FOUR],
        scaling.case("lattice", lattice="class3", split="1x1x4x1"),
    ),
)
