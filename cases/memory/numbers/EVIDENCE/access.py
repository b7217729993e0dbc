"""Access patterns, ten trials and migration, of cases/memory/EVIDENCE.md."""

from __future__ import annotations

from statistics import median

from recompute import Page
from result_files import results, series, text

page = Page("cases/memory/EVIDENCE.md")
GIB, MIB = 2**30, 2**20
H200 = "nvidia-h200-x86_64/"
PUBLISHED = "published/yoshida-2024.toml, published/boku-2025.toml"
standard = results(f"{H200}20261121-standard.json")
sam = results(f"{H200}20261121-gh200-sam.json")

# Eight access patterns
GB = 10**9


def access(source, destination, processor="gpu", memory="managed", hint="none", size=4 * GB):
    """A pattern: who touched first."""
    return sam.case(
        "access",
        processor=processor,
        memory=memory,
        hint=hint,
        source=source,
        destination=destination,
        size=size,
    )


rows = {
    "(5) HM Read, HM Write by GPU | rises over 50 to 60 samples to 3 TB/s": ("cpu", "cpu"),
    "(6) HM Read, DM Write by GPU | the same": ("cpu", "gpu"),
    "(7) DM Read, HM Write by GPU | the same": ("gpu", "cpu"),
}
for row, touched in rows.items():
    m, mapped = access(*touched), access(*touched, memory="explicit")
    page.says(
        f"| {row} | {{}} GB/s, {{}} TB/s | {{}} GB/s",
        m.part("first"),
        m.part("settled") / 1e3,
        mapped.median,
    )
local = access("gpu", "gpu")
page.says(
    "(8) DM Read, DM Write by GPU | 3.2 TB/s | {}, {} TB/s | {} TB/s (device)",
    local.part("first") / 1e3,
    local.part("settled") / 1e3,
    access("gpu", "gpu", memory="explicit").median / 1e3,
)
cpu_reads = access("gpu", "gpu", processor="cpu")
page.says("| near the DtoH copy, for ever | {} GB/s, then", cpu_reads.part("first"))
page.given(
    PUBLISHED,
    "rises over 50 to 60 samples to 3 TB/s",
    "by GPU | 3.2 TB/s",
    "some 60 on migration",
    "only 2.3 to 2.5 TB/s",
)
faults = [access(*touched).part("first") for touched in rows.values()]
page.says("at {} to {} GB/s; from sample 2", min(faults), max(faults))
page.given("settings of the plan", "Of 200 samples the GH200", "200 samples |", "4 GB and 8 GB")
slow = access("cpu", "cpu")
page.says(
    "as long as {} later ones", median(t[0] / median(t[1:]) for t in series(slow, "device_s"))
)
large = [access(*touched, size=8 * GB).part("settled") / 1e3 for touched in rows.values()]
page.says("here stays at {} to {}.", min(large), max(large))
page_back = [access("gpu", to, "cpu").part("first") for to in ("cpu", "gpu")]
page.says("({} to {} GB/s), and is then CPU memory", min(page_back), max(page_back))

# Ten trials
ten = results(f"{H200}20261125-gh200-ten.json")
rows = {
    "host to device, copy engine (figure 5.3)": ten.case("copy", from_="pinned", to="device"),
    "device to host, copy engine (figure 5.4)": ten.case("copy", from_="device"),
    "copy by the CPU, pinned (figure 5.1)": ten.case("copy", processor="cpu"),
    "(1) HM Read, HM Write by CPU, managed": ten.case("access", source="cpu", destination="cpu"),
    "(2) HM Read, DM Write by CPU, managed": ten.case("access", source="cpu", destination="gpu"),
    "(3) DM Read, HM Write by CPU, managed": ten.case("access", source="gpu", destination="cpu"),
    "(4) DM Read, DM Write by CPU, managed": ten.case("access", source="gpu", destination="gpu"),
}
for row, m in rows.items():
    first = [rates[0] for rates in m.rates]
    page.says(
        f"| {row} | {{}} | {{}} to {{}} | {{}} | {{}}% |",
        len(m.trials),
        min(first),
        max(first),
        m.median,
        100 * m.summary.spread,
    )
page.given("numbers of figures in Yoshida 2024", "figure 5.3", "figure 5.4", "figure 5.1")
stores = results("nvidia-h100-80gb-hbm3-x86_64/20261126-copy-stores.json")
page.says(
    "it has {} GB/s, and the default stores have {}",
    *(stores.case("copy", stores=which).median for which in ("ordinary", "default")),
)
returned = [rates[0] for row in list(rows)[4:] for rates in rows[row].rates]
page.says("at {} to {} GB/s. Later samples", min(returned), max(returned))
samples = [rate for rates in rows["copy by the CPU, pinned (figure 5.1)"].rates for rate in rates]
page.says("samples of its copy lie between {} and {} GB/s", min(samples), max(samples))
page.given("settings of the run", "5 samples each (10 of")
words = [line.split() for line in text(f"{H200}20261125-alone-stream.txt").lines]
lines = [float(line[0]) for line in words if len(line) == 2]  # seconds of copy and triad
stream = [2 * GIB / 1e9 / median(lines[i : i + 15]) for i in range(0, len(lines), 15)]  # runs of 15
page.says("STREAM's copy, {} to {} GB/s", min(stream), max(stream))
alone = [
    results(f"{H200}20261125-alone-copy-{n}.json").case("copy").median
    for n in ("1", "1-2", "2", "2-2", "3")
]
page.says("copy 1 GiB at {} to {} GB/s", min(alone), max(alone))
page.given(
    "of the machine",
    "two H200 and 32 cores",
    "This machine has 32 cores, the one above 16",
    "of a Xeon, driver 580, CUDA 13.0, Linux 6.18",
    "141 GB of HBM3e",
    "with 16 cores",
)
page.given(PUBLISHED, "60 GB/s of 300")

# Migration
moved = sam.case("migration", memory="managed", size=8 * GB)
phases = moved.trials[0]["phases"]
for row, phase, unit in (("GPU", 0, 1e3), ("CPU", 1, 1), ("GPU again", 2, 1e3)):
    rates = moved.rates[0][phases[phase]["first"] : phases[phase]["last"]]
    page.says(
        f"| {row} | {{}} GB/s | {{}} {'TB' if unit > 1 else 'GB'}/s | {{}} s",
        rates[0],
        median(rates[-25:]) / unit,
        16 / rates[0],
    )
page.says("pays {} s for every 16 GB", 16 / moved.rates[0][phases[2]["first"]])
page.given("two arrays of 8 GB", "for every 16 GB")
page.given("all pages: series cpu_mapped_fraction", "100% of both arrays")
page.given(
    "settings",
    "then the CPU 100, then the GPU 100",
    "Maps of 64 parts",
    "on from sample 11",
    "all 64 parts",
)

# Which part moves when; the price of looking
maps = results(f"{H200}20261125-migration-map.json")
look = results(f"{H200}20261125-migration-look.json")


def phase(m, which, trial=0):
    """GB/s of the samples of a phase."""
    found = m.trials[trial]["phases"][which]
    return m.rates[trial][found["first"] : found["last"]]


firsts = {
    hint: [phase(maps.case("migration", hint=hint), which)[0] for which in range(3)]
    for hint in ("none", "prefetch", "mapped")
}
page.says("has {}, {} and {} GB/s, the second", *firsts["none"])
page.given("the first sample of each phase of 10", "samples 1, 11 and 21", "first touch, sample 11")
page.says(
    "first sample already has {} TB/s, since the pages moved before it. The CPU's first sample has {} GB/s",
    firsts["prefetch"][0] / 1e3,
    firsts["prefetch"][1],
)
page.says("rate is {} GB/s before and after", firsts["mapped"][0])
looked, not_looked = (
    [median(phase(m, which, trial)[1:]) for trial in range(len(m.trials)) for which in (0, 2)]
    for m in (look.case("migration", look="samples"), look.case("migration", look="phases"))
)
page.says(
    "of the GPU {} to {}% slower; a sample takes {} ms",
    100 * (min(not_looked) / max(looked) - 1),
    100 * (max(not_looked) / min(looked) - 1),
    2 * GIB / 1e6 / median(not_looked),
)
mapped = access("cpu", "cpu", hint="mapped")
page.says("works at {} GB/s, {} times slower", mapped.median, slow.part("settled") / mapped.median)
prefetch = standard.case("touch", processor="gpu", memory="managed", operation="prefetch")
page.says("GPU at {} GB/s. With", prefetch.median)
page.says("over 4 GB ({} s) costs", 8 / slow.part("first"))
page.says("One prefetch ({} s) costs as much as two", 8 / prefetch.median)
