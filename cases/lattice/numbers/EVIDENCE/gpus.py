"""Lattices on two and four GPUs, of cases/lattice/EVIDENCE.md."""

from __future__ import annotations

from statistics import median

import ranks_table
from lattice_rates import tflops
from ranks_table import perfect
from recompute import Page
from result_files import newest, results, trials

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
def on_two(file):
    """A row a style: its rate on one and on two GPUs, and their ratio."""
    run = results(file)
    lines = [
        f"File `{file}`.",
        "",
        "| | compiler | halo | one GPU, TFLOPS | two | two over one |",
        "|---|---|---|---|---|---|",
    ]
    for m in run.all("lattice", ranks=2):
        # the style with the GPU's pointers is that with copies on one GPU
        style = "acc-data" if m["style"] == "acc-host-data" else m["style"]
        alone = run.all("lattice", style=style, compiler=m["compiler"], ranks=1)
        if m.drawn and alone and alone[0].drawn:
            one, two = tflops(alone[0]), tflops(m)
            name = "nvcc" if m["compiler"] == "none" else m["compiler"]
            halo = f"`{m['halo']}`" + (", overlapped" if m["overlap"] else "")
            lines.append(
                f"| `{m['style']}` | {name} | {halo} | {one:.3f} | {two:.3f} | {two / one:.2f} |"
            )
    return lines


page.table("two", on_two(newest("lattice-two")))
two = results(newest("lattice-two"))
page.given("the revisions of the tables", "revision a2a37d3b", "revision 7a31da42")


def hop_ms(**parameters):
    return 1e3 * two.case("lattice", **parameters).quantity("hop_s")


page.says(
    "takes {} ms instead of {}",
    *(hop_ms(style="explicit", ranks=n) for n in (2, 1)),
)
page.given("the kernels", "in pieces of 32 sites")
page.says(
    "Its hop takes {} ms, where half of one GPU's is {}",
    hop_ms(style="acc-host-data"),
    hop_ms(style="acc-data", ranks=1) / 2,
)

# Designs of the directives' hop, and the CUDA styles on another machine
alone = results(f"{H100}20261128-lattice-half.json").case("lattice")
page.says("alone on one H100 has a hop of {} ms", 1e3 * alone.quantity("hop_s"))
TWO_H100S = "2x-nvidia-h100-80gb-hbm3-x86_64/"
faces = results(f"{TWO_H100S}20261127-lattice-two-faces.json")
all_sites = results(f"{TWO_H100S}20261128-lattice-acc.json")


def hop_and_share(run, **parameters):
    """The hop of `acc-host-data` on two GPUs, and its rate over twice that of `acc-data` on one."""
    both = run.case("lattice", style="acc-host-data", **parameters)
    one = run.case("lattice", style="acc-data", ranks=1)
    rates = [m.quantity("flops_per_s") for m in (both, one)]
    return 1e3 * both.quantity("hop_s"), rates[0] / (2 * rates[1])


page.says("inner sites, one the faces | {} | {} |", *hop_and_share(two))
page.says("a stream of their own | {} | {};", *hop_and_share(faces, overlap=False))
page.says("{} beside the inner sites |", hop_and_share(faces, overlap=True)[1])
page.says("all sites after the exchange | {} | {} |", *hop_and_share(all_sites))
page.says(
    "have {}, {} and {} times the rate of one GPU",
    *(
        faces.case("lattice", style=style, ranks=2).quantity("flops_per_s")
        / faces.case("lattice", style=style, ranks=1).quantity("flops_per_s")
        for style in ("explicit", "managed", "managed-prefetch")
    ),
)
page.given("revisions of the designs", "a2a37d3b", "7a31da42", "3248a41b")
page.given(
    "a trace on two H100s, class 2",
    "takes 0.32 ms, where half of one GPU's hop is 0.23",
    "Packing takes 0.01",
    "other GPU 0.006",
    "some 0.1 ms, traced",
)

# four GPUs, of docs/evidence/ranks.md
FOUR = "4x-nvidia-h100-80gb-hbm3-x86_64"
scaling = results(f"{FOUR}/20261127-scaling-lattice.json")
page.says(
    "On four H100s class 3 has [{} of perfect scaling]",
    perfect(
        ranks_table.found()[FOUR],
        scaling.case("lattice", lattice="class3", split="1x1x4x1"),
    ),
)
