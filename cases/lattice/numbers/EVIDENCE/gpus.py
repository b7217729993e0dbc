"""Lattices on two and four GPUs, of cases/lattice/EVIDENCE.md."""

from __future__ import annotations

from statistics import median

import ranks_table
from lattice_rates import tflops
from ranks_table import perfect
from recompute import Page
from result_files import results, text, trials

from watari.results.statistics import seconds

page = Page("cases/lattice/EVIDENCE.md")
H100 = "nvidia-h100-80gb-hbm3-x86_64/"

ranks = results("2x-nvidia-h200-x86_64/20261125-lattice-ranks-later.json")


def shown_trials(m):
    """TFLOPS, ms of a hop and of a step of each trial."""
    return (
        [v / 1e12 for v in trials(m, "flops_per_s")],
        [1e3 * v for v in trials(m, "hop_s")],
        [1e3 * median(seconds(trial)) for trial in m.trials],
    )


SPLITS = {"z": "1x1x2x1", "x": "2x1x1x1", "t": "1x1x1x2"}
gpus = {
    f"class {n}, one GPU | |": ranks.case("lattice", lattice=f"class{n}", ranks=1) for n in (2, 3)
}
for number in (2, 3):
    for axis, split in SPLITS.items():
        for halo in ("peer", "nccl", "staged"):
            for overlap in (False, True):
                row = f"class {number}, {axis} | `{halo}` | {'yes' if overlap else 'no'}"
                if f"| {row} |" in page.text:
                    gpus[row] = ranks.case(
                        "lattice", lattice=f"class{number}", split=split, halo=halo, overlap=overlap
                    )
for row, m in gpus.items():
    line = next(line for line in page.text.splitlines() if line.startswith(f"| {row} "))
    counts = [cell.count(",") + 1 for cell in line.split("|")[-4:-1]]  # of trials shown
    gaps = " | ".join(", ".join(["{}"] * n) for n in counts)
    values = [v for n, part in zip(counts, shown_trials(m), strict=True) for v in part[:n]]
    page.says(f"| {row} | {gaps} |", *values)
best2, best3 = gpus["class 2, x | `peer` | yes"], gpus["class 3, z | `peer` | yes"]
page.says(
    "two GPUs have {} times the rate of one.**",
    tflops(best3) / tflops(gpus["class 3, one GPU | |"]),
)
page.says("they have {} times the rate**", tflops(best2) / tflops(gpus["class 2, one GPU | |"]))
page.says(
    "The hop takes {} of the time",
    best2.quantity("hop_s") / gpus["class 2, one GPU | |"].quantity("hop_s"),
)
page.says(
    "{} and {} applications as on one GPU",
    best2.quantity("iterations"),
    best3.quantity("iterations"),
)
norms = [
    sorted({v for m in ranks.all("lattice", lattice=c) for v in trials(m, "norm2")})
    for c in ("class2", "class3")
]
assert norms == [[6551732.838787418, 6551732.838787419], [52318412.3703554, 52318412.370355405]]
page.given(
    "norms of these trials: the assertion in this module",
    "6551732.838787419 and 6551732.838787418 at class 2, 52318412.370355405 and 52318412.3703554",
)
page.says("the residual, {}", best2.trials[0]["quantities"]["residual"]["value"])


# Every style on one and on two
def on_two(*files):
    """A row a style: its rate on one and on two GPUs, and their ratio. Of a style in several files
    the last counts."""
    rows = {}
    lines = [
        f"Files `{'`, `'.join(files)}`.",
        "",
        "| | compiler | halo | one GPU, TFLOPS | two | two over one |",
        "|---|---|---|---|---|---|",
    ]
    for run in map(results, files):
        for m in run.all("lattice", ranks=2):
            # a style that exchanges the GPU's pointers is that with copies on one GPU
            style = {"acc-host-data": "acc-data", "omp-device-ptr": "omp-target"}.get(
                m["style"], m["style"]
            )
            alone = run.all("lattice", style=style, compiler=m["compiler"], ranks=1)
            if m.drawn and alone and alone[0].drawn:
                one, two = tflops(alone[0]), tflops(m)
                name = "nvcc" if m["compiler"] == "none" else m["compiler"]
                halo = f"`{m['halo']}`" + (", overlapped" if m["overlap"] else "")
                rows[m["style"], halo] = (
                    f"| `{m['style']}` | {name} | {halo} | {one:.3f} | {two:.3f} | {two / one:.2f} |"
                )
    lines += rows.values()
    return lines


TWO_H100S, TWO_H200S = "2x-nvidia-h100-80gb-hbm3-x86_64/", "2x-nvidia-h200-x86_64/"
HOST_DATA = [f"{TWO_H100S}20261128-lattice-host-data{build}.json" for build in ("-1", "-2", "")]
TWO = (f"{TWO_H200S}20261128-lattice-two.json", f"{TWO_H200S}20261128-lattice-two-directives.json")
page.table("two", on_two(*TWO))
two = results(TWO[0])
page.given("the revisions of the table", "revisions 2d632199 and 32414221")
page.says(
    "takes {} ms instead of {}",
    *(1e3 * two.case("lattice", style="explicit", ranks=n).quantity("hop_s") for n in (2, 1)),
)
page.given("the kernels", "in pieces of 32 sites")


def gain(run, style, compiler="none", alone=None, halo="peer"):
    """The rate of a style on two GPUs over that of it, or of another style, on one."""
    both = run.case("lattice", style=style, compiler=compiler, ranks=2, halo=halo)
    one = run.case("lattice", style=alone or style, compiler=compiler, ranks=1)
    return tflops(both) / tflops(one)


CUDA = ("explicit", "managed", "managed-prefetch")
page.says("{}, {} and {} on two H200s", *(gain(two, style) for style in CUDA))
page.says(
    "{}, {} and {} on two H100s",
    *(gain(results(f"{TWO_H100S}20261127-lattice-two.json"), style) for style in CUDA),
)
page.says(
    "{}, {} and {} on another pair",
    *(gain(results(f"{TWO_H100S}20261127-lattice-two-faces.json"), style) for style in CUDA),
)
page.given("their revisions", "revisions a2a37d3b and 7a31da42")
acc = results(TWO[1])
page.says(
    "`acc-host-data` has {} of twice the rate of one GPU and `acc-managed` {}",
    gain(acc, "acc-host-data", "gcc", "acc-data") / 2,
    gain(acc, "acc-managed", "gcc") / 2,
)

# OpenMP
page.says(
    "`omp-device-ptr` had {} by the table", gain(two, "omp-device-ptr", "llvm", "omp-target") / 2
)
page.says(
    "{} and {} in two more pairs of trials",
    *(
        tflops(results(f"{TWO_H200S}20261128-lattice-openmp-two-{n}.json").case("lattice"))
        / tflops(results(f"{TWO_H200S}20261128-lattice-openmp-one-{n}.json").case("lattice"))
        / 2
        for n in (1, 2)
    ),
)
later = results(f"{TWO_H200S}20261128-lattice-two-openmp.json")
page.given("the revision of the later file", "revision 439bf394")
for words, style, alone, compiler in (
    ("`omp-device-ptr`, LLVM", "omp-device-ptr", "omp-target", "llvm"),
    ("`acc-host-data`, GCC", "acc-host-data", "acc-data", "gcc"),
):
    page.says(
        f"| {words} | {{}} | {{}} | {{}} |",
        tflops(later.case("lattice", style=alone, compiler=compiler, ranks=1)),
        tflops(later.case("lattice", style=style, compiler=compiler, ranks=2)),
        gain(later, style, compiler, alone) / 2,
    )
page.says(
    "one GPU has {} times the rate of the table",
    tflops(later.case("lattice", style="omp-target", ranks=1))
    / tflops(two.case("lattice", style="omp-target", compiler="llvm", ranks=1)),
)


def hop_ms(run, ranks):
    """Of OpenMP by LLVM."""
    style = {1: "omp-target", 2: "omp-device-ptr"}[ranks]
    return 1e3 * run.case("lattice", style=style, ranks=ranks).quantity("hop_s")


asks = {
    n: results(f"{TWO_H200S}20261128-lattice-openmp-asks-{name}.json")
    for n, name in ((1, "one"), (2, "two"))
}
page.says("a hop took {} ms on two GPUs", hop_ms(asks[2], 2))
page.says("GPUs, with half of one GPU's at {}\n", hop_ms(asks[1], 1) / 2)
page.says("now {}, with half of one GPU's at {}.", hop_ms(later, 2), hop_ms(later, 1) / 2)
page.says(
    "`acc-managed` had {}, {} and {} TFLOPS",
    *(
        value / 1e12
        for run in (two, acc)
        for value in sorted(
            trials(run.case("lattice", style="acc-managed", ranks=1), "flops_per_s")
        )
    ),
)
page.says("by the first file it has {}", gain(two, "acc-managed", "gcc") / 2)
page.given("the revisions of these files", "revision 32414221 with uncommitted", "a64a0b58")
page.given("how these runs were pinned", "12 of the 32 cores")

# What acc-host-data loses
traced = text(f"{TWO_H100S}20261128-lattice-host-data-kernels.txt").lines


def traced_us(which, kernel):
    """The median of a kernel in the first or a later of the traces that have it."""
    medians = [line.split()[2] for line in traced if line.endswith(f"  {kernel}")]
    return float(medians[which])


BUILDS = {
    "variables of the host (297a92fa)": ("hop_of_inner", 0),
    "in the GPU's memory, extents in registers (7e4c4814)": ("hop_of_part", 0),
    "in the GPU's memory, extents read again (89971b0c)": ("hop_of_part", 1),
}
for build, (row, (inner, which)) in enumerate(BUILDS.items()):
    run = results(HOST_DATA[build])
    both = run.case("lattice", style="acc-host-data")
    one = run.case("lattice", style="acc-data", ranks=1)
    share = tflops(both) / (2 * tflops(one))
    page.says(
        f"| {row} | {{}} | {{}} | {{}} | {{}} | {{}} | {{}} |",
        1e3 * both.quantity("hop_s"),
        1e3 * one.quantity("hop_s") / 2,
        traced_us(which, inner) / 1e3,
        traced_us(build, "hop_of_faces<2u>") / 1e3,
        traced_us(build, "meeting with the other GPU") / 1e3,
        share,
    )
page.says("Two GPUs have {} of twice the rate of one", share)
page.says("A hop takes {} ms. Half", 1e3 * both.quantity("hop_s"))
alone = results(f"{H100}20261128-lattice-half.json").case("lattice")
page.says("has\n  {} ms", 1e3 * alone.quantity("hop_s"))
page.says(
    "The inner sites took {} times as long",
    traced_us(0, "hop_of_part") / traced_us(1, "hop_of_part"),
)
by_machine_code = text(f"{TWO_H100S}20261128-lattice-host-data-kernels.txt")
before, in_registers, again = (
    by_machine_code.line(f"{revision} ")[0] for revision in ("297a92fa", "7e4c4814", "89971b0c")
)
page.says("GPUs {} later", in_registers)
page.says("and {} if the extents are read again for each site; {} in the first row", again, before)
copies, us = by_machine_code.line("in the first trace:")
page.says("{} copies before the inner sites", copies)
page.says("calls, {} ms pass", us / 1e3)
page.given("places in acc_kernels.hpp", "at each 16th")
page.given("revision of these builds", "Watari at 79738554")

# four GPUs, of docs/evidence/ranks.md
FOUR = "4x-nvidia-h100-80gb-hbm3-x86_64"
scaling = results(f"{FOUR}/20261128-scaling-lattice.json")
page.says(
    "On four H100s class 3 has [{} of perfect scaling]",
    perfect(
        ranks_table.found()[FOUR],
        scaling.case("lattice", lattice="class3", split="1x1x4x1"),
    ),
)
