"""Speed of each style, where its time goes, and who writes first, of cases/himeno/EVIDENCE.md."""

from __future__ import annotations

from himeno_rates import FOUR, FUSED, H200, SHARED, TUNED, XL_BYTES, benchmarks, lap, rates, ratio
from recompute import Page
from result_files import results, series

from watari.cases.himeno import speed

page = Page("cases/himeno/EVIDENCE.md")
H100 = "nvidia-h100-80gb-hbm3-x86_64/"
short = results(f"{H100}20261126-himeno-200.json")
long = results(f"{H100}20261126-himeno-3000.json")
standard = results(f"{H100}20261124-standard.json")
sam = results(f"{H200}20261121-himeno-sam.json")
first_writer = results(f"{H200}20261124-himeno-styles.json")
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

# The machines and the grid
page.given("the machines' records", "and 18 NVLinks a pair")
page.given("dates", "files of 21 and 24 November 2026")
page.given(
    "14 arrays of 4 bytes a point",
    "points (15.03 GB)",
    "each iteration moves 15 GB",
    "moves all 15 GB by faults",
    "the same 15 GB",
)

# Speed of each style
PROGRAMS = (
    ("fused", FUSED, ("explicit", "managed", "managed-prefetch")),
    ("two kernels", SHARED, ("explicit", "managed", "managed-prefetch")),
    ("two kernels", SHARED, ("explicit-struct", "managed-struct")),
    ("two kernels", TUNED, ("acc-data", "acc-managed")),
)
for run, grid, iterations in ((long, "XL", 3000), (short, "XL", 200), (short, "L", 200)):
    for name, form, styles in PROGRAMS:
        for style in styles:
            if run.all("himeno", style=style, grid=grid, **form):
                found = rates(run, style, grid=grid, **form)
                each = benchmarks(run, style, grid=grid, **form)
                page.says(
                    f"| {grid}, {iterations} iterations, {name}, `{style}` | {{}} ({{}} to {{}}) | {{}} | {{}} | {{}} |",
                    found.benchmark,
                    min(each),
                    max(each),
                    found.steady,
                    found.whole,
                    1e3 * found.first,
                )
XL, L = {"grid": "XL"}, {"grid": "L"}
page.says(
    "`managed` has {} times the rate of `explicit` with 200 iterations, where trials overlap, and {} "
    "times after 3000. `managed-prefetch` has {} and {} times.",
    *(
        ratio(run, style, "explicit", **XL, **FUSED)
        for style in ("managed", "managed-prefetch")
        for run in (short, long)
    ),
)
page.given("iterations", "times after 3000.")
page.says(
    "`managed` has {} times the rate of `explicit`, `managed-struct` {} times that of",
    ratio(short, "managed", "explicit", **XL, **SHARED),
    ratio(short, "managed-struct", "explicit-struct", **XL, **SHARED),
)
page.says(
    "`managed` has {} of `explicit`, `managed-struct` {} of `explicit-struct`, `managed-prefetch` {}.",
    ratio(short, "managed", "explicit", **L, **FUSED),
    ratio(short, "managed-struct", "explicit-struct", **L, **SHARED),
    ratio(short, "managed-prefetch", "explicit", **L, **FUSED),
)
page.says(
    "`managed` has {} of `explicit` in the fused form at XL, {} with two",
    ratio(short, "managed", "explicit", "steady", **XL, **FUSED),
    ratio(short, "managed", "explicit", "steady", **XL, **SHARED),
)
migrations = [
    seconds[0]
    for run in (short, long)
    for style in ("managed", "managed-struct", "acc-managed")
    for m in run.all("himeno", style=style, grid="XL")
    for seconds in series(m, "device_s" if style != "acc-managed" else "host_s")
]
page.says(
    "at XL the {} trials of managed styles without a prefetch took {} to {} s",
    len(migrations),
    min(migrations),
    max(migrations),
)
for name, form, style in (
    ("fused", FUSED, "explicit"),
    ("fused", FUSED, "managed"),
    ("fused", FUSED, "managed-prefetch"),
    ("two kernels", SHARED, "explicit"),
    ("two kernels", SHARED, "managed"),
    ("fused, 5 iterations", FUSED, "pinned"),
):
    m = sam.case("himeno", style=style, **form)
    found = speed.of(m)
    page.says(
        f"| {name}, `{style}` | {{}} | {{}} | ~{{}} | {{}} |",
        found.steady,
        speed.fraction(m, sam.cases),
        found.benchmark,
        1e3 * found.first,
    )
explicit = sam.case("himeno", style="explicit", **FUSED)
shared = sam.case("himeno", style="explicit", **SHARED)
cuda = openacc.case("himeno", style="explicit", grid="XL", ranks=1)
page.says("A copy in the same file has {} TB/s", speed.copy_rate(explicit, sam.cases) / 1e3)
page.says(
    "the shared source has {} of its rate, the tuned source {}",
    speed.fraction(shared, sam.cases),
    speed.fraction(cuda, openacc.cases),
)
page.says("moves 15 GB over the link, at {} GB/s", rates(sam, "pinned").rate)

# Rates and limits
fast = long.case("himeno", style="explicit", **FUSED)
page.says(
    "an H100, steady, GFLOPS | {}, at the rate of a copy | {} |",
    speed.ceiling(fast, standard.cases),
    speed.of(fast).steady,
)
page.says(
    "the same, an H200 | {} | {} |", speed.ceiling(explicit, sam.cases), speed.of(explicit).steady
)
page.says(
    "XL, an H200, steady | {}, at the rate of a copy | {} |",
    speed.ceiling(cuda, openacc.cases),
    speed.of(cuda).steady,
)
acc = rates(openacc, "acc-data", **XL, ranks=1)
page.says("XL, an H200, steady | {}, CUDA's rate | {} |", speed.of(cuda).steady, acc.steady)
page.says(
    "3000 iterations, benchmark | {}, its steady rate | {} | copies from pageable memory, at {} GB/s",
    speed.of(fast).steady,
    speed.of(fast).benchmark,
    XL_BYTES / lap(long, "explicit", "transfer_in", **FUSED) / 1e9,
)

# Iteration by iteration, and where the time goes
page.says(
    "the first iteration, at {} to {} GB/s",
    *sorted(
        XL_BYTES / rates(long, s, **f).first / 1e9
        for s, f in (("managed", FUSED), ("managed-struct", SHARED))
    ),
)
for style, laps in (
    ("explicit", ("transfer_in", "transfer_out")),
    ("managed", ()),
    ("managed-prefetch", ("transfer_in", "transfer_out")),
):
    found = rates(long, style, **FUSED)
    copies = [lap(long, style, name, **FUSED) for name in laps]
    page.says(
        f"| `{style}` | {'{}' if laps else '-'} | {{}} | {{}} | {'{}' if laps else '-'} | {{}} | {{}} | {{}} | {{}} |",
        *copies[:1],
        found.parts["first"],
        found.parts["migrating"] + found.parts["steady"],
        *copies[1:],
        lap(long, style, "allocate_device", "release_device", **FUSED),
        *(lap(long, style, name, **FUSED) for name in ("read", "release")),
        found.total,
    )
page.says(
    "staging buffers, at {} GB/s. A prefetch moves the same 15 GB at {} GB/s",
    *(
        XL_BYTES / lap(long, style, "transfer_in", **FUSED) / 1e9
        for style in ("explicit", "managed-prefetch")
    ),
)
page.says("its allocation takes {} s (`pinned`", lap(sam, "pinned", "allocate"))

# Structs of pointers, and who writes first
CPU, GPU = {"init": "cpu"}, {"init": "gpu"}
page.says(
    "`explicit-struct` has {} of the steady rate of `explicit` on the H100 at XL, and {} on an H200; "
    "`managed-struct` has {} and {} of that",
    *(
        ratio(run, f"{style}-struct", style, "steady", **SHARED, **which)
        for style in ("explicit", "managed")
        for run, which in ((short, XL), (first_writer, CPU))
    ),
)
page.says(
    "of `managed` takes {} ms in place of {} s",
    1e3 * rates(first_writer, "managed", **GPU).first,
    rates(first_writer, "managed", **CPU).first,
)
for style in ("explicit", "explicit-struct", "managed", "managed-struct", "managed-prefetch"):
    both = [rates(first_writer, style, **which) for which in (CPU, GPU)]
    page.says(
        f"| `{style}` | {{}} | {{}} | ~{{}} | ~{{}} |",
        *(1e3 * found.first for found in both),
        *(found.benchmark for found in both),
    )
