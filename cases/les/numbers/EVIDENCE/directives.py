"""Styles in directives, of cases/les/EVIDENCE.md."""

from __future__ import annotations

from statistics import median

from recompute import Page
from result_files import results, text

H100 = "nvidia-h100-80gb-hbm3-x86_64/20261127-les-"
page = Page("cases/les/EVIDENCE.md")


def mcells(m):
    return m.quantity("cells_per_s") / 1e6


ported = results(f"{H100}directives.json")
explicit, managed, data, kept, gcc = (
    ported.case("les", style=style, cpu_touch="none", compiler=by)
    for style, by in (
        ("explicit", "none"),
        ("managed", "none"),
        ("acc-data", "gcc"),
        ("acc-managed", "gcc"),
        ("omp-target", "gcc"),
    )
)
page.given("the revision of all files", "revision a2a37d3b")
page.says("`explicit` {} million cells a second, `managed` {}", mcells(explicit), mcells(managed))
page.says(
    "`acc-data`\n{}, `acc-managed` {} and `omp-target` {}.", mcells(data), mcells(kept), mcells(gcc)
)
page.says("By LLVM `omp-target` has {},", mcells(results(f"{H100}omp-llvm.json").case("les")))
right = explicit.quantity("energy")
worst = max(abs(m.quantity("energy") / right - 1) for m in (managed, data, kept, gcc))
assert worst < 6e-9
page.given("bounds of the files, asserted here", "to 6e-9 of it", "on a small grid to 1e-8")

kernels = text(f"{H100}directives-kernels.txt")
step = median(kernels.line("acc-data: steps without a trace, ms:"))
launches, taken = kernels.line("acc-data: launches a step")
count, sums = kernels.line("acc-data: sums a step")
page.says("takes {} ms in the median", step)
page.says("Its {} launches take {} ms, {} of them in {} sums", launches, taken, sums, count)
page.says("that is {} ms a launch", (step - taken) / launches)


def blocks(style):
    """Blocks of GPU memory that a traced step allocates, and ms of allocating and freeing them."""
    (count, allocating), (_, freeing) = (
        kernels.line(f"{style}: traced calls of {call} a step")
        for call in ("cuMemAlloc", "cuMemFree")
    )
    return count, allocating + freeing


assert round(blocks("acc-data")[0] / launches) == 2
page.says("spends {} ms of a step in kernels", kernels.line("omp-target-gcc: launches a step")[1])
page.says(
    "takes {} ms of a traced step, in OpenACC {}.",
    blocks("omp-target-gcc")[1],
    blocks("acc-data")[1],
)
of_acc, of_gcc, _ = (float(s.split()[2]) for s in kernels.lines if "sweep_from" in s)
page.says("a sweep of a small level\n  {} ms, in OpenACC {}.", of_gcc, of_acc)
page.says("has kernels of {} ms", kernels.line("omp-target-llvm: launches a step")[1])
small = results(f"{H100}llvm-small.json")
energies = [
    small.case("les", style=style, compiler=by).quantity("energy")
    for style, by in (("explicit", "none"), ("omp-target", "llvm"))
]
assert abs(energies[1] / energies[0] - 1) < 1e-8
with_pass, with_pass_small = (
    results(f"{H100}llvm-loads{size}.json").case("les") for size in ("", "-small")
)
without = results(f"{H100}llvm.json").case("les", style="omp-target")
page.says("the rate was {} beside {} without", mcells(with_pass), mcells(without))
page.given("the revision of these", "revision dcf2ad54")
page.says("off\n  by {}%", 100 * (with_pass_small.quantity("energy") / energies[0] - 1))
page.given("the option", "-attributor-simplify-all-loads=0")
page.given(
    "the pass and its issue",
    "LLVM 19 runs",
    "[94643](https://github.com/llvm/llvm-project/issues/94643)",
)
