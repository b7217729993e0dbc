"""Where the numbers of cases/memory/EVIDENCE.md come from."""

from statistics import median

from recompute import Page
from result_files import data, results, series, text

GIB, MIB = 2**30, 2**20
H200 = "nvidia-h200-x86_64/"
PUBLISHED = "published/yoshida-2024.toml, published/boku-2025.toml"

page = Page("cases/memory/EVIDENCE.md")
standard = results(f"{H200}20261121-standard.json")
sam = results(f"{H200}20261121-gh200-sam.json")
miyabi = results(f"{H200}20261121-miyabi-memory.json")
STREAM = {"streams": 1, "bidirectional": False, "thp": "default"}


def copy(from_, to, means="copy-engine", size=GIB, run=standard, processor="gpu", **more):
    """GB/s of a copy."""
    wanted = STREAM | more
    found = run.case(
        "copy", processor=processor, from_=from_, to=to, means=means, size=size, **wanted
    )
    return found.median


# From memory to memory
device = copy("device", "device", "kernel")
to, back = copy("pinned", "device"), copy("device", "pinned")
both = standard.case("copy", size=GIB, bidirectional=True)
reads, writes = copy("pinned", "device", "kernel"), copy("device", "pinned", "kernel")
page.says("copies at {} TB/s, `cudaMemcpy` at {}.", device / 1e3, copy("device", "device") / 1e3)
page.says("This is {}% of the 4.81 TB/s", 100 * device / 4814.3)
page.says("{} GB/s to the GPU and {} back, {}% of 63", to, back, 100 * back / 63)
page.says(
    "at once have {} ({} to {}; {} at 4 GiB",
    both.median,
    *(edge(both.summary.medians) for edge in (min, max)),
    copy("pinned", "device", size=4 * GIB, run=miyabi, bidirectional=True),
)
page.says("reaches {} GB/s, a kernel that writes it {}", reads, writes)
page.says("This is {} to {}% of the copy engine's", 100 * reads / to, 100 * writes / back)
page.says("costs {} to {}% of an explicit", 100 - 100 * writes / back, 100 - 100 * reads / to)
page.says(
    "**Pageable memory** reaches {} GB/s to the GPU and {} back",
    copy("pageable", "device"),
    copy("device", "pageable"),
)
page.given(PUBLISHED, "GH200 has 3.2 (Yoshida 2024) or 3.4 (Boku 2025) of 4.0 TB/s")
page.given(
    PUBLISHED, "NVLink-C2C has 410 and 300 GB/s", "settle 60 GB/s lower", "Grace: 310 to 420"
)
page.given("the limit of memory and link", "the 4.81 TB/s that memory clock", "back, 88% of 63")
cpu = [
    m
    for run in (standard, sam, miyabi)
    for m in run.all("copy", processor="cpu")
    if m["size"] >= GIB
]
levels = [level for m in cpu for level in m.summary.medians]
page.says(
    "copies at {} to {} GB/s with pinned",
    *(
        edge(m.median for m in standard.all("copy", processor="cpu", size=GIB))
        for edge in (min, max)
    ),
)
page.says("single trials, up to 8 GB, lie between {} and {} GB/s", min(levels), max(levels))

# Two GPUs
two, back_two, local = (
    results(f"4x-nvidia-h200-x86_64/20261121-{name}.json")
    for name in ("copy-between-gpus", "copy-from-gpu-1", "access-gpu-1")
)
neighbour = {
    means: two.case("copy", to="device:1", means=means).median
    for means in ("kernel", "copy-engine")
}
page.says("or GPU 1 that of GPU 0: kernel | {} |", neighbour["kernel"])
page.says(
    "or GPU 1 that of GPU 0: kernel | {} |",
    back_two.case("copy", to="device", means="kernel").median,
)
page.says("the same by copy engine | {} |", neighbour["copy-engine"])
page.says(
    "kernel, copy engine | {}, {} |",
    *(two.case("copy", to="device", means=means).median for means in ("kernel", "copy-engine")),
)
page.says("CPU touched: settled | {} |", local.case("access", memory="managed").median)
page.says("copies pinned arrays | {} |", local.case("access", memory="explicit").median)
page.says(
    "has {}% of the copy engine's rate. The path still",
    100 * neighbour["kernel"] / neighbour["copy-engine"],
)
page.given(
    "4 * 512 * 1024 bytes at the rate above; cases/himeno/numbers/EVIDENCE.py",
    "2.1 MB, takes 6 µs, and an iteration of a quarter of the grid takes 0.9 ms",
)
page.given("of the machine", "four H200s and 18 NVLinks")
page.given("settings", "one trial of 50 samples")

# Bandwidth over size
small = copy("pinned", "device", size=16 * MIB, run=miyabi)
page.says("at about 500 KiB and {}% at 16 MiB", 100 * small / copy("pinned", "device", run=miyabi))
page.given("between 36.7 GB/s at 1 MiB and 18.9 at 256 KiB", "at about 500 KiB")
page.says(
    "it has {} TB/s already at 16 MiB", copy("device", "device", "kernel", 16 * MIB, miyabi) / 1e3
)
page.says("the rate is {} TB/s", copy("device", "device", "kernel", 64 * MIB, miyabi) / 1e3)
eight = copy("pinned", "device", size=16 * MIB, run=miyabi, streams=8)
page.says("lose {}% at 16 MiB", 100 - 100 * eight / small)
page.says(
    "have {} times the rate of one",
    copy("pinned", "device", size=256 * MIB, run=miyabi, bidirectional=True)
    / copy("pinned", "device", size=256 * MIB, run=miyabi),
)

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

# First touch, prefetch and faults
PAGE = 4096


def touch(processor, operation, memory="managed"):
    """Pages of 1 GiB."""
    return standard.case("touch", processor=processor, memory=memory, operation=operation)


malloc, managed = touch("cpu", "first-touch", "pageable"), touch("cpu", "first-touch")
page.says(
    "(malloc / managed) | {} / {} | {} / {} ns",
    malloc.median,
    managed.median,
    PAGE / malloc.median,
    PAGE / managed.median,
)
page.says(
    "| GPU reads pages that the CPU touched | {} | {} ns",
    touch("gpu", "fault").median,
    PAGE / touch("gpu", "fault").median,
)
page.says(
    "| prefetch to the GPU | {} | {} ns",
    touch("gpu", "prefetch").median,
    PAGE / touch("gpu", "prefetch").median,
)
for row, m in {
    "GPU writes fresh managed pages": touch("gpu", "first-touch"),
    "CPU reads pages that the GPU touched": touch("cpu", "fault"),
    "prefetch to the CPU": touch("cpu", "prefetch"),
}.items():
    levels = m.summary.medians
    page.says(
        f"| {row} | {{}} ({{}} to {{}}) | {{}} ns",
        m.median,
        min(levels),
        max(levels),
        PAGE / m.median,
    )
shares = [
    returned / whole
    for m in (touch("gpu", "prefetch"), touch("cpu", "prefetch"))
    for returned, whole in zip(series(m, "return_s")[0], series(m, "host_s")[0], strict=True)
]
page.says("after more than {}% of the", 100 * min(shares))

# Pages of 2 MiB
pages, pages_copy, numa = (
    results(f"{H200}20261124-{name}.json") for name in ("pages", "pages-copy", "numa")
)
small_copy, huge_copy = (pages_copy.case("copy", page=size) for size in (4096, 2 * MIB))
page.says(
    "CPU copies pageable memory, GB/s | {} | {} (two trials, {}% apart)",
    small_copy.median,
    huge_copy.median,
    100 * huge_copy.summary.spread,
)
page.says(
    "of pinned memory, GB/s | {} | {} |",
    *(pages.case("access", memory="explicit", page=size).median for size in (4096, 2 * MIB)),
)
node, default = numa.case("copy", numa="0"), numa.case("copy", numa="local")
page.says(
    "had {} GB/s ({}% apart) and the default {} ({}% apart)",
    node.median,
    100 * node.summary.spread,
    default.median,
    100 * default.summary.spread,
)
EPYC = "2-core-amd-epyc-x86_64/"
for row, (few, many) in {
    "`page=4KiB`, `page=2MiB`": [
        results(f"{EPYC}20261125-touch-pages.json").case("touch", page=p) for p in (4096, 2 * MIB)
    ],
    "`thp=never`, `thp=always`": [
        results(f"{EPYC}20261125-touch-thp.json").case("touch", thp=t) for t in ("never", "always")
    ],
}.items():
    page.says(
        f"| {row} | {{}} ({{}}%) | {{}} ({{}}%) | {{}} |",
        few.median,
        100 * few.summary.spread,
        many.median,
        100 * many.summary.spread,
        many.median / few.median,
    )

# Other programs
rows = {row["case"]: row["ratio"] for row in data(f"{H200}20261121-rivals.json")["rows"]}
page.says(
    "has {} (HtoD), {} (DtoH) and {} (device to device)",
    *(
        rows[f"copy gpu {way} 1GiB copy-engine"]
        for way in ("pinned -> device", "device -> pinned", "device -> device")
    ),
)
page.says("Our kernel has {} of", rows["copy gpu device -> device 1GiB kernel"])
page.says("The ratio is {}; single", rows["copy cpu pageable -> pageable 1GiB"])
page.says(
    "best copy has {} TB/s. Our kernel has a median of {}",
    text(f"{H200}20261121-babelstream.txt").line("Copy")[0] / 1e6,
    device / 1e3,
)
page.given(
    "settings of BabelStream", "2^27 doubles, 50 times", "BabelStream 5.0", "one 16-byte load"
)
starts = [
    t["quantities"]["setup_s"]["value"]
    for m in standard.cases
    for t in m.trials
    if m["processor"] != "cpu"
]
cpu_starts = [
    t["quantities"]["setup_s"]["value"]
    for m in standard.cases
    for t in m.trials
    if m["processor"] == "cpu" and m["size"] <= 16 * MIB
]
page.says("takes {} s (median) and at most {} s", median(starts), max(starts))
page.says("with small arrays it takes {} s", median(cpu_starts))
