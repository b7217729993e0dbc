"""CPUs, compilers and published figures, of cases/lattice/EVIDENCE.md."""

from __future__ import annotations

from statistics import median

from lattice_rates import steps, tflops
from recompute import Page
from result_files import results, text

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

# By compiler
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


by_llvm = results("2x-nvidia-h200-x86_64/20261128-lattice-compilers-registers.json")
page.given("the revision of its build", "revision 439bf394")
before = results(f"{H100}20261127-lattice-compilers.json")
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


def of_cuda(run, style, compiler):
    """The rate over that of explicit copies."""
    rates = (
        run.case("lattice", style=at, compiler=by).quantity("flops_per_s")
        for at, by in ((style, compiler), ("explicit", "none"))
    )
    return next(rates) / next(rates)


rates = [
    of_cuda(by_llvm, style, compiler)
    for style, compiler in (("omp-target", "llvm"), ("omp-target", "gcc"), ("acc-data", "gcc"))
]
page.says("**LLVM has {} of CUDA's rate**, GCC {} in OpenMP and {} in OpenACC.", *rates)
in_memory = [
    results(f"{where}20261128-lattice-compilers.json")
    for where in ("2x-nvidia-h200-x86_64/", "2x-nvidia-h100-80gb-hbm3-x86_64/")
]
page.says(
    "before, it had {} of CUDA's rate on other H200s and {} on an H100",
    *(of_cuda(run, "omp-target", "llvm") for run in in_memory),
)
page.says(
    "the hop by LLVM took {} ms",
    1e3 * in_memory[0].case("lattice", style="omp-target", compiler="llvm").quantity("hop_s"),
)
page.says("now {} ms.", 1e3 * llvm.quantity("hop_s"))
page.says(
    "On H100s OpenACC has {} and OpenMP by GCC {}",
    of_cuda(in_memory[1], "acc-data", "gcc"),
    of_cuda(in_memory[1], "omp-target", "gcc"),
)
page.says(
    "**OpenACC had {} of CUDA's rate**",
    of_cuda(before, "acc-data", "gcc"),
)
earlier = [
    results(f"{H100}20261126-lattice-compilers.json")
    .case("lattice", style=style, compiler=compiler)
    .quantity("flops_per_s")
    / 1e9
    for style, compiler in (("omp-target", "gcc"), ("explicit", "none"))
]
page.says("it had {} GFLOPS where CUDA had {}", *earlier)
on_h200 = results(f"{H200}20261127-lattice-compilers.json")
page.says("LLVM had {} of CUDA's rate on an H200", of_cuda(on_h200, "omp-target", "llvm"))
page.says("OpenACC {} there", of_cuda(on_h200, "acc-data", "gcc"))
kernels = text(f"{H100}20261127-lattice-llvm-kernels.txt")
dots, dot, subtract = (kernels.line(name + " ") for name in ("dots", "dot", "subtract"))
page.says("seven sums took {} ms there; then {} on an H100", dots[1], dots[2])
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
    "243 registers",
    "that 8 warps run",
    "192 bytes of a stack, 287 stores and 96 loads a site",
)
page.given("about what the kernels lose by their sums", "about 0.1 ms for each sum")

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
nodes = results("4x-nvidia-h200-x86_64/20261128-lattice-nodes.json")


def on_four(style, than, halo):
    """The rate of a style over that of another, at classes 2 and 3."""
    for c in ("class2", "class3"):
        one, other = (
            tflops(nodes.case("lattice", lattice=c, style=s, halo=halo, overlap=False))
            for s in (style, than)
        )
        yield one / other


page.says("{} at class 2, {} at class 3 by `staged`", *on_four("acc-managed", "acc-data", "staged"))
page.says("in CUDA by `peer` {} and {}", *on_four("managed", "explicit", "peer"))
