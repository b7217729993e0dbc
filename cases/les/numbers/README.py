"""The flow and its touches, of cases/les/README.md."""

from __future__ import annotations

from statistics import median

from recompute import Page
from result_files import results, text

from watari.cases.les.forecast import forecast, model
from watari.cases.les.words import touch_name

GIB = 2**30
H200 = "nvidia-h200-x86_64/"
STEP_BYTES = 823  # of a cell, from the page's table of kernels

page = Page("cases/les/README.md")
untouched = results(f"{H200}20261125-les-fewer-launches.json")
runs = [results(f"{H200}20261125-les-touches-later-{n}.json") for n in (1, 2)]
two = results("2x-nvidia-h200-x86_64/20261125-les-ranks-later.json")
standard = results(f"{H200}20261121-standard.json")
copied = (
    1e9
    * standard.case(
        "copy", processor="gpu", from_="device", to="device", means="kernel", size=GIB
    ).median
)

# What to conclude
alone = {grid: two.case("les", grid=grid, ranks=1) for grid in ("L", "XL")}
rates = {grid: m.quantity("cells_per_s") for grid, m in alone.items()}
styles = ("explicit", "managed", "managed-prefetch")
l_steps, xl_steps = (
    [model.step_seconds(untouched.case("les", style=style, grid=grid)) for style in styles]
    for grid in ("L", "XL")
)
page.says("step of L takes {} ms**: {} cells", 1e3 * l_steps[0], rates["L"])
page.says("a second, and {} at XL", rates["XL"])
page.says(
    "L has {} of the rate of a copy, XL {}.",
    *(STEP_BYTES * rates[grid] / copied for grid in ("L", "XL")),
)
assert max(l_steps) < 1.01 * min(l_steps)
for managed in xl_steps[1:]:
    page.says("take {} times as long by that", managed / xl_steps[0])
page.says(
    "first step of `managed` takes {} ms",
    1e3 * untouched.case("les", style="managed", grid="L").trials[0]["host_s"][0],
)


def touched(run):
    """Each touch by its name."""
    found = (m for m in run.all("les") if forecast.forecast(m))
    return {f"{m['style']}, {touch_name(m)}": m for m in found}


def of(name: str) -> list[float]:
    """Milliseconds of a touch in each run."""
    return [1e3 * forecast.measured(touched(run)[name]).whole for run in runs]


def part(name: str, which: str) -> float:
    """Milliseconds of a part in the first run."""
    return 1e3 * getattr(forecast.measured(touched(runs[0])[name]), which)


def free(name: str) -> int:
    """The N from which a touch takes less than a tenth of the steps, in the first run."""
    return model.free_from(of(name)[0] / 1e3, model.step_seconds(touched(runs[0])[name]))


page.says("With `explicit` such a touch takes {} ms", of("explicit, facets")[0])
assert (free("managed-prefetch, facets"), free("managed, facets")) == (3, 4)
page.says(
    "at most {}, {} and {} ms",
    *(max(of(f"{style}, facets, CPU picks")) for style in (styles[0], styles[2], styles[1])),
)
page.says(
    "touch of facets takes {} ms instead of {}",
    *(
        1e3 * forecast.measured(touched(results(f"{H200}{file}"))["managed, facets"]).whole
        for file in ("20261124-les-touches-busy.json", "20261124-les-touches.json")
    ),
)
page.says("planes.** With `explicit` a touch takes {} ms", of("explicit, planes")[0])
page.says("takes {} to {} ms (N = {})", *sorted(of("managed, planes")), free("managed, planes"))
page.says(
    "`managed-prefetch` {} ms (N = {})",
    of("managed-prefetch, planes")[0],
    free("managed-prefetch, planes"),
)
page.says("takes {} to {} ms with `explicit`", *sorted(of("explicit, all")))
page.says("own work, {} ms the copy", part("explicit, all", "move"))
page.says(
    "it costs {} of the rate",
    1
    - touched(runs[0])["explicit, all"].quantity("cells_per_s")
    / untouched.case("les", style="explicit", grid="L").quantity("cells_per_s"),
)
page.says(
    "`managed` takes {} to {} ms, of which up to {} are",
    *sorted(of("managed, all")),
    part("managed, all", "after"),
)
page.says("`managed-prefetch` takes {} to {} ms", *sorted(of("managed-prefetch, all")))


def slower(run) -> list[float]:
    """What moves for facets takes over its bytes at the rate of 512 MiB: copies, prefetches."""
    moved = forecast.traffic(touched(run)["explicit, facets"])
    large = {"size": 512 * 2**20}
    to, back = (1e9 * run.case("copy", to=to, **large).median for to in ("device", "pinned"))
    gpu, cpu = (1e9 * run.case("touch", processor=of, **large).median for of in ("gpu", "cpu"))
    copies = moved.packed / back + moved.flux / to
    prefetches = moved.packed / cpu + (moved.packed + moved.flux) / gpu
    return [
        forecast.measured(touched(run)[f"{style}, facets"]).move / seconds
        for style, seconds in (("explicit", copies), ("managed-prefetch", prefetches))
    ]


ratios = [ratio for run in runs for ratio in slower(run)]
page.says("transfers took {} to {} times as long", min(ratios), max(ratios))
page.given(
    "cases/les/numbers/EVIDENCE/touches.py checks this", "whose N is 10 or more are within 20%"
)
page.says(
    "Two GPUs have {} of twice the rate",
    two.case("les", grid="1024x2048x128").quantity("cells_per_s") / 2 / rates["XL"],
)
halved = two.case("les", grid="L", split="1x2x1")
page.says(
    "have {} times the rate of one, since halos and sums over ranks take {} of",
    halved.quantity("cells_per_s") / rates["L"],
    halved.quantity("exchange_share"),
)

# When a trial is wrong
flows = untouched.all("les")
one_cycle = runs[0].all("les", cycles=1)


def ends(cases, series: str) -> list[float]:
    """The least and the largest value of a series."""
    values = [v for m in cases for v in m.trials[0]["series"][series] if v]
    return [min(values), max(values)]


page.says("| 1.73 | {} to {} |", *ends(flows, "courant"))
page.says("| 5e-4 | {} |", ends(one_cycle, "divergence")[1])
page.says("| 1e-5 | {} to {} with two", *ends(flows, "divergence"))

# On CPUs
cpu = median(
    m.quantity("step_bytes_per_s")
    for m in (results(f"{H200}20261125-alone-les-{n}.json").case("les") for n in (1, 2))
)
seconds = [
    [float(word) for word in line.split()]
    for line in text(f"{H200}20261125-alone-stream.txt").lines
    if line.startswith("0.")
]
for sentence, column, arrays in (("[{} by STREAM's copy", 0, 2), ("copy, {} by its triad", 1, 3)):
    each = [median(row[column] for row in seconds[n : n + 15]) for n in range(0, 75, 15)]
    page.says(sentence, cpu * median(each) / (arrays * GIB))
xeon = text("2-core-intel-xeon-x86_64/20261124-les-cpu-fused.txt").lines
shares = [
    float(after.partition(" ns a cell, ")[2].split()[0])
    for n, line in enumerate(xeon)
    if line.startswith("== new, 1 threads")
    for after in [next(x for x in xeon[n:] if x.startswith("sum of kernels"))]
]
page.says("Intel Xeon reaches [{} of its byte floor]", max(shares))

# Counts and settings
page.given(
    "defaults and limits: cases/les/axes.py, charts/wind.py and picture.py",
    "(0.05 for each metre)",
    "from touch to touch (10)",
    "at most 96 cells along each axis",
    "touches at N other than 10",
)
page.given(
    "cases/les/native/flow/bounds.hpp, and examples of it",
    "| 1.73 |",
    "flow may have 1.2",
    "well | 1e-2 |",
    "96 does (3), 80 does (5)",
)
page.given(
    "settings",
    "density 0 to 0.6",
)
page.given(
    "bytes counted in flow/simulation.hpp, flow/flow.hpp and pressure/pressure.hpp",
    "moves 283 bytes a cell, and 96 more for",
    "has 12 less. That is 823 with two cycles",
    "take 81 bytes a cell: 19 numbers",
    "| viscosity | 21 |",
    "| tendencies and update | 53, 69, 53 |",
    "| residual | 21 |",
    "restriction 9.5, prolongation and sweep 13.5, sweep with product 13, coarse levels 13 | 58 |",
    "| direction 12, curvature 5, update of p and r 21 | 38; in the first iteration 26 (",
    "update of r 13; curvature 9, update of p 16 | 18 and 25; the first of them has a direction (12)",
    "| correction | 29 |",
    "41 bytes a cell instead of 45",
    "divide x: 9.5 bytes a cell instead of 18.5",
)
page.given(
    "constants of the kernels and of ranks",
    "128 cells of eight rows",
    "computes rows**, 256 cells at a time",
    "pieces of 128 cells",
    "levels of 4096 cells and fewer, on GPUs of 524288",
    "have 46 exchanges a step, along x 73",
    "whose 26 neighbours",
    "sky seen in 16 azimuths",
)
page.given(
    "cases/les/native/flow/bounds.hpp and budget.hpp",
    "`advection=third` | 1.61 |",
    "1e-4 in single, 1e-10 in double",
    "1e-9 K a cell and step",
    "an l below 0 | none",
)
page.given(
    "cases/les/trees.py, native/city/leaves.hpp, flow/leaves.hpp, radiation/canopy.hpp, foliage.hpp",
    "2 Cd a abs(u) dt of a face | 2.51; 2 at first |",
    "1e-15 in double",
)
page.given(
    "src/watari/case/directive.cpp, for 132 x 2048 threads",
    "a stack of 8 KiB a thread, which takes 2.2 GB",
)
page.given(
    "bounds that tests assert: directives_on_host.cpp",
    "in fp64 to 6e-14 m/s",
)
page.given(
    "constants and bounds of cases/les/native/radiation/ and city/facets.hpp, radiation/sun.py",
    "`south` (45 degrees high)",
    "facets | 1e-4 | | above it the solver runs; its own limit is 1e-7",
    "first two | 5e-6 | |",
    "an albedo of 0.95; above",
    "is summed in 16 parts",
)
