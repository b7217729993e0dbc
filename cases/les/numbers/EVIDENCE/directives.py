"""Styles in directives on an H100, of cases/les/EVIDENCE.md."""

from __future__ import annotations

from recompute import Page
from result_files import results

H100 = "nvidia-h100-80gb-hbm3-x86_64/20261126-les-"
page = Page("cases/les/EVIDENCE.md")


def mcells(m):
    return m.quantity("cells_per_s") / 1e6


ported = results(f"{H100}directives.json")
explicit, managed, data, kept = (
    ported.case("les", style=style, cpu_touch="none", compiler=by)
    for style, by in (
        ("explicit", "none"),
        ("managed", "none"),
        ("acc-data", "gcc"),
        ("acc-managed", "gcc"),
    )
)
page.says(
    "`explicit` {} million cells a second,\n  `managed` {}", mcells(explicit), mcells(managed)
)
page.says("`acc-data` {} and `acc-managed` {} by GCC", mcells(data), mcells(kept))
by_llvm = results(f"{H100}directives-llvm.json")
other = by_llvm.case("les", style="omp-target")
page.says("`omp-target` by LLVM** reached {}", mcells(other))
page.says(
    "its flow was off by {}%",
    100 * (other.quantity("energy") / by_llvm.case("les", style="explicit").quantity("energy") - 1),
)
page.given("the runs", "from the 9th digit on")
page.given(
    "the pass and its issue",
    "LLVM 19 runs",
    "[94643](https://github.com/llvm/llvm-project/issues/94643)",
)
page.given("the code of before", "divided indices of 64 bits")
