"""Several GPUs, and the bits of all trials, of cases/himeno/EVIDENCE.md."""

from __future__ import annotations

from collections import Counter

from himeno_rates import FOUR, H200, rates
from recompute import Page
from result_files import middle, results, trials

page = Page("cases/himeno/EVIDENCE.md")
H100 = "nvidia-h100-80gb-hbm3-x86_64/"
short = results(f"{H100}20261126-himeno-200.json")
long = results(f"{H100}20261126-himeno-3000.json")
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

# Several GPUs
alone = strong.case("himeno", ranks=1)
one = alone.flops_per_sample / middle(alone, "host_s") / 1e9
page.says("One GPU has {} GFLOPS by the same clock", one)
for path in ("staged", "device", "nccl", "peer"):
    for overlap in (False, True):
        runs = [(device if path == "device" else strong, ranks) for ranks in (2, 4)]
        if path != "device":
            runs += [(weak_2, 2), (weak_4, 4)]
        row = [
            (rates(run, "explicit", halo=path, overlap=overlap, ranks=n).steady, n)
            for run, n in runs
        ]
        page.says(
            f"| `{path}`{', overlapped' * overlap} |" + " {} ({}) |" * len(row),
            *(number for rate, n in row for number in (rate, rate / n / one)),
        )
between = [
    rates(weak_4, "explicit", halo=path, overlap=overlap).steady / 4 / one
    for path in ("nccl", "peer")
    for overlap in (False, True)
]
page.says("| weak scaling, 4 GPUs | 1 | {} to {} between", min(between), max(between))
work = alone.flops_per_sample / one / 4e6  # ms
staged = rates(strong, "explicit", halo="staged", overlap=False, ranks=4).steady
page.says(
    "has {} ms of work, and the halo {} ms more",
    work,
    alone.flops_per_sample / staged / 1e6 - work,
)
prints = Counter(
    (m["grid"], m["iterations"], m["style"].startswith(("acc", "omp")), int(value))
    for run in (short, long, sam, openacc, strong, weak_2, weak_4, device)
    for m in run.all("himeno")
    if m.status == "ok"
    for value in trials(m, "fingerprint")
)


def same_bits(grid, iterations, directives=False):
    """How many trials have the fingerprint of their grid, which is the only one."""
    ((_, fingerprint), count) = next(
        ((key[2:], n) for key, n in prints.items() if key[:3] == (grid, iterations, directives))
    )
    assert sum(key[:3] == (grid, iterations, directives) for key in prints) == 1
    return count, fingerprint


page.says(
    "| {} of XL with 60 iterations, in two files: 1, 2 and 4 GPUs, four paths, with and without overlap | {}, gosa {} |",
    *same_bits("XL", 60),
    trials(alone, "gosa_last")[0],
)
page.says("| {} in CUDA, XL, 3000 iterations, H100 and H200 | {} |", *same_bits("XL", 3000))
page.says(
    "| {} in CUDA, XL, 200 iterations, H100 and 1, 2 and 4 H200s | {} |", *same_bits("XL", 200)
)
page.says(
    "| {} likewise of L | {} | | {} in directives, XL, 200 iterations, H100 and 1, 2 and 4 H200s | {} | "
    "| {} likewise of L | {} |",
    *same_bits("L", 200),
    *same_bits("XL", 200, True),
    *same_bits("L", 200, True),
)
