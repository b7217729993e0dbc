"""CPUs beside a GPU, and machines beside City-LES, of cases/les/EVIDENCE.md."""

from __future__ import annotations

from statistics import median

from recompute import Page
from result_files import results, text

GIB = 2**30
H200, TWO = "nvidia-h200-x86_64/", "2x-nvidia-h200-x86_64/"
STEP_BYTES = 823  # of a cell, from the table of kernels in cases/les/README.md

page = Page("cases/les/EVIDENCE.md")

# On 16 cores of the H200's machine
rate_of_l = results(f"{TWO}20261125-les-ranks-later.json").case("les", grid="L", ranks=1)
rate_of_l = rate_of_l.quantity("cells_per_s")
city = [results(f"{H200}20261125-alone-les-{n}.json").case("les") for n in (1, 2)]
copies = [
    results(f"{H200}20261125-alone-copy-{n}.json").case("copy").median
    for n in ("1", "1-2", "2", "2-2", "3")
]
cells = [m.quantity("cells_per_s") / 1e6 for m in city]
used = [m.quantity("step_bytes_per_s") / 1e9 for m in city]
stream = text(f"{H200}20261125-alone-stream.txt").lines
rows = [[float(word) for word in line.split()] for line in stream if line.startswith("0.")]
loops = [  # 15 lines for each of the five runs: seconds of the copy, and of the triad
    [arrays * GIB / 1e9 / median(row[column] for row in rows[n : n + 15]) for n in range(0, 75, 15)]
    for column, arrays in enumerate((2, 3))
]
for row, values in (
    ("million cells/s", cells),
    ("x 823 bytes a cell, GB/s", used),
    ("past the caches, GB/s", copies),
    ("STREAM's copy, GB/s", loops[0]),
    ("STREAM's triad, GB/s", loops[1]),
):
    page.says(f"{row} | {', '.join('{}' for _ in values)} | {{}} |", *values, median(values))
page.says(
    "One H200 has {} times this rate at L, {} million",
    rate_of_l / 1e6 / median(cells),
    rate_of_l / 1e6,
)
page.says("floor by STREAM's copy, and {} by its triad", median(used) / median(loops[1]))
page.says("16 threads reach {} of their floor", median(used) / median(loops[0]))
page.says("of which the city has {}", median(used) / median(copies))
page.given("counted: first and last sweeps are one pass each", "a CPU moves 691")

# On a core of an Intel Xeon
xeon = text("2-core-intel-xeon-x86_64/20261124-les-cpu-fused.txt")
found: dict[tuple[str, str], list[tuple[float, float]]] = {}
triads = []
key = ("", "")
for line in xeon.lines:
    words = line.split()
    if line.startswith("== "):
        key = (words[1].rstrip(","), words[2])
    elif line.startswith("triad") and key[1] == "1":
        triads.append(float(words[1]))
    elif line.startswith("sum of kernels"):
        at = words.index("ns")
        found.setdefault(key, []).append((float(words[at - 1]), float(words[at + 3])))
for threads, word in (("1", "one thread"), ("2", "two threads")):
    best = [
        [
            edge(of)
            for edge, of in zip((min, max), zip(*found[side, threads], strict=True), strict=True)
        ]
        for side in ("main", "new")
    ]
    page.says(
        f"| step, {word} | {{}} | {{}} | {{}} | {{}} |",
        *(ns for ns, _ in best),
        *(share for _, share in best),
    )
page.says("in the same run, {} to {} GB/s by one", min(triads), max(triads))
page.given("counted: two numbers read and one written, of 4 bytes", "12 bytes a number are 16")
page.given("the argument of the benchmark", "grid 512x256x128")

# Mist on a core
page.given("the argument of the benchmark", "grid 256x128x64 with cubes")
page.given(
    "counted: flow/water/moisture.hpp",
    "a stage of 33 bytes",
    "the last stage, 41 bytes, with evaporation",
)
turns: dict[str, list[dict[str, float]]] = {}
for line in text("2-core-intel-xeon-x86_64/20261126-les-mist-cpu.txt").lines:
    if line.startswith("== "):
        turn: dict[str, float] = {}
        turns.setdefault(line.removeprefix("== "), []).append(turn)
    elif line.startswith(("water  ", "water, drying")):
        words = line.split()
        turn[line[:16].strip()] = 1e6 * float(words[-4]) / (256 * 128 * 64)
    elif line.startswith("sum of kernels"):
        turn["step"] = float(line.partition(" ns a cell")[0].split()[-1])
old, new, dry = (turns[name] for name in ("old, mist", "new, mist", "new, dry"))
for row, name in (
    ("q and l, a stage of 33 bytes", "water"),
    ("the last stage, 41 bytes, with evaporation", "water, drying"),
    ("step with mist", "step"),
):
    page.says(f"| {row} | {{}} | {{}} |", *(min(t[name] for t in of) for of in (old, new)))
page.says("| step without mist | | {} |", min(t["step"] for t in dry))
page.says(
    "A step with mist takes {} times as long as one without; by its bytes that would be {}.",
    min(t["step"] for t in new) / min(t["step"] for t in dry),
    (STEP_BYTES + 131) / STEP_BYTES,
)
rounds = [m["step"] / d["step"] for m, d in zip(new, dry, strict=True)]
page.says("it was {} to {} times. What changed", min(rounds), max(rounds))

PEGASUS, MIYABI = (2000, 64, 282), (4022, 450, 512)  # GB/s: GPU memory, link, CPU memory
READ = 4 * 4  # bytes of a cell: u, v, w and theta
of_all = [STEP_BYTES / gpu + READ / link + READ / cpu for gpu, link, cpu in (PEGASUS, MIYABI)]
page.says(
    "{} for steps alone; {} with `cpu-touch=all`", MIYABI[0] / PEGASUS[0], of_all[0] / of_all[1]
)
page.says("| {}: bandwidth does not explain", 3400 / 410)
page.given("published/boku-2025.toml", "| 1.5 to 3 |", "| GPU over CPU | 25 |", "3400 and 410 GB/s")

# The plan les-machines
both = results("nvidia-h200-x86_64/20261127-les-machines.json")


def rate(**given):
    """Million cells a second."""
    return both.case("les", **given).quantity("cells_per_s") / 1e6


gpu, cpu = rate(style="explicit", cpu_touch="none"), rate(processor="cpu")
page.says("GPU has {} million cells/s and 16 cores {}, {} times less", gpu, cpu, gpu / cpu)
at_once = [both.case("copy", processor=p).median for p in ("gpu", "cpu")]
page.says("has {} and {} GB/s, {} times\nless", *at_once, at_once[0] / at_once[1])
touched = [
    rate(style=style, cpu_touch="all", every=every)
    for every in (10, 1)
    for style in ("explicit", "managed")
]
page.says("`explicit` has {}, `managed` {}; every step {} and {}.", *touched)
h100 = results("nvidia-h100-80gb-hbm3-x86_64/20261127-les-machines.json")
there = [
    h100.case("les", style=style, **given).quantity("cells_per_s") / 1e6
    for given in (
        {"cpu_touch": "none"},
        {"cpu_touch": "all", "every": 10},
        {"cpu_touch": "all", "every": 1},
    )
    for style in ("explicit", "managed")
]
page.says(
    "`explicit` has {} million\ncells/s, `managed` {}; with a touch of all cells every tenth step {} and {}; every step {} and {}. The",
    *there,
)
page.given("the budget of the job", "were not reached in 70 s")
