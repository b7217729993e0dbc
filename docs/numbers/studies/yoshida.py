"""What the studies say, and figures of Yoshida (2024), of docs/studies.md."""

from __future__ import annotations

from statistics import median

from recompute import Page
from result_files import results, series

from watari.cases import effort
from watari.cases.himeno import speed

page = Page("docs/studies.md")
GB, KIB, MIB, GIB = 10**9, 2**10, 2**20, 2**30
H200, H100 = "nvidia-h200-x86_64/", "nvidia-h100-80gb-hbm3-x86_64/"

# What the studies say: the first cell of a row
STUDIES = ("yoshida-2024", "boku-2025", "doi-2016", "hanawa-2025")
for study, section in zip(STUDIES, page.text.split("\n## ")[2:], strict=True):
    for line in section.splitlines():
        if line.startswith("| ") and not line.startswith("| |"):
            page.given(f"published/{study}.toml, or the study itself", line.split(" | ")[0])
page.given(
    "published/yoshida-2024.toml", "near the link's 450 GB/s", "4.8 TB/s against HBM3 of 4.0"
)
page.given(
    "published/boku-2025.toml",
    "| 282 | 512 | 1.8",
    "| 2 | 4.022 | 2.0",
    "| 64 | 450 | 7.0",
    "| 3.2256 | 3.456 | 1.07",
    "| 26 | 34 | 1.3",
    "| 200 | 200 | 1",
)
page.given(
    "published/hanawa-2025.toml",
    "an H-matrix of 42 GB of which nothing",
    "128 KiB | one call at a time",
    "from 128 KiB on. On our disk",
    "more from 64 KiB on",
)
page.given(
    "settings of commands and the plans' machines",
    "# figures 5.1 to 5.7",
    "# figure 5.8",
    "16 threads of a Xeon",
    "against 72 cores of Grace",
    "TB/s at 8 GB",
    "a program of 14 arrays",
    "flat from 1 GiB; the L2 cache shows at 16 MiB",
    "peak at 4 MiB, within a 300 MiB L3",
    "with 65,535 nodes",
    "both with 16 threads",
    "least at 8, 64 and 256 KiB",
    "tiles of 512, 1024, 2048",
    "ours at 556 MB",
    "[40 GB from a disk]",
)


def edges(values):
    """The least and the most."""
    return min(values), max(values)


# Yoshida: copies, patterns, migration
standard = results(f"{H200}20261121-standard.json")
sam = results(f"{H200}20261121-gh200-sam.json")
ten = results(f"{H200}20261125-gh200-ten.json")
by_cpu, to, back = (
    ten.case("copy", processor="cpu"),
    ten.case("copy", from_="pinned", to="device"),
    ten.case("copy", from_="device"),
)
patterns = [
    ten.case("access", source=source, destination=destination)
    for source in ("cpu", "gpu")
    for destination in ("cpu", "gpu")
]
firsts = [[rates[0] for rates in m.rates] for m in patterns]
copied = standard.case(
    "copy", processor="gpu", from_="device", to="device", means="kernel", size=GIB
).median
page.says("[{} TB/s](../cases/memory/EVIDENCE.md#from-memory-to-memory), spread", copied / 1e3)
page.says("HBM3 of 4.0; {} and {}% of it", 100 * copied / 4814.3, 100 * 3.2 / 4.0)
TEN = "(../cases/memory/EVIDENCE.md#ten-trials-of-the-link-and-the-cpu)"
for before, words, m in (
    ("trials=10` | ", "six", by_cpu),
    ("samples=200` | ", "ten", to),
    ("samples=200` | ", "nine", back),
    ("managed: ", "ten", patterns[0]),
):
    page.says(
        f"{before}[{{}} GB/s]{TEN}, {words} trials {{}}% apart", m.median, 100 * m.summary.spread
    )
page.says("apart, beside {} of 5.1", by_cpu.median)
page.given("figures of the study", " of 5.1 |", "see Yoshida, 5.8")
page.says(
    "[{} to {} GB/s in the first sample]" + TEN + ", then {} to {} |",
    *edges(firsts[1] + firsts[2]),
    *edges([m.median for m in patterns[1:3]]),
)
page.says(
    "[{} to {} GB/s in the first sample]" + TEN + ", then {} |",
    *edges(firsts[3]),
    patterns[3].median,
)


def access(source, destination, memory="managed", size=4 * GB):
    """A pattern of the GPU: who touched first."""
    return sam.case(
        "access",
        processor="gpu",
        memory=memory,
        hint="none",
        source=source,
        destination=destination,
        size=size,
    )


moving = [access(*touched) for touched in (("cpu", "cpu"), ("cpu", "gpu"), ("gpu", "cpu"))]
page.says(
    "[first {} to {} GB/s, then {} TB/s]",
    *edges([m.part("first") for m in moving]),
    median(m.part("settled") for m in moving) / 1e3,
)
local = [
    access("gpu", "gpu", memory, size).part(part) / 1e3
    for memory in ("managed", "explicit")
    for size in (4 * GB, 8 * GB)
    for part in ("first", "settled")
]
page.says("{} to {} TB/s at both sizes", *edges(local))
page.says("managed memory settles at {} TB/s", access("cpu", "cpu").part("settled") / 1e3)
EPYC = "2-core-amd-epyc-x86_64/"
pages = results(f"{EPYC}20261125-touch-pages.json")
thp = results(f"{EPYC}20261125-touch-thp.json")
page.says(
    "a first touch {} to {} times the time",
    thp.case("touch", thp="always").median / thp.case("touch", thp="never").median,
    pages.case("touch", page=2 * MIB).median / pages.case("touch", page=4096).median,
)
moved = sam.case("migration", memory="managed", size=8 * GB)
phases = [moved.rates[0][phase["first"] : phase["last"]] for phase in moved.trials[0]["phases"]]
page.says("{}, {} and {} TB/s at 8 GB", *(median(rates[-25:]) / 1e3 for rates in phases))
page.given("all pages: series cpu_mapped_fraction", "100% of both arrays")
look = results(f"{H200}20261125-migration-look.json")
looked, not_looked = (
    [
        median(rates[phase["first"] : phase["last"]][1:])
        for rates, trial in zip(m.rates, m.trials, strict=True)
        for phase in (trial["phases"][0], trial["phases"][2])
    ]
    for m in (look.case("migration", look=which) for which in ("samples", "phases"))
)
page.says(
    "the GPU's next sample {} to {}%",
    100 * (min(not_looked) / max(looked) - 1),
    100 * (max(not_looked) / min(looked) - 1),
)
gathers = results(f"{H200}20261124-beyond-copy.json").all(
    "gather", processor="gpu", pattern="random"
)
line = [m.quantity("element_s") for m in gathers if m["memory"] == "pinned" and m["element"] <= 128]
page.says("a line {} ns over PCIe", 1e9 * median(line))
faults = [
    m.quantity("first_element_s")
    for m in gathers
    if m["memory"] == "managed" and m["hint"] == "none" and m["source"] == "cpu"
    if m["stride"] >= 4096
]
page.says("a fault {} to {} µs", *(1e6 * edge for edge in edges(faults)))

# Himeno and the statements of its programs
short, long = (results(f"{H100}20261126-himeno-{n}.json") for n in (200, 3000))
SHARED = {"grid": "XL", "form": "two-kernel", "kernel": "shared"}
explicit, managed = (
    speed.of(long.case("himeno", style=f"{style}-struct", **SHARED))
    for style in ("explicit", "managed")
)
page.says(
    "`managed-struct` has {} of `explicit-struct` by benchmark, which he reports, and {} in",
    managed.benchmark / explicit.benchmark,
    managed.steady / explicit.steady,
)
migrations = [
    samples[0]
    for run in (short, long)
    for style in ("managed", "managed-struct", "acc-managed")
    for m in run.all("himeno", style=style, grid="XL")
    for samples in series(m, "device_s" if style != "acc-managed" else "host_s")
]
page.says("one iteration, {} to {} s on an H100", *edges(migrations))
statements, deep = (
    {one.style: one.total for one in effort.effort(program)} for program in ("himeno", "deep")
)
page.says(
    "{}, {}, {} | `explicit-struct`",
    *map(statements.get, ("explicit-struct", "managed-struct", "system")),
)
page.says("by value: {}, {}, {}. A tree", *map(statements.get, ("explicit", "managed", "system")))
page.says("of structs: {}, {}, {} (", *map(deep.get, ("explicit", "managed", "system")))
page.says(
    "`explicit` {}, `managed` and `system` {} |", statements["explicit"], statements["system"]
)
page.says("`acc-system` {}, none", statements["acc-system"])
page.says("`acc-data` {} |", statements["acc-data"])
page.says(
    "(1) {}, (2) {}, (3) and (4) {}; in Fortran {}, {}, {}, {} |",
    *map(statements.get, ("acc-data", "acc-host-data", "acc-managed")),
    *map(
        statements.get,
        ("f-acc-data", "f-acc-host-data", "f-acc-managed-all", "f-acc-managed"),
    ),
)
tuned = [
    {
        style: speed.of(
            short.case("himeno", style=style, grid=grid, form="two-kernel", kernel="tuned")
        ).benchmark
        for style in ("acc-data", "acc-managed")
    }
    for grid in ("L", "XL")
]
page.says(
    "(4) has {} of (1) at L and {} at XL by benchmark",
    *(of["acc-managed"] / of["acc-data"] for of in tuned),
)
openacc = results("4x-nvidia-h200-x86_64/20261121-nvlink-openacc.json")


def doi(style, grid, ranks, rate="benchmark"):
    """GFLOPS of one of Doi's four implementations."""
    return getattr(speed.of(openacc.case("himeno", style=style, grid=grid, ranks=ranks)), rate)


page.says(
    "{}, {}, {} at XL, {}, {}, {} at L, on 1, 2 and 4 GPUs",
    *(
        doi("acc-managed", grid, n) / doi("acc-managed-all", grid, n)
        for grid in ("XL", "L")
        for n in (1, 2, 4)
    ),
)
page.says(
    "{} on 2 GPUs, {} on 4 (XL)",
    *(doi("acc-host-data", "XL", n, "steady") / doi("acc-data", "XL", n, "steady") for n in (2, 4)),
)
page.says(
    "with GCC Himeno XL has {} of CUDA's rate",
    doi("omp-target", "XL", 1, "steady") / doi("explicit", "XL", 1, "steady"),
)
