"""Styles in directives, of cases/les/EVIDENCE.md."""

from __future__ import annotations

from recompute import Page
from result_files import results, text

H100 = "nvidia-h100-80gb-hbm3-x86_64/20261127-les-"
CELLS = 256 * 256 * 64  # of grid M
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
(launches,) = kernels.line("acc-data by GCC: launches a step")
(taken,) = kernels.line("acc-data by GCC: kernels, ms a step")
(sums,) = kernels.line("acc-data by GCC: of these sums, ms a step")
(rate,) = kernels.line("acc-data by GCC: traced, million cells a second")
step = CELLS / rate / 1e3
page.says("a step of\n  {} ms has {} launches", step, launches)
page.says("whose kernels take {} ms. Sums are {} ms of these.", taken, sums)
page.says("The rest of the step is {} ms a launch", (step - taken) / launches)
by_llvm = results(f"{H100}llvm.json").case("les", style="omp-target")
page.says("has {} million cells a second on an H100", mcells(by_llvm))
page.says("its kernels take {} ms a step", *kernels.line("omp-target by LLVM: kernels, ms a step"))
small = results(f"{H100}llvm-small.json")
energies = [
    small.case("les", style=style, compiler=by).quantity("energy")
    for style, by in (("explicit", "none"), ("omp-target", "llvm"))
]
assert abs(energies[1] / energies[0] - 1) < 1e-8
page.given(
    "two runs of a build that is not kept",
    "off by 0.26%",
    "it had 87.3 million cells a second",
)
page.given(
    "the pass and its issue",
    "LLVM 19 runs",
    "[94643](https://github.com/llvm/llvm-project/issues/94643)",
)
