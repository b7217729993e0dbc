"""Directives, languages and compilers, of cases/himeno/EVIDENCE.md."""

from __future__ import annotations

from himeno_rates import FOUR, FUSED, H100, H200, rates
from recompute import Page
from result_files import newest, results, text

from watari.cases.himeno import speed

page = Page("cases/himeno/EVIDENCE.md")
sam = results(f"{H200}20261121-himeno-sam.json")
openacc, strong, weak_2, weak_4, device = (
    results(f"{FOUR}{name}.json")
    for name in (
        "nvlink-openacc",
        "himeno-strong",
        "himeno-weak-2",
        "himeno-weak-4",
        "himeno-device",
    )
)
explicit = sam.case("himeno", style="explicit", **FUSED)

# Directives


def one_gpu(style, grid):
    """Steady GFLOPS on one H200."""
    return rates(openacc, style, grid=grid, ranks=1).steady


for label, style in (
    ("CUDA, `explicit`", "explicit"),
    ("OpenACC, `acc-data`", "acc-data"),
    ("OpenACC, `acc-managed`", "acc-managed"),
    ("OpenMP, `omp-target`", "omp-target"),
):
    page.says(
        f"| {label} | {{}} | {{}} | {{}} |",
        one_gpu(style, "L"),
        one_gpu(style, "XL"),
        one_gpu(style, "XL") / one_gpu("explicit", "XL"),
    )
acc_forms = text(f"{H200}20261121-himeno-acc-forms.txt")
omp_forms = text(f"{H200}20261121-himeno-omp-forms.txt")


def form(file, name, groups, threads):
    """GFLOPS of a form by its line: `quads        gangs    528 workers   8    1972.4 GFLOPS`."""
    words = "gangs", "workers"
    if file is omp_forms:
        words = "teams", "threads"
    return file.line(f"{name:<12} {words[0]} {groups:>6} {words[1]} {threads:>3}")[0]


def best_form(file):
    """The highest rate in the file."""
    return max(
        float(line.split(" GFLOPS")[0].split()[-1]) for line in file.lines if "GFLOPS" in line
    )


ours, best = form(omp_forms, "quads_cyclic", 132, 8), best_form(omp_forms)
page.says("as libgomp chooses | {} |", form(acc_forms, "rows_default", 0, 0))
page.says("(`quads`) | up to {} |", form(acc_forms, "quads", 528, 8))
page.says("that the registers allow | {} |", form(acc_forms, "quads_beside", 528, 5))
fused = speed.of(explicit).steady
page.says("CUDA's fused kernel has {} GFLOPS", fused)
page.says(
    "has {} GFLOPS as the style runs it, and {} in the best form: {} to {} of CUDA's",
    ours,
    best,
    ours / fused,
    best / fused,
)
page.says("A plain first version had {}.", form(omp_forms, "rows_default", 0, 0))
page.given("settings of the form", "528 gangs of 5 warps")
page.given("the compiler's report", "assumes 255 registers a thread")
page.given("sizes of the code", "with all 16-byte loads")


def fixed_cost(style):
    """Milliseconds c of an iteration t = c + points / rate, from the steady iterations of L and XL."""
    times, points = zip(
        *(
            (m.flops_per_sample / speed.of(m).steady / 1e9, m.flops_per_sample)
            for m in (openacc.case("himeno", style=style, grid=g, ranks=1) for g in ("L", "XL"))
        ),
        strict=True,
    )
    slope = (times[1] - times[0]) / (points[1] - points[0])
    return 1e3 * (times[0] - slope * points[0]), 1 / slope


(c_cuda, r_cuda), (c_acc, r_acc), (c_omp, r_omp) = map(
    fixed_cost, ("explicit", "acc-data", "omp-target")
)
page.says("with CUDA, {} ms with OpenACC, and {} ms with OpenMP", c_acc, c_omp)
page.says("c is {} ms", c_cuda)
page.says("OpenACC would have {} of CUDA's rate, OpenMP {}", r_acc / r_cuda, r_omp / r_cuda)

# Languages and compilers
PAIRS = (  # style, its compiler, the style that it is compared with
    ("explicit", "none", "explicit"),
    ("acc-data", "gcc", "explicit"),
    ("f-acc-data", "gcc", "acc-data"),
    ("acc-host-data", "gcc", "explicit"),
    ("f-acc-host-data", "gcc", "acc-host-data"),
    ("acc-managed-all", "gcc", "explicit"),
    ("f-acc-managed-all", "gcc", "acc-managed-all"),
    ("acc-managed", "gcc", "explicit"),
    ("f-acc-managed", "gcc", "acc-managed"),
    ("omp-target", "gcc", "explicit"),
    ("omp-target", "llvm", "explicit"),
    ("f-omp-target", "gcc", "omp-target"),
)


def drawn(run, style, **parameters):
    """The case, if it ran."""
    return [m for m in run.all("himeno", style=style, **parameters) if m.drawn]


def by_language(file):
    """A row a style: its rates, as a part of CUDA's and of the C++ style's with the same directives."""
    run = results(file)
    cuda = rates(run, "explicit").level
    lines = [
        f"File `{file}`.",
        "",
        "| GFLOPS | compiler | benchmark | steady | of CUDA | of the style in C++ |",
        "|---|---|---|---|---|---|",
    ]
    for style, compiler, beside in PAIRS:
        for m in drawn(run, style, compiler=compiler):
            one = speed.of(m)
            other = "gcc" if beside != "explicit" else "none"
            part = f"{one.level / rates(run, beside, compiler=other).level:.3f}"
            lines.append(
                f"| `{style}` | {'nvcc' if compiler == 'none' else compiler} "
                f"| {one.benchmark:.0f} | {one.level:.0f} | {one.level / cuda:.3f} "
                f"| {part if style.startswith('f-') else ''} |"
            )
    return lines


def by_split(file):
    """A row a style and split, on two GPUs."""
    lines = [
        f"File `{file}`.",
        "",
        "| GFLOPS, steady | compiler | split | |",
        "|---|---|---|---|",
    ]
    for style in ("acc-data", "f-acc-data", "f-acc-managed", "omp-target", "f-omp-target"):
        for m in drawn(results(file), style):
            lines.append(
                f"| `{style}` | {m['compiler']} | {m['split']} | {speed.of(m).level:.0f} |"
            )
    return lines


FORTRAN = (f"{H100}20261127-himeno-fortran-later.json", f"{H200}20261127-himeno-fortran.json")
for file in FORTRAN:
    page.table(f"languages {file[7:11]}", by_language(file))
h100, h200 = map(results, FORTRAN)
another = results(f"{H100}20261127-himeno-fortran.json")


def of(run, style, other, compiler="gcc", beside="gcc"):
    """The steady rate of a style over that of another."""
    return rates(run, style, compiler=compiler).level / rates(run, other, compiler=beside).level


llvm = [of(run, "omp-target", "explicit", "llvm", "none") for run in (h100, another, h200)]
page.says(
    "**OpenMP by LLVM has {} of CUDA's rate** on the H100, {} on another at revision dcf2ad54 "
    "(`20261127-himeno-fortran.json`),\n  {} on the H200.",
    *llvm,
)
fortran = [of(run, "f-omp-target", "omp-target") for run in (h100, h200)]
page.says("has {} times the rate of the style in C++ on the H100", fortran[0])
page.says("revision dcf2ad54, it had {}", fortran[1])
shares = [
    of(h200, f"f-{style}", style)
    for style in ("acc-data", "acc-host-data", "acc-managed-all", "acc-managed")
]
page.says("faster, it has {} to {} of it", min(shares), max(shares))
page.given(
    "20261126-himeno-fortran.json, of the history", "`acc-data` had 1016 GFLOPS", "`f-acc-data` 1053",
    "`f-acc-host-data` 1066 and `omp-target` 700",
)  # fmt: skip
page.given("the size of loads", "8 bytes at once, in C++ 16")
page.given("the compiled code of f-omp-target", "62 loads", "8 of its 14 arguments")
page.table("splits", by_split(newest("himeno-directives-ranks")))
page.given("ELF's own numbers", "(ELF ABI 8), which", "LLVM 19 does not read", "has ABI 7")
