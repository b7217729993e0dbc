"""Where the numbers of cases/les/EVIDENCE.md come from."""

from __future__ import annotations

import re
from statistics import median

import ranks_table
from ranks_table import perfect, worst
from recompute import Page
from result_files import middle, results, text, trials

from watari.cases.les import forecast, model
from watari.cases.les.words import touch_name

GIB, MIB = 2**30, 2**20
H200, TWO = "nvidia-h200-x86_64/", "2x-nvidia-h200-x86_64/"
STEP_BYTES = 823  # of a cell, from the table of kernels in cases/les/README.md
L = 512 * 512 * 128  # cells

page = Page("cases/les/EVIDENCE.md")
page.given("counted: the table of kernels in cases/les/README.md", "823 a cell", "823 bytes a cell")
standard = results(f"{H200}20261121-standard.json")
copied = (
    1e9
    * standard.case(
        "copy", processor="gpu", from_="device", to="device", means="kernel", size=GIB
    ).median
)

# Steps without a touch
untouched = results(f"{H200}20261125-les-fewer-launches.json")
steady, events = {}, {}
for style in ("explicit", "managed", "managed-prefetch"):
    both = [untouched.case("les", style=style, grid=grid) for grid in ("L", "XL")]
    steady[style] = [model.step_seconds(m) for m in both]
    events[style] = [median(m.trials[0]["device_s"][1:]) for m in both]
    page.says(
        f"| `{style}` | {{}} | {{}} | {{}} ms | {{}} ms | {{}} ms | {{}} ms |",
        *(m.quantity("cells_per_s") / 1e6 for m in both),
        *(1e3 * seconds for seconds in steady[style]),
        *(1e3 * m.trials[0]["host_s"][0] for m in both),
    )
page.says(
    "of the three styles are within {}% at both",
    max(100 * (max(of) / min(of) - 1) for of in zip(*events.values(), strict=True)),
)
for style in ("managed", "managed-prefetch"):
    page.says("managed ones take {} times as long", steady[style][1] / steady["explicit"][1])

two = results(f"{TWO}20261125-les-ranks-later.json")
alone = {grid: two.case("les", grid=grid, ranks=1) for grid in ("XL", "L")}
rates = {grid: m.quantity("cells_per_s") for grid, m in alone.items()}
page.says(
    "L has {} of a copy's rate of {} TB/s, XL {}: rates",
    STEP_BYTES * rates["L"] / copied,
    copied / 1e12,
    STEP_BYTES * rates["XL"] / copied,
)
page.says("a step of L would take {} ms", 1e3 * STEP_BYTES * L / copied)

kernels = text(f"{H200}20261125-les-kernels.txt")
of_l = kernels.lines[: next(n for n, line in enumerate(kernels.lines) if "sum of kernels" in line)]
tendencies = [line.split() for line in of_l if line.startswith("tendency")]
page.says("step of L take {} ms, at half", sum(float(words[4]) for words in tendencies))

passes, steps = (text(f"{H200}20261125-les-{name}.txt") for name in ("passes", "steps"))


def milliseconds(file, variant: str) -> float:
    """Of a step of L: the first line of a variant, since L comes first."""
    line = next(line for line in file.lines if line.startswith(variant))
    return float(line.partition(" ms")[0].split()[-1])


page.says(
    "restriction in one pass | {} ms | {} ms |",
    milliseconds(passes, "today"),
    milliseconds(passes, "first sweeps in one pass"),
)
in_turn = [milliseconds(steps, name) for name in ("base", "b_small", "c_flow", "d_sums")]
for change, before, after in zip(
    ("block's shared memory", "u in one kernel", "one launch, not two"),
    in_turn,
    in_turn[1:],
    strict=False,
):
    page.says(f"{change} | {{}} ms | {{}} ms |", before, after)
prints: dict[str, set[str]] = {}  # of each grid: on the GPU and, up to 256x256x64, on a CPU
for line in [*steps.lines, *text(f"{H200}20261124-les-kernels-packs.txt").lines]:
    if (grid := re.search(r"\d+x\d+x\d+", line)) and (of := re.search(r"\d+(-\d+){3}", line)):
        prints.setdefault(grid[0], set()).add(of[0])
assert [len(of) for of in prints.values()] == [1] * 6

# Touches
runs = [results(f"{H200}20261125-les-touches-later-{n}.json") for n in (1, 2)]


def touched(run):
    """Each touch by its name."""
    found = (m for m in run.all("les") if forecast.forecast(m))
    return {f"{m['style']}, {touch_name(m)}": m for m in found}


first, second = map(touched, runs)
over: dict[str, list[float]] = {}
free = {}
for name, m in first.items():
    seen = [forecast.measured(of[name]).whole for of in (first, second)]
    over[name] = [
        whole / forecast.predicted(of[name], run.cases).whole
        for whole, of, run in zip(seen, (first, second), runs, strict=True)
    ]
    free[name] = model.free_from(seen[0], model.step_seconds(m))
    page.says(
        f"| {name} | {{}} | {{}}, {{}} | {{}} | {{}}, {{}} |",
        m.quantity("cells_per_s") / 1e6,
        *(1e3 * whole for whole in seen),
        free[name],
        *over[name],
    )


def parts(name: str, part: str) -> list[float]:
    """Milliseconds of a part in both runs."""
    return [1e3 * getattr(forecast.measured(of[name]), part) for of in (first, second)]


explicit = first["explicit, all"]
page.says(
    "all**: {} ms are the CPU's own work, {} ms the copies",
    parts("explicit, all", "cpu")[0],
    parts("explicit, all", "move")[0],
)


def cpu_has(m) -> float:
    """The share of the fields that the CPU has after the first touch."""
    return m.trials[0]["series"]["cpu_mapped_fraction.after_step"][m["every"] - 1]


planes = forecast.traffic(first["managed, planes"])
fields = sum(r.bytes for r in forecast.traffic(explicit).fields)
page.says("all**: {} of the fields are the CPU's", cpu_has(first["managed, all"]))
page.says("That step takes {} and {} ms longer", *parts("managed, all", "after"))
page.says("CPU reads {} MB of the fields", sum(r.bytes * r.rows for r in planes.fields) / 1e6)
page.says("in each of {} planes", max(r.rows for r in planes.fields))
held = cpu_has(first["managed, planes"])
page.says("it has {} of the fields, {} MB", held, held * fields / 1e6)
calls = 2 * (planes.lone + sum(r.rows == 1 for r in planes.fields))  # there and back
page.says(
    "makes {} calls for fields at a touch, {} µs each",
    calls,
    1e3 * parts("managed-prefetch, planes", "move")[0] / calls,
)
page.given("settings", "N = 10, 101 steps", "the first 100 steps")
assert len({m.quantity("fingerprint") for of in (first, second) for m in of.values()}) == 1

# Threads that wait
waits = {
    threads: touched(results(f"{H200}20261124-les-touches{ending}.json"))
    for threads, ending in (("busily", "-busy"), ("asleep", ""))
}
for touch in ("facets", "all"):
    for threads, of in waits.items():
        seen = forecast.measured(of[f"managed, {touch}"])
        page.says(
            f"| {touch}, {threads} | {{}} | {{}} | {{}} |",
            *(1e3 * seconds for seconds in (seen.cpu, seen.after, seen.whole)),
        )


def next_steps(m) -> list[float]:
    """Milliseconds of each step behind a touch."""
    return [1e3 * s for s in m.trials[0]["host_s"][m["every"] :: m["every"]]]


ranges = [next_steps(waits[threads]["managed, facets"]) for threads in ("busily", "asleep")]
page.says(
    "sleeping threads: {} to {} ms against {} to {}",
    *(edge(of) for of in ranges for edge in (min, max)),
)

# On two GPUs
page.given("the name of a grid", "| 1024x2048x128, XL on each |")
each = two.case("les", grid="1024x2048x128")
by_y, by_x = (two.case("les", grid="L", split=split) for split in ("1x2x1", "2x1x1"))
for row, m in (("XL | one GPU", alone["XL"]), ("L | one GPU", alone["L"])):
    page.says(
        f"| {row} | {{}}, {{}} | {{}} ms |",
        *(rate / 1e6 for rate in trials(m, "cells_per_s")),
        1e3 * middle(m, "host_s"),
    )
for row, m, grid in (
    ("XL on each | 1x2x1", each, "XL"),
    ("L | 1x2x1", by_y, "L"),
    ("L | 2x1x1", by_x, "L"),
):
    page.says(
        f"{row} | {{}}, {{}} | {{}} ms | {{}} | {{}} |",
        *(rate / 1e6 for rate in trials(m, "cells_per_s")),
        1e3 * middle(m, "host_s"),
        m.quantity("cells_per_s") / rates[grid],
        m.quantity("exchange_share"),
    )
page.says("has {} of twice XL's rate", each.quantity("cells_per_s") / 2 / rates["XL"])
page.says("sums take {} ms of a step", 1e3 * each.quantity("exchange_s"))
page.says(
    "take {} ms** with a split along y and {} ms along x",
    *(1e3 * m.quantity("exchange_s") for m in (by_y, by_x)),
)
page.given(
    "counted by `flow/simulation.hpp` and `pressure/pressure.hpp`", "has 46 exchanges at L and 58"
)
page.says(
    "takes some {} to {} µs",
    1e6 * by_y.quantity("exchange_s") / 46,
    1e6 * each.quantity("exchange_s") / 58,
)
assert len({m.quantity("fingerprint") for m in (alone["L"], by_y, by_x)}) == 1
paths = results(f"{TWO}20261125-les-ranks-later-paths.json")
for split in ("1x2x1", "2x1x1"):
    page.says(
        f"| {split} | {{}} | {{}} | {{}} |",
        *(
            paths.case("les", split=split, halo=halo).quantity("cells_per_s") / 1e6
            for halo in ("peer", "nccl", "staged")
        ),
    )
assert len({m.quantity("fingerprint") for m in paths.cases}) == 1

# On 16 cores of the H200's machine
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
    rates["L"] / 1e6 / median(cells),
    rates["L"] / 1e6,
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

# Predictions
far = [name for name in over if free[name] >= 10]
within = {name: [abs(ratio - 1) <= 0.2 for ratio in ratios] for name, ratios in over.items()}
assert len(far) == 7
assert [sum(within[name][run] for name in far) for run in (0, 1)] == [6, 6]
assert all(any(within[name]) for name in far)
assert [sum(of[run] for of in within.values()) for run in (0, 1)] == [11, 10]
page.given("the limit that this page uses", "predicted within 20%")
page.given("the limit that this page uses", "N is 10 or more")
guess = [
    1e3 * forecast.predicted(of["managed, all"], run.cases).after
    for of, run in zip((first, second), runs, strict=True)
]
page.says(
    "{} ms, predicted {}, and {}, predicted {}",
    *(n for both in zip(parts("managed, all", "after"), guess, strict=True) for n in both),
)


def large(run, case: str, **parameters) -> float:
    """Bytes a second of a transfer of 512 MiB."""
    return 1e9 * run.case(case, size=512 * MIB, **parameters).median


facets = forecast.traffic(first["explicit, facets"])
page.says("The {} MB that `explicit` copies", (facets.packed + facets.flux) / 1e6)
by_copy = [
    1e3
    * (
        facets.packed / large(run, "copy", to="pinned")
        + facets.flux / large(run, "copy", to="device")
    )
    for run in runs
]
by_prefetch = [
    1e3
    * (
        facets.packed / large(run, "touch", processor="cpu")
        + (facets.packed + facets.flux) / large(run, "touch", processor="gpu")
    )
    for run in runs
]
for sentence, style, at_rate in (
    ("for facets take {} and {} times", "explicit", by_copy),
    ("`managed-prefetch` take {} and {} times", "managed-prefetch", by_prefetch),
):
    page.says(
        sentence,
        *(a / b for a, b in zip(parts(f"{style}, facets", "move"), at_rate, strict=True)),
    )

PEGASUS, MIYABI = (2000, 64, 282), (4022, 450, 512)  # GB/s: GPU memory, link, CPU memory
READ = 4 * 4  # bytes of a cell: u, v, w and theta
of_all = [STEP_BYTES / gpu + READ / link + READ / cpu for gpu, link, cpu in (PEGASUS, MIYABI)]
page.says(
    "{} for steps alone; {} with `cpu-touch=all`", MIYABI[0] / PEGASUS[0], of_all[0] / of_all[1]
)
page.says("| {}: bandwidth does not explain", 3400 / 410)
page.given("published/boku-2025.toml", "| 1.5 to 3 |", "| GPU over CPU | 25 |", "3400 and 410 GB/s")

# On four GPUs of one host
text(ranks_table.PREDICTED)
for files in ranks_table.sets(page.name).values():
    for file in files:
        results(file)
    for row in ranks_table.rows(files):
        page.says(row.text, *row.values)
scaling = results("4x-nvidia-h100-80gb-hbm3-x86_64/20261126-scaling-les.json")
page.says(
    "a shared grid XL has {} of perfect scaling by 1x4x1 and {} by 2x2x1, L has {}. With XL on each GPU 2x2x1 has {}.",
    perfect(scaling, scaling.case("les", grid="XL", split="1x4x1")),
    perfect(scaling, scaling.case("les", grid="XL", split="2x2x1")),
    perfect(scaling, scaling.case("les", grid="L", split="1x4x1")),
    perfect(scaling, scaling.case("les", grid="2048x2048x128")),
)
page.says("Predicted from one and two GPUs: at most {}% off.", worst(scaling, scaling.cases))
long = results("2-core-intel-xeon-x86_64/20261126-les-long-grids.json")
assert [m.status for m in long.all("les", grid="16x1024x16")] == ["wrong", "wrong", "ok"]

# Verification
page.given_block("bounds in cases/les/tests", "| check | bound |")
