"""Styles in directives, of cases/les/EVIDENCE.md."""

from __future__ import annotations

from statistics import median

from recompute import Page
from result_files import results, text

H100 = "nvidia-h100-80gb-hbm3-x86_64/20261127-les-"
page = Page("cases/les/EVIDENCE.md")


def mcells(m):
    return m.quantity("cells_per_s") / 1e6


ported = results("nvidia-h200-x86_64/20261127-les-directives.json")
explicit, managed, data, kept, llvm = (
    ported.case("les", style=style, cpu_touch="none", compiler=by)
    for style, by in (
        ("explicit", "none"),
        ("managed", "none"),
        ("acc-data", "gcc"),
        ("acc-managed", "gcc"),
        ("omp-target", "llvm"),
    )
)
page.says("`explicit` {} million cells a second, `managed` {}", mcells(explicit), mcells(managed))
page.says("`acc-data` {} and\n`acc-managed` {}", mcells(data), mcells(kept))
page.says("by LLVM `omp-target` {}.", mcells(llvm))
right = explicit.quantity("energy")
worst = max(abs(m.quantity("energy") / right - 1) for m in (managed, data, kept, llvm))
assert worst < 6e-9
page.given("a bound of the file", "to 6e-9 of it")

kernels = text(f"{H100}directives-kernels.txt")
step = median(kernels.line("acc-data: steps without a trace, ms:"))
launches, taken = kernels.line("acc-data: launches a step")
count, sums = kernels.line("acc-data: sums a step")
page.says("takes {} ms in the median", step)
page.says("Its {} launches take {} ms, {} of them in {} sums", launches, taken, sums, count)
page.says("that is {} ms a launch", (step - taken) / launches)
(blocks, _) = kernels.line("acc-data: traced calls of cuMemAlloc a step")
assert round(blocks / launches) == 2
by_llvm = results(f"{H100}llvm.json").case("les", style="omp-target")
page.says("has {} million cells a second on an H100", mcells(by_llvm))
page.says("its kernels take {} ms a step", kernels.line("omp-target: launches a step")[1])
small = results(f"{H100}llvm-small.json")
energies = [
    small.case("les", style=style, compiler=by).quantity("energy")
    for style, by in (("explicit", "none"), ("omp-target", "llvm"))
]
assert abs(energies[1] / energies[0] - 1) < 1e-8
with_pass, with_pass_small = (
    results(f"{H100}llvm-loads{size}.json").case("les") for size in ("", "-small")
)
page.says("the rate is {}, and the energy", mcells(with_pass))
page.says("off by {}%", 100 * (with_pass_small.quantity("energy") / energies[0] - 1))
page.given("the option", "-attributor-simplify-all-loads=0")
page.given(
    "the pass and its issue",
    "LLVM 19 runs",
    "[94643](https://github.com/llvm/llvm-project/issues/94643)",
)
