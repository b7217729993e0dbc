"""Doi's implementations, a CPU, effort and published findings, of cases/himeno/EVIDENCE.md."""

from __future__ import annotations

from himeno_rates import FOUR, FUSED, H200, TUNED, benchmarks, rates, ratio
from recompute import Page
from result_files import results, text

from watari.cases import effort

page = Page("cases/himeno/EVIDENCE.md")
H100 = "nvidia-h100-80gb-hbm3-x86_64/"
short = results(f"{H100}20261126-himeno-200.json")
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
XL, L = {"grid": "XL"}, {"grid": "L"}

# Doi's implementations


def doi(style, grid, ranks, rate="benchmark"):
    """GFLOPS of one of his four implementations, or None."""
    return getattr(rates(openacc, style, grid=grid, ranks=ranks), rate)


IN_ACC = ("acc-data", "acc-host-data", "acc-managed-all", "acc-managed")
for number, style in enumerate(IN_ACC, 1):
    row = [(doi(style, g, n), doi(style, g, n, "steady")) for g in ("L", "XL") for n in (1, 4)]
    cells = ["~{}, {}" if one_steady else "~{}, not steady" for _, one_steady in row]
    page.says(
        f"| ({number}) `{style}` | {' | '.join(cells)} |",
        *(value for pair in row for value in pair if value),
    )
page.says(
    "| `explicit`, `peer` |" + " ~{}, {} |" * 4,
    *(
        doi("explicit", g, n, rate)
        for g in ("L", "XL")
        for n in (1, 4)
        for rate in ("benchmark", "steady")
    ),
)
exact = [ratio(short, "acc-managed", "acc-data", grid=g, **TUNED) for g in ("L", "XL")]
page.says("exact rates, it has {} of (1) at L and {} at XL", *exact)
page.says(
    "overlap: {} to {} against {} to {} at L, {} to {} against {} to {} at XL",
    *(
        edge(benchmarks(short, style, grid=g))
        for g in ("L", "XL")
        for style in ("acc-managed", "acc-data")
        for edge in (min, max)
    ),
)
page.says(
    "it has ~{} and ~{} on one GPU, ~{} and ~{} on four",
    *(doi("acc-managed", g, n) / doi("acc-data", g, n) for n in (1, 4) for g in ("L", "XL")),
)
page.says(
    "decides: {} s at XL on the H100, {} s in (4) and {} s in (3) on the H200",
    rates(short, "acc-managed", **XL).first,
    doi("acc-managed", "XL", 1, "first"),
    doi("acc-managed-all", "XL", 1, "first"),
)
assert all(
    doi(style, "L", 4, "steady") is None
    or doi(style, "L", 4, "steady") < doi(style, "L", 1, "steady")
    for style in IN_ACC
)

# On the CPU
cpu = text(f"{H200}20261121-himeno-cpu.txt")
page.says("at STREAM's best rate of {} GB/s", cpu.line("16 threads, STREAM")[0])
for kernel in ("shared", "tuned"):
    page.says(
        f"| {kernel} kernel |" + " {} |" * 4,
        *(
            cpu.line(f"{grid} {kernel:<6} {place:<7} median")[0]
            for grid in ("M", "L")
            for place in ("plain", "placed")
        ),
    )
page.says("At L the tuned kernel moves {} GB/s", cpu.line("L tuned  placed  median")[3])
page.given("the algorithm and the machine", "56 bytes a point", "M (235 MB)")
page.given("the program's rounds", "the median of 12 rounds")

# Effort beside speed: counted from the sources
counted = effort.effort("himeno")
page.says(
    " ".join(f"| `{one.style}` | {{}} | {{}} | {{}} | {{}} | {{}} |" for one in counted),
    *(
        number
        for one in counted
        for number in (
            one.total,
            one.statements["allocate"] + one.statements["free"],
            sum(one.statements[kind] for kind in ("copy", "prefetch", "advise")),
            one.statements["direct data"],
            one.lines,
        )
    ),
)
deep = {one.style: one.total for one in effort.effort("deep")}
page.says(
    "of such structs: {} statements for `explicit`, {} for", deep["explicit"], deep["managed"]
)
page.given("arrays of the program", "The explicit program copies 14 arrays")
page.given("numbers of listings", "Yoshida (2024, listings 4.8 to 4.10) keeps")

# Against the published findings
openacc_on_h200 = [doi("acc-managed", g, 1) / doi("acc-data", g, 1) for g in ("L", "XL")]
steady_on_h100 = [ratio(short, "acc-managed", "acc-data", "steady", grid=g) for g in ("L", "XL")]
whole_on_h100 = [ratio(short, "acc-managed", "acc-data", "whole", grid=g) for g in ("L", "XL")]
in_cuda = [ratio(short, "managed", "explicit", grid=g, **FUSED) for g in ("L", "XL")]
page.says(
    "| {} of (1) on an H100, trials overlap; ~{} on an H200 | {} on an H100 | **opposite**",
    exact[0],
    openacc_on_h200[0],
    steady_on_h100[0],
)
page.says("of a data region. Whole: {} |", whole_on_h100[0])
page.says(
    "| {} on an H100, trials overlap; ~{} on an H200 | {} on an H100 | **same** on an H200",
    exact[1],
    openacc_on_h200[1],
    steady_on_h100[1],
)
page.says("Whole: {}. In CUDA {}, at L {} |", whole_on_h100[1], in_cuda[1], in_cuda[0])
page.given("trials of several files, above", "the first migration took between 1.05 and 2.4 s")


def of_doi(style, other, grid, counts, rate="benchmark"):
    """Rates of one implementation as a part of another's, for each number of GPUs."""
    return [doi(style, grid, n, rate) / doi(other, grid, n, rate) for n in counts]


page.says(
    "(3) has ~{}, ~{}, ~{} of (2) on 1, 2, 4 GPUs | {}, {}, {} |",
    *of_doi("acc-managed-all", "acc-host-data", "L", (1, 2, 4)),
    *of_doi("acc-managed-all", "acc-host-data", "L", (1, 2, 4), "steady"),
)
page.says(
    "| ~{}, ~{}, ~{} at XL, ~{}, ~{}, ~{} at L, on 1, 2, 4 GPUs | {}, {}, {} at XL |",
    *of_doi("acc-managed", "acc-managed-all", "XL", (1, 2, 4)),
    *of_doi("acc-managed", "acc-managed-all", "L", (1, 2, 4)),
    *of_doi("acc-managed", "acc-managed-all", "XL", (1, 2, 4), "steady"),
)
page.says(
    "| ~{}, ~{} at XL on 2 and 4 GPUs; ~{}, ~{} at L | {}, {} at XL; {}, {} at L | **same**",
    *(
        value
        for rate in ("benchmark", "steady")
        for grid in ("XL", "L")
        for value in of_doi("acc-host-data", "acc-data", grid, (2, 4), rate)
    ),
)
through_host, between_gpus = (
    [rates(strong, "explicit", halo=path, overlap=o, ranks=4).steady for o in (False, True)]
    for path in ("staged", "peer")
)
page.says(
    "| {} (XL, 4 GPUs, CUDA: halos through the host over PCIe against those between GPUs over NVLink), {} with overlap |",
    *(host / gpus for host, gpus in zip(through_host, between_gpus, strict=True)),
)
page.given("published/yoshida-2024.toml", "some 100 GFLOPS behind `explicit`, 80 behind `managed`")
page.given(
    "published/gpu-himeno.toml",
    "the public CUDA port at 1755 GFLOPS",
    "CUDA 690, OpenACC 651, Kokkos 546, parallel STL 468. It also has 1755",
)
