"""Solves on one GPU, directives and the merged step, of cases/lattice/EVIDENCE.md."""

from __future__ import annotations

from statistics import median

from lattice_rates import steps, tflops
from recompute import Page
from result_files import results

page = Page("cases/lattice/EVIDENCE.md")
GIB = 2**30
H100 = "nvidia-h100-80gb-hbm3-x86_64/"
H200 = "nvidia-h200-x86_64/"
now = results(f"{H100}20261126-lattice.json")


def solve(lattice, style="explicit", run=now, precision="double", links=18, rhs=1):
    """A solve on one GPU."""
    return run.case(
        "lattice", lattice=lattice, style=style, precision=precision, links=links, rhs=rhs, ranks=1
    )


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
page.given(
    "counted: docs/krylov.md",
    "A step moves 16 vectors instead of 13",
    "moved 16 vectors instead of 13",
)
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
