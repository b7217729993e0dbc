"""Where the numbers of cases/lattice/README.md come from."""

from statistics import median

from recompute import Page
from result_files import results, text

from watari.results.statistics import seconds

H200 = "nvidia-h200-x86_64/"

page = Page("cases/lattice/README.md")
now = results("nvidia-h100-80gb-hbm3-x86_64/20261126-lattice.json")


def solve(lattice, style="explicit", run=now, precision="double", links=18, rhs=1):
    """A solve on one GPU."""
    return run.case(
        "lattice", lattice=lattice, style=style, precision=precision, links=links, rhs=rhs, ranks=1
    )


def rate(lattice, style="explicit", **form):
    """GFLOPS of the whole solve."""
    return solve(lattice, style, **form).quantity("flops_per_s") / 1e9


def step(m, which=None):
    """ms of a step: the median, or one of them."""
    found = seconds(m.trials[0])
    return 1e3 * (median(found) if which is None else found[which])


CLASSES = ("class2", "class3")
page.says(
    "is the same: {} and {} GFLOPS at class 2, {} and {} at class 3",
    *(rate(c, style) for c in CLASSES for style in ("managed-prefetch", "explicit")),
)
page.says(
    "the links: {} ms instead of {} at class 2, {} ms instead of {} at class 3",
    *(step(solve(c, style), 0) for c in CLASSES for style in ("managed", "explicit")),
)
longer = [100 * (rate(c) / rate(c, "managed") - 1) for c in CLASSES]
page.says("takes {}% longer at class 2, {}% at class 3", *longer)
then = results(f"{H200}20261123-lattice.json")
page.says(
    "class 2 takes {} times as long",
    step(solve("class2", "pinned", then)) / step(solve("class2", run=then)),
)
page.says(
    "style**: {} times at class 2, {} times at class 3",
    *(rate(c, precision="mixed") / rate(c) for c in CLASSES),
)
twelve = [
    rate(c, links=12, precision=p) / rate(c, precision=p)
    for c in CLASSES
    for p in ("double", "mixed")
]
page.says("gain another {} times", median(twelve))
merged = results(f"{H200}20261125-lattice-step-now.json")
page.says(
    "each is {} times that of one in the solver; on an H200 it is {} times",
    rate("class2", rhs=12) / rate("class2"),
    rate("class2", run=merged, rhs=12) / rate("class2", run=merged),
)
page.given("counted: cases/lattice/EVIDENCE.md", "Bytes allow 2.27")
ACC = [rate(c, style) / rate(c) for style in ("acc-data", "omp-target") for c in CLASSES]
page.says(
    "reaches {} of CUDA's rate** with GCC at class 2 and {} at class 3, OpenMP {} and {}", *ACC
)
by_compiler = results("2x-nvidia-h200-x86_64/20261128-lattice-compilers-registers.json")
page.says(
    "OpenACC {} at class 2 and OpenMP by LLVM {}.",
    *(
        by_compiler.case("lattice", style=style, compiler=compiler).quantity("flops_per_s")
        / by_compiler.case("lattice", style="explicit").quantity("flops_per_s")
        for style, compiler in (("acc-data", "gcc"), ("omp-target", "llvm"))
    ),
)
hop = median(
    results(f"{H200}20261125-alone-lattice-{n}.json").case("lattice").quantity("hop_bytes_per_s")
    / 1e9
    for n in (1, 2)
)
stream = text(f"{H200}20261125-alone-stream.txt")
page.says(
    "rate**: {} of its triad and {} of its copy",
    hop / stream.line("STREAM triad  ")[-1],
    hop / stream.line("STREAM copy  ")[-1],
)
page.says(
    "caches are {} times as fast",
    stream.line("copy           ")[-1] / stream.line("STREAM copy  ")[-1],
)
ranks = results("2x-nvidia-h200-x86_64/20261125-lattice-ranks-later.json")


def two(lattice, split):
    """Two GPUs over one, by `peer` with overlap."""
    both = ranks.case("lattice", lattice=lattice, split=split, halo="peer", overlap=True)
    return both.quantity("flops_per_s") / ranks.case("lattice", lattice=lattice, ranks=1).quantity(
        "flops_per_s"
    )


on_h100s = results("2x-nvidia-h100-80gb-hbm3-x86_64/20261127-lattice-two.json")
one, both = (
    on_h100s.case("lattice", style="explicit", ranks=n).quantity("flops_per_s") for n in (1, 2)
)
page.says("class 3**: {} times the rate of one", both / one)
page.says("had only {} times the rate", two("class2", "2x1x1x1"))
page.given(
    "forms of the solver, layout and counts: cases/lattice/native, docs/krylov.md",
    "stored as 12 numbers",
    "With 12, the rate of each",
    "Its 33 MB fit",
    "(to 1e-6)",
    "18 numbers a link, or 12",
    "links 1152 (768 with 12 numbers), F⁻¹ 576, spinors 384",
    "writes 13 vectors: 11.3 kB",
    "takes 128 sites",
    "needs 155 KB",
    "1.92 kB a site in double with links of 18",
    "Class 2 takes 2.0 GB, class 3 16.1 GB",
    "fits an 80 GB H100",
    "32 sites side by side",
    "links of 18, one right-hand side",
    "A step moves 16 vectors",
    "A step moves 13 vectors",
    "each piece of 32 sites",
    "a step moves 16",
    "half spinors of one parity: 96 bytes",
    "sends 192, and",
    "one sixteenth of 32 planes",
    "a multiple of 64 sites",
    "up to 8192 pieces",
    "at most 2^32 sites",
)
page.given("the code: cases/lattice/native", "exceeds 100 times")
page.given("counts of applications that the tests allow", "takes 178 to 183 applications")
